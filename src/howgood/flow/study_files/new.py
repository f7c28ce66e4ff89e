"""Write a new study file that runs as it is.

In: a kind of study and a path. Out: a commented file. Absent: overwriting anything.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from howgood.ask.files import open_table
from howgood.errors import FileFormatError
from howgood.flow.files import naming
from howgood.flow.study_files.neutral_pictures import neutral_pictures
from howgood.kinds import kind_named
from howgood.writing import write_text

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".xlsx", ".parquet", ".gz")


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
    if of_table is not None and path.suffix.lower() in _TABLES:
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
