"""Damage to valid files, drawn by Hypothesis: bytes, words, cells, nodes and archive members.

In: a valid file's bytes and its kind. Out: a strategy of damaged bytes. Most damage is small, so
that a file gets past the first check of its reader and reaches the ones behind it.
"""

import io
import json
import zipfile
from collections.abc import Callable
from copy import deepcopy

import numpy as np
from hypothesis import strategies as st

# Values no form was made for; text so that they fit into any text file.
NASTY = (
    "", " ", "NaN", "nan", "inf", "-inf", "1e999", "-1", "0", "1e-320", "9" * 400, "9" * 5000,
    "-0.0", "0x10", "1_000", "0,85", "85 %", "true", "null", "None", "NA", "\0", "\r", "\n", "\t",
    "\ufeff", "\u202e", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "'", '"',
    '""', "'''", '"""', ";", ",", "=", "[", "]", "[[", "{", "}", ":", "- ", "#", "%s", "{{7*7}}",
    "../../etc/passwd", "/etc/passwd", "file:///etc/passwd", "<script>", "=1+1", "x" * 3000,
    "2026-01-01", "1;2", "&a [*a]", "*a", "!!python/object/apply:os.system [true]", "? ", "\\",
    "\\u0000", "\\x00", "[" * 60, "{a=" * 30, "999999999999999999999999", "1e308", "-1e308",
)  # fmt: skip
NODES = (
    None, True, False, 0, -1, 1, 2**63, 10**400, 1e308, 1e-320, float("nan"), float("inf"),
    -float("inf"), "", "x", "nan", "\0", "a" * 3000, [], {}, [[]], [None], [1, "a"], {"": 0},
    {"kind": "Normal"}, [[1, 2], [3]], "../../etc/passwd", [0] * 500,
)  # fmt: skip


def damaged(content: bytes, kind: str) -> st.SearchStrategy[bytes]:
    """Return damaged versions of a file of this kind."""
    own = {"text": _words, "csv": _cells, "json": _nodes, "parquet": _inner_bytes, "npz": _members}
    kinds = [_bytes(content), _encoded(content)]
    if kind in own:
        # Damage a reader only meets behind its first check finds more.
        kinds += [own[kind](content)] * 3
    if kind in ("csv", "json"):
        kinds.append(_words(content))
    return st.one_of(kinds)


def _bytes(content: bytes) -> st.SearchStrategy[bytes]:
    place = st.integers(0, len(content))
    change = st.tuples(place, st.integers(0, 8), st.binary(max_size=6))

    def apply(changes: list[tuple[int, int, bytes]]) -> bytes:
        found = content
        for start, length, new in changes:
            found = found[:start] + new + found[start + length :]
        return found

    cut = place.map(lambda end: content[:end])
    doubled = place.map(lambda start: content + content[start:])
    return st.one_of(st.lists(change, min_size=1, max_size=4).map(apply), cut, doubled)


def _encoded(content: bytes) -> st.SearchStrategy[bytes]:
    text = content.decode("utf-8", "replace")
    forms = [
        content.replace(b"\n", b"\r\n"),
        content.replace(b"\n", b"\r"),
        content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n", 2),
        b"\xef\xbb\xbf" + content,
        b"\xef\xbb\xbf\xef\xbb\xbf" + content,
        text.encode("utf-16"),
        text.encode("utf-16-le"),
        text.encode("utf-32"),
        text.encode("cp1252", "replace").replace(b"a", b"\xe4"),
        content.replace(b"\n", b"\0"),
        b"\0" * 40 + content,
        b"\n\n" + content,
        content.split(b"\n")[0],
        content.split(b"\n")[0] + b"\n",
        b"",
        b" ",
        b"\n",
        content * 2,
    ]
    return st.sampled_from(forms)


def _words(content: bytes) -> st.SearchStrategy[bytes]:
    """Put nasty words at the edges of words, and swap, double and drop lines."""
    text = content.decode("utf-8", "replace")
    edges = [0, len(text)] + [
        place for place in range(1, len(text)) if text[place].isalnum() != text[place - 1].isalnum()
    ]
    lines = text.split("\n")
    word = st.tuples(st.sampled_from(edges), st.sampled_from(NASTY), st.integers(0, 12))
    line = st.tuples(
        *[st.integers(0, len(lines) - 1)] * 2, st.sampled_from(["swap", "copy", "drop"])
    )

    def with_words(changes: list[tuple[int, str, int]]) -> bytes:
        found = text
        for place, new, drop in changes:
            found = found[:place] + new + found[place + drop :]
        return found.encode("utf-8", "replace")

    def with_line(change: tuple[int, int, str]) -> bytes:
        first, second, how = change
        kept = list(lines)
        if how == "swap":
            kept[first], kept[second] = kept[second], kept[first]
        elif how == "copy":
            kept.insert(second, kept[first])
        else:
            del kept[first]
        return "\n".join(kept).encode("utf-8", "replace")

    return st.one_of(st.lists(word, min_size=1, max_size=3).map(with_words), line.map(with_line))


def _cells(content: bytes) -> st.SearchStrategy[bytes]:
    """Change cells, columns and the header of a CSV file."""
    text = content.decode("utf-8-sig")
    sign = ";" if ";" in text.split("\n")[0] else ","
    rows = [line.rstrip("\r").split(sign) for line in text.strip("\n").split("\n")]
    width = len(rows[0])
    cell = st.tuples(
        st.integers(0, len(rows) - 1), st.integers(0, width - 1), st.sampled_from(NASTY)
    )
    column = st.tuples(*[st.integers(0, width - 1)] * 2)

    def with_cells(changes: list[tuple[int, int, str]]) -> bytes:
        found = [list(row) for row in rows]
        for row, place, new in changes:
            found[row][place % len(found[row])] = new
        return _joined(found, sign)

    def with_whole_column(change: tuple[int, int, str]) -> bytes:
        _, place, new = change
        found = [[*row[:place], new, *row[place + 1 :]] for row in rows[1:]]
        return _joined([rows[0], *found], sign)

    def with_name_twice(change: tuple[int, int]) -> bytes:
        header = list(rows[0])
        header[change[0]] = header[change[1]]
        return _joined([header, *rows[1:]], sign)

    return st.one_of(
        st.lists(cell, min_size=1, max_size=4).map(with_cells),
        cell.map(with_whole_column),
        column.map(with_name_twice),
    )


def _joined(rows: list[list[str]], sign: str) -> bytes:
    return "\n".join(sign.join(row) for row in rows).encode("utf-8", "replace") + b"\n"


def _nodes(content: bytes) -> st.SearchStrategy[bytes]:
    """Replace, drop and add nodes of a JSON document."""
    paths = list(_paths(json.loads(content), ()))
    change = st.tuples(
        st.sampled_from(paths),
        st.sampled_from(NODES),
        st.sampled_from(["set", "set", "drop", "add"]),
    )

    def apply(changes: list[tuple[tuple[object, ...], object, str]]) -> bytes:
        document = json.loads(content)
        for path, new, how in changes:
            # A copy: what one change puts in, the next may change.
            document = _changed(document, path, deepcopy(new), how)
        return json.dumps(document).encode()

    return st.lists(change, min_size=1, max_size=3).map(apply)


def _paths(node: object, path: tuple[object, ...]) -> object:
    yield path
    inner = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node[:6])
        if isinstance(node, list)
        else ()
    )
    for key, each in inner:
        yield from _paths(each, (*path, key))


def _changed(document: object, path: tuple[object, ...], new: object, how: str) -> object:
    if not path:
        return new if how == "set" else document
    holder = document
    try:
        for key in path[:-1]:
            holder = holder[key]
        if how == "drop":
            del holder[path[-1]]
        elif how == "add" and isinstance(holder, dict):
            holder[str(path[-1]) + "_"] = new
        else:
            holder[path[-1]] = new
    except (KeyError, IndexError, TypeError):
        pass  # an earlier change took this place away
    return document


def _inner_bytes(content: bytes) -> st.SearchStrategy[bytes]:
    """Change bytes of a Parquet file, its footer most of all, and keep the magic signs."""
    footer = int.from_bytes(content[-8:-4], "little")
    start = len(content) - 8 - footer
    place = st.one_of(st.integers(start, len(content) - 5), st.integers(4, len(content) - 5))
    change = st.tuples(place, st.integers(0, 255))

    def apply(changes: list[tuple[int, int]]) -> bytes:
        found = bytearray(content)
        for where, new in changes:
            found[where] = new
        return bytes(found)

    return st.lists(change, min_size=1, max_size=3).map(apply)


def _members(content: bytes) -> st.SearchStrategy[bytes]:
    """Change the header and the arrays of a saved fit, and drop some."""
    with np.load(io.BytesIO(content)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    names = [name for name in arrays if name != "header"]
    new_header = _nodes(bytes(arrays["header"])).map(
        lambda text: {**arrays, "header": np.frombuffer(text, dtype=np.uint8)}
    )
    ways: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
        lambda each: each[:0],
        lambda each: each[:-1],
        lambda each: each.ravel(),
        lambda each: each[None],
        lambda each: each.T,
        lambda each: each.astype(str),
        lambda each: each.astype(complex),
        lambda each: np.full_like(each, -1),
        lambda each: np.full(each.shape, np.nan),
        lambda each: np.full(each.shape, np.inf),
        lambda each: np.zeros((), dtype=float),
        lambda each: np.zeros(3, dtype="datetime64[s]"),
        lambda each: np.full(each.shape, 10**9),
    )
    changed = st.tuples(st.sampled_from(names), st.sampled_from(ways)).map(
        lambda pair: {**arrays, pair[0]: pair[1](arrays[pair[0]])}
    )
    dropped = st.sampled_from(list(arrays)).map(
        lambda name: {each: values for each, values in arrays.items() if each != name}
    )
    return st.one_of(new_header, changed, dropped).map(_packed)


def _packed(arrays: dict[str, np.ndarray]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, values in arrays.items():
            inner = io.BytesIO()
            np.save(inner, values, allow_pickle=False)
            archive.writestr(f"{name}.npy", inner.getvalue())
    return target.getvalue()
