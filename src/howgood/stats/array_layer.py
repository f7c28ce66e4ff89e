"""The array layer of arviz-stats (HDI, k-hat, ESS, R-hat) without what it is not asked for.

In: nothing. Out: `array_stats()`, arviz-stats' own object. Absent: statistics of our own.

arviz-stats keeps its array functions in `arviz_stats.base.array`, which needs NumPy alone for
most of what it does. Importing it the ordinary way first runs the package's labelled half
(xarray, pandas) and SciPy's statistics, several seconds of work that an interval does not use.
So its array modules are loaded here from their own files, privately: they never enter
`sys.modules`, SciPy names inside them are looked up when first called, and a later
`import arviz_stats` by the caller finds nothing changed. Should the package be laid out
differently one day, the ordinary import takes over.
"""

import builtins
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGE = "arviz_stats"


@cache
def array_stats() -> Any:  # noqa: ANN401 - arviz-stats ships no types
    """Return arviz-stats' collection of array functions.

    Examples
    --------
    >>> import numpy as np
    >>> array_stats().hdi(np.arange(101.0), prob=0.9).tolist()
    [0.0, 90.0]
    """
    try:
        return _Privately().load(f"{_PACKAGE}.base.array").array_stats
    except (AttributeError, ImportError, OSError, TypeError):
        return import_module(f"{_PACKAGE}.base").array_stats


class _Postponed:
    """A name of another package, looked up when it is first used."""

    def __init__(self, module: str, name: str = "") -> None:
        self._module, self._name = module, name

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the package holds
        if name.startswith("__"):
            raise AttributeError(name)
        if not self._name:
            return _Postponed(self._module, name)
        return getattr(self._found(), name)

    def __call__(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - as the original
        return self._found()(*arguments, **options)

    def _found(self) -> Any:  # noqa: ANN401 - whatever the package holds
        try:
            return getattr(import_module(self._module), self._name)
        except AttributeError:
            return import_module(f"{self._module}.{self._name}")


class _Privately:
    """Loads modules of one package from their files, with an import statement of their own."""

    def __init__(self) -> None:
        self._loaded: dict[str, ModuleType] = {}

    def load(self, name: str) -> ModuleType:
        if name in self._loaded:
            return self._loaded[name]
        spec = spec_from_file_location(name, _file_of(name))
        if spec is None or spec.loader is None:
            raise ImportError(name)
        module = module_from_spec(spec)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
        self._loaded[name] = module
        spec.loader.exec_module(module)
        return module

    def _import(
        self,
        name: str,
        globals: Any = None,  # noqa: A002, ANN401 - the signature of __import__
        locals: Any = None,  # noqa: A002, ANN401 - the signature of __import__
        fromlist: tuple[str, ...] = (),
        level: int = 0,
    ) -> Any:  # noqa: ANN401 - a module, or its postponed stand-in
        if name.split(".")[0] == _PACKAGE and fromlist:
            return self.load(name)
        if name.split(".")[0] == "scipy" and fromlist:
            return _Postponed(name)
        return builtins.__import__(name, globals, locals, fromlist, level)


def _file_of(name: str) -> Path:
    package = find_spec(_PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise ImportError(_PACKAGE)
    return (
        Path(package.submodule_search_locations[0])
        .joinpath(*name.split(".")[1:])
        .with_suffix(".py")
    )
