"""The address of the audit: who did what.

In: requests. Out: a page. Absent: writing lines; whoever does something writes its line.
"""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from howgood.flow import watching
from howgood.web.access import owner
from howgood.web.dashboard import dashboard


async def get_history(request: Request) -> Response:
    """Show the latest lines of the audit, of one study or of everything."""
    person = await owner(request)
    about = request.query_params.get("study", "")
    found = await run_in_threadpool(watching.deeds, request.app.state.host, study=about)
    return dashboard(
        request, "history.html", researcher=person, deeds=found, about=about,
        most=watching.MOST_LINES,
    )  # fmt: skip


ROUTES = [Route("/history", get_history, methods=["GET"])]
