"""How large and how tangled the package is: files, lines of code, importers, what `rank` loads.

`python -m benchmarks.house [SOURCE]` prints it for one tree (this one without SOURCE, a folder
that holds the package `howgood`), so that two commits are measured the same way.
"""

import ast
import io
import statistics
import subprocess
import sys
import tempfile
import tokenize
from collections import defaultdict
from pathlib import Path

from benchmarks.rows import Row

SOURCE = Path(__file__).parents[1] / "src"
RATINGS = "mean,sd,a,b\n" + "".join(f"{1 + i % 5},0.{3 + i % 4},3,{1 + i % 4}\n" for i in range(99))
_LOADED = (
    "import sys, contextlib, io\nfrom howgood.cli.main import run\n"
    "with contextlib.redirect_stdout(io.StringIO()): run(sys.argv[1:])\n"
    "print(sum(name.partition('.')[0] == 'howgood' for name in sys.modules))"
)
_IMPORTED = (
    "import time; start = time.process_time()\n"
    "from howgood import ask, learn, score, decide\n"
    "ask.read_answers, learn.fit_acceptability, score.rmse, decide.rank\n"
    "print(time.process_time() - start)"
)


def run() -> list[Row]:
    return [Row(subject=what, size="src", ours=value) for what, value in measured(SOURCE).items()]


def measured(source: Path) -> dict[str, str]:
    modules = {
        _name(path, source): path for path in sorted(source.joinpath("howgood").rglob("*.py"))
    }
    lines = {name: _code_lines(path) for name, path in modules.items()}
    importers = _importers(modules)
    files = [name for name, path in modules.items() if path.name != "__init__.py"]
    single = [name for name in files if len(importers[name]) == 1]
    return {
        "files": str(len(modules)),
        "code lines": f"{sum(lines.values()):,}",
        "median module, code lines": f"{statistics.median(lines.values()):.0f}",
        "modules imported by one other": f"{len(single) / len(files):.1%} ({len(single)})",
        "our modules loaded by `howgood rank`": str(loaded_by_rank(source)),
        "importing the four stages, CPU-s": f"{_import_seconds(source):.2f}",
    }


def _name(path: Path, source: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _code_lines(path: Path) -> int:
    """Count lines that hold code: no blank line, no comment, no docstring."""
    text = path.read_text(encoding="utf-8")
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in silent and token.type != tokenize.ENDMARKER:
            held.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                held.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
    return len(held)


def _importers(modules: dict[str, Path]) -> dict[str, set[str]]:
    """Return which others import each module, in code or in the stub of a lazy package."""
    importers = defaultdict(set)
    for name, path in modules.items():
        for file in {path, path.with_suffix(".pyi")}:
            for target in _imported(file, set(modules)) if file.exists() else ():
                importers[target].add(name)
    return {name: importers[name] - {name} for name in modules}


def _imported(path: Path, modules: set[str]) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain & modules | {
        f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in modules else node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("howgood")
        for alias in node.names
    }


def loaded_by_rank(source: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        ratings = Path(folder, "ratings.csv")
        ratings.write_text(RATINGS)
        asked = ["rank", str(ratings), "--system", "A=a", "--system", "B=b"]
        return int(_python(source, _LOADED, *asked))


def _import_seconds(source: Path) -> float:
    return min(float(_python(source, _IMPORTED)) for _ in range(5))


def _python(source: Path, program: str, *arguments: str) -> str:
    command, found = [sys.executable, "-c", program, *arguments], {"PYTHONPATH": str(source)}
    return subprocess.check_output(command, text=True, env=found).split()[-1]


if __name__ == "__main__":
    for what, value in measured(Path(sys.argv[1]) if sys.argv[1:] else SOURCE).items():
        print(f"{what:40s} {value}")
