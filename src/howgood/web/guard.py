"""The guard before every page: who may not enter is refused before the route begins.

In: routes. Out: the same, guarded. Absent: who may enter what (`permissions`).
"""

from collections.abc import Iterable, Mapping

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from howgood.flow.hosting import Host
from howgood.records.researcher import Researcher
from howgood.web import permissions
from howgood.web.access import ForbiddenError, SignInNeededError, signed_in
from howgood.web.unsaved_forms import sign_in_first

# What was typed there survives a session that ended meanwhile.
_KEEPS_FORM = "POST /studies/{slug}/edit/{part}"


def guarded(routes: Iterable[Route]) -> list[Route]:
    """Return the routes with their guards; refuse one that the table does not know."""
    return [_guarded(route) for route in routes]


def _guarded(route: Route) -> Route:
    methods = sorted((route.methods or set()) - {"HEAD"})
    unknown = [
        name for method in methods if (name := f"{method} {route.path}") not in permissions.PAGES
    ]
    if unknown:
        raise permissions.MissingPermissionError(
            f"{unknown[0]}: say in web/permissions.py who may use it"
        )
    if all(permissions.PAGES[f"{method} {route.path}"] == permissions.PUBLIC for method in methods):
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
            _checked, request.app.state.host, person, permissions.PAGES[name], request.path_params
        )
        response: Response = await endpoint(request)
        return response

    return Route(route.path, entered, methods=methods, name=route.name)


def _checked(
    host: Host, person: Researcher, need: permissions.Need, parts: Mapping[str, object]
) -> Researcher:
    try:
        return permissions.admitted(host, person, need, parts)
    except permissions.NoEntryError as error:
        raise (HTTPException(404) if error.is_hidden else ForbiddenError(str(error))) from error
