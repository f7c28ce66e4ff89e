"""What answers can say about each application, and whether the fitted model can be believed.

In: `Cells`, and how many people spoke about each application; draws and priors. Out: `Evidence` per
application, the reasons, warnings; tables of replicated answers and of other priors. Absent: the
fit, which is made all the same, and verdicts beyond the numbers.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.special import expit, ndtr

from howgood.errors import FewRespondentsWarning, NoEvidenceWarning, announce
from howgood.learn.binary_model import BinaryModel, Cells, draw_columns
from howgood.learn.engines.importance import PILOT_DRAWS, complaint, pilot, posterior_probabilities
from howgood.learn.kinds import order_of
from howgood.records.evidence import FEW_PEOPLE, Evidence
from howgood.records.priors import HalfNormal, Normal, Priors
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.importance import WeightedDraws, weigh
from howgood.stats.power_mean import power_mean

_FALLING = -2.0  # standard errors below no relation at all


def evidence_by_application(cells: Cells, people: Mapping[str, int]) -> dict[str, Evidence]:
    """Return how much is known about each application.

    "none" where the answers cannot tell the model's parameters, or contradict it; "few people"
    where fewer than `FEW_PEOPLE` answered; else "enough".
    """
    without = {**silent_applications(cells), **falling_applications(cells)}
    evidence: dict[str, Evidence] = {}
    for name in cells.applications:
        if name in without:
            evidence[name] = "none"
        else:
            evidence[name] = "few people" if people[name] < FEW_PEOPLE else "enough"
    return evidence


def warn_about(cells: Cells, people: Mapping[str, int]) -> None:
    """Warn where the answers say little or nothing about an application."""
    few = {name: count for name, count in people.items() if count < FEW_PEOPLE}
    if few:
        listed = ", ".join(f"{name!r} ({count})" for name, count in few.items())
        announce(
            f"few respondents for {listed}: 20 to 25 per application are usual; the intervals "
            "say how little is known, and lean on the priors.",
            FewRespondentsWarning,
        )
    for name, reason in silent_applications(cells).items():
        announce(
            f"the answers about {name!r} say nothing about {reason}: what is reported for it "
            "comes from the priors.",
            NoEvidenceWarning,
        )
    for name, reason in falling_applications(cells).items():
        announce(f"{name!r}: {reason}.", NoEvidenceWarning)


def silent_applications(cells: Cells) -> dict[str, str]:
    """Return what the answers cannot say about an application, and why, by its name."""
    total = cells.groups.alike @ cells.groups.counts
    accepted, refused = total[: cells.n_cells], total[cells.n_cells :]
    reasons = {}
    for index, name in enumerate(cells.applications):
        here = cells.application == index
        accuracy = {(p, r) for p, r in zip(cells.precision[here], cells.recall[here], strict=True)}
        if refused[here].sum() == 0:
            reasons[name] = "alpha and slope (every answer accepts)"
        elif accepted[here].sum() == 0:
            reasons[name] = "alpha and slope (every answer refuses)"
        elif len(accuracy) == 1:
            reasons[name] = "alpha and slope (a single scenario was shown)"
        elif len(accuracy) == 2:
            reasons[name] = "alpha apart from the slope (only two scenarios were shown)"
        elif len({p for p, _ in accuracy}) == 1 or len({r for _, r in accuracy}) == 1:
            reasons[name] = "alpha apart from the slope (precision or recall never varied)"
        elif all(precision == recall for precision, recall in accuracy):
            reasons[name] = "alpha (precision equals recall in every scenario)"
    return reasons


def falling_applications(cells: Cells) -> dict[str, str]:
    r"""Return the applications about which the answers contradict the model, by name, with why.

    Within each person k, :math:`S_k = \sum_j (a_{kj} - \bar a_k)(m_{kj} - \bar m_k)` adds up how
    accepting goes with accuracy m; :math:`\sum_k S_k / \sqrt{\sum_k S_k^2}` is about standard
    normal where they have nothing to do with each other.
    """
    accuracy = (cells.precision + cells.recall) / 2
    accepted, refused = np.split(cells.groups.counts, 2, axis=1)
    asked, falling = accepted + refused, {}
    for index, name in enumerate(cells.applications):
        n = asked * (cells.application == index)
        totals = np.maximum(n.sum(axis=1, keepdims=True), 1.0)
        away = accuracy - (n @ accuracy)[:, None] / totals
        # Rounded: sums that are zero by arithmetic must not decide by their last digits.
        together = (accepted * (n > 0) * away).sum(axis=1).round(9)
        squares = float(cells.groups.alike @ together**2)
        if squares > 0 and cells.groups.alike @ together < _FALLING * np.sqrt(squares):
            falling[name] = (
                "acceptance falls as accuracy rises; check that precision, recall and rating mean "
                "what their columns say"
            )
    return falling


def lowest_shown(cells: Cells, application: str) -> float:
    """Return the lowest accuracy people were asked about: the mean of precision and recall."""
    here = cells.application == cells.applications.index(application)
    return float(((cells.precision + cells.recall) / 2)[here].min())


# Can the fitted model be believed? Replicated answers, and other priors.

# The prior of the slope matters for p: tight ones favour means that need smaller slopes.
SLOPE_SDS = (5.0, 10.0, 31.6, 100.0)
_REPLICATES = 400
_SHORT = 400


def prior_sensitivity(
    cells: Cells,
    priors: Priors,
    prior_means: Mapping[float, float],
    *,
    flawless: bool = False,
    rng: np.random.Generator,
) -> Table:
    """Return P(p) under other priors of the slope, one row per prior.

    `reliable` says whether the short sample behind a row passes the gates.
    """
    rows = []
    for sd in SLOPE_SDS:
        changed = _with_slope_sd(priors, sd)
        models = {p: BinaryModel(cells, changed, p, flawless=flawless) for p in prior_means}
        samples = {p: _short_sample(model, _SHORT, rng) for p, model in models.items()}
        evidence = {p: sample.log_evidence for p, sample in samples.items()}
        shares = posterior_probabilities(evidence, prior_means)
        sound = all(not complaint(sample) for sample in samples.values())
        rows.append((sd, shares, sound))
    columns: dict[str, object] = {"slope_sd": np.array([sd for sd, _, _ in rows])}
    for p in prior_means:
        columns[f"p = {p:g}"] = np.array([shares[p] for _, shares, _ in rows])
    columns["reliable"] = np.array([sound for _, _, sound in rows], dtype=bool)
    return Table({name: np.asarray(values) for name, values in columns.items()})


def order_sensitivity(
    cells: Cells,
    priors: Priors,
    *,
    flawless: bool = False,
    rng: np.random.Generator,
) -> Table:
    """Return mean and sd of a continuous p under other priors of the slope, one row per prior."""
    models = [
        BinaryModel(cells, _with_slope_sd(priors, sd), None, flawless=flawless) for sd in SLOPE_SDS
    ]
    samples = [_short_sample(model, 2 * _SHORT, rng) for model in models]
    moments = [sample.moments() for sample in samples]
    return Table(
        {
            "slope_sd": np.array(SLOPE_SDS),
            "mean of p": np.array([mean[-1] for mean, _ in moments]),
            "sd of p": np.array([np.sqrt(covariance[-1, -1]) for _, covariance in moments]),
            "reliable": np.array([not complaint(sample) for sample in samples], dtype=bool),
        }
    )


def _short_sample(model: BinaryModel, draws: int, rng: np.random.Generator) -> WeightedDraws:
    """Return the pilot's sample; a second one, around what it found, where it fails a gate."""
    first = pilot(model, rng, draws=draws)
    if not complaint(first.sample):
        return first.sample
    return weigh(model.log_density, first.proposal, draws, rng)


def _with_slope_sd(priors: Priors, sd: float) -> Priors:
    name, curve = f"slope sd {sd:g}", priors.curve
    if curve is not None:
        return replace(priors, curve=replace(curve, slope_scale=sd), name=name)
    return replace(priors, slope=Normal(priors.slope.mean, sd), name=name)


def flawless_comparison(
    cells: Cells, priors: Priors, kinds: Mapping[float, float], *, rng: np.random.Generator
) -> Table:
    """Return evidence, and the share accepting flawless scenarios, without and with their term."""
    names = ("without", "with") if cells.is_flawless.any() else ()
    rows = [_judged_corner(cells, priors, kinds, name == "with", rng) for name in names]
    evidence = np.array([row.pop("log_evidence") for row in rows])
    joint = np.exp(evidence - evidence.max(initial=-np.inf))
    return Table(
        {
            "term for no error": np.array(names, dtype=object),
            "log_evidence": evidence,
            "probability": joint / joint.sum(),
            **{
                name: np.array([row[name] for row in rows])
                for name in ("observed", "replicated", "lower", "upper", "p_value")
            },
        }
    )


def flawless_probability(draws: FloatArray, prior: HalfNormal) -> float:
    """Return the probability that the term for no error is needed, as likely as not beforehand.

    The model without the term is the one where it is 0, so its Bayes factor is the density of
    the posterior at 0 over that of the prior (Savage and Dickey). `draws` are of the posterior;
    both densities are taken over the tenth of a scale next to 0.
    """
    reach = 0.1 * prior.scale
    before = 2.0 * ndtr(reach / prior.scale) - 1.0
    return float(before / (before + np.mean(draws < reach)))


def _judged_corner(
    cells: Cells,
    priors: Priors,
    kinds: Mapping[float, float],
    flawless: bool,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Log evidence of one model, and how its answers at no error compare with those given."""
    models = {p: BinaryModel(cells, priors, order_of(p), flawless=flawless) for p in kinds}
    samples = {p: _short_sample(model, PILOT_DRAWS, rng) for p, model in models.items()}
    evidence = {p: sample.log_evidence for p, sample in samples.items()}
    shares = posterior_probabilities(evidence, kinds)
    top = max(evidence.values())
    total = top + float(
        np.log(sum(kinds[p] * np.exp(estimate - top) for p, estimate in evidence.items()))
    )
    drawn = [
        models[p].natural(sample.resampled(round(_REPLICATES * shares[p]), rng))
        for p, sample in samples.items()
    ]
    people, accepted = _by_person(cells)
    corner = cells.is_flawless > 0

    def share(yes: FloatArray) -> float:
        return float(yes[:, corner].sum() / people[:, corner].sum())

    seen = share(accepted)
    values = np.array([share(_replicate(cells, people, row, rng)) for row in np.concatenate(drawn)])
    lower, upper = np.quantile(values, [0.025, 0.975])
    return {
        "log_evidence": total,
        "observed": seen,
        "replicated": float(values.mean()),
        "lower": float(lower),
        "upper": float(upper),
        "p_value": float(np.mean(values > seen) + 0.5 * np.mean(values == seen)),
    }


def person_log_likelihoods(cells: Cells, priors: Priors, draws: FloatArray) -> FloatArray:
    """Return the log likelihood of each person's answers under draws, shape (draws, people).

    People's leniency is integrated over: to leave out one is to leave out a person's answers.
    """
    has_term = bool(draws[:, draw_columns(len(cells.applications))["flawless"]].any())
    model = BinaryModel(cells, priors, None, flawless=has_term)
    by_group = model.log_likelihoods(model.from_natural(draws))
    return np.repeat(by_group, cells.groups.alike.astype(int), axis=1)


def predictive_check(cells: Cells, draws: FloatArray, *, rng: np.random.Generator) -> Table:
    """Compare the answers with answers the fitted model would give, statistic by statistic.

    Each replicate has new people, as many as answered, asked the same questions. `p_value` is the
    share of replicates at or above the observed value, ties counting half: near 0 or 1 the model
    misses that side of the answers.
    """
    rows = draws[np.linspace(0, len(draws) - 1, _REPLICATES).astype(int)]
    people, accepted = _by_person(cells)
    observed = _statistics(cells, people, accepted)
    replicated = [_statistics(cells, people, _replicate(cells, people, row, rng)) for row in rows]
    names = list(observed)
    values = np.array([[draw[name] for name in names] for draw in replicated])
    seen = np.array([observed[name] for name in names])
    return Table(
        {
            "statistic": np.array(names, dtype=object),
            "observed": seen,
            "replicated": values.mean(axis=0),
            "lower": np.quantile(values, 0.025, axis=0),
            "upper": np.quantile(values, 0.975, axis=0),
            "p_value": (values > seen).mean(axis=0) + 0.5 * (values == seen).mean(axis=0),
        }
    )


def _by_person(cells: Cells) -> tuple[FloatArray, FloatArray]:
    """How often each person was asked each question, and accepted."""
    counts = np.repeat(cells.groups.counts, cells.groups.alike.astype(int), axis=0)
    accepted = counts[:, : cells.n_cells]
    return np.asarray(accepted + counts[:, cells.n_cells :]), np.asarray(accepted)


def _replicate(
    cells: Cells, people: FloatArray, row: FloatArray, rng: np.random.Generator
) -> FloatArray:
    by_name = {name: row[at] for name, at in draw_columns(len(cells.applications)).items()}
    intercept, slope, alpha = (
        by_name[name][cells.application] for name in ("intercept", "slope", "alpha")
    )
    mean = power_mean(cells.precision, cells.recall, p=by_name["p"].item(), alpha=alpha)
    center = intercept + slope * mean + by_name["flawless"] * cells.is_flawless
    leniency = rng.normal(0.0, by_name["person_sd"].item(), len(people))
    chance = expit(center[None, :] + leniency[:, None])
    return np.asarray(rng.binomial(people.astype(int), chance), dtype=np.float64)


def _statistics(cells: Cells, people: FloatArray, accepted: FloatArray) -> dict[str, float]:
    """Return shares per application, how unlike scenarios and how unlike people are."""
    statistics = {}
    for index, name in enumerate(cells.applications):
        here = cells.application == index
        asked, yes = people[:, here].sum(axis=0), accepted[:, here].sum(axis=0)
        statistics[f"share accepting, {name}"] = float(yes.sum() / asked.sum())
        statistics[f"sd of shares between scenarios, {name}"] = float(np.std(yes / asked))
        best = np.argmax(cells.precision[here] * cells.recall[here])
        statistics[f"share accepting the best scenario, {name}"] = float(yes[best] / asked[best])
    shares = accepted.sum(axis=1) / people.sum(axis=1)
    statistics["sd of shares between people"] = float(np.std(shares))
    statistics["people who accept everything"] = float(np.mean(shares == 1))
    statistics["people who accept nothing"] = float(np.mean(shares == 0))
    return statistics
