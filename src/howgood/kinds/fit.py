"""What a fit of any kind begins with and may end with.

In: the people of a study, what a researcher chose. Out: `Sample`, checked choices, and the result
that says there is not enough evidence. Absent: reading people from a database (`flow.results`) and
the fits themselves (each kind's `results`).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howgood.errors import InputError, UnknownNameError
from howgood.kinds.offline_pairs import is_offline
from howgood.kinds.study import Study
from howgood.records.inclusion import POLICIES
from howgood.records.provenance import Provenance
from howgood.records.screen import Participation

if TYPE_CHECKING:
    from howgood.records.answers import Answers
    from howgood.records.card import ModelCard
    from howgood.records.result import StudyResult
    from howgood.records.table import Table

# The library of model cards, read only when a prior is taken from it.
Cards = Callable[[], Mapping[str, "ModelCard"]]
_MOST_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Respondent:
    """One person whose answers count."""

    study: Study
    participation: Participation
    rows: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The people whose answers count, and how many do not, by reason.

    `held` counts the answers the study holds, whoever gave them; `cards` is the library that a
    prior may be taken from. `in_use` gives rows of answers from inside a product.
    """

    people: tuple[Respondent, ...]
    left_out: Mapping[str, int]
    policy: str
    held: int = 0
    cards: Cards = dict
    in_use: Callable[[], Iterable[Mapping[str, Any]]] = tuple

    @property
    def n_rows(self) -> int:
        """How many rows they gave."""
        return sum(len(person.rows) for person in self.people)

    def table(
        self, *names: str, where: Callable[[Mapping[str, Any]], bool] | None = None
    ) -> "Table":
        """Return the named columns of their judgements; a gap is None."""
        import numpy as np  # a server starts without it

        from howgood.records.table import Table

        rows = [row for person in self.people for row in person.rows if where is None or where(row)]
        return Table(
            {name: np.array([row.get(name) for row in rows], dtype=object) for name in names}
        )

    def answers(
        self,
        *shown: str,
        scale: int,
        where: Callable[[Mapping[str, Any]], bool] | None = None,
        names: Mapping[str, str] | None = None,
        also: Iterable[Mapping[str, Any]] = (),
        rated: Callable[[Mapping[str, Any]], int | None] | None = None,
        items: Mapping[str, str] | None = None,
    ) -> "Answers":
        """Return their ratings of what was `shown`; `names` are applications as people saw them.

        Everything was checked when it came in, so nothing is read as in strangers' tables. Rows
        without a rating, or about a system of unknown accuracy, are left out and counted. `also`
        are rows of others; `rated` reads another rating from every row; `items` are further items,
        the key of each and its column.
        """
        import numpy as np  # a server starts without it

        from howgood.records.answers import Answers

        rows = [row for person in self.people for row in person.rows if where is None or where(row)]
        rows += also
        if rated is not None:
            rows = [{**row, "rating": rated(row)} for row in rows]
        dropped: dict[str, int] = {}
        for name in ("rating", *shown):
            known = [row for row in rows if row.get(name) is not None]
            if len(known) < len(rows):
                dropped[f"no {name}"] = len(rows) - len(known)
            rows = known
        numbers = {name: np.array([row[name] for row in rows], dtype=np.float64)
                   for name in (*shown, "rating")}  # fmt: skip
        for key, column in (items or {}).items():
            values = [row.get(key) for row in rows]
            if any(value is not None for value in values):
                numbers[column] = np.array([np.nan if one is None else one for one in values])
        seen = names or {}
        texts = {
            "participant": [row["participant"] for row in rows],
            "application": [seen.get(row["application"], row["application"]) for row in rows],
            **({"part": [row["part"] for row in rows]} if rows and "part" in rows[0] else {}),
        }
        return Answers(
            {name: np.array(values, dtype=object) for name, values in texts.items()} | numbers,
            provenance=Provenance(
                method="answers of the study",
                settings={
                    "scale": scale,
                    "people": POLICIES[self.policy],
                    "people_left_out": dict(self.left_out),
                },
                rows_used=len(rows),
                rows_dropped=dropped,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOption:
    """Something to choose before a fit: `choices` maps what is sent to what people read."""

    name: str
    label: str
    choices: Mapping[str, str]
    default: str = ""
    help: str = ""


def pair_cautions(sample: Sample) -> tuple[str, ...]:
    """Say how many people were asked otherwise than a server of this version asks, if any were."""
    n, n_offline = len(sample.people), 0
    for person in sample.people:
        answered = {answer.screen: answer for answer in person.participation.answers}
        n_offline += is_offline(answered)
    # A row without a kind is a pair that was not met when the choices were replayed.
    n_other = sum(any(row["kind"] is None for row in person.rows) for person in sample.people)
    offline = (
        f"{n_offline} of {n} people answered without a server: their pairs followed a "
        "plan instead of the most telling question, so they say a little less each."
    )
    other = (
        f"{n_other} of {n} people were asked by another version of howgood: their choices count "
        "up to where this version would have asked about another pair."
    )
    return (*((offline,) if n_offline else ()), *((other,) if n_other else ()))


def insufficient_evidence(
    sample: Sample, *, question: str, why: str, cure: str, n_judgements: int | None = None
) -> "StudyResult":
    """Return the result of a study whose answers allow none: an answer too, not a fault."""
    from howgood.records.report import Finding, Report
    from howgood.records.result import StudyResult
    from howgood.show.people import people_finding, people_text

    n_judgements = sample.n_rows if n_judgements is None else n_judgements
    findings = [
        Finding(text=f"Not enough evidence yet. {why}", tone="unsure"),
        Finding(text=cure),
        people_finding(POLICIES[sample.policy], sample.left_out),
    ]
    return StudyResult(
        report=Report(
            title="Not enough evidence yet",
            question=question,
            findings=tuple(findings),
            sections=(),
            methods="Nothing was estimated.",
            provenance=Provenance(
                method="none",
                settings={"people": POLICIES[sample.policy]},
                rows_used=n_judgements,
                rows_dropped={f"people: {reason}": n for reason, n in sample.left_out.items()},
            ),
        ),
        summary=f"not enough evidence: {people_text(len(sample.people), n_judgements)}",
        people=len(sample.people),
        answers=sample.held,
        is_enough=False,
        left_out=sample.left_out,
    )


def chosen_name(value: str, names: Collection[str], where: str) -> str:
    """Return a choice that is one of these, or say which there are."""
    if value not in names:
        raise UnknownNameError(where=where, name=value, names=names)
    return value


def chosen_number(text: str, where: str, least: int, most: int) -> int:
    """Return a whole number in a range, or say what is needed."""
    # Longer digits than any limit has are not even turned into a number.
    is_number = text.strip().isdecimal() and len(text.strip()) <= _MOST_DIGITS
    if not is_number or not least <= int(text) <= most:
        raise InputError(
            where=where,
            found=repr(text[:40]),
            needed=f"a whole number from {least} to {most}",
            cure="Correct it.",
        )
    return int(text)
