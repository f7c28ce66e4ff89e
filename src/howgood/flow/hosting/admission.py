"""At a study's start page: who may begin, consent, a place and a condition.

In: a host, a study's short name, what a browser says, a form. Out: views and what became of a form.
Absent: people who have begun (`visit`), and which condition is fair
(`participate.choose_condition`).

What gives places runs after `participants.lock`, so that fifty people who consent at once are
counted one after another and conditions stay within one of each other.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.engine import Connection

from howgood.flow.hosting import tokens
from howgood.flow.hosting.host import FullCheck, Host
from howgood.flow.hosting.view import (
    Arrival,
    Reason,
    RefusedError,
    SendResult,
    View,
)
from howgood.flow.participate import (
    choose_condition,
    completion_address,
    ending_blocks,
    has_quota,
    next_screen,
    parse_answer,
)
from howgood.flow.participate.forms import Form, form_fields, text_of
from howgood.kinds import kind_of
from howgood.kinds.study import Study
from howgood.kinds.translation import FIELD, best_language, in_language, offered
from howgood.records.participant import Participant, Status
from howgood.records.screen import Answer, AnswerValue, FormResult, Screen
from howgood.store import answers, participants, studies
from howgood.store.participants import NewParticipant
from howgood.store.studies import StudyRow

AFTER_CONSENT = 2  # the step that follows the consent
# For how long nobody counts places again, unless somebody takes one here.
_COUNT_AGAIN = timedelta(seconds=1)

# Platform -> our word -> the names it may have in the address.
_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    "none": {},
    "prolific": {
        "participant": ("PROLIFIC_PID",),
        "study": ("STUDY_ID",),
        "session": ("SESSION_ID",),
    },
    "mturk": {
        "participant": ("workerId",),
        "study": ("hitId",),
        "session": ("assignmentId",),
        "submit": ("turkSubmitTo",),
    },
    "sona": {"participant": ("survey_code", "id")},
}
_NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"
_LONGEST = 128
_LONGEST_WISHES = 1000  # of what a browser says about languages
# Where Mechanical Turk takes a task back; any other address in the link is somebody else's.
SUBMITS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
# Where a platform should have put somebody's id and has not: {{%PROLIFIC_PID%}}, ${workerId}, <id>.
_PLACEHOLDER = frozenset("{}%$<>[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """What a browser says when it comes to a study's link.

    `parameters` are those of the address; `token` is the link it remembers, and `visit` the visit,
    signed, that all its tabs share; the last two are headers as they came. Each may be empty.
    """

    parameters: Mapping[str, str] = field(default_factory=dict)
    token: str = ""
    visit: str = ""
    accept_language: str = ""
    user_agent: str = ""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it wishes for: the link's first, then the browser's."""
        accepted = self.accept_language[:_LONGEST_WISHES].split(",")
        return (self.parameters.get("lang", ""), *(part.partition(";")[0] for part in accepted))

    @property
    def device(self) -> str:
        """Phone, tablet or computer; nothing else of what a browser says is kept."""
        agent = self.user_agent
        if not agent:
            return ""
        if "iPad" in agent or "Tablet" in agent or ("Android" in agent and "Mobi" not in agent):
            return "tablet"
        return "phone" if "Mobi" in agent else "computer"


ANYBODY = Visitor()


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """A yes: the page it was given on, what was sent from it, and on what kind of device."""

    screen: Screen
    values: Mapping[str, AnswerValue]
    device: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Beginner:
    """Somebody who has agreed: what is stored of them, in the study as they saw it."""

    study: Study
    new: NewParticipant
    consent: Consent
    token: str


async def arrive(host: Host, slug: str, visitor: Visitor, *, now: datetime) -> Arrival:
    """Return what someone sees who opens a study's link; nothing is stored."""
    return await host.database.run_blocking(_arrive, host, slug, visitor, now)


async def begin(
    host: Host, slug: str, visitor: Visitor, *, form: Form, now: datetime
) -> SendResult:
    """Take the consent given on a study's start page; sending it twice is sending it once."""
    read = await host.database.run_blocking(_read_consent, host, slug, visitor, form, now)
    if isinstance(read, SendResult):
        return read
    await host.store(
        partial(admit_new, study=read.study, new=read.new, consent=read.consent, now=now)
    )
    return begun(host, read.new.study, read.token)


async def count_refusal(host: Host, error: RefusedError) -> None:
    """Count one more person who could not begin."""
    add = partial(participants.count_refusal, study=error.study, reason=error.reason.value)
    await host.database.write_async(add)


def _arrive(host: Host, slug: str, visitor: Visitor, now: datetime) -> Arrival:
    row, study = _open_study(host, slug)
    origin = origin_of(study, visitor.parameters)
    visit = _shared_visit(host, row, visitor)
    for token in _tokens(host, row, study, origin, visitor, visit):
        if _is_in(host, token, row.number):
            return Arrival(token=token)
    language = best_language(study, visitor.languages)
    _refuse_strangers(host, row, study, origin, language, now)
    visit = visit or tokens.fresh_token()
    return Arrival(view=_start_view(host, row, study, visit, origin, language, now))


def _read_consent(
    host: Host, slug: str, visitor: Visitor, form: Form, now: datetime
) -> SendResult | _Beginner:
    """Return whom to admit, or what to say without storing anything."""
    row, study = _open_study(host, slug)
    origin = origin_of(study, visitor.parameters)
    visit, language = text_of(form, "visit"), best_language(study, visitor.languages)
    if not tokens.is_signed(host.key, text_of(form, "signature"), "door", row.number, visit):
        raise RefusedError(Reason.UNSIGNED, language=language, framed_by=study.framed_by)
    # Two tabs of one browser are one person, whichever of them was opened first.
    shared = _shared_visit(host, row, visitor) or visit
    own = _tokens(host, row, study, origin, visitor, shared)
    for token in own:
        if _is_in(host, token, row.number):
            return SendResult(token=token)
    token = own[-1]
    _refuse_strangers(host, row, study, origin, language, now)
    view = _start_view(host, row, study, visit, origin, language, now)
    given = form_fields(view.screen, form) or {}
    result = parse_answer(view.screen, given)
    if not result.is_valid:
        return SendResult(view=replace(view, sent=given, problems=result.problems))
    declined = declined_screen(study, view.screen, result, now)
    if declined is not None:
        return SendResult(view=replace(view, screen=declined, languages=()))
    new = NewParticipant(
        study=row.number,
        version=row.version,
        token_digest=tokens.digest(token),
        seed=tokens.fresh_seed(),
        status=Status.INVITED,
        external_id="/".join(_task(study, origin)) or None,
        origin=origin,
        is_pilot=study.pilot,
    )
    consent = Consent(screen=view.screen, values=result.values, device=visitor.device)
    return _Beginner(study=study, new=new, consent=consent, token=token)


def _open_study(host: Host, slug: str) -> tuple[StudyRow, Study]:
    with host.database.reading() as connection:
        row = studies.find(connection, slug)
    if row is None:
        raise RefusedError(Reason.UNKNOWN_STUDY)
    return row, host.study(row.version)


def _refuse_strangers(
    host: Host,
    row: StudyRow,
    study: Study,
    origin: Mapping[str, str],
    language: str,
    now: datetime,
) -> None:
    """Say why nobody new comes in; those inside go on whatever is said here."""
    if not row.is_open:
        raise RefusedError(Reason.CLOSED, language=language, framed_by=study.framed_by)
    if is_preview(origin):
        raise RefusedError(Reason.PREVIEW, language=language, framed_by=study.framed_by)
    if study.pilot:  # whoever tests takes nobody's place and need not be paid
        return
    if study.recruitment != "none" and "participant" not in origin:
        raise RefusedError(
            Reason.NO_IDENTITY, language=language, study=row.number, framed_by=study.framed_by
        )
    with host.database.reading() as connection:
        had = _had(connection, study, row.number, origin)
    if had and had.issuperset(kind_of(study).conditions(study)):
        raise full_error(in_language(study, language), origin, number=row.number)
    refuse_when_full(host, study, row.number, origin, language=language, now=now)


def _had(
    connection: Connection, study: Study, number: int, origin: Mapping[str, str]
) -> frozenset[str]:
    """Return the conditions somebody has had in earlier small tasks; else nobody comes twice."""
    if "participant" not in origin or not kind_of(study).is_small_task(study):
        return frozenset()
    return participants.conditions_of(connection, number, f"{origin['participant']}/")


def _tokens(
    host: Host,
    row: StudyRow,
    study: Study,
    origin: Mapping[str, str],
    visitor: Visitor,
    visit: str,
) -> tuple[str, ...]:
    """Return the tokens this visitor may have begun with, the surest first.

    Whom a platform named has one and the same whenever they come, and no other counts.
    """
    if "participant" in origin:
        return (tokens.derived_token(host.key, "platform", row.number, *_task(study, origin)),)
    made = (tokens.derived_token(host.key, "visit", row.number, visit),) if visit else ()
    return (visitor.token, *made) if visitor.token else made


def _task(study: Study, origin: Mapping[str, str]) -> tuple[str, ...]:
    """Return what makes a participation: a person, or each small task of theirs."""
    names = ("participant", "session") if kind_of(study).is_small_task(study) else ("participant",)
    return tuple(origin[name] for name in names if name in origin)


def _shared_visit(host: Host, row: StudyRow, visitor: Visitor) -> str:
    """Return the visit a browser remembers; empty unless this server signed it for this study."""
    visit, _, signature = visitor.visit.partition(".")
    is_ours = tokens.is_signed(host.key, signature, "door", row.number, visit)
    return visit if is_ours else ""


def _is_in(host: Host, token: str, study: int) -> bool:
    try:
        return host.state(token).participant.study == study
    except RefusedError:
        return False


def _start_view(
    host: Host,
    row: StudyRow,
    study: Study,
    visit: str,
    origin: Mapping[str, str],
    language: str,
    now: datetime,
) -> View:
    return View(
        study=in_language(study, language),
        version=row.version,
        screen=consent_screen(study, language, now),
        languages=offered(study),
        signature=tokens.signature(host.key, "door", row.number, visit),
        visit=visit,
        is_pilot=study.pilot,
        origin=origin,
    )


def consent_screen(study: Study, language: str, now: datetime) -> Screen:
    """Return the first page in one of the study's languages, the same for everybody."""
    return next_screen(study, condition=None, seed=0, answers=(), now=now, language=language)


def declined_screen(
    study: Study, screen: Screen, result: FormResult, now: datetime
) -> Screen | None:
    """Return the page for someone who says no, of whom nothing is kept; None after a yes."""
    if result.values.get("consent") == "yes":
        return None
    given = Answer(screen=screen.key, values=result.values, at=now)
    return next_screen(study, condition=None, seed=0, answers=(given,), now=now)


def refuse_when_full(
    host: Host,
    study: Study,
    number: int,
    origin: Mapping[str, str],
    *,
    language: str,
    now: datetime,
) -> None:
    """Say that every place is taken to somebody who has not read and agreed for nothing yet.

    Whoever begins is counted exactly (`admit_new`); until then what was so a moment ago will do.
    """
    if has_quota(study) and _seems_full(host, study, number, now):
        raise full_error(in_language(study, language), origin, number=number)


def _seems_full(host: Host, study: Study, number: int, now: datetime) -> bool:
    last = host.full_checks.get(number)
    if last and last.study is study and timedelta() <= now - last.at < _COUNT_AGAIN:
        return last.is_full
    with host.database.reading() as connection:
        last = FullCheck(study=study, at=now, is_full=is_full(connection, study, number, now=now))
    host.full_checks[number] = last
    return last.is_full


def begun(host: Host, study: int, token: str) -> SendResult:
    """Return what is said to somebody who has just begun; a place fewer may be free."""
    host.full_checks.pop(study, None)
    return SendResult(token=token, step=AFTER_CONSENT, is_new=True)


def admit_new(
    connection: Connection, study: Study, new: NewParticipant, consent: Consent, *, now: datetime
) -> None:
    """Store a person who consents on a study's start page; coming twice changes nothing."""
    participants.lock(connection, new.study)
    if participants.position(connection, new.token_digest) is not None:
        return
    spoken = in_language(study, str(consent.values.get(FIELD)))
    condition = _condition(connection, spoken, new, now)
    number = participants.add(connection, new, now=now)
    _begin(connection, study, number, new.seed, condition, consent, now)


def admit_invited(
    connection: Connection, study: Study, token_digest: str, consent: Consent, *, now: datetime
) -> None:
    """Let in a person who consents on their personal link; sending it twice changes nothing."""
    person = _invited(connection, token_digest)
    if person is None:
        return
    participants.lock(connection, person.study)
    if _invited(connection, token_digest) is None:
        return
    spoken = in_language(study, str(consent.values.get(FIELD)))
    condition = _condition(connection, spoken, person, now)
    _begin(connection, study, person.number, person.seed, condition, consent, now)


def _invited(connection: Connection, token_digest: str) -> Participant | None:
    position = participants.position(connection, token_digest)
    return position.participant if position and position.screen is None else None


def readmit(connection: Connection, study: Study, person: Participant, *, now: datetime) -> bool:
    """Give an idle person their place back if it is still free; return whether it was."""
    participants.lock(connection, person.study)
    condition = person.condition or ""
    counts = _counts(connection, study, person.study, now)
    quotas = participants.quotas_of(connection, person.number) if study.quotas else ()
    has_room = _has_room(study, counts, condition)
    if person.is_pilot or (has_room and has_quota_room(connection, study, person.study, quotas)):
        participants.admit(connection, person.number, condition=condition, now=now)
        return True
    participants.set_status(connection, person.number, Status.FULL)
    return False


def _condition(
    connection: Connection, study: Study, person: NewParticipant | Participant, now: datetime
) -> str:
    # A pilot takes nobody's place, so nobody's place stands in a pilot's way.
    counts = {} if person.is_pilot else _counts(connection, study, person.study, now)
    had = _had(connection, study, person.study, person.origin)
    chosen = choose_condition(study, counts, person.seed, without=had)
    if chosen is None or not _has_room(study, counts, chosen):
        raise full_error(study, person.origin, number=person.study)
    return chosen


def is_full(connection: Connection, study: Study, number: int, *, now: datetime) -> bool:
    """Return whether nobody could begin now, places that would be taken back counted as free."""
    if not has_quota(study):
        return False
    counts = participants.holding(connection, number)
    if _has_any_room(study, counts):
        return False
    idle = participants.idle(connection, number, idle_since=now - idle_time(study))
    return not _has_any_room(study, {key: counts[key] - idle.get(key, 0) for key in counts})


def _has_any_room(study: Study, counts: Mapping[str, int]) -> bool:
    chosen = choose_condition(study, counts, 0)
    return chosen is not None and _has_room(study, counts, chosen)


def _counts(connection: Connection, study: Study, number: int, now: datetime) -> dict[str, int]:
    """Count the places taken, after taking back those of people who went away."""
    participants.free_places(connection, number, idle_since=now - idle_time(study))
    return participants.holding(connection, number)


def idle_time(study: Study) -> timedelta:
    """Return how long somebody may send nothing before their place goes back."""
    return timedelta(minutes=study.idle_minutes + kind_of(study).pause_minutes(study))


def _has_room(study: Study, counts: Mapping[str, int], condition: str) -> bool:
    quota = kind_of(study).quotas(study).get(condition)
    return (study.quota is None or sum(counts.values()) < study.quota) and (
        quota is None or counts.get(condition, 0) < quota
    )


def _begin(
    connection: Connection,
    study: Study,
    number: int,
    seed: int,
    condition: str,
    consent: Consent,
    now: datetime,
) -> None:
    """Store the place, the consent and the first screen after it."""
    participants.admit(connection, number, condition=condition, now=now, device=consent.device)
    screen = consent.screen
    answers.add_screen(connection, number, screen.key, screen, position=1, now=now)
    answers.add_answer(connection, number, screen.key, consent.values, now=now)
    given = Answer(screen=screen.key, values=consent.values, at=now)
    following = next_screen(study, condition=condition, seed=seed, answers=(given,), now=now)
    answers.add_screen(connection, number, following.key, following, position=2, now=now)


def origin_of(study: Study, parameters: Mapping[str, str]) -> dict[str, str]:
    """Return what the platform said about the person; anything else in the address is dropped."""
    origin = {}
    for word, names in _NAMES[study.recruitment].items():
        value = next((parameters[name] for name in names if parameters.get(name)), "")
        if value and len(value) <= _LONGEST and value.isprintable() and not _is_left(value, names):
            origin[word] = value
    if origin.get("submit", SUBMITS[0]) not in SUBMITS:
        del origin["submit"]
    return origin


def _is_left(value: str, names: tuple[str, ...]) -> bool:
    """Return whether a value is what a platform should have replaced: everybody's is the same."""
    return value in names or not _PLACEHOLDER.isdisjoint(value)


def is_preview(origin: Mapping[str, str]) -> bool:
    """Return whether the person only looks at the task before accepting it."""
    return origin.get("session") == _NOT_ACCEPTED


def way_back(study: Study, origin: Mapping[str, str], ending: str = "finished") -> str | None:
    """Return the address at the platform that says how this person's visit ended."""
    return completion_address(study, parameters=origin, ending=ending)


def full_error(study: Study, origin: Mapping[str, str], *, number: int = 0) -> RefusedError:
    """Return what says that every place is taken, in the study's words and with its way back."""
    return RefusedError(
        Reason.FULL,
        language=study.language,
        study=number,
        blocks=ending_blocks(study, "full"),
        way_back=way_back(study, origin, "full") or "",
        framed_by=study.framed_by,
    )


def has_quota_room(
    connection: Connection, study: Study, number: int, quotas: Collection[str]
) -> bool:
    """Return whether each of these quotas by answers can count one more person."""
    counts = participants.holding_quotas(connection, number) if quotas else {}
    return all(
        counts.get(quota.key, 0) < quota.people for quota in study.quotas if quota.key in quotas
    )
