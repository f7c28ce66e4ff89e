"""What every address needs: one table for pages and the API, and the guard before every page.

In: somebody and what an address needs; routes. Out: whether they may enter; the routes, guarded.
Absent: what roles allow (`records.researcher`), and the guard of the API (`api.app`).

An address without a line in the table cannot be served: the application does not start. A study
that is not shared with somebody does not exist for them (404); what they may not do in a study they
see is refused with a reason (403).
"""

from collections.abc import Iterable, Mapping

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from howgood.errors import HowgoodError
from howgood.flow import accounts
from howgood.flow.hosting import Host
from howgood.flow.results.library import study_of_card
from howgood.records.researcher import Permission, Researcher
from howgood.web.access import ForbiddenError, SignInNeededError, signed_in
from howgood.web.unsaved_forms import sign_in_first

# Besides the permissions in a study: nobody is asked; an account is enough; those who may make
# studies; those who may have keys for programs; owners of the server. A card belongs to the study
# it came from.
PUBLIC, ACCOUNT, CREATE, SERVER = "public", "account", "create", "server"
TOKENS = "make studies, or read the data of one"
CARD = "edit the study of the card"
COPY = "texts, and make studies"
Need = str

PAGES: Mapping[str, Need] = {
    "GET /": PUBLIC,
    "GET /static/{name}": PUBLIC,
    "GET /health": PUBLIC,
    "GET /metrics": PUBLIC,  # asks for a token of its own
    # Participants: their token is what lets them in.
    "GET /p/{token}": PUBLIC,
    "POST /p/{token}": PUBLIC,
    "GET /p/{token}/later": PUBLIC,
    "POST /p/{token}/later": PUBLIC,
    "GET /p/{token}/calendar.ics": PUBLIC,
    "GET /p/{token}/draw": PUBLIC,
    "POST /p/{token}/draw": PUBLIC,
    "GET /p/{token}/{step}": PUBLIC,
    "POST /p/{token}/{step}": PUBLIC,
    "GET /s/{slug}": PUBLIC,
    "POST /s/{slug}": PUBLIC,
    "GET /media/{version:int}/{name:path}": PUBLIC,
    # Participants who withdraw show their code.
    "GET /withdraw": PUBLIC,
    "POST /withdraw": PUBLIC,
    # Accounts.
    "GET /login": PUBLIC,
    "POST /login": PUBLIC,
    "POST /logout": PUBLIC,
    "GET /setup/{token}": PUBLIC,
    "POST /setup/{token}": PUBLIC,
    # The second step of signing in, and other ways: a ticket, a passkey or a provider lets them in.
    "POST /login/second": PUBLIC,
    "POST /login/passkey": PUBLIC,
    "GET /login/provider": PUBLIC,
    "GET /login/provider/return": PUBLIC,
    "GET /account": ACCOUNT,
    "GET /account/ways": ACCOUNT,
    "POST /account/ways/codes/begin": ACCOUNT,
    "POST /account/ways/codes": ACCOUNT,
    "POST /account/ways/codes/end": ACCOUNT,
    "POST /account/ways/passkeys": ACCOUNT,
    "POST /account/ways/passkeys/remove": ACCOUNT,
    "GET /account/ways/provider": ACCOUNT,
    "POST /account/ways/provider/remove": ACCOUNT,
    "POST /account": ACCOUNT,
    "POST /account/sessions": ACCOUNT,
    "GET /people": SERVER,
    "POST /people": SERVER,
    "POST /people/renewal": SERVER,
    "POST /people/codes": SERVER,
    "POST /people/invitations/withdraw": SERVER,
    "GET /people/{number:int}/remove": SERVER,
    "POST /people/{number:int}/remove": SERVER,
    "POST /people/{number:int}/role": SERVER,
    "GET /groups": SERVER,
    "POST /groups": SERVER,
    "POST /groups/{number:int}/members": SERVER,
    "POST /groups/{number:int}/remove": SERVER,
    "GET /history": SERVER,
    "GET /design": ACCOUNT,
    # A token does what its holder may do, and no more.
    "GET /tokens": TOKENS,
    "POST /tokens": TOKENS,
    "POST /tokens/{number:int}/revoke": TOKENS,
    "GET /api/docs": PUBLIC,
    # The library asks for an account itself where it is not public (HOWGOOD_PUBLIC_LIBRARY=no).
    "GET /library": PUBLIC,
    "GET /library/nearest": PUBLIC,
    "GET /library/{name}": PUBLIC,
    "POST /library/{name}": PUBLIC,
    "GET /library/{name}/picture.svg": PUBLIC,
    "POST /library/{name}/withdraw": CARD,
    # Results for those who hold a link.
    "GET /r/{token}": PUBLIC,
    "GET /r/{token}/report.html": PUBLIC,
    "GET /r/{token}/{place:int}.svg": PUBLIC,
    # Studies.
    "GET /studies": ACCOUNT,
    "GET /studies/new": CREATE,
    "POST /studies/new": CREATE,
    "POST /studies/upload": CREATE,
    "GET /studies/{slug}": "live",
    "GET /studies/{slug}/counts": "live",
    "GET /studies/{slug}/people": "data",
    "GET /studies/{slug}/people/{number:int}": "data",
    "POST /studies/{slug}/people/{number:int}": "edit",
    "GET /studies/{slug}/people/notes.csv": "data",
    "GET /studies/{slug}/people/{number:int}/follow": "data",
    "POST /studies/{slug}/people/{number:int}/follow": "edit",
    "GET /studies/{slug}/people/{number:int}/follow/page": "data",
    "POST /studies/{slug}/doors": "edit",
    "POST /studies/{slug}/places": "edit",
    "GET /studies/{slug}/recruit": "links",
    "POST /studies/{slug}/recruit": "links",
    "GET /studies/{slug}/links": "links",
    "POST /studies/{slug}/links": "links",
    "GET /studies/{slug}/share": "share",
    "POST /studies/{slug}/share": "share",
    "POST /studies/{slug}/share/{number:int}/remove": "share",
    "POST /studies/{slug}/share/invitations": "share",
    "POST /studies/{slug}/share/invitations/withdraw": "share",
    "POST /studies/{slug}/share/links": "share",
    "POST /studies/{slug}/share/links/{number:int}/revoke": "share",
    "GET /studies/{slug}/notices": "share",
    "POST /studies/{slug}/notices": "share",
    "POST /studies/{slug}/notices/{number:int}/remove": "share",
    "POST /studies/{slug}/notices/messages/{number:int}/again": "share",
    "GET /studies/{slug}/draw": "share",
    "POST /studies/{slug}/draw": "share",
    "GET /studies/{slug}/draw.csv": "share",
    "GET /studies/{slug}/privacy": "share",
    "POST /studies/{slug}/privacy": "share",
    "GET /studies/{slug}/edit": "texts",
    "GET /studies/{slug}/edit/{part}": "texts",
    "POST /studies/{slug}/edit/{part}": "edit",
    "POST /studies/{slug}/glance/{part}": "texts",
    # Making studies is asked for by the route itself: the copy is a study of its own.
    "POST /studies/{slug}/copy": COPY,
    "GET /studies/{slug}/preview": "texts",
    "POST /studies/{slug}/preview": "texts",
    "GET /studies/{slug}/publish": "texts",
    "POST /studies/{slug}/publish": "edit",
    "GET /studies/{slug}/discard": "edit",
    "POST /studies/{slug}/discard": "edit",
    "POST /studies/{slug}/restore": "edit",
    "GET /studies/{slug}/versions": "texts",
    "POST /studies/{slug}/versions/{number:int}/publish": "edit",
    "GET /studies/{slug}/file.{ending}": "texts",
    "GET /studies/{slug}/picture/{name}": "texts",
    # Results.
    "GET /studies/{slug}/results": "results",
    "POST /studies/{slug}/results": "fit",
    "GET /studies/{slug}/results/words": "data",
    "POST /studies/{slug}/results/uploads": "fit",
    "GET /studies/{slug}/results/uploads/{number:int}": "fit",
    "POST /studies/{slug}/results/uploads/{number:int}": "fit",
    "GET /studies/{slug}/results/{number:int}": "results",
    "GET /studies/{slug}/results/{number:int}/progress": "results",
    "POST /studies/{slug}/results/{number:int}/cancel": "fit",
    "POST /studies/{slug}/results/{number:int}/publish": "edit",
    "GET /studies/{slug}/results/{number:int}/report.html": "results",
    "GET /studies/{slug}/results/{number:int}/{place:int}.svg": "results",
    # Products in use: a token lets answers in, so making one changes the study.
    "GET /studies/{slug}/use": "results",
    "POST /studies/{slug}/use": "edit",
    "POST /studies/{slug}/use/{number:int}/token": "edit",
    "POST /studies/{slug}/use/{number:int}/close": "edit",
    "POST /studies/{slug}/use/{number:int}/anew": "edit",
    "POST /studies/{slug}/use/{number:int}/erase": "erase",
    # Data, without platform ids; with them it is another address.
    "GET /studies/{slug}/data": "data",
    "GET /studies/{slug}/data/export/{format}": "data",
    "POST /studies/{slug}/data/identified": "identified",
    "POST /studies/{slug}/data/import": "edit",
    "GET /studies/{slug}/data/import/{number:int}": "edit",
    "POST /studies/{slug}/data/import/{number:int}": "edit",
    "GET /studies/{slug}/data/imports/{number:int}/undo": "edit",
    "POST /studies/{slug}/data/imports/{number:int}/undo": "edit",
    "POST /studies/{slug}/data/erase": "erase",
    "POST /studies/{slug}/data/delete": "delete",
}

# Operations of the API need their scope as well; a token is its holder's, as far as it goes.
OPERATIONS: Mapping[str, Need] = {
    "listStudies": ACCOUNT,
    "createStudy": CREATE,
    "getStudy": "texts",
    "openStudy": "edit",
    "deleteStudy": "delete",
    "getCounts": "live",
    "setPlaces": "edit",
    "listVersions": "texts",
    "addVersion": "edit",
    "listParticipants": "data",
    "listIdentities": "identified",
    "invite": "links",
    "eraseParticipant": "erase",
    "listAnswers": "data",
    "streamRows": "data",
    "getCodebook": "data",
    "export": "data",
    "importAnswers": "edit",
    "listImports": "data",
    "undoImport": "edit",
    "listFits": "results",
    "askFit": "fit",
    "judge": "fit",
    "getFit": "results",
    "cancelFit": "fit",
    "listCards": PUBLIC,
    # The token of the product is what lets an answer in.
    "answerInUse": PUBLIC,
    "listProducts": "results",
    "listUseAnswers": "data",
    "eraseUser": "erase",
}

_CANNOT = {
    CREATE: "Your account cannot make studies. Ask an owner of the server for the role member.",
    SERVER: "Only owners of this server can do this.",
    TOKENS: "Tokens are for those who make studies or read the data of one.",
}


class MissingPermissionError(LookupError):
    """An address that the table does not know: it cannot be served."""


class NoEntryError(HowgoodError):
    """Somebody may not do this; `is_hidden` says that for them there is nothing to do it to."""

    def __init__(self, text: str = "", *, is_hidden: bool = False) -> None:
        super().__init__(text)
        self.is_hidden = is_hidden


def admitted(host: Host, person: Researcher, need: Need, parts: Mapping[str, object]) -> Researcher:
    """Return the person with their permissions in the study, or raise `NoEntryError`."""
    if need == COPY:
        reader = admitted(host, person, "texts", parts)
        admitted(host, person, CREATE, parts)
        return reader
    if need == CARD:
        slug = study_of_card(host, str(parts["name"]))
        parts, need = ({"slug": slug}, "edit") if slug is not None else (parts, SERVER)
    if need in (PUBLIC, ACCOUNT, CREATE, TOKENS, SERVER):
        if not _is_enough(host, person, need):
            raise NoEntryError(_CANNOT[need])
        return person
    inside = accounts.in_study(host, person, str(parts["slug"]))
    if inside is None:
        raise NoEntryError(is_hidden=True)
    if not inside.may(_permission(need)):
        raise NoEntryError(_REASONS[_permission(need)])
    return inside


def _is_enough(host: Host, person: Researcher, need: Need) -> bool:
    """Return whether an account suffices for what concerns no single study."""
    if need == TOKENS:
        return accounts.may_use_tokens(host, person)
    return {PUBLIC: True, ACCOUNT: True, CREATE: person.may_create}.get(need, person.is_owner)


_REASONS: Mapping[Permission, str] = {
    "live": "Your role in this study does not show how it is going.",
    "links": "Making personal links needs the role recruiter, editor or owner.",
    "texts": "Your role in this study does not show its texts: they need the role viewer.",
    "results": "Your role in this study does not show results: they need the role viewer.",
    "fit": "Running a fit needs the role analyst, editor or owner of this study.",
    "data": "Your role in this study shows no answers: they need the role analyst.",
    "edit": "You can look at this study but not change it: that needs the role editor or owner.",
    "erase": "Erasing somebody needs the role editor or owner of this study.",
    "identified": "Data with platform ids is for owners of the study.",
    "share": "Only owners of a study may do this.",
    "delete": "Only owners of a study delete it.",
}


def _permission(need: Need) -> Permission:
    for permission in _REASONS:
        if permission == need:
            return permission
    raise MissingPermissionError(need)


# What was typed there survives a session that ended meanwhile.
_KEEPS_FORM = "POST /studies/{slug}/edit/{part}"


def guarded(routes: Iterable[Route]) -> list[Route]:
    """Return the routes with their guards; refuse one that the table does not know."""
    return [_guarded(route) for route in routes]


def _guarded(route: Route) -> Route:
    methods = sorted((route.methods or set()) - {"HEAD"})
    unknown = [name for method in methods if (name := f"{method} {route.path}") not in PAGES]
    if unknown:
        raise MissingPermissionError(f"{unknown[0]}: say in web/permissions.py who may use it")
    if all(PAGES[f"{method} {route.path}"] == PUBLIC for method in methods):
        return route
    endpoint = route.endpoint

    async def entered(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        name = f"{method} {route.path}"
        try:
            person = await signed_in(request)
        except SignInNeededError:
            if name == _KEEPS_FORM:
                return await sign_in_first(request)
            raise
        request.state.person = person  # for the page that says what they may not do
        request.state.researcher = await run_in_threadpool(
            _checked, request.app.state.host, person, PAGES[name], request.path_params
        )
        response: Response = await endpoint(request)
        return response

    return Route(route.path, entered, methods=methods, name=route.name)


def _checked(host: Host, person: Researcher, need: Need, parts: Mapping[str, object]) -> Researcher:
    try:
        return admitted(host, person, need, parts)
    except NoEntryError as error:
        raise (HTTPException(404) if error.is_hidden else ForbiddenError(str(error))) from error
