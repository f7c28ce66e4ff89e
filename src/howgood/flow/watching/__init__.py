"""How studies are going: counts, drop-out, balance, time, answers that look careless, history."""

from howgood.flow.watching.counts import (
    MOST_LINES,
    Deed,
    Flag,
    Flags,
    Live,
    StudyCounts,
    Watcher,
    deeds,
    in_words,
    overview,
    watch,
)

__all__ = [
    "MOST_LINES",
    "Deed",
    "Flag",
    "Flags",
    "Live",
    "StudyCounts",
    "Watcher",
    "deeds",
    "in_words",
    "overview",
    "watch",
]
