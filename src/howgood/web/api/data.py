"""Operations on collected data: answers, codebook, files, imports.

In: checked calls. Out: records, or streams. Absent: what happens (`flow`).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

from pydantic import Field

from howgood.errors import UnknownNameError
from howgood.flow import collected, importing, survey_export
from howgood.records.codebook import TableName
from howgood.records.record import Record, read_record
from howgood.web.api.operation import Call, Operation, Streamed
from howgood.web.api.people import PeoplePage, Rows, page_of
from howgood.web.api.problem import ApiError

_DATA, _SURVEYS = ("csv", "parquet", "json"), ("html", "limesurvey", "qualtrics")
_NDJSON = "application/x-ndjson"
_LARGEST_IMPORT = 20_000_000
_ROWS_AT_ONCE = 200
_MOST_DIGITS = 18


class WholeTable(Record):
    """Which rows to stream."""

    table: Literal["answers", "participants", "screens"] = Field(
        default="answers", description="which table"
    )
    pilots: bool = Field(default=False, description="include test runs")


class ExportChoice(Record):
    """What an export holds."""

    table: Literal["all", "answers", "participants", "screens"] = Field(
        default="all", description="one table, or a ZIP of all (csv and parquet)"
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
    """A file of answers collected elsewhere."""

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


def _page(call: Call) -> Rows:
    return page_of(call, "answers")


def _stream(call: Call) -> Streamed:
    rows = collected.tidy_rows(
        call.host, call.slug, table=call.query.table, pilots=call.query.pilots
    )
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
    if kind in _SURVEYS:
        survey = survey_export.hosted_survey_file(
            call.host, call.slug, kind=cast(survey_export.SurveyFormat, kind)
        )
        return Streamed(
            name=survey.name, media_type=survey.media_type, pieces=iter([survey.content])
        )
    if kind not in _DATA:
        raise ApiError(
            404,
            where="format",
            found=repr(kind[:40]),
            needed=f"one of {', '.join((*_DATA, *_SURVEYS))}",
            cure="Choose one of these.",
        )
    table = None if call.query.table == "all" else cast(TableName, call.query.table)
    made = collected.data_file(
        call.host,
        call.slug,
        kind=cast(collected.DataFormat, kind),
        table=table,
        pilots=call.query.pilots,
    )
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
    return ImportedPeople(
        number=report.number,
        people=report.people,
        answers=report.answers,
        people_here=report.people_here,
        answers_here=report.answers_here,
        differing=report.differing,
        left_out=dict(report.left_out),
    )


def _imports(call: Call) -> ImportList:
    return ImportList(
        imports=tuple(
            ImportMade(
                number=each.number,
                source=each.source,
                actor=each.actor,
                created_at=each.created_at.isoformat(),
                people=each.people,
                answers=each.answers,
            )
            for each in importing.imports_of(call.host, call.slug)
        )
    )


def _undo(call: Call) -> ImportUndone:
    text = call.path["import"]
    if not (text.isascii() and text.isdecimal() and len(text) < _MOST_DIGITS):
        raise UnknownNameError(where="import", name=text[:40], names=())
    gone = importing.undo_import(call.host, call.slug, int(text), actor=call.actor, now=call.now)
    return ImportUndone(number=gone.number, people=gone.people, answers=gone.answers)


_FILES = ("application/zip", "text/csv", "application/vnd.apache.parquet", "application/json",
          "text/html", "text/plain")  # fmt: skip
OPERATIONS = (
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
              summary="Download the data, or the survey for elsewhere", run=_export,
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
)  # fmt: skip
