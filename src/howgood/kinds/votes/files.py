"""Outputs of systems from a table with one row per output, whatever its columns are called.

In: the plan's values as written, and a reader of tables; or a table that has no study yet. Out:
prompts and outputs; the text of a study file. Absent: opening files.
"""

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from howgood.errors import HowgoodError, InputError, MissingColumnError
from howgood.kinds.plan import table_problem
from howgood.kinds.protocol import OpenTable
from howgood.records.record import Problem
from howgood.records.table import frame_column_names, frame_columns

FILE_KEYS = ("table",)
PICTURES = (".svg", ".png", ".jpg", ".jpeg", ".webp", ".gif", ".mp4", ".webm")
# What columns are usually called, the likeliest first.
_NAMES = {
    "prompt": ("prompt", "question", "instruction", "input", "query", "user_prompt", "prompt_text",
               "prompt_id", "item", "id"),
    "system": ("system", "model", "model_id", "model_name", "generator", "variant", "name"),
    "output": ("output", "response", "answer", "completion", "generation", "text", "picture",
               "image", "file", "output_text"),
}  # fmt: skip
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_MOST_OUTPUTS = 20_000


def fill_from_files(
    plan: dict[str, Any], open_table: OpenTable, problems: list[Problem]
) -> frozenset[str]:
    """Put in the outputs of a table; return what stays empty because a file is wrong."""
    name = plan.get("table")
    if not isinstance(name, str) or not name:
        return frozenset()
    given = {part: plan.get(f"{part}_column") for part in _NAMES}
    try:
        plan |= outputs_of(open_table(name), {k: v for k, v in given.items() if isinstance(v, str)})
    except HowgoodError as error:
        problems.append(table_problem(error, ("votes", "table")))
        return frozenset({"prompts", "outputs"})
    return frozenset()


def outputs_of(table: Any, given: Mapping[str, str]) -> dict[str, Any]:  # noqa: ANN401 - any frame
    """Return prompts and outputs as a study file lists them."""
    names = guessed(frame_column_names(table), given)
    read = frame_columns(table, names.values(), where="outputs")
    rows = list(zip(*(read[names[part]].tolist() for part in _NAMES), strict=True))
    if len(rows) > _MOST_OUTPUTS:
        raise InputError(
            where="outputs",
            found=f"{len(rows):,} outputs",
            needed=f"at most {_MOST_OUTPUTS:,}",
            cure="Take a sample of the prompts: people vote on a few hundred at most.",
        )
    cells = [tuple(_cell(cell, number) for cell in row) for number, row in enumerate(rows, 1)]
    keys = {
        text: f"p{number}"
        for number, text in enumerate(dict.fromkeys(prompt for prompt, _, _ in cells), start=1)
    }
    are_pictures = bool(cells) and all(_is_picture(output) for _, _, output in cells)
    return {
        "prompts": [{"key": key, "text": text} for text, key in keys.items()],
        "outputs": [
            {"prompt": keys[prompt], "system": system, **_content(output, are_pictures, number)}
            for number, (prompt, system, output) in enumerate(cells, start=1)
        ],
    }


def guessed(present: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Return which column holds prompts, systems and outputs: as given, else by its usual name."""
    guesses = {}
    by_name = {name.strip().lower().replace(" ", "_"): name for name in reversed(present)}
    for part, usual in _NAMES.items():
        if given.get(part):
            guesses[part] = given[part]
            if given[part] not in present:
                raise MissingColumnError(where="outputs", column=given[part], columns=present)
            continue
        likely = [by_name[name] for name in usual if name in by_name]
        likely = [name for name in likely if name not in guesses.values()]
        if not likely:
            raise InputError(
                where="outputs",
                found=f"columns {', '.join(map(repr, present[:8]))}, none of which is called "
                f"{', '.join(usual[:4])}",
                needed=f"one row per output, with a column of {part}s",
                cure=f'Rename the column, or name it in the study file: {part}_column = "…".',
            )
        guesses[part] = likely[0]
    return guesses


def _cell(value: object, number: int) -> str:
    text = "" if value is None else str(value).strip()
    if text and text != "nan":
        return text
    raise InputError(
        where=f"outputs, row {number}",
        found="an empty cell",
        needed="a prompt, a system and an output in every row",
        cure="Fill it in, or leave the row out.",
    )


def _is_picture(output: str) -> bool:
    name = output.split("?", 1)[0] if _ADDRESS.match(output) else output
    return len(output) < 1000 and "\n" not in output and name.lower().endswith(PICTURES)


def _content(output: str, is_picture: bool, number: int) -> dict[str, Any]:
    if not is_picture:
        return {"text": output}
    if _ADDRESS.match(output):
        raise InputError(
            where=f"outputs, row {number}",
            found=f"the address {output[:80]!r}",
            needed="pictures that lie next to the study file",
            cure="Download them first: pages load nothing from other servers, which would learn "
            "who votes, and an address may name the system.",
        )
    return {"picture": {"file": output, "alternative": "a picture"}}


def study_of_table(table: Any, name: str) -> str:  # noqa: ANN401 - any frame
    """Return a study file about the outputs of a table, with the texts of the packaged one."""
    made = outputs_of(table, {})
    names = guessed(frame_column_names(table), {})
    systems = len({output["system"] for output in made["outputs"]})
    before, _, rest = (
        (files("howgood.kinds.votes") / "template.toml")
        .read_text("utf-8")
        .partition("# Prompts and outputs.")
    )
    after = rest[rest.index("[completion]") :]
    columns = "".join(
        f"{part}_column = {json.dumps(column, ensure_ascii=False)}\n"
        for part, column in names.items()
    )
    return (
        f"{before}# {len(made['outputs']):,} outputs of {systems} systems for "
        f"{len(made['prompts']):,} prompts.\n"
        f"table = {json.dumps(name, ensure_ascii=False)}\n{columns}\n{after}"
    )
