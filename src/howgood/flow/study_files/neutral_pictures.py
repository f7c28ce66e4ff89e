"""Pictures of a table under names that say nothing: people vote blind, and pages name their files.

In: a table of outputs. Out: the same table, or, where its outputs are pictures, another one next to
it that names copies. Absent: what a study makes of it (`kinds.votes`).
"""

import hashlib
import json
from pathlib import Path

from howgood.ask.files import open_table
from howgood.errors import InputError
from howgood.flow.study_files.attached_files import picture_problem
from howgood.kinds.votes.files import outputs_of
from howgood.writing import write_bytes, write_text


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
