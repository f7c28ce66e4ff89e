"""The addresses of studies as a whole: the list, new ones, how one is going, its doors and links.

In: requests. Out: pages. Absent: writing them (`editing`), results and data.
"""

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from howgood.flow import accounts, authoring, hosting, watching
from howgood.kinds import KINDS, kind_of
from howgood.records.answer_checks import JudgedMap, JudgedPoint, Repetition
from howgood.records.precision import PRECISE
from howgood.records.researcher import Researcher
from howgood.show.answer_drawings import (
    judged_map,
    page_times,
    people_over_time,
    ratings_in_order,
    repetition,
)
from howgood.show.design import tokens
from howgood.web.access import home, sent_form, signed_in, text_of
from howgood.web.dashboard import attachment, dashboard
from howgood.web.middleware import LARGEST_UPLOAD
from howgood.web.request_data import now, whole
from howgood.web.routes.recruiting import qr_code


async def get_design(request: Request) -> Response:
    """Show the components."""
    person = await signed_in(request)
    return dashboard(
        request, "design.html", researcher=person, sizes=_sizes(), drawn=_drawn(),
        colours=[name for name, value in tokens().items() if value.startswith("#")],
        qr=qr_code("https://example.org/s/smart-alarm"),
    )  # fmt: skip


def _sizes() -> dict[str, int]:
    """Return the sizes of the design in pixels, by name."""
    return {
        name: round(16 * float(value.removesuffix("rem")))
        for name, value in tokens().items()
        if name.startswith(("space", "type", "radius"))
    }


def _drawn() -> dict[str, Markup]:
    """Return the drawings of a person's answers, each with what stands out in it."""
    points = tuple(
        JudgedPoint(x=x, y=y, is_accepted=verdict)
        for x, y, verdict in (
            (0.5, 0.6, True),
            (0.8, 0.9, False),
            (1.0, 1.0, True),
            (0.7, 0.5, None),
        )
    )
    judged = JudgedMap(title="Alarm", x_label="precision", y_label="recall", points=points)
    again = Repetition(title="A film", ratings=(1, 4, 4, 2), highest=5)
    made = {
        "Time on pages": page_times([9, 12, 1.2, 8, 1.5, 60], fast=2.0),
        "Ratings in order": ratings_in_order([3, 5, 2, 6, 6, 6, 6, 6, 6, 1], least=6),
        "Accepted and refused": judged_map(judged),
        "The same item again": repetition(again),
    }
    return {name: Markup(svg) for name, svg in made.items()}  # noqa: S704 - examples of ours


_DESIGN_ROUTES = [Route("/design", get_design, methods=["GET"])]


_MOST_LINKS = 10_000


async def get_studies(request: Request) -> Response:
    """List the studies."""
    person = await signed_in(request)
    host = request.app.state.host
    shared = await run_in_threadpool(accounts.shared_with, host, person)
    overview = await run_in_threadpool(watching.overview, host)
    discarded = await run_in_threadpool(authoring.discarded, host)
    if shared is not None:
        overview = tuple(study_row for study_row in overview if study_row.head.slug in shared)
        discarded = tuple(
            study_row for study_row in discarded if "edit" in shared.get(study_row.slug, ())
        )
    is_new = request.query_params.get("done") == "discarded" and discarded
    notice = f"The draft of {discarded[0].title} is discarded." if is_new else ""
    return dashboard(
        request, "studies.html", researcher=person, studies=overview, discarded=discarded,
        notice=notice, kinds={kind.name: kind.title for kind in KINDS.values()},
    )  # fmt: skip


async def get_new(request: Request) -> Response:
    """Show the ways to begin a study."""
    person = await signed_in(request)
    return _new_page(request, person, authoring.Started(), {})


async def post_new(request: Request) -> Response:
    """Make a study from a template."""
    person = await signed_in(request)
    form = await sent_form(request)
    typed = {name: text_of(form, name).strip() for name in ("template", "slug", "title")}
    made = await run_in_threadpool(
        authoring.start_from_template, request.app.state.host, person, typed["template"],
        slug=typed["slug"], title=typed["title"], now=now(),
    )  # fmt: skip
    return _started(request, person, made, typed)


async def post_upload(request: Request) -> Response:
    """Make a study from a study file and the files it names."""
    person = await signed_in(request)
    form = await sent_form(request, largest=LARGEST_UPLOAD)
    files = [*await uploads(form, "file"), *await uploads(form, "attached")]
    made = await run_in_threadpool(
        authoring.start_from_file, request.app.state.host, person, files, now=now()
    )
    return _started(request, person, made, {})


async def get_live(request: Request) -> Response:
    """Show how a study is going."""
    person = await signed_in(request)
    return await _live(request, person, "live.html")


async def get_counts(request: Request) -> Response:
    """Show the part of the live page that renews itself."""
    person = await signed_in(request)
    return await _live(request, person, "counts.html")


async def post_doors(request: Request) -> Response:
    """Open or close a study."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug = request.path_params["slug"]
    await run_in_threadpool(
        authoring.set_open, request.app.state.host, person, slug,
        is_open=text_of(form, "open") == "yes", now=now(),
    )  # fmt: skip
    return _to(slug)


async def post_places(request: Request) -> Response:
    """Change pilot mode and quota."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, quota = request.path_params["slug"], text_of(form, "quota").strip()
    if quota and not whole(quota, otherwise=0):
        return await _live(
            request, person, "live.html", problem="Write a whole number, or nothing."
        )
    await run_in_threadpool(
        authoring.set_places, request.app.state.host, slug, pilot=text_of(form, "pilot") == "yes",
        quota=int(quota) if quota else None, actor=person.name, now=now(),
    )  # fmt: skip
    return _to(slug)


async def get_links(request: Request) -> Response:
    """Show the form for personal links."""
    person = await signed_in(request)
    return await _links_page(request, person, ())


async def post_links(request: Request) -> Response:
    """Make personal links and show them, or give them as CSV: this once."""
    person = await signed_in(request)
    form = await sent_form(request)
    slug, people = request.path_params["slug"], text_of(form, "people").strip()
    if not 1 <= whole(people, otherwise=0) <= _MOST_LINKS:
        wrong = f"Write a number from 1 to {_MOST_LINKS}."
        return await _links_page(request, person, (), problem=wrong, people=people)
    made = await run_in_threadpool(
        hosting.make_links, request.app.state.host, slug, people=int(people),
        is_pilot=text_of(form, "pilot") == "yes", now=now(),
    )  # fmt: skip
    addresses = tuple(f"{home(request)}/p/{link.token}" for link in made)
    if text_of(form, "as") != "csv":
        return await _links_page(request, person, addresses)
    lines = [f"{number},{address}" for number, address in enumerate(addresses, start=1)]
    text = "\r\n".join(["number,link", *lines]) + "\r\n"
    return attachment(text.encode(), f"{slug}-links.csv", "text/csv; charset=utf-8")


async def uploads(form: FormData, name: str) -> list[authoring.Upload]:
    """Return the files sent under a name."""
    return [
        authoring.Upload(file_name=entry.filename or "", content=await entry.read())
        for entry in form.getlist(name)
        if isinstance(entry, UploadFile) and entry.filename
    ]


def _new_page(
    request: Request, person: Researcher, made: authoring.Started, typed: dict[str, str]
) -> Response:
    values = {"templates": authoring.templates(), "made": made, "typed": typed}
    status = 422 if made.problems or made.file_problems else 200
    return dashboard(request, "new.html", researcher=person, status=status, **values)


def _started(
    request: Request, person: Researcher, made: authoring.Started, typed: dict[str, str]
) -> Response:
    if not made.slug:
        return _new_page(request, person, made, typed)
    return RedirectResponse(f"/studies/{made.slug}/edit/texts", status_code=303)


async def _live(request: Request, person: Researcher, template: str, problem: str = "") -> Response:
    slug, host = request.path_params["slug"], request.app.state.host
    try:
        live = await run_in_threadpool(watching.watch, host, slug, now=now())
    except hosting.RefusedError:
        # A study that was never published has nothing to watch, but perhaps a draft.
        await run_in_threadpool(authoring.written, host, slug)
        return RedirectResponse(f"/studies/{slug}/edit", status_code=303)
    # Flags are drawn from answers: they are for those who may read answers.
    flags = None
    if person.may("data"):
        flags = await run_in_threadpool(request.app.state.watcher.flags, slug)
    evidence = await run_in_threadpool(request.app.state.watcher.evidence, slug)
    board = None
    if person.may("results"):
        board = await run_in_threadpool(request.app.state.watcher.board, slug)
    drawn = people_over_time(live.by_hour, now=now(), quota=live.study.quota)
    values = {"live": live, "flags": flags, "study": live.head, "problem": problem, "board": board,
              "link": f"{home(request)}/s/{slug}", "precise": PRECISE,
              "usual_people": kind_of(live.study).usual_people,
              "evidence": evidence if person.may("results") else (),
              "drawn": Markup(drawn)}  # noqa: S704 - made of counts and times  # fmt: skip
    status = 422 if problem else 200
    return dashboard(request, template, researcher=person, status=status, **values)


async def _links_page(
    request: Request,
    person: Researcher,
    links: tuple[str, ...],
    problem: str = "",
    people: str = "10",
) -> Response:
    host, slug = request.app.state.host, request.path_params["slug"]
    head, versions = await run_in_threadpool(authoring.history, host, slug)
    if not versions:
        raise HTTPException(404)
    values = {"study": head, "links": links, "problem": problem, "people": people}
    status = 422 if problem else 200
    return dashboard(request, "links.html", researcher=person, status=status, **values)


def _to(slug: str) -> Response:
    return RedirectResponse(f"/studies/{slug}", status_code=303)


async def get_history(request: Request) -> Response:
    """Show the latest lines of the audit, of one study or of everything."""
    person = await signed_in(request)
    about = request.query_params.get("study", "")
    deeds = await run_in_threadpool(watching.deeds, request.app.state.host, study=about)
    return dashboard(
        request, "history.html", researcher=person, deeds=deeds, about=about,
        most=watching.MOST_LINES,
    )  # fmt: skip


ROUTES = [
    *_DESIGN_ROUTES,
    Route("/history", get_history, methods=["GET"]),
    Route("/studies", get_studies, methods=["GET"]),
    Route("/studies/new", get_new, methods=["GET"]),
    Route("/studies/new", post_new, methods=["POST"]),
    Route("/studies/upload", post_upload, methods=["POST"]),
    Route("/studies/{slug}", get_live, methods=["GET"]),
    Route("/studies/{slug}/counts", get_counts, methods=["GET"]),
    Route("/studies/{slug}/doors", post_doors, methods=["POST"]),
    Route("/studies/{slug}/places", post_places, methods=["POST"]),
    Route("/studies/{slug}/links", get_links, methods=["GET"]),
    Route("/studies/{slug}/links", post_links, methods=["POST"]),
]
