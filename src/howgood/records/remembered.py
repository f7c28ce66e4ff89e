"""Results remembered by what they were made from, told apart by identity.

In: a function of things that never change. Out: the same function, quick for the same things.
Absent: comparing or hashing them. Many people see the very same tuple of blocks, and walking
through it would take as long as the work it saves.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Remembered(Generic[P, T]):
    """A function that remembers its latest results.

    Text and numbers are told apart by value, all else by identity; what a result was made from is
    kept alive with it, so that no identity is given out again meanwhile.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> calls = []
    >>> length = Remembered(lambda things: calls.append(1) or len(things), most=2)
    >>> pair = (1, 2)
    >>> length(pair), length(pair), len(calls)
    (2, 2, 1)
    """

    def __init__(self, make: Callable[P, T], *, most: int) -> None:
        self._make, self._most = make, most
        self._found: OrderedDict[tuple[Hashable, ...], tuple[object, T]] = OrderedDict()
        self._gate = Lock()

    def __call__(self, *parts: P.args, **named: P.kwargs) -> T:
        """Return the result, made at most once as long as it is remembered."""
        every = (*parts, *named.values())
        key = tuple(each if isinstance(each, str | int) else id(each) for each in every)
        found = self._found.get(key)
        if found is None:
            found = (every, self._make(*parts, **named))
            with self._gate:
                self._found[key] = found
                if len(self._found) > self._most:
                    self._found.popitem(last=False)
        return found[1]
