"""YAML text as plain values that remember their lines.

In: YAML text. Out: `Document`. Absent: surprises: only the core types of YAML 1.2 are known (`no`
is text, not false), a key may stand once, and anchors are refused (a few lines of them can stand
for gigabytes).
"""

import re
from typing import Any

from howgood.errors import MissingExtraError
from howgood.flow.study_files.located import Document, SyntaxProblemError
from howgood.records.record import Path

DEEPEST = 30
_NULL = {"", "~", "null", "Null", "NULL"}
_TRUE, _FALSE = {"true", "True", "TRUE"}, {"false", "False", "FALSE"}
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def document_from_yaml(text: str, *, file: str) -> Document:
    """Return the values of YAML text with their lines."""
    try:
        import yaml
    except ImportError as error:
        raise MissingExtraError(task="reading YAML", extra="web") from error

    reader = _Reader(file, yaml)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            reader.refuse_alias(event)
            reader.refuse_depth(event)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise reader.wrong(mark, str(error.problem or error.context)) from error
    except yaml.YAMLError as error:
        raise SyntaxProblemError(
            file=file, line=1, found=str(error).splitlines()[0], format_name="YAML"
        ) from error
    data = {} if root is None else reader.value(root, ())
    if not isinstance(data, dict):
        raise reader.wrong(root.start_mark, "a list or a single value, not keys")
    return Document(data=data, lines={(): 1, **reader.lines})


class _Reader:
    """Turns nodes into values and notes where they are."""

    def __init__(self, file: str, yaml: Any) -> None:  # noqa: ANN401 - a module
        self.file, self.yaml = file, yaml
        self.lines: dict[Path, int] = {}
        self.depth = 0

    def wrong(self, mark: Any, found: str) -> SyntaxProblemError:  # noqa: ANN401 - yaml's Mark
        line = mark.line + 1 if mark else 1
        return SyntaxProblemError(file=self.file, line=line, found=found, format_name="YAML")

    def refuse_alias(self, event: Any) -> None:  # noqa: ANN401 - yaml's Event
        if isinstance(event, self.yaml.AliasEvent):
            raise self.wrong(event.start_mark, f"an alias *{event.anchor}: write the value again")

    def refuse_depth(self, event: Any) -> None:  # noqa: ANN401 - yaml's Event
        """Stop while reading: what reads nested lists takes the square of their depth."""
        if isinstance(event, self.yaml.CollectionStartEvent):
            self.depth += 1
        elif isinstance(event, self.yaml.CollectionEndEvent):
            self.depth -= 1
        if self.depth > DEEPEST:
            raise self.wrong(event.start_mark, f"lists or keys more than {DEEPEST} deep")

    def value(self, node: Any, path: Path) -> Any:  # noqa: ANN401 - yaml's Node, plain values
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, self.yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, self.yaml.SequenceNode):
            return [self.value(each, (*path, index)) for index, each in enumerate(node.value)]
        return _scalar(node)

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:  # noqa: ANN401 - yaml's Node
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, self.yaml.ScalarNode):
                raise self.wrong(key.start_mark, "a key that is a list or a table")
            if key.value in found:
                raise self.wrong(key.start_mark, f"the key {key.value!r} again")
            self.lines[(*path, key.value)] = key.start_mark.line + 1
            found[key.value] = self.value(value, (*path, key.value))
        return found


def _scalar(node: Any) -> str | int | float | bool | None:  # noqa: ANN401 - yaml's Node
    text = str(node.value)
    if node.style is not None:  # quoted, or a block of text
        return text
    if text in _NULL:
        return None
    if text in _TRUE | _FALSE:
        return text in _TRUE
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
