"""Operations on fits, and the public library of what was learned.

In: checked calls. Out: records. Absent: the work (`flow.results`).
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from howgood.flow.results import library, requests
from howgood.records.job import Job
from howgood.records.record import Record
from howgood.records.result import StudyResult
from howgood.show.cards import card_warning
from howgood.web.api.operation import Call, Operation

_LARGEST_TABLE = 20_000_000
_ROLES = ("truth", "score", "positive", "application", "item", "user")


class FitRequest(Record):
    """How to fit; everything has a good default."""

    people: str = Field(default="", description="whose answers: attentive, or another policy")
    model: str = Field(
        default="", description="surveys: binary, or parts (imagined and real systems)"
    )
    priors: str = Field(default="", description="surveys: howgood, kay2015, or a card")
    cut: int | None = Field(
        default=None,
        description="surveys: the lowest answer that counts as accepting, 2 or more",
        ge=2,
    )
    seed: int | None = Field(default=None, description="seed of the computation")


class TableToJudge(Record):
    """A table of predictions; columns that are not named are found by their usual names."""

    purpose: Literal["classifier", "systems"] = Field(
        description="judge a classifier by what people accept, or rank systems by ratings"
    )
    name: str = Field(description="of the file, such as scores.csv")
    content: str = Field(description="the text of the CSV file")
    truth: str = Field(default="", description="classifier: column of true labels")
    score: str = Field(default="", description="classifier: column of scores")
    positive: str = Field(default="", description="classifier: the positive label; else 1")
    application: str = Field(default="", description="classifier: judged by people asked about")
    item: str = Field(default="", description="systems: column of the items' keys")
    user: str = Field(
        default="", description="systems: column of participants, if predictions differ by them"
    )


class Fit(Record):
    """A fit that waits, runs, or has ended."""

    number: int
    task: str
    status: str = Field(description="queued, running, done, failed or cancelled")
    progress: float = Field(description="part of the way, 0 to 1")
    message: str
    created_at: str
    finished_at: str | None
    settings: Mapping[str, Any]
    result: Mapping[str, Any] | None = Field(
        default=None, description="what was learned: summary, people, tables, cards"
    )


class FitList(Record):
    """A study's fits."""

    fits: tuple[Fit, ...] = Field(description="the newest first, without their results")


class CardList(Record):
    """What is known about applications."""

    cards: tuple[Mapping[str, Any], ...] = Field(
        description="model cards, with a warning where few people answered"
    )


def _list(call: Call) -> FitList:
    found = requests.overview(call.host, call.slug).jobs
    return FitList(fits=tuple(_fit(job) for job in found))


def _ask(call: Call) -> Fit:
    body: FitRequest = call.body
    chosen = {"people": body.people, "model": body.model, "priors": body.priors}
    chosen |= {
        name: str(value)
        for name, value in (("seed", body.seed), ("cut", body.cut))
        if value is not None
    }
    number = requests.ask_fit(call.host, call.slug, chosen, actor=call.actor, now=call.now)
    return _fit(requests.job_of(call.host, call.slug, number)[0])


def _judge(call: Call) -> Fit:
    body: TableToJudge = call.body
    chosen = {role: getattr(body, role) for role in _ROLES if getattr(body, role)}
    number = requests.judge_table(
        call.host, call.slug, purpose=body.purpose, name=body.name, content=body.content.encode(),
        chosen=chosen, actor=call.actor, now=call.now,
    )  # fmt: skip
    return _fit(requests.job_of(call.host, call.slug, number)[0])


def _get(call: Call) -> Fit:
    job, result = requests.job_of(call.host, call.slug, call.number("fit"))
    return _fit(job, result)


def _cancel(call: Call) -> Fit:
    number = call.number("fit")
    requests.cancel_job(call.host, call.slug, number, now=call.now)
    return _fit(requests.job_of(call.host, call.slug, number)[0])


def _fit(job: Job, result: StudyResult | None = None) -> Fit:
    return Fit(
        number=job.number,
        task=job.task,
        status=job.status.value,
        progress=job.progress,
        message=job.message,
        created_at=job.created_at.isoformat(),
        finished_at=job.finished_at.isoformat() if job.finished_at else None,
        settings=dict(job.settings),
        result=None if result is None else result.to_dict(),
    )


def _cards(call: Call) -> CardList:
    known = library.library(call.host).values()
    return CardList(
        cards=tuple({**each.to_dict(), "warning": card_warning(each)} for each in known)
    )


OPERATIONS = (
    Operation(method="GET", path="/studies/{slug}/fits", name="listFits", summary="List fits",
              run=_list, scope="fits:read", answer=FitList, group="Fits"),
    Operation(method="POST", path="/studies/{slug}/fits", name="askFit",
              summary="Queue a fit", run=_ask, scope="fits:write", answer=Fit, body=FitRequest,
              status=202, group="Fits"),
    Operation(method="POST", path="/studies/{slug}/judgements", name="judge",
              summary="Send a table of predictions and queue its judging", run=_judge,
              scope="fits:write", answer=Fit, body=TableToJudge, status=202,
              largest=_LARGEST_TABLE, group="Fits"),
    Operation(method="GET", path="/studies/{slug}/fits/{fit}", name="getFit",
              summary="State of a fit, and its result", run=_get, scope="fits:read", answer=Fit,
              group="Fits"),
    Operation(method="DELETE", path="/studies/{slug}/fits/{fit}", name="cancelFit",
              summary="Cancel a fit that waits or runs", run=_cancel, scope="fits:write",
              answer=Fit, group="Fits"),
    Operation(method="GET", path="/library", name="listCards",
              summary="Model cards: what accuracy people accept, by application", run=_cards,
              scope=None, answer=CardList, group="Library"),
)  # fmt: skip
