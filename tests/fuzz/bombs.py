"""Write files made to exhaust and read each; print one line of JSON per file.

Run as a program with a folder to write to. In a process of its own, so that peak memory can be
told per file and even an abort would be seen.
"""

import gc
import gzip
import io
import json
import resource
import sys
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from tests.fuzz.readers import READERS, Reader

from howgood.errors import HowgoodError

_MOST_BYTES = 12_000_000_000
Bomb = tuple[str, str, bytes, bool]  # name, reader, content, must it be refused?


def bombs() -> Iterator[Bomb]:
    """Yield every bomb, small ones first: peak memory only ever grows."""
    yield from _nested()
    yield from _yaml()
    yield from _archives()
    yield from _tables()


def _nested() -> Iterator[Bomb]:
    many = 200_000
    for reader in ("model card", "priors", "elicitation log", "comparison wording",
                   "offline answers JSON", "answers JSON", "answers JSONL"):  # fmt: skip
        yield f"deep lists in a {reader}", reader, b"[" * many, True
        yield f"deep tables in a {reader}", reader, b'{"a":' * many, True
        yield f"digits in a {reader}", reader, b'{"name": ' + b"9" * many + b"}", True
        yield f"large {reader}", reader, b'{"name": "' + b"x" * 3_000_000 + b'"}', True
    for reader in ("study TOML", "study YAML"):
        yield f"deep lists in a {reader}", reader, b"a = " + b"[" * many, False
        yield f"large {reader}", reader, b"#" * 3_000_000, True
    yield "deep inline tables", "study TOML", b"a = " + b"{a=" * many, False
    yield "dotted key", "study TOML", b"a." * many + b"a = 1", False
    yield "dotted header", "study TOML", b"[" + b"a." * many + b"a]\nb = 1", False
    yield "quoted dotted key", "study TOML", b'"a".' * (many // 2) + b"a = 1", False
    yield "long word", "study TOML", b"a" * 400_000, False
    yield "digits", "study TOML", b"a = " + b"9" * many, False
    yield "hexadecimal digits", "study TOML", b"title = 0x" + b"f" * many, False
    yield "open string", "study TOML", b'a = """' + b"\\x" * many, False
    yield "many quotes", "study TOML", b'a = ["' + b'","' * 100_000 + b'"]', False
    yield "many headers", "study TOML", b"".join(b"[a.b%d]\n" % i for i in range(20_000)), False
    yield "same header", "study TOML", b"[[a]]\n" * 60_000, False


def _yaml() -> Iterator[Bomb]:
    level = "\n".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12))
    yield "billion laughs", "study YAML", f"a0: &a0 [x]\n{level}".encode(), False
    yield "alias to itself", "study YAML", b"a: &a [*a]", False
    yield "deep flow", "study YAML", b"[" * 100_000, False
    yield "deep blocks", "study YAML", b"- " * 100_000, False
    yield "deep keys", "study YAML", b"? " * 100_000, False
    yield "deep maps", "study YAML", b"{a: " * 100_000, False
    yield "runs nothing", "study YAML", b"!!python/object/apply:os.system ['false']", False
    yield "many keys", "study YAML", b"".join(b"k%d: v\n" % i for i in range(10_000)), False
    yield "merge", "study YAML", b"a: &a {b: 1}\n<<: *a", False


def _archives() -> Iterator[Bomb]:
    yield "zip bomb", "saved fit", _zip({"header.npy": b"\0" * 600_000_000}), True
    yield "absurd shape", "saved fit", _zip({"header.npy": _npy(10**15)}), True
    yield "negative shape", "saved fit", _zip({"header.npy": _npy(-1)}), True
    yield "pickle", "saved fit", _zip({"header.npy": _pickled()}), True
    yield "many members", "saved fit", _zip({f"a{i}.npy": _npy(0) for i in range(20_000)}), True
    yield "archive in itself", "saved fit", _zip({"header.npy": _zip({"header": b"PK"})}), True
    yield "deep header", "saved fit", _zip({"header.npy": _text(b"[" * 500_000)}), True
    yield "gzip bomb", "answers CSV, compressed", _gzip_bomb(), True


def _tables() -> Iterator[Bomb]:
    header = b"participant,application,precision,recall,rating\n"
    wide = b",".join(b"c%d" % i for i in range(60_000)) + b"\n"
    for reader in ("answers CSV", "answers CSV, Polars", "answers CSV, DuckDB", "scores CSV",
                   "Qualtrics CSV", "uploaded table"):  # fmt: skip
        yield f"one quote, {reader}", reader, header + b'"' + b"a,b\n" * 300_000, False
        yield f"many columns, {reader}", reader, wide + wide, True
        yield f"one header, {reader}", reader, b"x" * 5_000_000, True
    for reader in ("answers CSV", "answers CSV, DuckDB"):
        yield f"one line, {reader}", reader, header + b"x" * 100_000_000, True
    # Twelve million equal rows pack into a few kilobytes.
    equal = _equal_rows(12_000_000)
    yield "rows from nothing", "answers Parquet", equal, True
    yield "rows from nothing", "ratings Parquet", equal, True


def _npy(length: int) -> bytes:
    described = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({length},), }}"
    text = described.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def _text(content: bytes) -> bytes:
    target = io.BytesIO()
    np.save(target, np.frombuffer(content, dtype=np.uint8))
    return target.getvalue()


def _pickled() -> bytes:
    target = io.BytesIO()
    np.save(target, np.array([print], dtype=object), allow_pickle=True)
    return target.getvalue()


def _zip(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return target.getvalue()


def _gzip_bomb() -> bytes:
    """Return a compressed table of 2 GB; gzip members may follow each other."""
    part = gzip.compress(b"p,alarm,1,1,7\n" * 3_000_000, compresslevel=9)
    return gzip.compress(b"participant,application,precision,recall,rating\n") + part * 48


def _equal_rows(n: int) -> bytes:
    """Return a Parquet file whose one page of one value is said to stand for n rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    part = pa.table(
        {
            "participant": pa.array(["p"] * 1_000_000).dictionary_encode(),
            "application": pa.array(["alarm"] * 1_000_000).dictionary_encode(),
            **{name: np.ones(1_000_000) for name in ("precision", "recall", "rating")},
        }
    )
    target = io.BytesIO()
    with pq.ParquetWriter(target, part.schema, compression="zstd") as writer:
        for _ in range(n // 1_000_000):
            writer.write_table(part)
    return target.getvalue()


def _tried(read: Callable[[Path], object], path: Path) -> tuple[str, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(path)
    except HowgoodError as error:
        return "refused", str(error)[:200]
    except BaseException as error:  # Polars' panics are no Exceptions
        return "unexpected", f"{type(error).__name__}: {error!s:.200}"
    return "read", ""


def _forget_peak() -> None:
    """Let the peak of memory begin at what is used now (Linux; elsewhere it only grows)."""
    switch = Path("/proc/self/clear_refs")
    if switch.exists():
        switch.write_text("5")


def _peak() -> float:
    """Return the peak of memory in megabytes."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(each for each in status.read_text().splitlines() if each.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(folder: Path) -> None:
    """Read every bomb once."""
    by_name: dict[str, Reader] = {each.name: each for each in READERS}
    # Load every engine first: their own memory is not the bombs'.
    for name in ("answers CSV, Polars", "answers CSV, DuckDB", "answers Parquet", "saved fit"):
        path = folder / f"valid{by_name[name].suffix}"
        path.write_bytes(by_name[name].valid()[0])
        by_name[name].read(path)
    gc.freeze()  # what is loaded stays: only what bombs leave is looked through
    # A bomb that works should end this process, not the machine.
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    for name, reader, content, must_refuse in bombs():
        path = folder / f"bomb{by_name[reader].suffix}"
        path.write_bytes(content)
        del content
        gc.collect()
        _forget_peak()
        before = _peak()
        start = time.process_time()
        kind, error = _tried(by_name[reader].read, path)
        seconds = time.process_time() - start
        grown = _peak() - before
        found = {"name": f"{reader}: {name}", "kind": kind, "error": error, "seconds": seconds}
        print(json.dumps({**found, "megabytes": grown, "must_refuse": must_refuse}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
