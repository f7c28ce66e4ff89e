"""How studies are going: counts, drop-out, balance, time, answers that look careless, history."""

from howgood.flow.watching.counts import (
    LEAST_JUDGEMENTS,
    MOST_LINES,
    SECONDS_PER_PAGE,
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
from howgood.flow.watching.people import AnsweredPage, Person, look_at, people_of, review

__all__ = [
    "LEAST_JUDGEMENTS",
    "MOST_LINES",
    "SECONDS_PER_PAGE",
    "AnsweredPage",
    "Deed",
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
