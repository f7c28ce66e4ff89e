"""Studies that run: opened, taken part in, kept in one database."""

from howgood.flow.hosting.host import Host, Link, add_study, every_study, make_links, open_host
from howgood.flow.hosting.recruiting import way_back
from howgood.flow.hosting.view import Arrival, Reason, RefusedError, Sent, View
from howgood.flow.hosting.visit import arrive, begin, look, send

__all__ = [
    "Arrival",
    "Host",
    "Link",
    "Reason",
    "RefusedError",
    "Sent",
    "View",
    "add_study",
    "arrive",
    "begin",
    "every_study",
    "look",
    "make_links",
    "open_host",
    "send",
    "way_back",
]
