"""The addresses of the application, those that are loaded later among them."""


def every_route(app):
    """Yield the routes of an application: of participants, then those of researchers."""
    yield from app.routes
    yield from getattr(app.router.default, "routes", ())
