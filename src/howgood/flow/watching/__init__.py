"""How studies are going: counts, drop-out, balance, time, answers that look careless, history."""

from howgood.flow.watching.counts import Live, StudyCounts, overview, watch
from howgood.flow.watching.flags import MOST_LINES, Deed, Flag, Flags, Watcher, deeds

__all__ = [
    "MOST_LINES",
    "Deed",
    "Flag",
    "Flags",
    "Live",
    "StudyCounts",
    "Watcher",
    "deeds",
    "overview",
    "watch",
]
