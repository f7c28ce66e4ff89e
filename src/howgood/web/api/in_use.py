"""Operations on products in use: what a product sends, and what researchers ask.

In: checked calls. Out: records. Absent: what happens (`flow.in_use`), who may (`app`).
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from howgood.flow import in_use
from howgood.flow.collected import note_taken_out
from howgood.flow.in_use import SaidInUse
from howgood.records.record import Record
from howgood.web.api.operation import PRODUCT, Call, Operation

_MOST_COUNT = 1_000_000
_MOST_ROWS = 1000
_LARGEST_ANSWER = 4 * 1024


class UseAnswerSent(Record):
    """What somebody said inside a product: `acceptable` or `rating`, and the counts they saw."""

    id: str = Field(
        description="names this answer; sent again with the same id it is stored once",
        min_length=8,
        max_length=64,
        pattern=r"^[A-Za-z0-9._:-]+$",
    )
    user: str = Field(
        description="the product's own id of the person; only a code made from it is stored",
        min_length=1,
        max_length=200,
    )
    acceptable: bool | None = Field(default=None, description="whether it was acceptable")
    rating: int | None = Field(
        default=None, description="or a rating, from 1 to the points of the survey's scale (7)"
    )
    hits: int = Field(description="what happened and was reported", ge=0, le=_MOST_COUNT)
    misses: int = Field(description="what happened and was missed", ge=0, le=_MOST_COUNT)
    false_alarms: int = Field(
        description="what was reported and had not happened", ge=0, le=_MOST_COUNT
    )
    release: str = Field(default="", description="release of the product", max_length=100)


class UseAnswerStored(Record):
    """The answer is safe on disk."""

    id: str
    is_new: bool = Field(description="false: it had been stored before")


class UseAnswerPage(Record):
    """Which answers to list."""

    after: int = Field(default=0, description="where the page before ended", ge=0, le=2**53)
    limit: int = Field(default=200, description="at most so many", ge=1, le=_MOST_ROWS)


class UseAnswerList(Record):
    """Answers from inside a product."""

    answers: tuple[Mapping[str, Any], ...] = Field(description="in the order in which they came")
    next: int | None = Field(description="ask for those after this number; null: there are none")


class ProductFacts(Record):
    """A product, and how acceptable it is in use."""

    number: int
    name: str
    application: str
    origins: tuple[str, ...] = Field(description="web pages that may send answers")
    is_open: bool
    answers: int
    people: int
    watch: Mapping[str, Any] | None = Field(
        description="verdict, share accepting with bounds that hold at every look, changes, periods"
    )


class ProductList(Record):
    """A study's products."""

    products: tuple[ProductFacts, ...]


class ErasedAnswers(Record):
    """How many answers were erased."""

    answers: int


def _take(call: Call) -> UseAnswerStored:
    body: UseAnswerSent = call.body
    if call.product is None:
        raise TypeError("only a product sends answers")
    said = SaidInUse(
        key=body.id, user=body.user, acceptable=body.acceptable, rating=body.rating,
        hits=body.hits, misses=body.misses, false_alarms=body.false_alarms, release=body.release,
    )  # fmt: skip
    is_new = in_use.take_answer(call.host, call.product, said, now=call.now)
    return UseAnswerStored(id=body.id, is_new=is_new)


def _list(call: Call) -> ProductList:
    return ProductList(
        products=tuple(
            ProductFacts(
                number=product.product.number, name=product.product.name,
                application=product.product.application, origins=product.product.origins,
                is_open=product.product.is_open, answers=product.answers, people=product.people,
                watch=None if product.watch is None else product.watch.to_dict(),
            )
            for product in in_use.live_products(call.host, call.slug)
        )
    )  # fmt: skip


def _answers(call: Call) -> UseAnswerList:
    rows, following = in_use.page_of_answers(
        call.host, call.slug, call.number("product"), after=call.query.after, most=call.query.limit
    )
    note_taken_out(
        call.host, call.slug, table="answers in use", way="API", actor=call.actor, now=call.now
    )
    return UseAnswerList(answers=tuple(rows), next=following)


def _erase(call: Call) -> ErasedAnswers:
    gone = in_use.erase_user(
        call.host, call.slug, call.number("product"), call.path["participant"], actor=call.actor,
        now=call.now,
    )  # fmt: skip
    return ErasedAnswers(answers=gone)


_OF_STUDY = "/studies/{slug}/products"
OPERATIONS = (
    Operation(method="POST", path="/products/{product}/answers", name="answerInUse",
              summary="Send an answer from inside a product", run=_take, scope=PRODUCT,
              answer=UseAnswerStored, body=UseAnswerSent, status=201, largest=_LARGEST_ANSWER,
              group="In use"),
    Operation(method="GET", path=_OF_STUDY, name="listProducts",
              summary="List products with how acceptable each is in use", run=_list,
              scope="fits:read", answer=ProductList, group="In use"),
    Operation(method="GET", path=_OF_STUDY + "/{product}/answers", name="listUseAnswers",
              summary="List answers from inside a product", run=_answers, scope="answers:read",
              answer=UseAnswerList, query=UseAnswerPage, group="In use"),
    Operation(method="DELETE", path=_OF_STUDY + "/{product}/people/{participant}",
              name="eraseUser", summary="Erase everything a person said inside a product",
              run=_erase, scope="participants:write", answer=ErasedAnswers, group="In use"),
)  # fmt: skip
