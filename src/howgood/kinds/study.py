"""A study as its researcher wrote it: what people read, are asked and are thanked with.

In: plain values (a study file mirrors these records key by key). Out: a frozen `Study` with a
`version` that changes when anything in it changes. Absent: participants, answers, files, HTML: all
text is plain text in which **two stars** make bold.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    create_model,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from howgood.errors import InputError
from howgood.kinds.plan import PLANS, Plan, repeated_keys
from howgood.kinds.questions import Question, question_type
from howgood.kinds.rules import AnswerQuota, RandomBlock, ScreenOut
from howgood.records.record import CoherentRecord, Problem, Record, read_record

Recruitment = Literal["none", "prolific", "mturk", "sona"]
SomePlan = TypeVar("SomePlan", bound=Plan)
# Columns that howgood itself writes about a participant.
COLUMNS = frozenset(
    {"participant", "condition", "consent", "pages", "seconds", "changes", "screened_out",
     "study_language", "attention_asked", "attention_passed", "ratio_before", "ratio_after",
     "practice_right_at_once", "practice_right_again", "a0", "a0_lower", "a0_upper", "p_linear",
     "agreement", "checks_wrong", "looks_careless", "fits", "easier", "best", "best_probability",
     "q1", "q2", "q3", "q4", "q5", "q6"}
)  # fmt: skip
# Pages of the dashboard next to the studies' own: a study of that name could not be reached.
RESERVED = frozenset({"new", "upload"})
_SITE = re.compile(r"https://(?:[a-z0-9-]+\.)+[a-z]{2,}(?::[0-9]{1,5})?")
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?")


def _flat(value: object, prefix: str = "") -> Any:  # noqa: ANN401 - plain values of a file
    """Return tables in tables and lists of labels as one table by place: `consent.text`."""
    if isinstance(value, Mapping):
        entries = [(str(name), inner) for name, inner in value.items()]
    elif isinstance(value, list | tuple) and prefix:
        entries = [(str(number), inner) for number, inner in enumerate(value, start=1)]
    else:
        return value if not prefix else {prefix: value}
    made: dict[str, Any] = {}
    for name, inner in entries:
        made |= _flat(inner, f"{prefix}.{name}" if prefix else name)
    return made


def _flat_languages(value: object) -> Any:  # noqa: ANN401 - plain values of a file
    return (
        {name: _flat(texts) for name, texts in value.items()}
        if isinstance(value, Mapping)
        else value
    )


# Language -> place of a text -> the text in that language.
Translations = Annotated[Mapping[str, Mapping[str, str]], BeforeValidator(_flat_languages)]


class Consent(Record):
    """What people agree to before anything else."""

    text: str = Field(description="what they agree to; an empty line starts a new paragraph")
    contact: str = Field(default="", description="whom to ask or complain to")
    purpose: str = Field(default="", description="what the answers are used for, in one sentence")
    mirror: bool = Field(
        default=False,
        description="ask whether a facilitator may see the person's screen and take notes",
    )


class Completion(Record):
    """What people see when they have finished."""

    text: str = Field(default="", description="thanks in your own words")
    code: str = Field(default="", description="completion code that the last page shows")
    redirect: str = Field(
        default="",
        description="https address of the recruiting platform to go to at the end; {code}, "
        "{participant}, {session} and {study} are filled in",
    )


class Ending(Record):
    """Another way a visit ends, and what the recruiting platform learns of it."""

    text: str = Field(default="", description="what people read there, in your own words")
    code: str = Field(default="", description="code that the page shows")
    redirect: str = Field(
        default="",
        description="https address to go to, with the same blanks as completion.redirect",
    )


class Endings(Record):
    """What people see who do not finish as wanted."""

    declined: Ending = Field(default_factory=Ending, description="who does not agree")
    screened_out: Ending = Field(default_factory=Ending, description="who cannot take part")
    full: Ending = Field(default_factory=Ending, description="who comes when a quota is full")
    failed_checks: Ending = Field(
        default_factory=Ending, description="who finishes and failed an attention check"
    )


class Draw(Record):
    """A thank-you draw among those who finish."""

    text: str = Field(description="what can be won, when, and how the winners are drawn")
    prizes: int = Field(default=1, description="how many people win", ge=1, le=10_000)


class _Frame(CoherentRecord):
    """What studies of every kind have."""

    kind: str = Field(description="what people are asked to do")
    slug: str = Field(description="short name in addresses and file names: a-z, 0-9 and hyphens")
    title: str = Field(description="title that people see")
    consent: Consent = Field(description="what people agree to before anything else")
    language: str = Field(default="en", description="language of buttons and fixed sentences")
    translations: Translations = Field(
        default_factory=dict,
        description="the study in other languages: a table per language, in it the texts by their "
        "place, such as consent.text; people choose on the first page, or the link does (?lang=de)",
    )
    introduction: str = Field(
        default="", description="what the study is about, on the first page above the consent"
    )
    demographics: tuple[Question, ...] = Field(
        default=(), description="questions about the person, before the task"
    )
    closing: tuple[Question, ...] = Field(default=(), description="questions after the task")
    blocks: tuple[RandomBlock, ...] = Field(
        default=(), description="groups of questions that come in an order of chance"
    )
    screen_outs: tuple[ScreenOut, ...] = Field(
        default=(), description="who cannot take part, by their answers"
    )
    quotas: tuple[AnswerQuota, ...] = Field(
        default=(), description="how many people of a sort are wanted, by their answers"
    )
    completion: Completion = Field(
        default_factory=Completion, description="what people see when they have finished"
    )
    endings: Endings = Field(
        default_factory=Endings, description="what people see who do not finish as wanted"
    )
    draw: Draw | None = Field(
        default=None,
        description="a draw among those who finish; addresses are kept apart from answers",
    )
    recruitment: Recruitment = Field(
        default="none",
        description="platform whose participant id is read from the address and kept",
    )
    framed_by: tuple[str, ...] = Field(
        default=(),
        description="sites that may show the study inside a frame, such as https://www.mturk.com "
        "(left out: nobody may)",
    )
    quota: int | None = Field(
        default=None, description="close to new people at this many complete", ge=1
    )
    idle_minutes: float = Field(
        default=120.0,
        description="who sends nothing for this long gives their place back",
        ge=1,
    )
    allow_back: bool = Field(
        default=False,
        description="people may go back and change an answer; what they first said is kept too",
    )
    pilot: bool = Field(
        default=False, description="for test runs: answers are kept out of the data"
    )
    notes: str = Field(
        default="", description="for the researcher or facilitator; never shown to people"
    )


class _StudyFile(_Frame):
    """A study as it is written; fields are added for the table of every kind."""

    def problems(self) -> list[Problem]:
        """Return parts that do not fit together."""
        plans = {name: getattr(self, name) for name in PLANS if name in type(self).model_fields}
        parts = [
            Problem(
                path=(kind,),
                found=f"a {kind} part in a {self.kind} study"
                if kind != self.kind
                else f"no {kind} part",
                needed=f"exactly one part, named {self.kind!r} as in kind",
                cure=f"Remove it, or set kind to {kind!r}." if kind != self.kind else "Add it.",
            )
            for kind, plan in plans.items()
            if (plan is not None) != (kind == self.kind)
        ]
        return parts + _frame_problems(self, PLANS.get(self.kind))


class Study(_Frame):
    """Everything that defines a study, and nothing about who took part.

    A study file, and stored JSON, have the plan in a table that `kind` names: `[survey]`.

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
    >>> study.plan.rounds, study.version == Study.from_dict(study.to_dict()).version
    (5, True)
    """

    plan: SerializeAsAny[Plan] = Field(description="the task")

    @cached_property
    def version(self) -> str:
        """A short fingerprint of everything in it; the order of keys does not matter."""
        text = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and other.version == self.version

    def __hash__(self) -> int:
        return hash(self.version)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the study that `to_dict` described; wrong values raise InputError."""
        return read_record(cls, data, where="study")

    def problems(self) -> list[Problem]:
        """Return parts that do not fit together."""
        return _frame_problems(self, type(self.plan))

    @classmethod
    def written_as(cls) -> type[Record]:
        """Return the record that study files mirror: a table for every kind there is."""
        return _study_file(tuple(PLANS.items()))

    @model_validator(mode="wrap")
    @classmethod
    def _from_file(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401 - plain values
        """Take the plan from the table that the kind names; a plan that is one already stays."""
        if not isinstance(data, Mapping) or isinstance(data.get("plan"), Plan):
            return handler(data)
        read = cls.written_as().model_validate(data)
        values = {name: getattr(read, name) for name in _Frame.model_fields}
        return handler({**values, "plan": getattr(read, values["kind"])})

    @model_serializer(mode="wrap")
    def _to_file(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = handler(self)
        plan = values.pop("plan")
        return {**values, self.kind: plan}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(cls.written_as().__pydantic_core_schema__)


@cache
def _study_file(plans: tuple[tuple[str, type[Plan]], ...]) -> type[_StudyFile]:
    """Return the record of study files for these kinds."""
    names = tuple(name for name, _ in plans)
    tables: dict[str, Any] = {
        name: (plan | None, Field(default=None, description=f"the task of a {name}"))
        for name, plan in plans
    }
    kind: Any = (Literal[names], Field(description=_Frame.model_fields["kind"].description))
    doc = "A study as its file has it: the task in the table that `kind` names."
    return create_model("StudyFile", __base__=_StudyFile, __doc__=doc, kind=kind, **tables)


def plan_of(study: Study, kind: type[SomePlan]) -> SomePlan:
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


def _frame_problems(frame: _Frame, plan: type[Plan] | None) -> list[Problem]:
    return [
        *_name_problems(frame),
        *repeated_keys(frame.demographics, ("demographics",)),
        *repeated_keys(frame.closing, ("closing",)),
        *repeated_keys(frame.blocks, ("blocks",)),
        *repeated_keys(frame.screen_outs, ("screen_outs",)),
        *repeated_keys(frame.quotas, ("quotas",)),
        *_column_problems(frame, COLUMNS | (plan.own_columns if plan else frozenset())),
    ]


def _column_problems(study: _Frame, own: frozenset[str]) -> list[Problem]:
    """Return questions whose answers would share a column with something else."""
    taken = set(own)
    places = []
    for section in ("demographics", "closing"):
        questions: tuple[Question, ...] = getattr(study, section)
        places += [
            ((section, index, "key"), name, name in taken)
            for index, question in enumerate(questions)
            for name in question_type(question).names(question)
        ]
        taken |= {name for _, name, _ in places}
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


def _name_problems(study: _Frame) -> list[Problem]:
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
    return problems + _redirect_problems(study) + _frame_host_problems(study)


def _frame_host_problems(study: _Frame) -> list[Problem]:
    return [
        Problem(
            path=("framed_by", index),
            found=repr(site),
            needed="https:// and the name of a site, nothing after it",
            cure="Write it like https://www.mturk.com.",
        )
        for index, site in enumerate(study.framed_by)
        if not _SITE.fullmatch(site)
    ]


def _redirect_problems(study: _Frame) -> list[Problem]:
    addresses = {("completion",): study.completion.redirect} | {
        ("endings", name): getattr(study.endings, name).redirect for name in Endings.model_fields
    }
    return [
        Problem(
            path=(*path, "redirect"),
            found=repr(address),
            needed="an address that starts with https://",
            cure="Copy it from the recruiting platform.",
        )
        for path, address in addresses.items()
        if address and not re.match(r"https://[^\s{}]+", address)
    ]
