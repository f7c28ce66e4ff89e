"""How studies are going: counts, drop-out, balance, time, and answers that look careless."""

from howgood.flow.watching.counts import Live, StudyCounts, overview, watch
from howgood.flow.watching.flags import Flag, Flags, Watcher

__all__ = ["Flag", "Flags", "Live", "StudyCounts", "Watcher", "overview", "watch"]
