"""May we ship the candidate? Two evaluations on the same items, compared item by item.

In: logs, tables or file paths of base and candidate. Out: `ShipDecision`. Absent: printing, exit
codes, and reading of logs (see `ask.evaluation_logs`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from howgood.ask.evaluation_logs import read_log
from howgood.ask.evaluation_logs.tables import log_of_columns
from howgood.decide.items_of_logs import ItemsOfLogs, items_of
from howgood.decide.ship_rules import (
    PLANNED,
    ShipRules,
    above_bar,
    needed_items,
    verdict_of,
    within_tolerance,
)
from howgood.decide.ship_scales import refuse_percent_and_share
from howgood.errors import DroppedRowsWarning, InputError, UnknownNameError, announce
from howgood.records.alike_names import announce_alike
from howgood.records.estimate import Estimate, Interval
from howgood.records.evaluation_log import EvaluationLog
from howgood.records.provenance import Provenance
from howgood.records.shipping import MetricComparison, ShipDecision
from howgood.records.table import frame_column_names, frame_columns
from howgood.score.judging import judge
from howgood.stats.arrays import FloatArray, IntArray
from howgood.stats.clustered_influence import half_width
from howgood.stats.few_items import MeanLaw, RateLaw, mean_law, rate_law
from howgood.stats.moments import level_of, reach

_FEW_VALUES = 11
_VERDICTS = (0.0, 0.5, 1.0)


def ship(
    base: Any,  # noqa: ANN401 - a path, a log, any frame narwhals knows, or a mapping of columns
    candidate: Any,  # noqa: ANN401 - the same
    *,
    metric: str | Sequence[str] | None = None,
    item: str | None = None,
    cluster: str | None = None,
    margin: float = 0.0,
    bar: float | Mapping[str, float] | None = None,
    level: float = 0.05,
    lower_is_better: Sequence[str] = (),
    cost: str | None = None,
    latency: str | None = None,
    labels: Any | None = None,  # noqa: ANN401 - any frame
    looks: str = "one",
    planned: int = PLANNED,
    missing: str = "drop",
) -> ShipDecision:
    r"""Say whether the candidate may replace the base, with the probability of being wrong.

    Systems are compared on the same items: with :math:`d_i` the candidate's mean over an item's
    repeats less the base's,

    .. math:: \hat d = \frac1n \sum_i d_i, \qquad
              P = P(d > \text{margin}) = T_\nu\big((\hat d - \text{margin}) / s\big),

    s clustered by `cluster`, T Student's distribution with as many degrees of freedom as clusters,
    less one. Where items pass or fail, two more are added to the difference, one lost and one won
    (Bonett and Price, 2012): a few items in which nothing failed prove little. A rate of its own is
    judged by the exact binomial test. The verdict is "ship" when P is at least 1 - level; "do not
    ship" when the probability
    of being worse by more than the margin is; "ship" also when the candidate costs less or answers
    faster and is not worse by more than the margin with that probability; else "not enough
    evidence". Two equal systems are shipped with a probability of at most `level`.

    Parameters
    ----------
    base, candidate : path, EvaluationLog, frame or dict of columns
        Logs of Inspect, promptfoo, lm-eval or DeepEval, or tables with one row per item and repeat.
    metric : str or sequence of str, optional
        The deciding metric first. The others guard: a candidate shown to be worse in one of them
        (at level divided by their number) is not shipped. Without it, the only one there is.
    item : str, optional
        Column that names the item, in tables; guessed where it has a usual name.
    cluster : str, optional
        Column or attribute that says which items come together: document, task, conversation.
    margin : float
        Differences up to this do not matter in practice.
    bar : float or mapping, optional
        What the candidate's own mean must exceed, with the same certainty; or, for metrics that are
        rates of failure, the highest rate people tolerate of each (`howgood bar` works them out):
        the candidate's own rates must lie below, all of them together with the same certainty.
    level : float
        How often a wrong "ship" is tolerated.
    lower_is_better : sequence of str
        Metrics that are better when lower.
    cost, latency : str, optional
        Columns of tables, where they have unusual names.
    labels : frame, optional
        Labels of people (item, rater, label, system: "base" or "candidate"): the deciding metric is
        then a judge's score, and corrected by them (see `score.judge`).
    looks : {"one", "many"}
        "many" keeps the promise however often one looks while results come in: the bounds are an
        asymptotic confidence sequence, tightest after `planned` items (its rho is in the
        provenance). It needs a larger difference.
    missing : {"drop", "error"}
        What to do with items that only one of the logs has, or without a number.

    References
    ----------
    Miller (2024), "Adding error bars to evals"; Waudby-Smith et al. (2021), "Time-uniform central
    limit theory and asymptotic confidence sequences".

    Notes
    -----
    Stability: experimental

    Examples
    --------
    >>> base = {"item": list(range(40)), "correct": [0, 1] * 20}
    >>> candidate = {"item": list(range(40)), "correct": [1, 1, 0, 1] * 10}
    >>> ship(base, candidate, metric="correct").verdict
    'ship'
    >>> ship(base, base, metric="correct").verdict
    'not enough evidence'
    """
    tolerated = dict(bar) if isinstance(bar, Mapping) else {}
    rules = ShipRules(
        level=level,
        margin=margin,
        bar=None if isinstance(bar, Mapping) else bar,
        tolerated=tolerated,
        planned=planned if _many(looks) else None,
    )
    _check(rules)
    logs = [
        _as_log(log_and_name, name, item, (cost, latency))
        for log_and_name, name in ((base, "base"), (candidate, "candidate"))
    ]
    names = _metrics(logs, metric, tolerated, cluster)
    lower_is_better = [lower_is_better] if isinstance(lower_is_better, str) else lower_is_better
    _refuse_unknown_direction(logs, lower_is_better)
    lower_is_better = (*lower_is_better, *tolerated)
    items = items_of(logs)
    pairs = [_paired(logs, items, name, cluster, missing) for name in names]
    _check_scale(pairs[0], rules)
    first = _compared(pairs[0], rules, names[0] not in lower_is_better)
    own = {pair.metric: _own_law(pair, 1) for pair in pairs}
    if labels is not None:
        first = _by_people(pairs[0], labels, rules, names[0], first)
        own[first.metric] = _law_of(first.candidate, first.n_clusters)
    guards = [
        _compared(pair, rules, name not in lower_is_better)
        for pair, name in zip(pairs[1:], names[1:], strict=True)
    ]
    ratios = [_ratio(logs, items, name, level) for name in ("cost", "latency")]
    decision = _decided((first, *guards), own, ratios, rules, logs, cluster)
    # Of what people labelled, raters and labels are the sample, too: items alone settle nothing.
    return decision if labels is None else replace(decision, needed=None)


def _many(looks: str) -> bool:
    if looks not in ("one", "many"):
        raise InputError(
            where="looks",
            found=repr(looks),
            needed="one or many",
            cure="Choose looks='one' for a single look, looks='many' for several.",
        )
    return looks == "many"


def _check(rules: ShipRules) -> None:
    if not 0 < rules.level < 0.5:
        raise InputError(
            where="level",
            found=str(rules.level),
            needed="a probability above 0 and below .5",
            cure="Choose .05, say.",
        )
    if not rules.margin >= 0:
        raise InputError(
            where="margin",
            found=str(rules.margin),
            needed="a difference of 0 or more",
            cure="Give the largest difference that does not matter.",
        )


def _check_scale(pairs: "_Pairs", rules: ShipRules) -> None:
    """Refuse a bar or margin in percent where the metric is a share."""
    for name, value in (("bar", rules.bar), ("margin", rules.margin)):
        if pairs.is_share and value is not None and value > 1:
            raise InputError(
                where=name,
                found=f"{value:g}, but {pairs.metric!r} lies between 0 and 1",
                needed="a share",
                cure=f"Write {value / 100:g} for {value:g} %." if value <= 100 else "Correct it.",
            )


def _as_log(
    given: Any,  # noqa: ANN401 - a path, a log, any frame
    name: str,
    item: str | None,
    columns: tuple[str | None, str | None],
) -> EvaluationLog:
    if isinstance(given, EvaluationLog):
        return given
    if isinstance(given, str | Path):
        return read_log(given, item=item)
    present = frame_column_names(given)
    chosen = item or next(
        (column_name for column_name in ("item", "id") if column_name in present), present[0]
    )
    table = frame_columns(given, present, where=name)
    if chosen not in table:
        frame_columns(given, [chosen], where=name)
    cost, latency = (
        one_column or usual for one_column, usual in zip(columns, ("cost", "latency"), strict=True)
    )
    return log_of_columns(
        table,
        item=chosen,
        source=name,
        kind="table",
        system=name,
        known={"cost": cost, "latency": latency},
        row_of=lambda place: f"row {place + 1}",
    )


def _metrics(
    logs: Sequence[EvaluationLog],
    metric: str | Sequence[str] | None,
    tolerated: Mapping[str, float],
    cluster: str | None,
) -> list[str]:
    shared = [name for name in logs[0].metrics if name in logs[1].metrics and name != cluster]
    _refuse_unread(logs, metric, tolerated)
    if metric is None and tolerated:
        metric = [name for name in shared if name not in tolerated][:1] or list(tolerated)
    if not shared:
        _refuse_silent_choice(logs, shared)
        raise InputError(
            where="base and candidate",
            found=f"no metric in both: {_listed(logs[0])} and {_listed(logs[1])}",
            needed="a column of numbers, or of pass and fail, with the same name in both",
            cure="Rename one of them.",
        )
    if metric is None:
        _refuse_silent_choice(logs, shared)
        if len(shared) == 1:
            return shared
        raise InputError(
            where="metric",
            found=f"{len(shared)} metrics in both logs: {', '.join(map(repr, shared))}",
            needed="the one that decides",
            cure="Name it, and those that guard after it: metric=...",
        )
    names = [metric] if isinstance(metric, str) else list(metric)
    names += [name for name in tolerated if name not in names]
    for name in names:
        if name not in shared:
            raise UnknownNameError(where="metric", name=name, names=shared)
    return names


def _refuse_unknown_direction(
    logs: Sequence[EvaluationLog], lower_is_better: Sequence[str]
) -> None:
    """Refuse a misspelt name: the metric that was meant would stay better when higher."""
    names = [name for name in logs[0].metrics if name in logs[1].metrics]
    for name in lower_is_better:
        if name not in names:
            raise UnknownNameError(where="lower_is_better", name=name, names=names)


def _refuse_unread(
    logs: Sequence[EvaluationLog],
    metric: str | Sequence[str] | None,
    tolerated: Mapping[str, float],
) -> None:
    """Say where the text stands that keeps a wanted column from being a metric."""
    named = [metric] if isinstance(metric, str) else list(metric or ())
    for name in (*named, *tolerated):
        for log in logs:
            if name in log.unread:
                raise InputError(
                    where=f"{log.source}, column {name!r}",
                    found=f"text among its numbers ({log.unread[name]})",
                    needed="a number, a percentage or a verdict in every row, or nothing",
                    cure="Correct it, or leave the cell empty: that item is then left out.",
                )


def _refuse_silent_choice(logs: Sequence[EvaluationLog], shared: Sequence[str]) -> None:
    """Do not take the only metric that is left where another one could not be read."""
    for log, other in zip(logs, reversed(logs), strict=True):
        for name, place in log.unread.items():
            if name in other.metrics or name in other.unread:
                raise InputError(
                    where="metric",
                    found=f"{', '.join(map(repr, shared[:8])) or 'none'}, and {name!r} with text "
                    f"among its numbers ({log.source}, {place})",
                    needed="the one that decides",
                    cure="Correct the text, or name another metric: metric=..."
                    if shared
                    else "Correct the text, or leave the cell empty.",
                )


def _listed(log: EvaluationLog) -> str:
    names = ", ".join(map(repr, list(log.metrics)[:6])) or "none"
    return f"{names} in {log.source}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pairs:
    """Both systems' means on the items they share, with the clusters of items."""

    metric: str
    items: tuple[str, ...]
    base: FloatArray
    candidate: FloatArray
    cluster: IntArray
    step: float
    is_verdict: bool
    is_share: bool
    n_runs: tuple[int, int]


def _paired(
    logs: Sequence[EvaluationLog],
    items: ItemsOfLogs,
    metric: str,
    cluster: str | None,
    missing: str,
) -> _Pairs:
    refuse_percent_and_share(logs, metric)
    means = [items.means(side, log.metrics[metric]) for side, log in enumerate(logs)]
    has_mean = [np.isfinite(mean) for mean in means]
    shared = np.flatnonzero(has_mean[0] & has_mean[1])
    lost = int((has_mean[0] | has_mean[1]).sum()) - len(shared)
    if len(shared) < 2:
        raise InputError(
            where="base and candidate",
            found=f"{_counted(len(shared))} with {metric!r} in both, {has_mean[0].sum()} in "
            f"{logs[0].source} and {has_mean[1].sum()} in {logs[1].source}",
            needed="the same items in both logs",
            cure="Check that both ran the same dataset, and that items have the same names.",
        )
    if lost and missing == "error":
        raise InputError(
            where="base and candidate",
            found=f"{_counted(lost)} that only one of them has",
            needed="the same items in both logs",
            cure="Run them on the same items, or leave these out: missing='drop'.",
        )
    if lost:
        announce_alike(items.names, where="items", ignoring_case=False)
        announce(
            f"{_counted(lost)} left out: only one of the logs has a number there",
            DroppedRowsWarning,
        )
    values = np.unique(np.concatenate([log.metrics[metric] for log in logs]))
    values = values[np.isfinite(values)]
    is_verdict = bool(np.isin(values, _VERDICTS).all())
    return _Pairs(
        metric=metric,
        items=tuple(items.names[place] for place in shared.tolist()),
        base=means[0][shared],
        candidate=means[1][shared],
        cluster=_clusters(logs, items, shared, cluster),
        step=0.0 if is_verdict else _step(values),
        is_verdict=is_verdict,
        is_share=bool(values[0] >= 0 and values[-1] <= 1),
        n_runs=(len(logs[0].items), len(logs[1].items)),
    )


def _counted(n_items: int) -> str:
    return "1 item" if n_items == 1 else f"{n_items} items"


def _step(values: FloatArray) -> float:
    """Return the smallest step between different values; equal grades are taken for one apart."""
    if len(values) == 1:
        return float(values[0].is_integer())
    return float(np.diff(values).min()) if len(values) <= _FEW_VALUES else 0.0


def _clusters(
    logs: Sequence[EvaluationLog], items: ItemsOfLogs, shared: IntArray, cluster: str | None
) -> IntArray:
    if cluster is None:
        return np.arange(len(shared))
    for log, rows in zip(logs, items.rows, strict=True):
        column = log.attributes.get(cluster, log.metrics.get(cluster))
        if column is not None:
            place: dict[str, int] = {}
            of_item = np.zeros(len(items.names), dtype=np.int64)
            of_item[rows] = [place.setdefault(str(name), len(place)) for name in column]
            numbers, codes = np.unique(of_item[shared], return_inverse=True)
            if len(numbers) < 2:
                raise InputError(
                    where=f"cluster {cluster!r}",
                    found="one cluster",
                    needed="at least two, better twenty",
                    cure="Leave it out where every item stands for itself.",
                )
            return codes.astype(np.int64)
    raise UnknownNameError(
        where="cluster", name=cluster, names=[*logs[0].attributes, *logs[0].metrics]
    )


def _compared(pairs: _Pairs, rules: ShipRules, greater_is_better: bool) -> MetricComparison:
    gaps = pairs.candidate - pairs.base
    # Where all passed, one more item won and one more lost would still not surprise.
    added = (-1.0, 1.0) if pairs.is_verdict else None
    ends = (-1.0, 1.0) if pairs.is_share else None
    law = mean_law(gaps, pairs.cluster, step=pairs.step, added=added, ends=ends)
    sign = 1.0 if greater_is_better else -1.0

    def above(limit: float, way: float) -> float:
        """Return the probability that way times the difference exceeds a limit."""
        if rules.planned is not None:
            distance, spread = way * law.centre - limit, law.sd * math.sqrt(law.clusters)
            return 1.0 - level_of(distance, law.clusters, spread, rules.rho)
        return law.above(limit) if way > 0 else 1.0 - law.above(-limit)

    probability = 1.0 - 2.0 * rules.level
    interval = law.interval(probability)
    if rules.planned is not None:
        spread = law.sd * math.sqrt(law.clusters)
        interval = law.within(reach(law.clusters, spread, rules.level, rules.rho))
    own = [_own_law(pairs, side) for side in (0, 1)]
    return MetricComparison(
        metric=pairs.metric,
        base=_estimate(own[0].mean, own[0].sd, own[0].interval(probability), probability),
        candidate=_estimate(own[1].mean, own[1].sd, own[1].interval(probability), probability),
        difference=_estimate(law.mean, law.sd, interval, probability),
        margin=rules.margin,
        greater_is_better=greater_is_better,
        p_better=above(rules.margin, sign),
        p_worse=above(rules.margin, -sign),
        p_not_worse=above(-rules.margin, sign),
        p_opposite=law.above(0.0) if law.mean < 0 else 1.0 - law.above(0.0),
        n_items=len(pairs.items),
        n_clusters=len(np.unique(pairs.cluster)),
    )


def _own_law(pairs: _Pairs, side: int) -> MeanLaw | RateLaw:
    """Return the law of one system's own mean: a rate where every run passed or failed."""
    values = (pairs.base, pairs.candidate)[side]
    if pairs.is_verdict:
        return rate_law(values, pairs.cluster, trials=pairs.n_runs[side])
    ends = (0.0, 1.0) if pairs.is_share else None
    return mean_law(values, pairs.cluster, step=pairs.step, ends=ends)


def _law_of(known: Estimate, n_clusters: int) -> MeanLaw:
    """Return the law of a mean that was corrected by people."""
    return MeanLaw(
        mean=known.mean,
        centre=known.mean,
        sd=known.sd,
        freedom=max(n_clusters - 1.0, 1.0),
        clusters=float(n_clusters),
    )


def _estimate(mean: float, sd: float, ends: tuple[float, float], probability: float) -> Estimate:
    lower, upper = ends
    interval = Interval(lower=lower, upper=upper, probability=probability, kind="quantile")
    return Estimate(mean=mean, sd=sd, interval=interval, draws=np.zeros(0))


def _by_people(
    pairs: _Pairs,
    labels: Any,  # noqa: ANN401 - any frame
    rules: ShipRules,
    metric: str,
    plain: MetricComparison,
) -> MetricComparison:
    """Replace a judge's scores by what people would say."""
    scores = {
        "item": list(pairs.items) * 2,
        "system": ["base"] * len(pairs.items) + ["candidate"] * len(pairs.items),
        "judge": np.concatenate([pairs.base, pairs.candidate]),
    }
    report = judge(labels, scores=scores, system="system", probability=1.0 - 2.0 * rules.level)
    gap = report.difference("candidate", "base")
    way = 1.0 if plain.greater_is_better else -1.0
    moved = way * gap.draws
    return MetricComparison(
        metric=f"{metric}, corrected by people",
        base=report.corrected["base"],
        candidate=report.corrected["candidate"],
        difference=gap,
        margin=rules.margin,
        greater_is_better=plain.greater_is_better,
        p_better=float(np.mean(moved > rules.margin)),
        p_worse=float(np.mean(moved < -rules.margin)),
        p_not_worse=float(np.mean(moved > -rules.margin)),
        p_opposite=float(np.mean(moved < 0 if np.mean(moved) > 0 else moved > 0)),
        n_items=plain.n_items,
        n_clusters=plain.n_clusters,
    )


def _ratio(
    logs: Sequence[EvaluationLog], items: ItemsOfLogs, what: str, level: float
) -> Estimate | None:
    """Return the ratio of the candidate's mean cost or latency to the base's, paired by item."""
    paid = [log.cost if what == "cost" else log.latency for log in logs]
    known = [column for column in paid if column is not None]
    if len(known) < 2:
        return None
    base, candidate = (items.means(side, column) for side, column in enumerate(known))
    shared = np.flatnonzero(np.isfinite(base) & np.isfinite(candidate))
    base, candidate = base[shared], candidate[shared]
    if len(shared) < 2 or not base.mean() > 0:
        return None
    ratio = float(candidate.mean() / base.mean())
    if not ratio > 0:
        return None
    # First-order propagation on the log scale: a ratio of means of the same items is above zero.
    residual = (candidate - ratio * base) / candidate.mean()
    n = len(shared)
    se = float(residual.std(ddof=1)) / math.sqrt(n)
    times = math.exp(half_width(se**2, n - 1.0, 1.0 - 2.0 * level))
    return _estimate(ratio, ratio * se, (ratio / times, ratio * times), 1.0 - 2.0 * level)


def _decided(
    comparisons: tuple[MetricComparison, ...],
    own: Mapping[str, MeanLaw | RateLaw],
    ratios: Sequence[Estimate | None],
    rules: ShipRules,
    logs: Sequence[EvaluationLog],
    cluster: str | None,
) -> ShipDecision:
    first = comparisons[0]
    p_above_bar = above_bar(first, own[first.metric], rules)
    within = within_tolerance(own, rules)
    verdict, reason, error = verdict_of(comparisons, ratios, rules, p_above_bar, within)
    return ShipDecision(
        verdict=verdict,
        reason=reason,
        error=error,
        needed=needed_items(first, rules) if verdict == "not enough evidence" else None,
        comparisons=comparisons,
        cost=ratios[0],
        latency=ratios[1],
        bar=rules.bar,
        p_above_bar=p_above_bar,
        tolerated=rules.tolerated,
        p_tolerated=within,
        level=rules.level,
        systems=(logs[0].system, logs[1].system),
        provenance=Provenance(
            method="paired by item, Student's t over clusters of items"
            if rules.planned is None
            else "paired by item, asymptotic confidence sequence (one-sided normal mixture)",
            settings=_settings(rules, logs, cluster),
            rows_used=sum(len(log.items) for log in logs),
        ),
    )


def _settings(
    rules: ShipRules, logs: Sequence[EvaluationLog], cluster: str | None
) -> Mapping[str, Any]:
    looks = (
        {"looks": "one"}
        if rules.planned is None
        else {"looks": "many", "rho": rules.rho, "tightest after items": rules.planned}
    )
    return {
        "base": f"{logs[0].source} ({logs[0].format})",
        "candidate": f"{logs[1].source} ({logs[1].format})",
        "level": rules.level,
        "margin": rules.margin,
        "bar": rules.bar if rules.bar is not None else dict(rules.tolerated) or None,
        "cluster": cluster,
        **looks,
    }
