"""The public library: cards, and "is 85 % enough?"; nobody needs to sign in.

In: requests. Out: pages; what is asked stands in the address, so an answer can be sent to others.
Absent: uploads that are kept: a table is counted and forgotten. Where the library is not public
(HOWGOOD_PUBLIC_LIBRARY=no), strangers are asked to sign in first.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from urllib.parse import quote, urlencode

import anyio
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.decide.challenges import challenges, nearest, transfer
from howgood.errors import InputError, UnknownNameError
from howgood.flow.hosting import Host
from howgood.flow.results import counting, library
from howgood.records.card import ModelCard
from howgood.records.report import Headline
from howgood.records.researcher import Researcher
from howgood.show.acceptability import USUAL_PEOPLE, accepting_text
from howgood.show.acceptance_map import acceptance_map, map_lines, standalone_map
from howgood.show.challenges import challenge_findings, challenge_table, nearest_findings
from howgood.show.decisions import gain_finding
from howgood.show.numbers import as_given, share_text
from howgood.show.results import accepting_finding, target_finding
from howgood.show.story import headline_html
from howgood.web.access import SignInNeededError, home, sent_form, signed_in, text_of
from howgood.web.dashboard import dashboard
from howgood.web.middleware import caller
from howgood.web.page_words import unbroken
from howgood.web.pages import message_page
from howgood.web.permissions import CARD, NoEntryError, admitted
from howgood.web.render import PICTURE_POLICY, show, style_address
from howgood.web.request_data import is_larger, now, sent_file

# The table, and the little that a browser sends around it.
_LARGEST = counting.LARGEST + 64 * 1024
_START = 0.85
_LONGEST = 500  # characters of a description
_BUSY = "Others have their tables counted now. Try again in a moment, or type the four counts."
_OFTEN = "Too many tables from your address. Wait a minute, or type the four counts."


async def get_library(request: Request) -> Response:
    """List the cards."""
    await _refuse_strangers(request)
    known = await run_in_threadpool(library.library, request.app.state.host)
    predicting = {name: card for name, card in known.items() if card.draws}
    about = request.query_params.get("about", "").strip()[:_LONGEST]
    near, apart = nearest(predicting, about), await run_in_threadpool(transfer, predicting)
    ranked = await run_in_threadpool(challenges, predicting)
    return dashboard(
        request, "library.html", researcher=await _somebody(request), predicting=predicting,
        shares=await run_in_threadpool(_shares, predicting),
        informing={name: card for name, card in known.items() if not card.draws},
        about=about, near=near[0] if about and near else None,
        near_findings=nearest_findings(near, apart) if about else (),
        challenge_findings=challenge_findings(ranked, apart), challenges=challenge_table(ranked),
    )  # fmt: skip


async def get_nearest(request: Request) -> Response:
    """Go from the form of the list to the page of the card that was chosen."""
    given = dict(request.query_params)
    name = given.pop("card", "")
    return RedirectResponse(f"/library/{quote(name, safe='')}?{urlencode(given)}", status_code=303)


async def get_card(request: Request) -> Response:
    """Show a card and, where an accuracy is given, what people would say to it."""
    await _refuse_strangers(request)
    if _is_too_often(request):
        return _slow_down()
    return await _card(request, dict(request.query_params))


async def get_picture(request: Request) -> Response:
    """Give the answer as a picture, for pages and papers of others."""
    await _refuse_strangers(request)
    if _is_too_often(request):
        return _slow_down()
    try:
        card = await run_in_threadpool(
            library.find_card, request.app.state.host, request.path_params["name"]
        )
        answer = await run_in_threadpool(_answered, card, dict(request.query_params))
    except (UnknownNameError, InputError) as error:
        raise HTTPException(404) from error
    if answer is None:
        raise HTTPException(404)
    drawing = await run_in_threadpool(_drawing, card, answer)
    accuracy = answer.accuracy
    precision, recall = map(as_given, (accuracy.precision, accuracy.recall))
    caption = (
        f"{card.application}: {share_text(answer.accepting)} accept {precision} precision, "
        f"{recall} recall"
    )
    headers = {"Content-Security-Policy": PICTURE_POLICY, "Cache-Control": "public, max-age=300"}
    return Response(standalone_map(drawing, caption), media_type="image/svg+xml", headers=headers)


async def post_card(request: Request) -> Response:
    """Count an uploaded table of truth and prediction, then show the answer by its address."""
    await _refuse_strangers(request)
    if _is_too_often(request):
        return _slow_down()
    if is_larger(request, _LARGEST):
        most = f"The file is larger than {counting.LARGEST // 2**20} MB: type the counts."
        return await _card(request, {}, problem=most, status=413)
    if not request.app.state.tables.allows(caller(request.scope)):
        return await _card(request, {}, problem=_OFTEN, status=429)
    try:
        with _place(request.app.state.coming):
            return await _count(request)
    except anyio.WouldBlock:
        return await _card(request, {}, problem=_BUSY, status=503)


async def _count(request: Request) -> Response:
    async with request.form(max_files=1, max_fields=10) as form:
        with _place(request.app.state.counting):
            name, content = await sent_file(form)
            if not name:
                return await _card(request, {}, problem="Choose a file first.")
            chosen = {
                field: text_of(form, field).strip()[:100]
                for field in ("positive", "truth", "predicted")
            }
            work = partial(counting.count_apart, name, content, **chosen)
            try:
                counts = await run_in_threadpool(work)
            except InputError as error:
                status = 413 if isinstance(error, counting.TooLargeError) else 422
                return await _card(request, {}, problem=str(error), status=status)
    query = urlencode({"matrix": " ".join(str(count) for count in counts)})
    card = quote(request.path_params["name"], safe="")
    return RedirectResponse(f"/library/{card}?{query}#answer", status_code=303)


@contextmanager
def _place(places: anyio.CapacityLimiter) -> Iterator[None]:
    """Take one of a few places, or raise `anyio.WouldBlock` at once: nobody waits in line."""
    places.acquire_nowait()
    try:
        yield
    finally:
        places.release()


async def post_withdraw(request: Request) -> Response:
    """Take a card that was published here out of the library."""
    person = await signed_in(request)
    await sent_form(request)
    await run_in_threadpool(
        library.withdraw_card, request.app.state.host, request.path_params["name"],
        actor=person.name, now=now(),
    )  # fmt: skip
    return RedirectResponse("/library", status_code=303)


async def _refuse_strangers(request: Request) -> None:
    """Let everybody in where the library is public, else those with an account."""
    if not request.app.state.settings.public_library:
        await signed_in(request)


def _is_too_often(request: Request) -> bool:
    """Every answer is computed: one address may not take the time of everybody else."""
    return not request.app.state.questions.allows(caller(request.scope))


def _slow_down() -> Response:
    page = message_page("slow_down", language="en", style=style_address())
    response = show(page, status=429)
    response.headers["Retry-After"] = "3"
    return response


async def _card(
    request: Request, given: dict[str, str], *, problem: str = "", status: int = 422
) -> Response:
    try:
        card = await run_in_threadpool(
            library.find_card, request.app.state.host, request.path_params["name"]
        )
    except UnknownNameError as error:
        raise HTTPException(404) from error
    answer = None
    if not problem:
        try:
            answer = await run_in_threadpool(_answered, card, given)
        except InputError as error:
            problem = str(error)
    verdict = None
    if answer is not None:
        verdict = await run_in_threadpool(_verdict, card, answer)
    person = await _somebody(request)
    is_ours = person is not None and await run_in_threadpool(
        _may_withdraw, request.app.state.host, person, card.name
    )
    response = dashboard(
        request, "card.html", researcher=person, is_ours=is_ours,
        status=status if problem else 200, card=card, given=given, problem=problem, answer=answer,
        findings=_findings(answer), verdict=verdict, cells=library.CELLS,
        address=f"{home(request)}/library/{quote(card.name, safe='')}",
    )  # fmt: skip
    if response.status_code in (429, 503):
        response.headers["Retry-After"] = "10"
    return response


def _may_withdraw(host: Host, person: Researcher, name: str) -> bool:
    """Return whether somebody may take a card out that was published here."""
    try:
        admitted(host, person, CARD, {"name": name})
    except NoEntryError:
        return False
    return library.is_published_here(host, name)


def _answered(card: ModelCard, given: dict[str, str]) -> library.Answer | None:
    """Return the answer for an accuracy; the title asks about 85 %, so that is where it begins."""
    if not card.draws:
        return None
    accuracy = library.read_accuracy(given)
    start = library.Accuracy(precision=_START, recall=_START)
    return library.is_enough(card, accuracy or start)


def _findings(answer: library.Answer | None) -> list[str]:
    if answer is None:
        return []
    first = accepting_finding(answer.targets[0], answer.accepting)
    return [unbroken(finding.text) for finding in
            (first, gain_finding(answer.targets[0]), target_finding(answer.targets))]  # fmt: skip


def _verdict(card: ModelCard, answer: library.Answer) -> Markup:
    """Return the answer as reports show one: number, interval, and the map to drag in."""
    accuracy, ends = answer.accuracy, answer.accepting.interval
    headline = Headline(
        title=card.application,
        text=accepting_text(answer.accepting, accuracy.precision, accuracy.recall),
        share=(ends.lower, answer.accepting.mean, ends.upper),
        point=(accuracy.precision, accuracy.recall),
        people=card.n_respondents or 0,
        wanted=USUAL_PEOPLE,
        acceptance=card.acceptance_draws(card.application),
    )
    return Markup(headline_html(headline))  # noqa: S704 - names are escaped there


def _shares(known: Mapping[str, ModelCard]) -> dict[str, tuple[float, float, float]]:
    """Return which share accepts 85 % precision and recall, card by card, with its interval."""
    shares = {}
    for name, card in known.items():
        draws = card.acceptance_draws(card.application)
        share = draws.estimate(draws.shares(_START, _START))
        shares[name] = (share.interval.lower, share.mean, share.interval.upper)
    return shares


def _drawing(card: ModelCard, answer: library.Answer | None) -> str:
    point = None if answer is None else (answer.accuracy.precision, answer.accuracy.recall)
    return acceptance_map(
        map_lines(card.acceptance_draws(card.application)), application=card.application,
        point=point,
        accepting=None if answer is None else answer.accepting,
    )  # fmt: skip


async def _somebody(request: Request) -> Researcher | None:
    """Return who is signed in, if anybody is: the menu shows it, nothing else depends on it."""
    try:
        return await signed_in(request)
    except SignInNeededError:
        return None


ROUTES = [
    Route("/library", get_library, methods=["GET"]),
    Route("/library/nearest", get_nearest, methods=["GET"]),
    Route("/library/{name}", get_card, methods=["GET"]),
    Route("/library/{name}", post_card, methods=["POST"]),
    Route("/library/{name}/picture.svg", get_picture, methods=["GET"]),
    Route("/library/{name}/withdraw", post_withdraw, methods=["POST"]),
]
