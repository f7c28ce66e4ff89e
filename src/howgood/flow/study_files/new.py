"""Write a new study file that runs as it is.

In: a kind of study and a path. Out: a commented file, and neutral pictures where its template shows
some. Absent: overwriting anything.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from howgood.ask.files import is_table, open_table
from howgood.errors import FileFormatError, InputError
from howgood.flow.files import naming
from howgood.flow.study_files.attached_files import picture_problem
from howgood.kinds import kind_named
from howgood.kinds.votes.files import outputs_of
from howgood.writing import write_bytes, write_text


def new_study(kind: str, location: str | Path) -> Path:
    """Write a commented study file of a kind, ready to run.

    Parameters
    ----------
    kind : str
        The name of a kind, such as "survey", "comparison" or "votes".
    location : str or Path
        A new file ending in .toml, .yaml or .yml. For kinds that are about a table (votes), also
        the table: the study file is written next to it, under its name.

    Notes
    -----
    Stability: experimental
    """
    path = Path(location)
    text = template(kind)
    of_table = kind_named(kind).study_of_table
    if of_table is not None and is_table(path):
        return study_about(path, of_table)
    if path.suffix.lower() not in (".toml", ".yaml", ".yml"):
        raise FileFormatError(
            where=str(path),
            found=f"a name ending in {path.suffix!r}" if path.suffix else "a name without ending",
            needed="a name ending in .toml, .yaml or .yml",
            cure=f"Call it {path.stem}.toml.",
        )
    if path.suffix.lower() != ".toml":
        from howgood.flow.study_files.as_text import commented_yaml

        text = commented_yaml(text)
    return write_text(path, text, is_new=True)


def study_about(table: Path, of_table: Callable[[Any, str], str]) -> Path:
    """Write a study file about a table next to it; pictures in it are copied under other names."""
    with naming({"outputs": table, "the table": table}):
        neutral = neutral_pictures(table)
        text = of_table(open_table(neutral), neutral.name)
    return write_text(table.with_name(f"{table.name.split('.')[0]}.toml"), text, is_new=True)


def template(kind: str) -> str:
    """Return the text of a new study file (TOML)."""
    return kind_named(kind).template()


def neutral_pictures(table: Path) -> Path:
    """Return the table, or one that names copies of its pictures by what is in them."""
    made = outputs_of(open_table(table), {})
    if not any("picture" in output for output in made["outputs"]):
        return table
    folder, stem = table.parent, table.name.split(".")[0]
    prompts = {prompt["key"]: prompt["text"] for prompt in made["prompts"]}
    lines = [
        {
            "prompt": prompts[output["prompt"]],
            "system": output["system"],
            "output": _copied(folder, output["picture"]["file"], f"{stem}-pictures", row),
        }
        for row, output in enumerate(made["outputs"], start=1)
    ]
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    return write_text(folder / f"{stem}-blind.jsonl", text)


def _copied(folder: Path, name: str, into: str, row: int) -> str:
    source = folder / name
    wrong = picture_problem(source, folder)
    if wrong is not None:
        found, needed, cure = wrong
        raise InputError(
            where=f"outputs, row {row}", found=f"{name!r}: {found}", needed=needed, cure=cure
        )
    content = source.read_bytes()
    # Two systems with the same picture keep two files, or one name would tell that they agree.
    digest = hashlib.sha256(content + f":{row}".encode()).hexdigest()[:16]
    target = Path(into) / f"{digest}{source.suffix.lower()}"
    (folder / into).mkdir(exist_ok=True)
    write_bytes(folder / target, content)
    return target.as_posix()
