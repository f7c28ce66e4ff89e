"""What PyPI shows of README.md, made when wheel and sdist are built.

In: README.md, and where the project lives (Actions says so when it makes a release). Out: the
description and the addresses in the package's metadata. Absent: the address itself; nobody has to
write it into the project, and a fork says its own.

Links of the README lead from file to file. On PyPI there are no files: where the address is known,
they lead there; where it is not, pictures are left out and links are plain words.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# A badge that is a link; a picture alone, with its caption in italics; a link. All to files.
_BADGE = re.compile(r"\[!\[([^\]]*)\]\((?!https?:)([^)]+)\)\]\(([^)]+)\) ?")
_PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?:)([^)]+)\)\n\n(\*[^*]+\*\n\n)?")
_LINK = re.compile(r"(?<!!)\[([^\[\]]+|!\[[^\]]*\]\([^)]+\))\]\((?!https?:|#)([^)]+)\)")


def published(readme: str, *, home: str | None, tag: str) -> str:
    r"""Return the README as it stands alone: with addresses of `home`, or without pictures.

    Examples
    --------
    >>> text = "See [how](docs/how.md).\n\n![A map](map.svg)\n\n*A caption.*\n\nEnd.\n"
    >>> published(text, home=None, tag="v1")
    'See how.\n\nEnd.\n'
    >>> published(text, home="https://git.example/us/it", tag="v1").splitlines()[2]
    '![A map](https://git.example/us/it/raw/v1/map.svg)'
    """
    if home is None:
        text = _PICTURE.sub("", _BADGE.sub("", readme))
        return _LINK.sub(lambda match: match[1], text)

    def address(path: str, way: str) -> str:
        return home + path.removeprefix("../..") if path[0] == "." else f"{home}/{way}/{tag}/{path}"

    text = _BADGE.sub(
        lambda m: f"[![{m[1]}]({address(m[2], 'raw')})]({address(m[3], 'blob')}) ", readme
    )
    text = _PICTURE.sub(lambda m: f"![{m[1]}]({address(m[2], 'raw')})\n\n{m[3] or ''}", text)
    return _LINK.sub(lambda m: f"[{m[1]}]({address(m[2], 'blob')})", text)


def home_of(environment: dict[str, str]) -> str | None:
    """Return the project's address, where what builds it says so."""
    repository = environment.get("GITHUB_REPOSITORY")
    server = environment.get("GITHUB_SERVER_URL", "https://github.com")
    return f"{server}/{repository}" if repository else None


class PublishedReadme(MetadataHookInterface):
    """Gives the package its description, and its addresses where they are known."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Write description and addresses into the metadata."""
        home, tag = home_of(dict(os.environ)), f"v{metadata['version']}"
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = published(readme, home=home, tag=tag)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = (
            {"Source": home, "Changelog": f"{home}/blob/{tag}/CHANGELOG.md"} if home else {}
        )
