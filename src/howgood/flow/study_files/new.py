"""Write a new study file that runs as it is.

In: a kind of study and a path. Out: a commented file. Absent: overwriting anything.
"""

from pathlib import Path

from howgood.errors import FileFormatError
from howgood.kinds import kind_named
from howgood.writing import write_text


def new_study(kind: str, location: str | Path) -> Path:
    """Write a commented study file of a kind, ready to run.

    Parameters
    ----------
    kind : str
        The name of a kind: "survey", "comparison" or "rerating".
    location : str or Path
        A new file ending in .toml, .yaml or .yml.

    Notes
    -----
    Stability: experimental
    """
    path = Path(location)
    text = template(kind)
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


def template(kind: str) -> str:
    """Return the text of a new study file (TOML)."""
    return kind_named(kind).template()
