"""The addresses of the application, those that are loaded later among them."""

from starlette.routing import Mount


def every_route(app):
    """Yield the routes of an application; those of researchers are mounted at no path."""
    for route in app.routes:
        if isinstance(route, Mount) and not route.path:
            yield from route.routes
        else:
            yield route
