"""Is a system in use still acceptable? Answers from inside a product, watched while they come.

In: who answered what, and when. Out: `AcceptanceWatch`. Absent: collecting answers (`flow.in_use`),
pictures, and what accuracy people would accept (`learn.fit_ordinal`, which takes these answers as a
part of their own).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from howgood.errors import DroppedRowsWarning, InputError, announce
from howgood.records.decision import GateVerdict
from howgood.records.estimate import Estimate, Interval
from howgood.records.probability import check_probability
from howgood.records.provenance import Provenance
from howgood.records.table import Table, frame_column_names, frame_columns
from howgood.records.watch import AcceptanceChange, AcceptanceWatch, Whose
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.sequential import bet_against_uniform, rank_among, share_bounds
from howgood.stats.shares import jeffreys_ends

Period = Literal["auto", "day", "week", "month"]
PERIODS = ("auto", "day", "week", "month")
_SEED = 0
_DAYS, _WEEKS = 21, 26
_WATCHED: tuple[Whose, ...] = ("new people", "the same people")


def watch(
    answers: Any,  # noqa: ANN401 - any frame narwhals knows, or a mapping of columns
    *,
    participant: str = "participant",
    at: str = "at",
    rating: str = "rating",
    accepted: str = "accepted",
    cut: int = 5,
    share: float = 0.8,
    level: float = 0.05,
    since: datetime | str | None = None,
    period: Period = "auto",
) -> AcceptanceWatch:
    r"""Say whether enough people accept a system in use, and warn when that changes.

    Both stay valid however often one looks. The share counts people once, by the first answer since
    `since`; its bounds are those shares q at which

    .. math:: \frac{B(k + 1/2, n - k + 1/2)}{B(1/2, 1/2)\, q^k (1 - q)^{n - k}} < 1 / \text{level}.

    The verdict is "pass" when all of them reach `share`, "fail" when none does, else "investigate".

    Every answer gets a rank among earlier ones: the first of a person among the first answers of
    others, each further one among the same person's. While nothing changes the ranks are uniform,
    and two bets against that (new people, the same people) each reach :math:`2 / \text{level}` with
    a probability of at most level / 2, ever. A bet that does is a warning.

    Parameters
    ----------
    answers : frame or dict of columns
        One row per answer: who, when, and `rating` (1 to 7) or `accepted` (true or false). Where
        both are there, a rating counts as accepted from `cut` on, and `accepted` where there is
        none.
    participant, at, rating, accepted : str
        Names of the columns. Times are datetimes or ISO 8601; without a zone they are UTC.
    cut : int
        The lowest rating that accepts.
    share : float
        The share of people that should accept.
    level : float
        How often a bound or a warning may be wrong, ever.
    since : datetime or str, optional
        Answers before are drawn but not judged: after a change that is understood, watch anew.
    period : {"auto", "day", "week", "month"}
        What the table of periods counts by.

    Returns
    -------
    AcceptanceWatch

    Notes
    -----
    Whether somebody is asked again must not depend on what they answered: those asked again because
    they were content would look less content later, by chance alone.

    Stability: experimental

    References
    ----------
    Vovk (2021), "Testing randomness online"; Robbins (1970), "Statistical methods related to the
    law of the iterated logarithm".

    Examples
    --------
    >>> people = [f"p{number}" for number in range(200)]
    >>> days = [datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=6 * n) for n in range(200)]
    >>> content = [number % 10 != 0 for number in range(120)] + [n % 3 == 0 for n in range(80)]
    >>> found = watch({"participant": people, "at": days, "accepted": content}, share=0.5)
    >>> found.verdict, [(change.whose, change.direction) for change in found.changes]
    ('pass', [('new people', 'fell')])
    """
    check_probability(share, name="share", where="watch")
    check_probability(level, name="level", where="watch")
    if period not in PERIODS:
        raise InputError(
            where="period", found=repr(period), needed=", ".join(PERIODS), cure="Choose one.",
        )  # fmt: skip
    stream, dropped = _read(answers, (participant, at, rating, accepted), cut)
    start = None if since is None else _moment(since, "since")
    judged = stream.since(start)
    accepting = _accepting(judged, level)
    changes, evidence = _changes(judged, level)
    chosen = _chosen_period(stream, period)
    settings = {"cut": cut, "values": "ratings" if stream.is_rated else "accepted or not"}
    return AcceptanceWatch(
        verdict=_verdict(accepting.interval, share),
        accepting=accepting,
        share=share,
        level=level,
        changes=changes,
        n_people=accepting.n_respondents or 0,
        n_answers=len(judged.order),
        since=None if start is None else start.isoformat(),
        period=chosen,
        periods=_by_period(stream, chosen),
        evidence_of_change=evidence,
        provenance=Provenance(
            method="beta-binomial confidence sequence; conformal test martingale",
            settings={**settings, "period": chosen},
            seed=_SEED,
            rows_used=len(stream.order),
            rows_dropped=dropped,
        ),
    )


def _accepting(judged: "_Stream", level: float) -> Estimate:
    """Return the share of people whose first answer accepts, with bounds for every look."""
    first = judged.first_of_each()
    n_people, n_accepting = len(first), int(judged.accepted[first].sum())
    if not n_people:
        raise InputError(
            where="answers", found="none to judge", needed="at least one answer",
            cure="Wait for the first answer, or choose an earlier `since`.",
        )  # fmt: skip
    lower, upper = share_bounds(n_accepting, n_people, level=level)
    mean = n_accepting / n_people
    return Estimate(
        mean=mean,
        sd=float(np.sqrt(mean * (1.0 - mean) / n_people)),
        interval=Interval(lower=lower, upper=upper, probability=1.0 - level, kind="every look"),
        draws=np.empty(0),
        n_respondents=n_people,
    )


def _verdict(bounds: Interval, share: float) -> GateVerdict:
    if bounds.lower >= share:
        return "pass"
    return "fail" if bounds.upper < share else "investigate"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stream:
    """Answers in the order in which they came; `order` says which of them are judged.

    `code` places each answer among the values that occur, the lowest first; `accepted` is whether
    it accepts.
    """

    who: IntArray
    at: tuple[datetime, ...]
    accepted: NDArray[np.bool_]
    code: IntArray
    order: IntArray
    is_rated: bool

    def since(self, start: datetime | None) -> "_Stream":
        """Return the stream with the answers from a moment on judged."""
        kept = [place for place in self.order if start is None or self.at[place] >= start]
        return _Stream(
            who=self.who, at=self.at, accepted=self.accepted, code=self.code,
            order=np.array(kept, dtype=np.int64), is_rated=self.is_rated,
        )  # fmt: skip

    def first_of_each(self) -> IntArray:
        """Return the places of everybody's first judged answer, in order."""
        _, first = np.unique(self.who[self.order], return_index=True)
        return self.order[np.sort(first)]


def _read(
    answers: Any,  # noqa: ANN401 - any frame
    names: tuple[str, str, str, str],
    cut: int,
) -> tuple[_Stream, dict[str, int]]:
    """Return the answers in time's order, and how many rows hold none."""
    participant, at, rating, accepted = names
    present = frame_column_names(answers)
    said = [name for name in (rating, accepted) if name in present]
    if not said:
        raise InputError(
            where="answers", found=f"the columns {', '.join(present)}",
            needed=f"{rating!r} (1 to 7) or {accepted!r} (true or false)",
            cure="Name the column: watch(..., rating='stars').",
        )  # fmt: skip
    columns = frame_columns(answers, [participant, at, *said], where="answers")
    rated = _numbers(columns, rating) if rating in said else None
    stated = _numbers(columns, accepted) if accepted in said else None
    value, is_rated = _values(rated, stated, cut)
    kept = np.flatnonzero(~np.isnan(value))
    dropped = {} if len(kept) == len(value) else {"no answer": len(value) - len(kept)}
    if dropped:
        announce(f"{dropped['no answer']} rows hold no answer; left out.", DroppedRowsWarning)
    moments = [_moment(columns[at][place], at) for place in kept]
    by_time = sorted(range(len(kept)), key=lambda place: moments[place])
    value = value[kept][by_time]
    _, who = np.unique(columns[participant][kept].astype(str), return_inverse=True)
    _, code = np.unique(value, return_inverse=True)
    return (
        _Stream(
            who=who[by_time],
            at=tuple(moments[place] for place in by_time),
            accepted=value >= cut if is_rated else value > 0,
            code=code.astype(np.int64),
            order=np.arange(len(by_time)),
            is_rated=is_rated,
        ),
        dropped,
    )


def _values(
    rated: FloatArray | None, stated: FloatArray | None, cut: int
) -> tuple[FloatArray, bool]:
    """Return ratings where everybody gave one, else 1 and 0 for yes and no."""
    if rated is None or stated is None:
        return (stated, False) if rated is None and stated is not None else (_given(rated), True)
    only_stated = np.isnan(rated) & ~np.isnan(stated)
    if not only_stated.any():
        return rated, True
    yes = np.where(np.isnan(rated), stated, (rated >= cut).astype(np.float64))
    return yes, False


def _given(values: FloatArray | None) -> FloatArray:
    return np.empty(0) if values is None else values


def _numbers(columns: dict[str, NDArray[Any]], name: str) -> FloatArray:
    words = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0, "": np.nan, "none": np.nan}

    def number(value: object) -> float:
        if value is None:
            return float("nan")
        text = str(value).strip().lower()
        return words[text] if text in words else float(text)

    try:
        return np.array([number(value) for value in columns[name]], dtype=np.float64)
    except ValueError as error:
        raise InputError(
            where=f"answers, column {name!r}", found=str(error),
            needed="numbers, or true and false",
            cure="Correct the column, or name another.",
        ) from None  # fmt: skip


def _moment(value: object, where: str) -> datetime:
    """Return a moment with its zone; without one it is UTC."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        raise InputError(
            where=where, found=repr(str(value))[:60], needed="a time such as 2026-05-03T14:00:00Z",
            cure="Write times as ISO 8601.",
        ) from None  # fmt: skip
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _changes(
    stream: _Stream, level: float
) -> tuple[tuple[AcceptanceChange, ...], dict[str, float]]:
    """Return the warnings, and how much the bets of each kind have won at most."""
    ranks, places = _ranks(stream)
    changes, evidence = [], dict[str, float]()
    for whose in _WATCHED:
        bet = bet_against_uniform(ranks[whose])
        evidence[whose] = float(bet.wealth.max()) if len(bet.wealth) else 1.0
        over = np.flatnonzero(bet.wealth >= 2.0 / level)
        if not over.size:
            continue
        noticed = int(over[0])
        then = bet_against_uniform(ranks[whose][: noticed + 1])
        changes.append(
            AcceptanceChange(
                whose=whose,
                direction="fell" if then.direction < 0 else "rose",
                noticed_at=stream.at[places[whose][noticed]].isoformat(),
                began_at=stream.at[places[whose][then.began]].isoformat(),
            )
        )
    return tuple(changes), evidence


def _ranks(stream: _Stream) -> tuple[dict[Whose, list[float]], dict[Whose, list[int]]]:
    """Return the ranks of first and of further answers, each with its place in the stream."""
    n_values = int(stream.code.max()) + 1
    # One number per answer of the whole stream: further answers change no earlier rank.
    chance = np.random.default_rng(_SEED).random(len(stream.code))
    ranks: dict[Whose, list[float]] = {whose: [] for whose in _WATCHED}
    places: dict[Whose, list[int]] = {whose: [] for whose in _WATCHED}
    first, own = np.zeros(n_values), dict[int, FloatArray]()
    for place in stream.order:
        person, code = int(stream.who[place]), int(stream.code[place])
        whose: Whose = "the same people" if person in own else "new people"
        earlier = own.setdefault(person, np.zeros(n_values)) if person in own else first
        ranks[whose].append(rank_among(code, earlier, float(chance[place])))
        places[whose].append(int(place))
        if whose == "new people":
            first[code] += 1.0
            own[person] = np.zeros(n_values)
        own[person][code] += 1.0
    return ranks, places


def _chosen_period(stream: _Stream, period: Period) -> str:
    if period != "auto":
        return period
    days = (stream.at[-1] - stream.at[0]).days
    return "day" if days < _DAYS else "week" if days < 7 * _WEEKS else "month"


def _beginning(moment: datetime, period: str) -> date:
    day = moment.date()
    if period == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if period == "month" else day


def _by_period(stream: _Stream, period: str) -> Table:
    """Return the share of people accepting in every period; who answered often counts once."""
    begins = [_beginning(moment, period) for moment in stream.at]
    names = sorted(set(begins))
    index = np.array([names.index(begin) for begin in begins])
    rows = [_share_of(stream, np.flatnonzero(index == place)) for place in range(len(names))]
    people = np.array([row[0] for row in rows])
    accepting = np.array([row[2] for row in rows])
    lower, upper = jeffreys_ends(accepting * people, people, probability=0.95)
    return Table(
        {
            "begins": np.array([str(name) for name in names], dtype=object),
            "people": people,
            "answers": np.array([row[1] for row in rows]),
            "accepting": accepting,
            "lower": lower,
            "upper": upper,
        }
    )


def _share_of(stream: _Stream, places: Sequence[int] | IntArray) -> tuple[int, int, float]:
    who, index = np.unique(stream.who[places], return_inverse=True)
    answers = np.bincount(index)
    means = np.bincount(index, weights=stream.accepted[places].astype(np.float64)) / answers
    return len(who), int(answers.sum()), float(means.mean())
