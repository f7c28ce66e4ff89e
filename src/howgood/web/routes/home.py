"""The addresses around the studies: home, style sheet, and whether the server is well.

In: requests. Out: short pages. Absent: studies.
"""

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from howgood.web.render import static_response


async def get_home(request: Request) -> Response:
    """Lead researchers to their studies; strangers learn nothing about which studies run."""
    return RedirectResponse("/studies", status_code=303)


async def get_static(request: Request) -> Response:
    """Give a static file."""
    found = static_response(request, request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    return found


async def get_health(request: Request) -> Response:
    """Say whether answers can be stored, for whatever watches the server."""
    if await run_in_threadpool(request.app.state.health.is_well):
        return PlainTextResponse("well\n")
    words = "unwell: answers cannot be stored now\n"
    return PlainTextResponse(words, status_code=503, headers={"Retry-After": "5"})


ROUTES = [
    Route("/", get_home, methods=["GET"]),
    Route("/static/{name}", get_static, methods=["GET"]),
    Route("/health", get_health, methods=["GET"]),
]
