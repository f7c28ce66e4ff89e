"""Compare two logs of evaluations and decide: read, decide, report.

In: two paths and what to compare. Out: `ShipDecision`, the logs, a `Report`. Absent: printing and
exit codes (see `cli`).
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from howgood.ask.evaluation_logs import read_log
from howgood.ask.files import open_table
from howgood.decide.failure_rates import failure_bar
from howgood.decide.ship_rules import PLANNED
from howgood.decide.shipping import ship
from howgood.errors import FileFormatError
from howgood.flow.files import naming
from howgood.learn.failures import load_failures
from howgood.records.evaluation_log import EvaluationLog
from howgood.records.report import Report
from howgood.records.shipping import ShipDecision
from howgood.show import ship as words
from howgood.show.figures.intervals import ship_figure
from howgood.show.figures.theme import to_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipQuestion:
    """What is compared, and how sure the verdict must be."""

    metrics: tuple[str, ...] = ()
    cluster: str | None = None
    margin: float = 0.0
    bar: float | Mapping[str, float] | None = None
    level: float = 0.05
    lower_is_better: tuple[str, ...] = ()
    looks: str = "one"
    planned: int = PLANNED
    missing: str = "drop"


def read_logs(base: str, candidate: str, *, item: str | None = None) -> list[EvaluationLog]:
    """Read both logs, whichever tools wrote them."""
    return [read_log(side, item=item) for side in (base, candidate)]


def metric_names(text: str, logs: Sequence[EvaluationLog]) -> tuple[str, ...]:
    """Return the names that commas part; a comma may be in a name: exact_match,strict-match.

    Examples
    --------
    >>> metrics = {"match,strict": [], "f1": []}
    >>> log = EvaluationLog(source="a", format="lm-eval", system="a", items=(), metrics=metrics)
    >>> metric_names("f1, match,strict", [log])
    ('f1', 'match,strict')
    """
    known = {name for log in logs for name in (*log.metrics, *log.unread)}
    parts = [part.strip() for part in text.split(",") if part.strip()]
    names = []
    while parts:
        lengths = range(len(parts), 1, -1)
        n = next((length for length in lengths if ",".join(parts[:length]) in known), 1)
        names.append(",".join(parts[:n]))
        del parts[:n]
    return tuple(names)


def read_bar(given: str | None, *, share: float = 0.7) -> float | dict[str, float] | None:
    """Return a number, or the tolerable rates of failure.

    They stand in a file that `howgood bar` wrote, or follow from a saved fit of failures: rates at
    which `share` of people still accept.
    """
    if given is None:
        return None
    try:
        return float(given)
    except ValueError:
        pass
    if Path(given).suffix == ".npz":
        bar = failure_bar(load_failures(Path(given)), share=share)
        return _tolerated({"together": bar.together}, given)
    try:
        content = json.loads(Path(given).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise FileFormatError(
            where=f"--bar {given}",
            found=f"neither a number nor JSON that can be read ({why})",
            needed="a number such as .8, or what `howgood bar FIT --json` printed",
            cure="Run: howgood bar FIT --json > bar.json",
        ) from error
    return _tolerated(content, given)


def _tolerated(content: object, given: str) -> dict[str, float]:
    bar = content.get("bar", content) if isinstance(content, dict) else None
    rates = bar.get("together", bar) if isinstance(bar, dict) else None
    if isinstance(rates, dict) and rates:
        known = {
            str(kind): float(rate)
            for kind, rate in rates.items()
            if isinstance(rate, int | float) and 0 <= rate <= 1
        }
        if len(known) == len(rates):
            return known
    raise FileFormatError(
        where=f"--bar {given}",
        found="no rates that people are known to tolerate",
        needed='{"together": {"invented": 0.02, ...}}, rates between 0 and 1',
        cure="Ask more people, or lower --share or --certainty of howgood bar.",
    )


def ship_logs(
    logs: Sequence[EvaluationLog], question: ShipQuestion, *, labels: Path | None = None
) -> ShipDecision:
    """Decide between the first log and the second."""
    people = None if labels is None else open_table(labels)
    with naming({"labels": labels or Path("labels")}):
        return ship(
            logs[0],
            logs[1],
            metric=question.metrics or None,
            cluster=question.cluster,
            margin=question.margin,
            bar=question.bar,
            level=question.level,
            lower_is_better=question.lower_is_better,
            labels=people,
            looks=question.looks,
            planned=question.planned,
            missing=question.missing,
        )


@contextmanager
def picture(decision: ShipDecision) -> Iterator["Figure"]:
    """Draw the differences."""
    with ship_figure(decision) as figure:
        yield figure


def ship_report(decision: ShipDecision, logs: Sequence[EvaluationLog]) -> Report:
    """Return the report with its picture."""
    with picture(decision) as figure:
        svg = to_svg(figure, title=f"{decision.verdict}: difference of every metric")
    return words.report(decision, logs, svg=svg)
