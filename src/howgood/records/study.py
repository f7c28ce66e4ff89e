"""A study as its researcher wrote it: what people are told, asked and thanked with.

In: plain values (a study file mirrors these records key by key). Out: a frozen `Study` with a
`version` that changes when anything in it changes. Absent: participants, answers, files, HTML: all
text is plain text in which **two stars** make bold.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeVar

from howgood.errors import InputError
from howgood.records.plain import Problem, about, digest, plain, raise_problems, record_from
from howgood.records.plans import ComparisonPlan, Question, ReratingPlan, SurveyPlan, repeated_keys

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What people agree to before anything else."""

    text: str = field(metadata=about("what they agree to; an empty line starts a new paragraph"))
    contact: str = field(default="", metadata=about("whom to ask or complain to"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What people see when they have finished."""

    text: str = field(default="", metadata=about("thanks in your own words"))
    code: str = field(default="", metadata=about("completion code that the last page shows"))
    redirect: str = field(
        default="",
        metadata=about(
            "https address of the recruiting platform to go to at the end; {code}, {participant}, "
            "{session} and {study} are filled in"
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
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

    kind: Kind = field(metadata=about("survey, comparison or rerating"))
    slug: str = field(
        metadata=about("short name in addresses and file names: a-z, 0-9 and hyphens")
    )
    title: str = field(metadata=about("title that people see"))
    consent: Consent = field(metadata=about("what people agree to before anything else"))
    language: str = field(default="en", metadata=about("language of buttons and fixed sentences"))
    introduction: str = field(
        default="", metadata=about("what the study is about, on the first page above the consent")
    )
    demographics: tuple[Question, ...] = field(
        default=(), metadata=about("questions about the person, before the task, never required")
    )
    closing: tuple[Question, ...] = field(
        default=(), metadata=about("questions after the task, never required")
    )
    completion: Completion = field(
        default_factory=Completion, metadata=about("what people see when they have finished")
    )
    recruitment: Recruitment = field(
        default="none",
        metadata=about("platform whose participant id is read from the address and kept"),
    )
    quota: int | None = field(
        default=None, metadata=about("close to new people at this many complete", minimum=1)
    )
    idle_minutes: float = field(
        default=120.0,
        metadata=about("who sends nothing for this long gives their place back", minimum=1),
    )
    pilot: bool = field(
        default=False, metadata=about("for test runs: answers are kept out of the data")
    )
    notes: str = field(
        default="", metadata=about("for the researcher or facilitator; never shown to people")
    )
    survey: SurveyPlan | None = field(default=None, metadata=about("the task of a survey"))
    comparison: ComparisonPlan | None = field(
        default=None, metadata=about("the task of a comparison")
    )
    rerating: ReratingPlan | None = field(default=None, metadata=about("the task of a rerating"))
    version: str = field(init=False, default="")

    def __post_init__(self) -> None:
        raise_problems(study_problems(self), where=f"study {self.slug!r}")
        object.__setattr__(self, "version", digest(plain(self)))

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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; fields at their defaults are left out."""
        return dict(plain(self))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the study that `to_dict` described; wrong values raise InputError."""
        return record_from(data, cls, where="study")


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


def study_problems(study: Study) -> list[Problem]:
    """Return what single values cannot show: parts that do not fit together."""
    problems = [
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
    problems += _name_problems(study)
    problems += repeated_keys(study.demographics, ("demographics",))
    problems += repeated_keys(study.closing, ("closing",))
    problems += _column_problems(study)
    for part in ("demographics", "closing"):
        for index, question in enumerate(getattr(study, part)):
            problems += question.problems((part, index))
    plan = getattr(study, study.kind)
    return problems + ([] if plan is None else plan.problems((study.kind,)))


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
