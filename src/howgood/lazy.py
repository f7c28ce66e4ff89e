"""Packages whose names are loaded when they are first used (PEP 562).

In: the stub `__init__.pyi` of a package, which says where each public name lives, for people, type
checkers and the running program alike. Out: the `__getattr__`, `__dir__` and `__all__` of that
package. A module must not bear the name of a public function: importing it would hide the function.
And `while_loading`, for programs that load nearly everything before they begin.
"""

import ast
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path


def names_of(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for the package whose `__init__.py` is `file`.

    Examples
    --------
    >>> import howgood.ask
    >>> find, _, names = names_of("howgood.ask", howgood.ask.__file__)
    >>> find(names[0]) is getattr(howgood.ask, names[0])
    True
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    homes = {
        alias.name: str(statement.module)
        for statement in stub.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)  # the next look-up does not come here
        return value

    public = sorted(homes)
    return find, lambda: public, public


@contextmanager
def while_loading() -> Iterator[None]:
    """Look for no unused objects meanwhile: what modules make stays, and there is ever more of it.

    A tenth of a server's start would go into looking through it again and again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
