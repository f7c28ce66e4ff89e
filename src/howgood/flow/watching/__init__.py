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
from howgood.flow.watching.facilitating import Session, follow, notes_file, take_note
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
    "Session",
    "StudyCounts",
    "Watcher",
    "deeds",
    "follow",
    "in_words",
    "look_at",
    "notes_file",
    "overview",
    "people_of",
    "review",
    "take_note",
    "watch",
]
