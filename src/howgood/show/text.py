"""Tables and JSON for the terminal.

In: `Table` records and plain dicts. Out: strings. Absent: printing.
"""

import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from howgood.names import one_line, visible
from howgood.records.saved import Packed
from howgood.records.table import Table
from howgood.show.numbers import plain


def text_table(table: Table, *, width: int = 110) -> str:
    """Return a table as aligned text; numbers are rounded here and nowhere earlier."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable

    rich_table = RichTable(box=SIMPLE_HEAD)
    rows = [[_cell(value) for value in row.values()] for row in table.rows()]
    heads = _heads([one_line(name) for name in table], rows, width=width)
    for head, values in zip(heads, table.values(), strict=True):
        rich_table.add_column(
            head, justify="right" if values.dtype.kind in "fiu" else "left", overflow="fold"
        )
    for row in rows:
        rich_table.add_row(*row)
    # Names stay as they are: no markup, and no :smile: that becomes a picture.
    console = Console(width=width, file=io.StringIO(), color_system=None, markup=False, emoji=False)
    console.print(rich_table)
    text = console.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO above
    return "\n".join(line.rstrip() for line in text.splitlines())


def _heads(names: list[str], rows: list[list[str]], *, width: int) -> list[str]:
    """Return the heads; in a table that is too wide they break between words, not within."""
    cells = [names, *rows]
    # A column has a space on either side, and one between it and the next.
    needed = 1 + sum(max(len(row[place]) for row in cells) + 3 for place in range(len(names)))
    return [name.replace("_", " ") for name in names] if needed > width else names


def to_json(value: Mapping[str, Any], *, whole: bool = False) -> str:
    """Return JSON; NaN and infinities, which JSON lacks, become null and strings.

    Packed records, which only programs read, are left out unless the `whole` is wanted.
    """
    plain_values = _jsonable(value, whole=whole)
    return visible(json.dumps(plain_values, indent=2, ensure_ascii=False, allow_nan=False))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return plain(value, digits=3)
    return "" if value is None else one_line(str(value))


def _jsonable(value: Any, *, whole: bool) -> Any:  # noqa: ANN401 - JSON is made of anything
    if isinstance(value, Table):
        return [_jsonable(row, whole=whole) for row in value.rows()]
    if isinstance(value, Mapping):
        return {
            str(key): _jsonable(item, whole=whole)
            for key, item in value.items()
            if whole or not isinstance(item, Packed)
        }
    if isinstance(value, np.ndarray):
        return _jsonable(value.tolist(), whole=whole)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_jsonable(item, whole=whole) for item in value]
    if isinstance(value, np.generic):
        return _jsonable(value.item(), whole=whole)
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
