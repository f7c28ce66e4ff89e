"""What is done with people's data in a study, as a record of processing says it.

In: a host and a study. Out: `Processing`: purpose, contact, kinds of data, who receives it, until
when it is kept, what was erased and taken out. Absent: the law that applies: researchers name it.
"""

from dataclasses import dataclass
from datetime import date

from howgood.flow.accounts.sharing import Sharing, sharing_of
from howgood.flow.collected import collected_codebook, holdings
from howgood.flow.collected.rows import Holdings
from howgood.flow.hosting import Host
from howgood.flow.retention import retention
from howgood.kinds.study import Study
from howgood.records.codebook import IDENTIFYING
from howgood.records.researcher import Researcher
from howgood.store import api_tokens, audit, researchers
from howgood.store.audit import AuditLine

_TOLD = ("erase participant", "erased on its day", "exported data", "exported data with ids",
         "read ids", "retention set")  # fmt: skip
_MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Processing:
    """The record of one study; `readers` have an account that reads every study."""

    study: Study | None
    sharing: Sharing
    held: Holdings
    questions: tuple[str, ...]
    identifying: tuple[str, ...]
    readers: tuple[Researcher, ...]
    programs: tuple[str, ...]
    until: date | None
    lines: tuple[AuditLine, ...]


def processing(host: Host, slug: str) -> Processing:
    """Return the record of processing of a study."""
    held = holdings(host, slug)
    is_published = held.study.version is not None
    book = collected_codebook(host, slug, identified=True) if is_published else None
    columns = () if book is None else book.tables["participants"]
    with host.database.reading() as connection:
        lines = audit.lines(connection, study=slug, most=_MOST)
        everyone = researchers.everyone(connection)
        keys = api_tokens.everything(connection)
    return Processing(
        study=None if held.study.version is None else host.study(held.study.version),
        sharing=sharing_of(host, slug),
        held=held,
        questions=tuple(column.question for column in columns if column.question),
        identifying=tuple(column.name for column in columns if column.name in IDENTIFYING),
        readers=tuple(each for each in everyone if each.role in ("owner", "viewer")),
        programs=tuple(f"{key.name} ({key.owner})" for key in keys if key.reaches(slug)),
        until=retention(host, slug),
        lines=tuple(line for line in lines if line.action in _TOLD),
    )
