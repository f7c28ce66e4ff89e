"""Studies that run: opened, taken part in, kept in one database."""

from howgood.flow.hosting.admission import Visitor, arrive, begin, count_refusal, way_back
from howgood.flow.hosting.host import HealthCheck, Host, open_existing, open_host, open_server
from howgood.flow.hosting.studies import (
    Link,
    add_study,
    back_up,
    check_workers,
    drill,
    every_study,
    make_links,
    open_studies,
    picture,
    restore,
    shown_address,
)
from howgood.flow.hosting.view import (
    COUNTED,
    AnswerReview,
    Arrival,
    Reason,
    RefusedError,
    SendResult,
    View,
)
from howgood.flow.hosting.visit import look, send
from howgood.flow.participate.forms import Form, field_name, filled_form, form_fields

__all__ = [
    "COUNTED",
    "AnswerReview",
    "Arrival",
    "Form",
    "HealthCheck",
    "Host",
    "Link",
    "Reason",
    "RefusedError",
    "SendResult",
    "View",
    "Visitor",
    "add_study",
    "arrive",
    "back_up",
    "begin",
    "check_workers",
    "count_refusal",
    "drill",
    "every_study",
    "field_name",
    "filled_form",
    "form_fields",
    "look",
    "make_links",
    "open_existing",
    "open_host",
    "open_server",
    "open_studies",
    "picture",
    "restore",
    "send",
    "shown_address",
    "way_back",
]
