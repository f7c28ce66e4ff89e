"""Is the model good enough for the people who use it, and which one should we ship?

In: answers people gave, and what models predicted. Out: four stages, loaded on first use:
`ask`, `learn`, `score`, `decide`. Absent: anything slow; importing this loads only the
standard library.
"""

from importlib import import_module
from types import ModuleType

__version__ = "0.2.0"

__all__ = ["__version__", "ask", "decide", "learn", "score"]

_STAGES = frozenset({"ask", "decide", "learn", "score"})


def __getattr__(name: str) -> ModuleType:
    if name in _STAGES:
        return import_module(f"howgood.{name}")
    raise AttributeError(f"module 'howgood' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
