"""The addresses about people: a study's in rows, decisions about them, their rights, facilitators.

Rights: withdrawing, how long data is kept, what is done with it. A facilitator sits next to
somebody who takes part, sees their page as they see it, and takes notes. In: requests. Out: pages,
all notes of a study as a file. Absent: erasing (`data`), ids of recruiting platforms, answering for
anybody, and pages of people who have not allowed it.
"""

from datetime import date
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.ask.sentences import languages, sentence
from howgood.errors import InputError, UnknownNameError
from howgood.flow import retention, watching
from howgood.flow.retention import processing
from howgood.flow.watching import in_words
from howgood.records.answer_checks import longest_run
from howgood.show.answer_drawings import judged_map, page_times, ratings_in_order, repetition
from howgood.store.reviews import Review
from howgood.web.access import sent_form, signed_in, text_of
from howgood.web.dashboard import attachment, dashboard
from howgood.web.middleware import caller, preferred_language
from howgood.web.pages import screen_page
from howgood.web.render import style_address
from howgood.web.request_data import now, whole


async def get_people(request: Request) -> Response:
    """Show a row per person."""
    person = await signed_in(request)
    after = whole(request.query_params.get("after", "0"), otherwise=0)
    host, slug = request.app.state.host, request.path_params["slug"]
    try:
        row, people, next_page = await run_in_threadpool(
            watching.people_of, host, slug, after=after, look=request.app.state.watcher.looking()
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return dashboard(
        request, "participants.html", researcher=person, study=row, after=after,
        people=[(one_person, _drawings(one_person, is_small=True)) for one_person in people],
        next_page=next_page,
    )  # fmt: skip


def _drawings(person: watching.Person, *, is_small: bool = False) -> dict[str, Any]:
    """Return a person's answers as drawings: time, ratings, contradictions, repetitions."""
    least, fast = watching.LEAST_JUDGEMENTS, watching.SECONDS_PER_PAGE
    maps = [(drawn, judged_map(drawn, is_small=is_small)) for drawn in person.checks.maps]
    again = [(drawn, repetition(drawn)) for drawn in person.checks.repetitions]
    # Numbers, and words that are escaped where they are drawn.
    return {
        "times": Markup(page_times(person.seconds, fast=fast)),  # noqa: S704 - drawn by us, words escaped
        "ratings": Markup(ratings_in_order(person.ratings, least=least)),  # noqa: S704 - drawn by us, words escaped
        "run": longest_run(person.ratings)[1],
        "least": least,
        "hurried": sum(spent < fast for spent in person.seconds),
        "fast": fast,
        "maps": [(drawn, Markup(svg)) for drawn, svg in maps],  # noqa: S704 - drawn by us, words escaped
        "repetitions": [(drawn, Markup(svg)) for drawn, svg in again],  # noqa: S704 - drawn by us, words escaped
    }


async def get_person(request: Request) -> Response:
    """Show one person's answers and what was decided about them."""
    return await _person(request)


async def post_person(request: Request) -> Response:
    """Keep what was decided about a person."""
    researcher = await signed_in(request)
    form = await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    reason = text_of(form, "reason").strip()
    is_excluded = text_of(form, "counts") == "no"
    if is_excluded and not reason:
        said = "Write why: the reason stands in the data."
        return await _person(request, problem=said, status=422)
    given = Review(
        excluded_because=reason if is_excluded else "",
        note=text_of(form, "note").strip(),
        is_paid=text_of(form, "paid") == "yes",
    )
    try:
        await run_in_threadpool(
            watching.review, request.app.state.host, slug, number, given, actor=researcher.name,
            now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    except InputError as error:
        return await _person(request, problem=error.cure, status=422)
    return RedirectResponse(f"/studies/{slug}/people/{number}?saved", status_code=303)


async def _person(request: Request, *, problem: str = "", status: int = 200) -> Response:
    researcher = await signed_in(request)
    host, slug = request.app.state.host, request.path_params["slug"]
    try:
        row, person, pages = await run_in_threadpool(
            watching.look_at, host, slug, request.path_params["number"],
            look=request.app.state.watcher.looking(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return dashboard(
        request, "participant.html", researcher=researcher, status=status, study=row,
        person=person, pages=pages, problem=problem, drawn=_drawings(person),
        notice="Saved." if "saved" in request.query_params else "",
    )  # fmt: skip


_ROOT = "/studies/{slug}/people"
_PEOPLE_ROUTES = [
    Route(_ROOT, get_people, methods=["GET"]),
    Route(_ROOT + "/{number:int}", get_person, methods=["GET"]),
    Route(_ROOT + "/{number:int}", post_person, methods=["POST"]),
]

_WITHDRAW = ("text", "code", "help", "sure", "button", "lost", "gone_text")


async def get_withdraw(request: Request) -> Response:
    """Show the form to withdraw."""
    return _withdraw_page(request)


async def post_withdraw(request: Request) -> Response:
    """Erase whoever shows their code."""
    if not request.app.state.questions.allows(caller(request.scope)):
        return _withdraw_page(request, problem="slow", status=429)
    form = await sent_form(request)
    if text_of(form, "sure") != "yes":
        return _withdraw_page(request, problem="unsure", status=422)
    try:
        await run_in_threadpool(
            retention.withdraw, request.app.state.host, text_of(form, "code"), now=now()
        )
    except InputError:
        return _withdraw_page(request, problem="nobody", status=422)
    return _withdraw_page(request, is_gone=True)


def _withdraw_page(
    request: Request, *, problem: str = "", is_gone: bool = False, status: int = 200
) -> Response:
    """Return a participant's page in the language of their last page, or of their browser."""
    asked = request.query_params.get("lang", "")
    accepted = request.headers.get("accept-language", "")
    language = asked if asked in languages() else preferred_language(accepted)
    page = {
        "language": language,
        "style": style_address(),
        "title": sentence(language, "withdraw_gone_title" if is_gone else "withdraw_title"),
        "words": {"skip_link": sentence(language, "skip_link")}
        | {name: sentence(language, f"withdraw_{name}") for name in _WITHDRAW},
        "problem": sentence(language, f"withdraw_{problem}") if problem else "",
        "is_gone": is_gone,
    }
    return dashboard(request, "withdraw.html", researcher=None, status=status, page=page)


async def get_privacy(request: Request) -> Response:
    """Show what is done with people's data, and how long it is kept."""
    return await _privacy_page(request)


async def post_retention(request: Request) -> Response:
    """Say on which day everything that was collected is erased."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, text = request.path_params["slug"], text_of(form, "until").strip()
    try:
        until = date.fromisoformat(text) if text else None
        await run_in_threadpool(
            retention.set_retention, request.app.state.host, slug, until, actor=person.name,
            now=now(),
        )  # fmt: skip
    except InputError as error:
        return await _privacy_page(request, problem=f"{error.needed}. {error.cure}")
    except ValueError:
        return await _privacy_page(request, problem="Write the day as 2027-12-31.")
    return RedirectResponse(f"/studies/{slug}/privacy", status_code=303)


async def _privacy_page(request: Request, *, problem: str = "") -> Response:
    person = await signed_in(request)
    try:
        privacy = await run_in_threadpool(
            processing, request.app.state.host, request.path_params["slug"], now=now()
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return dashboard(
        request, "privacy.html", researcher=person, status=422 if problem else 200,
        study=privacy.held.study, record=privacy, deeds=in_words(privacy.lines), problem=problem,
    )  # fmt: skip


async def get_follow(request: Request) -> Response:
    """Show where a person is, the interview questions and the notes."""
    return await _followed(request, "follow.html")


async def get_mirror(request: Request) -> Response:
    """Show the mirrored page alone, to be renewed within the page around it."""
    return await _followed(request, "mirror.html")


async def post_note(request: Request) -> Response:
    """Keep a note."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        await run_in_threadpool(
            watching.take_note, request.app.state.host, slug, number,
            topic=text_of(form, "topic"), text=text_of(form, "text"), actor=person.name, now=now(),
        )  # fmt: skip
    except UnknownNameError as error:
        raise HTTPException(404) from error
    except InputError as error:
        return await _followed(request, "follow.html", problem=f"{error.needed}. {error.cure}")
    return RedirectResponse(f"/studies/{slug}/people/{number}/follow?saved", status_code=303)


async def get_notes(request: Request) -> Response:
    """Give every note of a study as a file."""
    person = await signed_in(request)
    slug = request.path_params["slug"]
    try:
        content = await run_in_threadpool(
            watching.notes_file, request.app.state.host, slug, actor=person.name, now=now()
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    return attachment(content, f"{slug}-notes.csv", "text/csv; charset=utf-8")


async def _followed(request: Request, template: str, *, problem: str = "") -> Response:
    person = await signed_in(request)
    slug, number = request.path_params["slug"], request.path_params["number"]
    try:
        row, session = await run_in_threadpool(
            watching.follow, request.app.state.host, slug, number
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    page = screen_page(session.view, style=style_address()) if session.view else None
    return dashboard(
        request, template, researcher=person, status=422 if problem else 200, study=row,
        session=session, page=page, problem=problem,
        notice="Saved." if "saved" in request.query_params else "",
    )  # fmt: skip


_FOLLOW = "/studies/{slug}/people/{number:int}/follow"
ROUTES = [
    Route("/studies/{slug}/people/notes.csv", get_notes, methods=["GET"]),
    Route(_FOLLOW, get_follow, methods=["GET"]),
    Route(_FOLLOW, post_note, methods=["POST"]),
    Route(f"{_FOLLOW}/page", get_mirror, methods=["GET"]),
    *_PEOPLE_ROUTES,
    Route("/withdraw", get_withdraw, methods=["GET"]),
    Route("/withdraw", post_withdraw, methods=["POST"]),
    Route("/studies/{slug}/privacy", get_privacy, methods=["GET"]),
    Route("/studies/{slug}/privacy", post_retention, methods=["POST"]),
]
