"""Studies that run: opened, taken part in, kept in one database."""

from howgood.flow.hosting import soon
from howgood.flow.hosting.door import Visitor, arrive, begin
from howgood.flow.hosting.files import (
    back_up,
    check_workers,
    open_studies,
    restore,
    shown_address,
)
from howgood.flow.hosting.host import (
    Host,
    Link,
    add_study,
    every_study,
    make_links,
    open_host,
    open_server,
    picture,
)
from howgood.flow.hosting.own_names import as_sent, own_form, own_name
from howgood.flow.hosting.pulse import Pulse
from howgood.flow.hosting.recap import Recap
from howgood.flow.hosting.recruiting import way_back
from howgood.flow.hosting.view import COUNTED, Arrival, Form, Reason, RefusedError, Sent, View
from howgood.flow.hosting.visit import look, send

__all__ = [
    "COUNTED",
    "Arrival",
    "Form",
    "Host",
    "Link",
    "Pulse",
    "Reason",
    "Recap",
    "RefusedError",
    "Sent",
    "View",
    "Visitor",
    "add_study",
    "arrive",
    "as_sent",
    "back_up",
    "begin",
    "check_workers",
    "every_study",
    "look",
    "make_links",
    "open_host",
    "open_server",
    "open_studies",
    "own_form",
    "own_name",
    "picture",
    "restore",
    "send",
    "shown_address",
    "soon",
    "way_back",
]
