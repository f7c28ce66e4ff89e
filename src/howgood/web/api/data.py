"""Operations on participants and what they answered, on fits, and on the public library.

In: checked calls. Out: records, or streams. Absent: what happens (`flow`).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from pydantic import Field

from howgood.flow import collected, erasing, hosting, importing, survey_export
from howgood.flow.results import library, requests
from howgood.records.codebook import (
    DATA_FORMATS,
    SURVEY_FORMATS,
    TableName,
)
from howgood.records.job import Job
from howgood.records.record import Record, read_record
from howgood.records.result import StudyResult
from howgood.show.cards import card_warning
from howgood.web.api.operation import Call, Operation, Streamed
from howgood.web.api.studies import Gone
from howgood.web.problem import ApiError

_LARGEST_TABLE = 20_000_000
_ROLES = ("truth", "score", "positive", "application", "item", "user")


class FitRequest(Record):
    """How to fit; everything has a good default."""

    people: str = Field(default="", description="whose answers: attentive, or another policy")
    model: str = Field(
        default="",
        description="surveys: binary, parts (ratings in their order, imagined and real), or "
        "levels (every rating by itself)",
    )
    by: str = Field(
        default="",
        description="surveys, binary: key of a question to compare people by, or participant",
    )
    measures: str = Field(
        default="",
        description="surveys, binary: specificity to weigh it too, where all cases were shown",
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
    fits = requests.overview(call.host, call.slug).jobs
    return FitList(fits=tuple(_fit(job) for job in fits))


def _ask(call: Call) -> Fit:
    body: FitRequest = call.body
    chosen = {name: getattr(body, name) for name in ("people", "model", "priors", "by", "measures")}
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
    return CardList(cards=tuple({**fit.to_dict(), "warning": card_warning(fit)} for fit in known))


_FIT_OPERATIONS = (
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


_NDJSON = "application/x-ndjson"
_LARGEST_IMPORT = 20_000_000
_ROWS_AT_ONCE = 200
MOST_PEOPLE = 200
_LARGEST_NUMBER = 2**53


class PeoplePage(Record):
    """Which participants to list."""

    after: int = Field(
        default=0,
        description="only participants with a larger number",
        ge=0,
        le=_LARGEST_NUMBER,
    )
    limit: int = Field(default=50, description="at most this many people", ge=1, le=MOST_PEOPLE)
    pilots: bool = Field(default=False, description="include test runs")


class IdentifiedPage(PeoplePage):
    """Which participants to list with their ids, and why."""

    reason: str = Field(description="why ids are needed; it is written down", min_length=5)


class Identity(Record):
    """A participant and the id that the platform or a file gave."""

    participant: str
    external_id: str | None


class Identities(Record):
    """Who the participants are; who reads this is written into the history."""

    identities: tuple[Identity, ...]
    next: int | None = Field(description="`after` of the next page; null: this was the last")


class Rows(Record):
    """Rows of a table, whole people at a time; the codebook names the columns."""

    rows: tuple[Mapping[str, Any], ...]
    next: int | None = Field(description="`after` of the next page; null: this was the last")


class Invitations(Record):
    """How many personal links to make."""

    people: int = Field(description="how many", ge=1, le=1000)
    pilot: bool = Field(default=False, description="for test runs")


class Links(Record):
    """Personal links; they are shown once, here."""

    links: tuple[str, ...]


class WholeTable(Record):
    """Which rows to stream."""

    table: Literal["answers", "participants", "screens"] = Field(
        default="answers", description="which table"
    )
    pilots: bool = Field(default=False, description="include test runs")


class ExportChoice(Record):
    """What an export holds."""

    table: Literal["all", "answers", "participants", "screens"] = Field(
        default="all", description="one table, or a ZIP of all (json and xlsx hold all)"
    )
    pilots: bool = Field(default=False, description="include test runs")


class BookColumn(Record):
    """One column of the data."""

    name: str
    type: str
    meaning: str
    question: str
    levels: Mapping[str, str]


class Book(Record):
    """What every column of every table means."""

    study: str
    title: str
    kind: str
    versions: tuple[str, ...]
    tables: Mapping[str, tuple[BookColumn, ...]]


class ImportedFile(Record):
    """A file of answers collected by other tools."""

    name: str = Field(description="ends in .json (offline page) or .csv")
    content: str = Field(description="the text of the file")
    mapping: Mapping[str, str] = Field(
        default_factory=dict, description="which column holds what; the rest is found by name"
    )
    missing: Literal["error", "drop"] = Field(
        default="error", description="what to do with rows that have a gap"
    )
    dry_run: bool = Field(default=False, description="say what would be added, and store nothing")


class ImportedPeople(Record):
    """What became of a file, or would."""

    number: int | None = Field(description="of the import, to undo it; none: nothing stored")
    people: int = Field(description="people added")
    answers: int = Field(description="answers added")
    people_here: int = Field(description="people who were here already with all answers")
    answers_here: int = Field(description="answers that were here already")
    differing: tuple[str, ...] = Field(
        description="people left out: already here, but with other or fewer answers, or counted "
        "otherwise"
    )
    left_out: Mapping[str, int] = Field(description="how many, by policy")


class ImportMade(Record):
    """One import, with the people and answers of it that are still here."""

    number: int
    source: str
    actor: str
    created_at: str
    people: int
    answers: int


class ImportList(Record):
    """A study's imports."""

    imports: tuple[ImportMade, ...] = Field(description="the newest first")


class ImportUndone(Record):
    """What undoing an import took out."""

    number: int
    people: int
    answers: int


def _participants(call: Call) -> Rows:
    return _page_of(call, "participants")


def _page_of(call: Call, table: TableName) -> Rows:
    """Return a page of a table: the rows of the next few people."""
    rows, following = collected.page_of_rows(
        call.host,
        call.slug,
        table=table,
        pilots=call.query.pilots,
        after=call.query.after,
        people_at_most=call.query.limit,
    )
    _note(call, table, "API")
    return Rows(rows=tuple(rows), next=following)


def _note(call: Call, table: str, way: str) -> None:
    """Write into the history that data was taken out."""
    collected.note_taken_out(
        call.host, call.slug, table=table, way=way, actor=call.actor, now=call.now
    )


def _identities(call: Call) -> Identities:
    rows, following = collected.identities(
        call.host,
        call.slug,
        reason=call.query.reason,
        pilots=call.query.pilots,
        after=call.query.after,
        people_at_most=call.query.limit,
        actor=call.actor,
        now=call.now,
    )
    return Identities(
        identities=tuple(
            Identity(participant=row["participant"], external_id=row["external_id"]) for row in rows
        ),
        next=following,
    )


def _invite(call: Call) -> Links:
    made = hosting.make_links(
        call.host, call.slug, people=call.body.people, is_pilot=call.body.pilot, now=call.now
    )
    return Links(links=tuple(f"{call.home}/p/{link.token}" for link in made))


def _erase(call: Call) -> Gone:
    done = erasing.erase_participant(
        call.host, call.slug, call.path["participant"], actor=call.actor, now=call.now
    )
    return Gone(participants=done.participants, is_off_disk=done.is_off_disk)


def _page(call: Call) -> Rows:
    return _page_of(call, "answers")


def _stream(call: Call) -> Streamed:
    rows = collected.tidy_rows(
        call.host, call.slug, table=call.query.table, pilots=call.query.pilots
    )
    _note(call, call.query.table, "JSON Lines")
    return Streamed(name="", media_type=_NDJSON, pieces=_lines(rows))


def _lines(rows: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    waiting: list[str] = []
    for row in rows:
        waiting.append(json.dumps(row, ensure_ascii=False) + "\n")
        if len(waiting) == _ROWS_AT_ONCE:
            yield "".join(waiting).encode()
            waiting.clear()
    yield "".join(waiting).encode()


def _codebook(call: Call) -> Book:
    book = collected.collected_codebook(call.host, call.slug)
    return read_record(Book, book.to_dict(), where="codebook")


def _export(call: Call) -> Streamed:
    kind = call.path["format"]
    if kind in SURVEY_FORMATS:
        survey = survey_export.hosted_survey_file(call.host, call.slug, kind=kind)
        return Streamed(
            name=survey.name, media_type=survey.media_type, pieces=iter([survey.content])
        )
    if kind not in DATA_FORMATS:
        raise ApiError(
            404,
            where="format",
            found=repr(kind[:40]),
            needed=f"one of {', '.join((*DATA_FORMATS, *SURVEY_FORMATS))}",
            cure="Choose one of these.",
        )
    table = None if call.query.table == "all" else cast(TableName, call.query.table)
    choice = collected.ExportChoice(kind=kind, table=table, pilots=call.query.pilots)
    made = collected.exported(call.host, call.slug, choice, actor=call.actor, now=call.now)
    return Streamed(name=made.name, media_type=made.media_type, pieces=made.pieces)


def _import(call: Call) -> ImportedPeople:
    body: ImportedFile = call.body
    report = importing.import_files(
        call.host,
        call.slug,
        [(body.name, body.content.encode())],
        mapping=body.mapping,
        missing=body.missing,
        store=not body.dry_run,
        actor=call.actor,
        now=call.now,
    )
    return ImportedPeople.model_validate(report, from_attributes=True)


def _imports(call: Call) -> ImportList:
    return ImportList(
        imports=tuple(
            ImportMade(
                number=import_.number,
                source=import_.source,
                actor=import_.actor,
                created_at=import_.created_at.isoformat(),
                people=import_.people,
                answers=import_.answers,
            )
            for import_ in importing.imports_of(call.host, call.slug)
        )
    )


def _undo(call: Call) -> ImportUndone:
    number = call.number("import")
    gone = importing.undo_import(call.host, call.slug, number, actor=call.actor, now=call.now)
    return ImportUndone(number=gone.number, people=gone.people, answers=gone.answers)


_FILES = ("application/zip", "text/csv", "application/vnd.apache.parquet", "application/json",
          "application/x-spss-sav", "application/x-stata-dta",
          "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
          "text/html", "text/plain")  # fmt: skip
OPERATIONS = (
    Operation(method="GET", path="/studies/{slug}/participants", name="listParticipants",
              summary="List participants, page by page", run=_participants,
              scope="participants:read", answer=Rows, query=PeoplePage, group="Participants"),
    Operation(method="GET", path="/studies/{slug}/identities", name="listIdentities",
              summary="Read the ids of the recruiting platform, with a reason", run=_identities,
              scope="identities:read", answer=Identities, query=IdentifiedPage,
              group="Participants"),
    Operation(method="POST", path="/studies/{slug}/invitations", name="invite",
              summary="Make personal links", run=_invite, scope="participants:write",
              answer=Links, body=Invitations, status=201, group="Participants"),
    Operation(method="DELETE", path="/studies/{slug}/participants/{participant}",
              name="eraseParticipant", summary="Erase a participant for good", run=_erase,
              scope="participants:write", answer=Gone, group="Participants"),
    Operation(method="GET", path="/studies/{slug}/answers", name="listAnswers",
              summary="Read answers, a few people per page", run=_page, scope="answers:read",
              answer=Rows, query=PeoplePage, group="Data"),
    Operation(method="GET", path="/studies/{slug}/rows", name="streamRows",
              summary="Stream a whole table, one JSON object per line", run=_stream,
              scope="answers:read", answer=None, query=WholeTable, media=(_NDJSON,),
              group="Data"),
    Operation(method="GET", path="/studies/{slug}/codebook", name="getCodebook",
              summary="What every column means", run=_codebook, scope="answers:read",
              answer=Book, group="Data"),
    Operation(method="GET", path="/studies/{slug}/exports/{format}", name="export",
              summary="Download the data, or the survey for other tools", run=_export,
              scope="answers:read", answer=None, query=ExportChoice, media=_FILES,
              group="Data"),
    Operation(method="POST", path="/studies/{slug}/imports", name="importAnswers",
              summary="Import answers of other tools, all or nothing", run=_import,
              scope="answers:write", answer=ImportedPeople, body=ImportedFile, status=201,
              largest=_LARGEST_IMPORT, group="Data"),
    Operation(method="GET", path="/studies/{slug}/imports", name="listImports",
              summary="List imports, to undo one", run=_imports, scope="answers:read",
              answer=ImportList, group="Data"),
    Operation(method="DELETE", path="/studies/{slug}/imports/{import}", name="undoImport",
              summary="Take out everything that came with one import", run=_undo,
              scope="answers:write", answer=ImportUndone, group="Data"),
    *_FIT_OPERATIONS,
)  # fmt: skip
