"""The one address that products send to: their own token, named web pages, their own limits.

In: a request. Out: the product that sends, headers for browsers. Absent: what is done with it.

A token in a web page can be read by whoever reads the page. So it lets answers in and nothing out,
pages on other hosts are refused, and both a product and everybody who sends through it have a
limited pace.
"""

from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from howgood.flow import in_use
from howgood.store.in_use import Product
from howgood.web.middleware import Pace, Rate, caller
from howgood.web.problem import ApiError

# A product as a whole, and each network that sends for it.
PRODUCT_PACE = Pace(at_once=300, per_second=50)
SENDER_PACE = Pace(at_once=30, per_second=2)
_DAY = "86400"
_MOST_DIGITS = 15


class ProductRates:
    """How fast products may send, all together and each sender."""

    def __init__(self) -> None:
        self.of_product, self.of_sender = Rate(PRODUCT_PACE), Rate(SENDER_PACE)

    def allows(self, product: int, sender: str) -> bool:
        """Take one from both allowances; False when one of them is used up."""
        return self.of_sender.allows(f"{product} {sender}") and self.of_product.allows(str(product))


def product_number(request: Request) -> int:
    """Return the product in the address, 0 for what no product has."""
    text = str(request.path_params["product"])
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else 0


async def browser_headers(request: Request, number: int) -> dict[str, str]:
    """Return what lets a named web page read the response; nothing for others."""
    origin = request.headers.get("origin")
    if origin is None:
        return {}
    named = await run_in_threadpool(in_use.origins_of, request.app.state.host, number)
    return {"Access-Control-Allow-Origin": origin, "Vary": "Origin"} if origin in named else {}


def preflight(allowed: Mapping[str, str]) -> Response:
    """Answer a browser that asks whether a page may send."""
    if not allowed:
        return Response(status_code=403)
    return Response(
        status_code=204,
        headers={
            **allowed,
            "Access-Control-Allow-Methods": "POST",
            "Access-Control-Allow-Headers": "Authorization, Content-Type",
            "Access-Control-Max-Age": _DAY,
        },
    )


def admitted_product(request: Request, number: int, allowed: Mapping[str, str]) -> Product:
    """Return the product whose token the request shows, or refuse."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    token = secret.strip() if scheme.lower() == "bearer" else ""
    if not request.app.state.product_rates.allows(number, caller(request.scope)):
        raise ApiError(
            429, where="requests", found="too many",
            needed=f"at most {SENDER_PACE.per_second:g} a second",
            cure="Wait a few seconds and send the same answer again.", headers={"Retry-After": "5"},
        )  # fmt: skip
    product = in_use.sender(request.app.state.host, number, token)
    if product is None:
        raise ApiError(
            401, where="Authorization", found="no token of this product",
            needed="Bearer and the token of a product that takes answers",
            cure="Copy the snippet from the page In use of the study.",
            headers={"WWW-Authenticate": 'Bearer realm="howgood"'},
        )  # fmt: skip
    if "origin" in request.headers and not allowed:
        raise ApiError(
            403, where="Origin", found=repr(request.headers["origin"][:80]),
            needed="a web page whose host is named for this product",
            cure="Name it on the page In use of the study, or send from your server.",
        )  # fmt: skip
    return product
