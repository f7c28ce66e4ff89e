"""What people answered, question by question: every item, who they are, and how groups differ.

In: the sample of a fit. Out: sections of a report, with counts and shares only. Absent: anything
that somebody wrote: a result is shown to people who may not read answers (see `own_words`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

import numpy as np

from howgood.flow.collected.rows import find_study, participation_of, people
from howgood.flow.hosting import Host
from howgood.flow.participate import participant_row
from howgood.kinds import kind_of
from howgood.kinds.fit import Respondent, Sample
from howgood.kinds.protocol import EVERYBODY
from howgood.kinds.questions import question_columns
from howgood.kinds.rules import piped
from howgood.kinds.study import Study
from howgood.learn.elicitation.group import group_mean
from howgood.records.codebook import Column
from howgood.records.estimate import Estimate
from howgood.records.report import Section
from howgood.records.table import Table
from howgood.show.figures.people import Likert, likert_figure
from howgood.show.figures.theme import to_svg
from howgood.show.numbers import percent, plain
from howgood.store import reviews

Facts = Mapping[str, Any]
LEAST_IN_GROUP = 5
_MOST_ROWS, _MOST_GROUPS, _MOST_TEXTS = 24, 8, 300
_DESCRIBES = "This describes the people who answered; it is no estimate about others."


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What people wrote to one question, with their numbers."""

    question: str
    texts: tuple[tuple[int, str], ...]
    more: int = 0


def described(sample: Sample, study: Study) -> tuple[Section, ...]:
    """Return every item, the questions about the person, and subgroups, as sections."""
    if not sample.people:
        return ()
    facts = [participant_row(person.study, person.participation) for person in sample.people]
    columns = tuple(question_columns((*study.demographics, *study.closing)))
    parts = (_who(columns, facts), _subgroups(sample, study, columns, facts))
    others = [section for section in parts if section is not None]
    return (*_items(sample, study), *others)


def own_words(host: Host, slug: str) -> tuple[Words, ...]:
    """Return what people wrote, question by question, and the notes researchers took of them."""
    row = find_study(host, slug)
    asked: dict[str, str] = {}
    texts: dict[str, list[tuple[int, str]]] = {}
    notes: list[tuple[int, str]] = []
    for person in people(host, row, pilots=False):
        study = host.study(person.version)
        facts = participant_row(study, participation_of(person))
        for column in question_columns((*study.demographics, *study.closing)):
            value = facts.get(column.name)
            if column.type == "text" and not column.levels and value not in (None, ""):
                asked[column.name] = column.question
                texts.setdefault(column.name, []).append((person.number, str(value)))
    with host.database.reading() as connection:
        for number, note in reviews.notes(connection, row.number):
            notes.append((number, note))
    words = [_words(asked[name], given) for name, given in texts.items()]
    return (*words, *([_words("Your notes about people", notes)] if notes else ()))


def _words(question: str, given: Sequence[tuple[int, str]]) -> Words:
    more = max(0, len(given) - _MOST_TEXTS)
    return Words(question=question, texts=tuple(given[:_MOST_TEXTS]), more=more)


def _items(sample: Sample, study: Study) -> tuple[Section, ...]:
    """Return the distribution of every item's answers, by what was judged."""
    names = kind_of(study).rating_columns(study)
    columns = {
        answer_column.name: answer_column for answer_column in kind_of(study).answer_columns(study)
    }
    rows = [row for person in sample.people for row in person.rows]
    bars = [bar for name in names for bar in _bars(columns[name], rows, study)]
    if not bars:
        return ()
    shown = bars[:_MOST_ROWS]
    with likert_figure(shown) as figure:
        svg = to_svg(figure, title="Answers to every item")
    left = f" {len(bars) - len(shown)} more are in the table." if len(bars) > len(shown) else ""
    picture = Section(
        title="Every item",
        text=f"How often each answer was given, over all that was judged.{left} {_DESCRIBES}",
        svg=svg,
        alt="A bar per item, divided by the share of each answer from the lowest to the highest.",
    )
    return picture, Section(
        title="Every item, in numbers",
        about="How many people gave which answer.",
        table=_item_table(bars),
        is_detail=True,
    )


def _bars(column: Column, rows: Sequence[Mapping[str, Any]], study: Study) -> Iterator[Likert]:
    levels = tuple(column.levels.values()) or tuple(
        str(value) for value in sorted({row[column.name] for row in rows if row.get(column.name)})
    )
    keys = tuple(column.levels) or levels
    what = "application" if any("application" in row for row in rows) else "item"
    names = _names(study)
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        value = row.get(column.name)
        if value is not None:
            counts.setdefault(str(row.get(what, "")), Counter())[str(value)] += 1
    for key, given in counts.items():
        question = column.question or column.name
        about = names.get(key, key)
        yield Likert(
            label=f"{about}: {question}" if about else question,
            levels=levels,
            counts=tuple(given[one_key] for one_key in keys),
        )


def _names(study: Study) -> dict[str, str]:
    """Return what applications and items are called, by their keys."""
    listed = [
        *getattr(study.plan, "applications", ()),
        *getattr(study.plan, "items", ()),
    ]
    return {
        part.key: getattr(part, "name", "") or getattr(part, "text", "") or part.key
        for part in listed
    }


def _item_table(bars: Sequence[Likert]) -> Table:
    levels = list(dict.fromkeys(level for bar in bars for level in bar.levels))
    return Table(
        {
            "item": [bar.label for bar in bars],
            "answers": [bar.total for bar in bars],
            **{
                level: [
                    percent(bar.counts[bar.levels.index(level)] / bar.total)
                    if level in bar.levels and bar.total
                    else ""
                    for bar in bars
                ]
                for level in levels
            },
        }
    )


def _who(columns: Sequence[Column], facts: Sequence[Facts]) -> Section | None:
    """Return what people said about themselves, also by branch: shares, quartiles of numbers."""
    rows = [row for column in columns for row in _answers(column, facts)]
    if not rows:
        return None
    names = ("question", "answer", "people", "share")
    table: dict[str, list[Any]] = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    for name, own in _by_branch(facts).items():
        head = f"branch {name} (n = {len(own)})"
        table[head] = [cell for column in columns for cell in _cells(column, facts, own)]
    said = f"{len(facts)} people whose answers count. {_DESCRIBES}"
    return Section(title="Who answered", text=said, table=Table(table))


def _by_branch(facts: Sequence[Facts]) -> dict[str, list[Facts]]:
    """Return people by the branch they were assigned to; nothing where there is one."""
    branches: dict[str, list[Facts]] = {}
    for fact in facts:
        # A condition names the branch, then the single scenario where there is one.
        name = str(fact.get("condition") or "").partition(":")[0]
        branches.setdefault(name or "none", []).append(fact)
    return dict(sorted(branches.items())) if 1 < len(branches) <= _MOST_GROUPS else {}


def _cells(column: Column, facts: Sequence[Facts], own: Sequence[Facts]) -> Iterator[str]:
    """Yield what one branch has in every row of a question: people and their share, or numbers."""
    given = [fact[column.name] for fact in own if fact.get(column.name) not in (None, "")]
    chosen = Counter(part for value in given for part in str(value).split(";"))
    counted = [chosen[key] for key in column.levels] if column.levels else [len(given)]
    # By place, not by words: an option may read "no answer" too. Nobody missing: no row of them.
    counted.append(len(own) - len(given))
    for n, (*_, share) in zip(counted, _answers(column, facts), strict=False):
        if share:
            yield f"{n} ({percent(n / len(own))})"
        else:  # the summary of numbers
            yield _numbers([float(value) for value in given]) if given else ""


def _answers(column: Column, facts: Sequence[Facts]) -> Iterator[tuple[str, str, int, str]]:
    given = [fact[column.name] for fact in facts if fact.get(column.name) not in (None, "")]
    # What a question repeats of an earlier answer differs between people.
    question, missing = piped(column.question or column.name, {}), len(facts) - len(given)
    if column.levels:
        chosen = Counter(part for value in given for part in str(value).split(";"))
        for place, (key, text) in enumerate(column.levels.items()):
            shown = question if place == 0 else ""
            yield shown, text, chosen[key], percent(chosen[key] / len(facts))
    elif column.type in ("integer", "number") and given:
        yield question, _numbers([float(value) for value in given]), len(given), ""
    elif given:
        yield question, "in their own words", len(given), percent(len(given) / len(facts))
    if missing and given:
        yield "", "no answer", missing, percent(missing / len(facts))


def _short(value: float) -> str:
    """Show a number that somebody typed: whole ones without decimals."""
    return plain(value, digits=0 if float(value).is_integer() else 1)


def _numbers(values: Sequence[float]) -> str:
    if len(values) < 2:
        return _short(values[0])
    low, _, high = quantiles(values, n=4, method="inclusive")
    ends = f"{_short(min(values))} to {_short(max(values))}"
    middle = f"half between {_short(low)} and {_short(high)}"
    return f"median {_short(median(values))}, {middle}, from {ends}"


def _subgroups(
    sample: Sample,
    study: Study,
    columns: Sequence[Column],
    facts: Sequence[Facts],
) -> Section | None:
    """Return how often people of a sort gave answers above the middle of the scale.

    Each person counts once, with the share of their own answers; the mean over people has a 90 %
    interval over people like these (`group_mean`).
    """
    own = [_agreeing(person, study) for person in sample.people]
    known = [place for place, share in enumerate(own) if share is not None]
    groups = list(_groups(columns, facts))
    if not known or not groups:
        return None
    rows, small = [], 0
    for question, answer, places in groups:
        shares = [share for place in places if (share := own[place]) is not None]
        if len(shares) < LEAST_IN_GROUP:
            small += 1
            continue
        rows.append((question, answer, len(shares), _mean(shares)))
    if not rows:
        return None
    hidden = f" {small} groups of fewer than {LEAST_IN_GROUP} people are left out." if small else ""
    return Section(
        title="Subgroups",
        about="Whether people of one sort rate higher than others.",
        text="The share of somebody's ratings above the middle of the scale, averaged over people, "
        "with a 90 % interval over people like these. Everybody saw their own situations, so small "
        f"differences may come from those. Many comparisons find something by chance.{hidden}",
        table=Table(
            {
                "question": [row[0] for row in rows],
                "answer": [row[1] for row in rows],
                "people": [row[2] for row in rows],
                "ratings above the middle": [row[3] for row in rows],
            }
        ),
        is_detail=True,
    )


def _agreeing(person: Respondent, study: Study) -> float | None:
    """Return the share of a person's ratings above the middle of the scale."""
    names = kind_of(study).rating_columns(study)
    columns = {
        answer_column.name: answer_column for answer_column in kind_of(study).answer_columns(study)
    }
    above = [
        float(row[name]) > (len(columns[name].levels) + 1) / 2
        for row in person.rows
        for name in names
        if isinstance(row.get(name), int | float) and columns[name].levels
    ]
    return float(np.mean(above)) if above else None


def _groups(
    columns: Sequence[Column], facts: Sequence[Facts]
) -> Iterator[tuple[str, str, list[int]]]:
    """Yield people by condition, and by the answers to questions with few options."""
    conditions = Counter(str(fact.get("condition") or "") for fact in facts)
    if len(conditions) > 1:
        for name in sorted(conditions):
            label = "everybody" if name == EVERYBODY else name
            yield "Condition", label, _places(facts, "condition", name)
    for column in columns:
        if not 2 <= len(column.levels) <= _MOST_GROUPS:
            continue
        for key, text in column.levels.items():
            yield column.question or column.name, text, _places(facts, column.name, key)


def _places(facts: Sequence[Facts], name: str, key: str) -> list[int]:
    return [
        place for place, fact in enumerate(facts) if key in str(fact.get(name) or "").split(";")
    ]


def _mean(shares: Sequence[float]) -> str:
    people = [
        Estimate.from_draws(np.full(2, share), probability=0.9, kind="quantile") for share in shares
    ]
    mean = group_mean(people, random_state=1)
    ends = mean.interval
    return f"{percent(mean.mean)} (likely {100 * ends.lower:.0f} to {100 * ends.upper:.0f} %)"
