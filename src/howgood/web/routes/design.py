"""The page that shows every component of the dashboard in every state.

In: a request. Out: the page, for those who change the look and for the tests of accessibility.
Absent: anything about studies.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from howgood.show.design import tokens
from howgood.web.access import signed_in
from howgood.web.dashboard import dashboard


async def get_design(request: Request) -> Response:
    """Show the components."""
    person = await signed_in(request)
    names = [name for name in tokens() if name.startswith(("space", "type", "radius"))]
    return dashboard(request, "design.html", researcher=person, sizes=names)


ROUTES = [Route("/design", get_design, methods=["GET"])]
