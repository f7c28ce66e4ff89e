"""Everything that can be sent to the application: every address, every form, every field.

Routes are read from the application and forms from its own pages, so that a new one is attacked
from the day it is there.
"""

import re
from html.parser import HTMLParser
from urllib.parse import quote, urljoin, urlsplit

import sqlalchemy as sa
from starlette.routing import Mount, Route
from tests.web_routes import every_route

from howgood.store.schema import metadata

READING = {"GET", "HEAD"}
# What a variable part of an address may be, so that a page is there.
KNOWN = {"slug": "songs", "part": "texts", "format": "csv", "ending": "toml", "version": "1",
         "number": "1", "place": "0", "token": "unknown", "name": "kay2015-electricity",
         "participant": "1", "fit": "1", "import": "1", "step": "1",
         "product": "1"}  # fmt: skip
# Where no link leads, or only after something was done.
_MORE_PAGES = ("/studies/songs/links", "/studies/songs/publish", "/studies/songs/preview",
               "/studies/songs/edit/task", "/studies/songs/edit/questions",
               "/studies/songs/edit/ending", "/s/songs", "/login")  # fmt: skip


def routes(app, prefix=""):
    """Yield method and path of everything the application answers to, the API too."""
    for route in every_route(app):
        if isinstance(route, Mount):
            yield from routes(route.app, prefix + route.path)
        elif isinstance(route, Route):
            for method in sorted(route.methods - {"HEAD"}):
                yield method, prefix + route.path


def filled(path, **values):
    """Return an address with its variable parts filled in."""
    given = KNOWN | values
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda match: quote(str(given[match[1]]), safe=""), path)


def content(host, *, without=("sessions",)):
    """Return every row of the database but what /health writes to see that it can."""
    with host.database.reading() as connection:
        found = {
            name: connection.execute(sa.select(table).order_by(*table.primary_key)).all()
            for name, table in metadata.tables.items()
            if name not in without
        }
    found["facts"] = [row for row in found["facts"] if row.name != "last_check"]
    return found


class Page(HTMLParser):
    """Reads a page as a browser does: its elements, and its forms with their fields."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.forms, self._form, self._select = [], [], None, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.elements.append((tag, given))
        name = given.get("name")
        if tag == "form":
            self._form = {"action": given.get("action", ""), "method": given.get("method", "get"),
                          "fields": {}, "free": [], "files": []}  # fmt: skip
            self.forms.append(self._form)
        elif self._form is None or (not name and tag != "option"):
            return
        elif tag == "select":
            self._select = name
            self._form["free"].append(name)
        elif tag == "textarea":
            self._form["free"].append(name)
        elif tag == "input":
            self._take_input(name, given)
        elif tag == "button":
            self._form["fields"].setdefault(name, given.get("value", ""))
            self._form["free"].append(name)

    def _take_input(self, name, given):
        kind = given.get("type", "text")
        if kind == "file":
            self._form["files"].append(name)
        elif kind == "hidden":
            self._form["fields"][name] = given.get("value", "")
            self._form["free"] += [] if name == "csrf" else [name]
        else:
            self._form["free"].append(name)

    def handle_endtag(self, tag):
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = None


def forms(client):
    """Yield every form of the dashboard and of a study's door: address, method, fields."""
    seen, addresses = set(), [
        filled(path) for method, path in routes(client.app) if method == "GET"
    ]  # fmt: skip
    for address in (*addresses, *_MORE_PAGES):
        page = client.get(address)
        if "text/html" not in page.headers.get("content-type", ""):
            continue
        if "attachment" in page.headers.get("content-disposition", ""):
            continue
        for form in Page(page.text).forms:
            action = urlsplit(urljoin(str(page.url), form["action"])).path
            key = (action, form["method"], tuple(sorted(form["free"])))
            if key not in seen:
                seen.add(key)
                yield form | {"action": action}


def sent_with(client, form, text):
    """Send a form with the text in every field that a hand could fill; return the answer."""
    if form["method"].lower() == "get":
        return client.get(form["action"], params=dict.fromkeys(form["free"], text))
    data = form["fields"] | dict.fromkeys(form["free"], text)
    files = {name: (text, text.encode()) for name in form["files"]}
    return client.post(form["action"], data=data, files=files or None)
