"""What somebody does who has a link of their own: look at their page, send its form.

In: a host, tokens and forms. Out: views and what became of a form. Absent: the web.

The server owns the place: `look` shows the last screen stored, or an earlier one to be read, and
`send` takes an answer only to the last, once, by the field names of that screen. So reloading,
going back, sending twice, a second tab and what a browser puts back into forms change nothing.
Where a study allows going back, another answer to an earlier screen is a change, and kept as one.

These are coroutines: on a local file reading takes microseconds and happens at once, and while the
disk is written others are served. What takes longer (a remote database, choosing the next pair to
compare) happens in a thread.
"""

import asyncio
from dataclasses import replace
from datetime import datetime
from functools import partial

from sqlalchemy.engine import Connection

from howgood.flow.hosting import tokens
from howgood.flow.hosting.admission import (
    ANYBODY,
    Consent,
    Visitor,
    admit_invited,
    begun,
    consent_screen,
    declined_screen,
    full_error,
    has_quota_room,
    idle_time,
    readmit,
    refuse_when_full,
)
from howgood.flow.hosting.host import Host, SessionState
from howgood.flow.hosting.view import (
    Reason,
    RefusedError,
    SendResult,
    View,
    review_answers,
    sent_before,
)
from howgood.flow.participate import next_screen, parse_answer
from howgood.flow.participate.forms import Form, form_fields, text_of
from howgood.kinds import kind_of
from howgood.kinds.question_pages import walk
from howgood.kinds.study import Study
from howgood.kinds.translation import best_language, in_language, offered
from howgood.records.participant import Status
from howgood.records.screen import Answer, FormResult, Screen
from howgood.store import answers, participants, studies
from howgood.store.answers import AnswerChange, AnsweredScreen, AnswerStep

# The status of somebody whose last page is of this kind.
_ENDINGS = {
    "finished": Status.COMPLETE,
    "declined": Status.COMPLETE,
    "screened_out": Status.SCREENED_OUT,
}


async def look(
    host: Host, token: str, *, step: int = 0, visitor: Visitor = ANYBODY, now: datetime
) -> View:
    """Return the screen the holder of this token is at; the same on every reload.

    A `step` before it gives the page answered there, to be read again. A wait that is over ends
    here. What a `visitor`'s browser says counts on the first page alone: all others speak the
    language it was answered in.
    """
    state = await host.database.run_blocking(host.state, token)
    study, screen, here = state.study, state.screen, max(state.number, 1)
    if state.participant.status is Status.FULL:
        raise full_error(_as_read(state), state.participant.origin)
    if 0 < step < here:
        seen = await host.database.run_blocking(_answered_view, host, state, token, step)
        if seen is not None:
            return seen
    if screen is None:
        language = best_language(study, visitor.languages)
        await host.database.run_blocking(_refuse_closed, host, state, language, now)
        screen = consent_screen(study, language, now)
    elif screen.kind == "wait" and now >= datetime.fromisoformat(screen.until):
        screen, here = await _end_wait(host, state, now), here + 1
    return _view(host, token, state, screen, here)


def _answered_view(host: Host, state: SessionState, token: str, step: int) -> View | None:
    """Return a page that has its answer, to be read; None for a wait, which has none."""
    # Where answers are changed, places are left empty: Back leads to the last answer before them.
    read = answers.answer_up_to if state.study.allow_back else answers.answer_at
    with host.database.reading() as connection:
        stored = read(connection, state.participant.number, position=step)
    return None if stored is None else _earlier_view(host, state, token, stored)


def _earlier_view(host: Host, state: SessionState, token: str, stored: AnsweredScreen) -> View:
    """Return an answered page: filled in where it may be changed, else to be read."""
    screen = Screen.from_dict(stored.screen)
    view = replace(_view(host, token, state, screen, state.number), step=stored.position)
    if _may_change(state, screen):
        return replace(view, is_change=True, sent=sent_before(screen, stored.content))
    return replace(view, review=review_answers(state.study, screen, stored.content))


def _may_change(state: SessionState, screen: Screen) -> bool:
    """Return whether this person may change an answer: never the consent, nor after the end."""
    is_under_way = state.screen is not None and not state.screen.is_last
    is_here = state.participant.status is Status.ACTIVE
    if not (state.study.allow_back and is_under_way and is_here):
        return False
    # Who was let in, counted or given a task by an answer cannot become somebody else afterwards.
    when = [out.when for out in state.study.screen_outs]
    when += [quota.when for quota in state.study.quotas]
    when += [rules for _, rules in kind_of(state.study).task_rules(state.study)]
    deciding = {rule.question for rules in when for rule in rules}
    return bool(screen.fields) and deciding.isdisjoint(field.name for field in screen.fields)


async def _end_wait(host: Host, state: SessionState, now: datetime) -> Screen:
    screen = await _next_screen(host, state, state.answers, now)
    add = partial(
        answers.add_screen,
        participant=state.participant.number,
        screen=screen.key,
        content=screen,
        position=state.number + 1,
        ending=_ENDINGS.get(screen.kind),
        now=now,
    )
    await host.store(add)
    return screen


async def send(
    host: Host,
    token: str,
    *,
    form: Form,
    visitor: Visitor = ANYBODY,
    now: datetime,
) -> SendResult:
    """Store an answer, and the screen that follows it, before saying so."""
    state = await host.database.run_blocking(host.state, token)
    screen = state.screen
    if not tokens.is_signed(host.key, text_of(form, "signature"), "answer", token):
        raise RefusedError(Reason.UNSIGNED, language=_as_read(state).language)
    if screen is None:
        return await _send_consent(host, state, token, form, visitor, now)
    if screen.key != text_of(form, "screen") or not screen.awaits_answer:
        return await _send_earlier(host, state, token, form, now)
    given = form_fields(screen, form)
    if given is None or state.participant.status is Status.FULL:
        return SendResult(token=token)
    result = parse_answer(screen, given)
    if result.problems:
        view = _view(host, token, state, screen, state.number)
        return SendResult(view=replace(view, sent=given, problems=result.problems))
    sent = await _store_answer(host, state, screen, token, result, now)
    if sent.is_new:
        return sent
    # Another process may have moved this very page because an earlier answer was changed there.
    moved = await host.database.run_blocking(host.state, token)
    if moved.number == state.number or moved.screen != screen:
        return sent
    return await _store_answer(host, moved, screen, token, result, now)


async def _store_answer(
    host: Host, state: SessionState, screen: Screen, token: str, result: FormResult, now: datetime
) -> SendResult:
    person = state.participant
    seconds = (now - state.shown_at).total_seconds() if state.shown_at else None
    answer = Answer(screen=screen.key, values=result.values, at=now, seconds=seconds)
    given = (*state.answers, answer)
    following = await _next_screen(host, state, given, now)
    step = AnswerStep(
        participant=person.number,
        screen=answer.screen,
        values=result.values,
        following=following.key,
        content=following,
        position=state.number + 1,
        now=now,
        ending=_ENDINGS.get(following.kind),
    )
    counted = _newly_counted(state, given, following) if state.study.quotas else ()
    if person.status is Status.EXPIRED:
        is_new = await host.store(
            partial(_store_after_idling, state=state, step=step, counted=counted)
        )
    elif counted:
        is_new = await host.store(partial(_store_counted, state=state, step=step, counted=counted))
    else:
        is_new = await host.store(step)
        if is_new:  # otherwise another tab was quicker, and its answer is read when they look
            host.remember(
                replace(state, number=step.position, shown_at=now, screen=following, answers=given)
            )
    next_step = step.position if is_new else 0
    return SendResult(token=token, step=next_step, is_new=is_new, seconds=seconds)


def _newly_counted(
    state: SessionState, given: tuple[Answer, ...], following: Screen
) -> tuple[str, ...]:
    """Return the quotas by answers that count this person from this answer on."""
    study, person = state.study, state.participant
    if person.is_pilot or following.kind == "screened_out":
        return ()
    before, after = (
        walk(study, seed=person.seed, answered={answer.screen: answer for answer in some}).quotas(
            study
        )
        for some in (state.answers, given)
    )
    return tuple(quota for quota in after if quota not in before)


def _store_counted(
    connection: Connection, state: SessionState, step: AnswerStep, counted: tuple[str, ...]
) -> bool:
    """Store an answer by which quotas count somebody: who is one too many does not go on.

    Others who answer at the same time wait, so that no quota ever counts more than it wants.
    """
    person = state.participant
    participants.lock(connection, person.study)
    idle_since = step.now - idle_time(state.study)
    participants.free_places(connection, person.study, idle_since=idle_since)
    if has_quota_room(connection, state.study, person.study, counted):
        (is_new,) = AnswerStep.run_all(connection, [step])
        if is_new:
            participants.take_quota_places(connection, person.number, counted)
        return is_new
    added = answers.add_answer(connection, step.participant, step.screen, step.values, now=step.now)
    if added:
        participants.set_status(connection, person.number, Status.FULL)
    return added


def _store_after_idling(
    connection: Connection, state: SessionState, step: AnswerStep, counted: tuple[str, ...]
) -> bool:
    """Store the answer of somebody whose place went back; they go on only if one is free."""
    added = answers.add_answer(connection, step.participant, step.screen, step.values, now=step.now)
    if added:
        participants.take_quota_places(connection, step.participant, counted)
    if added and readmit(connection, state.study, state.participant, now=step.now):
        answers.add_screen(
            connection, step.participant, step.following, step.content, position=step.position,
            ending=step.ending, now=step.now,
        )  # fmt: skip
    return added


async def _next_screen(
    host: Host, state: SessionState, given: tuple[Answer, ...], now: datetime
) -> Screen:
    study, person = state.study, state.participant
    if kind_of(study).computes_steps:
        # Choosing the next pair takes milliseconds, for which others would have to wait.
        work = partial(_computed_screen, host, state, given, now)
        return await asyncio.get_running_loop().run_in_executor(host.computing, work)
    return next_screen(study, condition=person.condition, seed=person.seed, answers=given, now=now)


def _computed_screen(
    host: Host, state: SessionState, given: tuple[Answer, ...], now: datetime
) -> Screen:
    """Return the next screen where it may depend on what everybody has answered so far."""
    study, person = state.study, state.participant
    return next_screen(
        study, condition=person.condition, seed=person.seed, answers=given, now=now,
        shared=host.shared.of(study, person.study),
    )  # fmt: skip


async def _send_earlier(
    host: Host, state: SessionState, token: str, form: Form, now: datetime
) -> SendResult:
    """Take a form whose page has its answer already.

    Who sent the same twice goes on; who sent something else changes the answer where the study
    allows it, and is shown which one stands where not.
    """
    stored = await host.database.run_blocking(_answer_to, host, state, text_of(form, "screen"))
    if stored is None:
        return SendResult(token=token)
    screen = Screen.from_dict(stored.screen)
    given = form_fields(screen, form)
    result = parse_answer(screen, given) if given is not None else None
    if result is not None and result.values == stored.content:
        return SendResult(token=token)
    if given is None or result is None or not _may_change(state, screen):
        return SendResult(token=token, step=stored.position)
    if result.problems:
        view = _earlier_view(host, state, token, stored)
        return SendResult(view=replace(view, sent=given, problems=result.problems))
    return await _store_change(host, state, screen, token, result, now)


def _answer_to(host: Host, state: SessionState, screen: str) -> AnsweredScreen | None:
    with host.database.reading() as connection:
        return answers.answer_to(connection, state.participant.number, screen=screen)


async def _store_change(
    host: Host, state: SessionState, screen: Screen, token: str, result: FormResult, now: datetime
) -> SendResult:
    """Store another answer to an earlier page, and where it leads its person."""
    given = tuple(
        answer._replace(values=result.values) if answer.screen == screen.key else answer
        for answer in state.answers
    )
    following = await _next_screen(host, state, given, now)
    change = AnswerChange(
        participant=state.participant.number,
        screen=screen.key,
        values=result.values,
        following=following.key,
        content=following,
        position=state.number,
        now=now,
        ending=_ENDINGS.get(following.kind),
    )
    is_new = await host.store(change)
    host.forget(state.token_digest)
    return SendResult(token=token, is_new=is_new)


async def _send_consent(
    host: Host,
    state: SessionState,
    token: str,
    form: Form,
    visitor: Visitor,
    now: datetime,
) -> SendResult:
    language = best_language(state.study, visitor.languages)
    await host.database.run_blocking(_refuse_closed, host, state, language, now)
    study, screen = state.study, consent_screen(state.study, language, now)
    view = _view(host, token, state, screen, 1)
    given = form_fields(screen, form) or {}
    result = parse_answer(screen, given)
    if result.problems:
        return SendResult(view=replace(view, sent=given, problems=result.problems))
    declined = declined_screen(study, screen, result, now)
    if declined is not None:
        return SendResult(view=replace(view, screen=declined, languages=()))
    consent = Consent(screen=screen, values=result.values, device=visitor.device)
    digest = tokens.digest(token)
    await host.store(
        partial(admit_invited, study=study, token_digest=digest, consent=consent, now=now)
    )
    return begun(host, state.participant.study, token)


def _as_read(state: SessionState) -> Study:
    """Return the study in the language of the page somebody is at."""
    language = state.screen.language if state.screen else state.study.language
    return in_language(state.study, language)


def _refuse_closed(host: Host, state: SessionState, language: str, now: datetime) -> None:
    """Say to somebody invited why they cannot begin; testers always can."""
    if state.participant.is_pilot:
        return
    with host.database.reading() as connection:
        row = studies.find(connection, state.study.slug)
    if row is None or not row.is_open:
        raise RefusedError(Reason.CLOSED, language=language, framed_by=state.study.framed_by)
    person = state.participant
    refuse_when_full(host, state.study, person.study, person.origin, language=language, now=now)


def _view(host: Host, token: str, state: SessionState, screen: Screen, step: int) -> View:
    return View(
        study=in_language(state.study, screen.language),
        version=state.participant.version,
        screen=screen,
        languages=offered(state.study) if screen.kind == "consent" else (),
        signature=tokens.signature(host.key, "answer", token),
        token=token,
        step=step,
        here=step,
        is_pilot=state.participant.is_pilot,
        withdrawal=tokens.withdrawal_code(host.key, state.participant.number)
        if screen.kind == "finished"
        else "",
        origin=state.participant.origin,
    )
