"""How studies are going: counts, drop-out, balance, time, answers that look careless, history."""

from howgood.flow.watching.counts import (
    MOST_LINES,
    PRECISE,
    Deed,
    Evidence,
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
from howgood.flow.watching.people import AnsweredPage, Person, look_at, people_of, review

__all__ = [
    "MOST_LINES",
    "PRECISE",
    "AnsweredPage",
    "Deed",
    "Evidence",
    "Flag",
    "Flags",
    "Live",
    "Person",
    "StudyCounts",
    "Watcher",
    "deeds",
    "in_words",
    "look_at",
    "overview",
    "people_of",
    "review",
    "watch",
]
