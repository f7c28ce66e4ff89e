"""A study as its researcher wrote it: what people are told, asked and thanked with.

In: plain values (a study file mirrors these records key by key). Out: a frozen `Study` with a
`version` that changes when anything in it changes. Absent: participants, answers, files, HTML: all
text is plain text in which **two stars** make bold.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Self, TypeVar

from pydantic import Field

from howgood.errors import InputError
from howgood.records.plans import ComparisonPlan, Question, ReratingPlan, SurveyPlan, repeated_keys
from howgood.records.record import CoherentRecord, Problem, Record, read_record

Kind = Literal["survey", "comparison", "rerating"]
Recruitment = Literal["none", "prolific", "mturk", "sona"]
Plan = TypeVar("Plan", SurveyPlan, ComparisonPlan, ReratingPlan)
# Columns that howgood itself writes about a participant.
COLUMNS = frozenset(
    {"participant", "condition", "consent", "pages", "seconds", "attention_asked",
     "attention_passed", "ratio_before", "ratio_after", "practice_right_at_once",
     "practice_right_again", "a0", "a0_lower", "a0_upper", "p_linear", "agreement",
     "checks_wrong", "looks_careless", "q1", "q2", "q3", "q4", "q5", "q6"}
)  # fmt: skip
# Pages of the dashboard beside the studies' own: a study of that name could not be reached.
RESERVED = frozenset({"new", "upload"})
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")


class Consent(Record):
    """What people agree to before anything else."""

    text: str = Field(description="what they agree to; an empty line starts a new paragraph")
    contact: str = Field(default="", description="whom to ask or complain to")


class Completion(Record):
    """What people see when they have finished."""

    text: str = Field(default="", description="thanks in your own words")
    code: str = Field(default="", description="completion code that the last page shows")
    redirect: str = Field(
        default="",
        description="https address of the recruiting platform to go to at the end; {code}, "
        "{participant}, {session} and {study} are filled in",
    )


class Study(CoherentRecord):
    """Everything that defines a study, and nothing about who took part.

    Exactly one of `survey`, `comparison` and `rerating` is set: the one named by `kind`.

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> study = Study.from_dict({
    ...     "kind": "rerating", "slug": "songs", "title": "Songs, five times",
    ...     "consent": {"text": "I agree."},
    ...     "rerating": {"question": "How much do you like it?", "scale": ["1", "2", "3"],
    ...                  "items": [{"key": "a", "text": "First"}, {"key": "b", "text": "Second"}]},
    ... })
    >>> study.rerating.rounds, study.version == Study.from_dict(study.to_dict()).version
    (5, True)
    """

    kind: Kind = Field(description="survey, comparison or rerating")
    slug: str = Field(description="short name in addresses and file names: a-z, 0-9 and hyphens")
    title: str = Field(description="title that people see")
    consent: Consent = Field(description="what people agree to before anything else")
    language: str = Field(default="en", description="language of buttons and fixed sentences")
    introduction: str = Field(
        default="", description="what the study is about, on the first page above the consent"
    )
    demographics: tuple[Question, ...] = Field(
        default=(), description="questions about the person, before the task, never required"
    )
    closing: tuple[Question, ...] = Field(
        default=(), description="questions after the task, never required"
    )
    completion: Completion = Field(
        default_factory=Completion, description="what people see when they have finished"
    )
    recruitment: Recruitment = Field(
        default="none",
        description="platform whose participant id is read from the address and kept",
    )
    quota: int | None = Field(
        default=None, description="close to new people at this many complete", ge=1
    )
    idle_minutes: float = Field(
        default=120.0,
        description="who sends nothing for this long gives their place back",
        ge=1,
    )
    pilot: bool = Field(
        default=False, description="for test runs: answers are kept out of the data"
    )
    notes: str = Field(
        default="", description="for the researcher or facilitator; never shown to people"
    )
    survey: SurveyPlan | None = Field(default=None, description="the task of a survey")
    comparison: ComparisonPlan | None = Field(default=None, description="the task of a comparison")
    rerating: ReratingPlan | None = Field(default=None, description="the task of a rerating")

    @cached_property
    def version(self) -> str:
        """A short fingerprint of everything in it; the order of keys does not matter."""
        text = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and other.version == self.version

    def __hash__(self) -> int:
        return hash(self.version)

    @property
    def plan(self) -> SurveyPlan | ComparisonPlan | ReratingPlan:
        """The part that the kind names."""
        chosen = getattr(self, self.kind)
        if not isinstance(chosen, SurveyPlan | ComparisonPlan | ReratingPlan):
            raise TypeError(f"study {self.slug!r} has no {self.kind} part")
        return chosen

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the study that `to_dict` described; wrong values raise InputError."""
        return read_record(cls, data, where="study")

    def problems(self) -> list[Problem]:
        """Return parts that do not fit together."""
        return [
            *_part_problems(self),
            *_name_problems(self),
            *repeated_keys(self.demographics, ("demographics",)),
            *repeated_keys(self.closing, ("closing",)),
            *_column_problems(self),
        ]


def plan_of(study: Study, kind: type[Plan]) -> Plan:
    """Return the part of a study that is of a kind, or refuse a study of another kind."""
    plan = study.plan
    if not isinstance(plan, kind):
        raise InputError(
            where=f"study {study.slug!r}",
            found=f"a {study.kind}",
            needed=f"a study with a {kind.__name__}",
            cure="Pass a study of that kind.",
        )
    return plan


def _part_problems(study: Study) -> list[Problem]:
    return [
        Problem(
            path=(kind,),
            found=f"a {kind} part in a {study.kind} study"
            if kind != study.kind
            else f"no {kind} part",
            needed=f"exactly one part, named {study.kind!r} as in kind",
            cure=f"Remove it, or set kind to {kind!r}." if kind != study.kind else "Add it.",
        )
        for kind in ("survey", "comparison", "rerating")
        if (getattr(study, kind) is not None) != (kind == study.kind)
    ]


def _column_problems(study: Study) -> list[Problem]:
    """Return questions whose answers would share a column with something else."""
    taken = set(COLUMNS) | {each.key for each in study.demographics}
    places = [(("demographics", index, "key"), each.key, each.key in COLUMNS)
              for index, each in enumerate(study.demographics)]  # fmt: skip
    places += [(("closing", index, "key"), each.key, each.key in taken)
               for index, each in enumerate(study.closing)]  # fmt: skip
    return [
        Problem(
            path=path,
            found=f"{key!r}, a column that is taken",
            needed="a name that no other column of the data has",
            cure="Choose another key.",
        )
        for path, key, is_taken in places
        if is_taken
    ]


def _name_problems(study: Study) -> list[Problem]:
    problems = []
    if not SLUG.fullmatch(study.slug):
        problems.append(
            Problem(
                path=("slug",),
                found=repr(study.slug),
                needed="up to 60 of a-z, 0-9 and hyphens, no hyphen at the ends",
                cure="Write it like 'smart-alarm-2'.",
            )
        )
    if study.slug in RESERVED:
        problems.append(
            Problem(
                path=("slug",),
                found=repr(study.slug),
                needed="a name that is no page of the dashboard",
                cure="Choose another, such as 'smart-alarm-2'.",
            )
        )
    if not study.title.strip():
        problems.append(
            Problem(path=("title",), found="no text", needed="a title", cure="Write one.")
        )
    address = study.completion.redirect
    if address and not re.match(r"https://[^\s{}]+", address):
        problems.append(
            Problem(
                path=("completion", "redirect"),
                found=repr(address),
                needed="an address that starts with https://",
                cure="Copy it from the recruiting platform.",
            )
        )
    return problems
