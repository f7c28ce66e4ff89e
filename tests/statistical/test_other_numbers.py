"""The smaller numbers: shares with an interval, chance levels, whole rankings, curves."""

import numpy as np
import pytest
from scipy.special import expit, ndtri
from scipy.stats import spearmanr
from tests.statistical.judging import COVERAGES, binned, covers, expected_counts, frequencies
from tests.statistical.tally import Tally

from howgood import ask, learn, score
from howgood.decide import rank
from howgood.records.priors import Beta, HalfNormal, Normal, Priors
from howgood.records.provenance import Provenance
from howgood.records.rater_consistency import RaterConsistency

pytestmark = pytest.mark.slow


def test_shares_of_wavering_raters_are_held_as_often_as_said(ledger):
    seed = 20163
    rng = np.random.default_rng(seed)
    hits = {level: [] for level in COVERAGES}
    for _ in range(2000):
        share = rng.beta(0.5, 0.5)
        count = int(rng.binomial(60, share))
        found = RaterConsistency(
            pairs=(count, 60 - count, 0), users=(1, 0, 0), provenance=Provenance(method="")
        )
        for level, held in hits.items():
            row = found.table(probability=level)
            at = len(row) // 2  # users come first, then pairs
            held.append(row["lower"][at] <= share <= row["upper"][at])
    ledger.add("coverage", "share of pairs rated alike", covers(hits, at_least=True),
               setting="60 pairs, share from Jeffreys' prior; none and all are taken to reach 0 "
               "and 1, so intervals may hold more", seed=seed)  # fmt: skip
    ledger.settle()


@pytest.mark.parametrize("rows", [3, 10, 40])
def test_shares_of_outcomes_are_held_as_often_as_said(rows, ledger):
    seed, n_contexts = 20215, 3000
    rng = np.random.default_rng([seed, rows])
    shares = rng.dirichlet(np.ones(4), size=n_contexts)
    context = np.repeat(np.arange(n_contexts), rows)
    outcome = (shares[context].cumsum(axis=1) < rng.random((len(context), 1))).sum(axis=1)
    found = learn.outcome_probabilities(
        {"c": context, "y": np.minimum(outcome, 3)}, outcome="y", context=["c"]
    ).to_table()
    # The four shares of a context are tied to each other: one of them, at random.
    which = found["outcome"] == rng.integers(0, 4, n_contexts)[found["c"]]
    truth = shares[found["c"][which], found["outcome"][which]]
    held = (found["lower"][which] <= truth) & (truth <= found["upper"][which])
    ledger.add("coverage", "share of an outcome in a context",
               covers({0.95: held}, at_least=True),
               setting=f"{rows} independent rows per context, four outcomes, any shares equally "
               "likely; none and all reach 0 and 1, so intervals may hold more",
               seed=seed)  # fmt: skip
    ledger.settle()


def test_perfect_scores_exceed_the_error_by_chance_one_time_in_twenty(ledger):
    seed = 20164
    rng = np.random.default_rng(seed)
    exceeded = []
    for _ in range(1000):
        chance = rng.beta(0.5, 1.5, 150)
        report = learn.calibration_report(rng.random(150) < chance, chance, random_state=rng)
        exceeded.append(report.error > report.error_by_chance)
    ledger.add(
        "probability", "perfect scores look worse than chance",
        expected_counts(exceeded, np.full(1000, 0.05), what="exceeded"),
        setting="150 calibrated scores, ten bins", seed=seed,
    )  # fmt: skip
    ledger.settle()


def _two_questions(rng, n_people):
    """Five rows of two seven-point questions per person, both moved by the person."""
    person = np.repeat(rng.normal(0, 1, n_people), 5)
    shared = person + rng.normal(0, 1, person.size)
    asked = [np.clip(np.round(4 + shared + rng.normal(0, 1, person.size)), 1, 7) for _ in range(2)]
    return {
        "participant": np.repeat([f"p{k}" for k in range(n_people)], 5),
        "application": ["x"] * person.size,
        "precision": np.tile([0.5, 0.6, 0.7, 0.8, 0.9], n_people),
        "recall": np.full(person.size, 0.8), "rating": asked[0].astype(int),
        "usefulness": asked[1].astype(int),
    }  # fmt: skip


def test_standard_errors_of_correlations_hold_the_correlation(ledger):
    seed = 20192
    rng = np.random.default_rng(seed)
    many = _two_questions(rng, 40_000)
    truth = float(spearmanr(many["rating"], many["usefulness"]).statistic)
    hits = {level: [] for level in COVERAGES}
    for _ in range(600):
        row = learn.item_correlations(ask.read_answers(_two_questions(rng, 40), scale=7))
        away = abs(row["spearman"][0] - truth) / row["se"][0]
        for level, held in hits.items():
            held.append(away <= ndtri(0.5 + level / 2))
    ledger.add("coverage", "correlation of two questions, by its standard error",
               covers(hits, allowed=0.02), setting="40 people, five rows each; two points allowed: "
               "the jackknife is an approximation", seed=seed)  # fmt: skip
    ledger.settle()


def test_intervals_of_correlations_hold_with_six_people(ledger):
    seed = 20198
    rng = np.random.default_rng(seed)
    many = _two_questions(rng, 40_000)
    truth = float(spearmanr(many["rating"], many["usefulness"]).statistic)
    held = []
    for _ in range(1200):
        row = learn.item_correlations(ask.read_answers(_two_questions(rng, 6), scale=7))
        held.append(row["lower"][0] <= truth <= row["upper"][0])
    ledger.add("coverage", "correlation of two questions, six people",
               covers({0.95: held}, allowed=0.02), setting="six people, five rows each; two points "
               "allowed: the jackknife is an approximation", seed=seed)  # fmt: skip
    ledger.settle()


def _spread(truth, guess):
    return float(np.quantile(np.abs(truth - guess), 0.9))


def test_paired_differences_of_any_metric_hold_another_re_rating(ledger):
    seed = 20165
    rng = np.random.default_rng(seed)
    hits, said, above = {level: [] for level in COVERAGES}, [], []
    for _ in range(400):
        mean, sd = rng.uniform(1, 5, 20), rng.gamma(2.0, 0.4, 20)
        systems = {name: mean + rng.normal(0, 0.6, 20) for name in "ab"}
        paired = score.propagate_systems(
            _spread, predictions=systems, mean=mean, sd=sd, random_state=rng
        )
        again = mean + sd * rng.standard_normal(20)
        gap = _spread(again, systems["a"]) - _spread(again, systems["b"])
        for level, held in hits.items():
            held.append(gap in paired.difference("a", "b", probability=level).interval)
        said.append(paired.probability_above("a", "b"))
        above.append(gap > 0)
    setting = "90 % quantile of the error of two systems on 20 pairs, one more re-rating"
    ledger.add("coverage", "paired difference of a propagated metric", covers(hits),
               setting=setting, seed=seed)  # fmt: skip
    ledger.add("probability", "a propagated metric is above another",
               expected_counts(above, said, what="true"), setting=setting, seed=seed)  # fmt: skip
    ledger.settle()


def test_every_rank_and_every_order_is_as_probable_as_said(ledger):
    seed, repeats = 20166, 20_000
    rng = np.random.default_rng(seed)
    ranks_said, ranks_seen, orders_said, orders_seen = [], [], [], []
    for _ in range(25):
        mean, sd = rng.uniform(1, 5, 25), rng.gamma(2.0, 0.4, 25)
        systems = {f"s{k}": mean + rng.normal(0, 0.5, 25) for k in range(4)}
        ranking = rank(systems, mean=mean, sd=sd)
        again = mean + sd * rng.standard_normal((repeats, 25))
        scores = np.column_stack([np.mean((again - e) ** 2, axis=1) for e in systems.values()])
        places = scores.argsort(axis=1)
        seen = places.argsort(axis=1)
        # One system and one place, else counts of a case would depend on each other.
        system, place = int(rng.integers(4)), int(rng.integers(4))
        ranks_said.append(ranking.rank_probabilities[f"s{system}"][place])
        ranks_seen.append(np.sum(seen[:, system] == place))
        likely = ranking.orderings()[0]
        order = [ranking.index(name) for name in likely.order]
        orders_said.append(likely.probability)
        orders_seen.append(np.sum((places == order).all(axis=1)))
    setting = f"25 cases of 4 systems on 25 pairs, {repeats:,} re-ratings each"
    for name, counts, said in (
        ("probability of a rank", ranks_seen, ranks_said),
        ("probability of the likeliest order", orders_seen, orders_said),
    ):
        kept = (np.array(said) > 0.002) & (np.array(said) < 0.998)
        judgement = frequencies(
            np.array(counts)[kept], repeats, np.array(said)[kept], allowed=0.005, what=name
        )
        ledger.add("brute force", name, judgement,
                   setting=setting + "; half a point allowed: the scores' joint law is taken as "
                   "normal", seed=seed)  # fmt: skip
    ledger.settle()


def test_discrete_feedback_has_the_distribution_it_says(ledger):
    seed, repeats, n_bins = 20167, 20_000, 8
    rng = np.random.default_rng(seed)
    counts, chances, values = [], [], np.arange(1.0, 6.0)
    for n in np.tile([3, 8, 30, 120], 5):
        shares = rng.dirichlet(np.full(5, 0.7), n)
        prediction = rng.uniform(1, 5, n)
        exact = score.rmse(
            prediction=prediction, feedback=score.categorical_feedback(shares, values=values)
        )
        # Edges that are atoms: between two of them no bin could hold anything.
        first, cuts = _rated(shares, values, prediction, rng, 500), np.arange(1, n_bins) / 8
        edges = np.quantile(first, cuts, method="inverted_cdf")
        edges = np.unique(np.round(edges, 7)) + 1e-6  # atoms belong below, and count once
        again = _rated(shares, values, prediction, rng, repeats)
        if edges.size < n_bins - 1:
            continue
        counts.append(np.bincount(np.searchsorted(edges, again), minlength=n_bins))
        chances.append(np.diff(np.concatenate([[0.0], exact.cdf(edges), [1.0]])))
    ledger.add("brute force", "distribution of RMSE, five-star feedback", binned(counts, chances),
               setting=f"{len(counts)} random cases of 3 to 120 pairs, {repeats:,} re-ratings each,"
               f" in {n_bins} bins", seed=seed)  # fmt: skip
    ledger.settle()


def _rated(shares, values, prediction, rng, repeats):
    cuts = shares.cumsum(axis=1)
    total = np.zeros(repeats)
    for cut, guess in zip(cuts, prediction, strict=True):
        drawn = np.minimum(np.searchsorted(cut, rng.random(repeats)), 4)
        total += (values[drawn] - guess) ** 2
    return np.sqrt(total / len(prediction))


PRIORS = Priors(
    name="calibration",
    intercept=Normal(-8.0, 3.0),
    slope=Normal(11.0, 4.0),
    alpha=Beta(2.0, 2.0),
    person_sd=HalfNormal(2.0),
)


def test_curves_of_acceptance_hold_the_truth(ledger):
    """People are simulated here, since their leniencies must be known."""
    seed, n_people = 20169, 14
    rng = np.random.default_rng(seed)
    tally, curve, plane, said, above = Tally(rng), [], [], [], []
    shown = np.array([(p, r) for p in (0.5, 0.75, 1.0) for r in (0.6, 1.0)])
    for _ in range(250):
        alpha, start, slope = rng.beta(2, 2), rng.normal(-8, 3), rng.normal(11, 4)
        sd = abs(rng.normal(0, 2))
        leniency = sd * rng.standard_normal(n_people)
        mean = shown[:, 0] ** alpha * shown[:, 1] ** (1 - alpha)
        chance = expit(start + slope * mean + leniency[:, None])
        answers = {
            "participant": np.repeat([f"p{k}" for k in range(n_people)], len(shown)),
            "application": ["x"] * chance.size,
            "precision": np.tile(shown[:, 0], n_people),
            "recall": np.tile(shown[:, 1], n_people),
            "accepted": (rng.random(chance.shape) < chance).ravel(),
        }
        fit = _fitted(answers, rng)
        if fit is None:
            continue
        tally.take("odds ratio per point", fit.odds_ratio("x").draws, np.exp(0.01 * slope))
        said.append(fit.probability_alpha_above(0.5, application="x"))
        above.append(alpha > 0.5)
        row = fit.respondent_curve("x", points=7)
        at = int(rng.integers(7))
        among = float(expit(start + slope * row["mean"][at] + leniency).mean())
        curve.append(row["lower"][at] <= among <= row["upper"][at])
        row = fit.surface("x", points=5, who="average")
        at = int(np.flatnonzero((row["precision"] == 0.75) & (row["recall"] == 1.0))[0])
        share = float(expit(start + slope * 0.75**alpha))
        plane.append(row["lower"][at] <= share <= row["upper"][at])
    setting = f"{n_people} people × 6 scenarios, geometric mean, parameters from the prior"
    tally.report(ledger, setting=setting, seed=seed, prefix="binary: ")
    for name, held in (("curve of those asked", curve), ("surface of acceptance", plane)):
        ledger.add("coverage", f"binary: {name}", covers({0.95: held}, allowed=0.005),
                   setting=f"{setting}; half a point allowed for 300 draws", seed=seed)  # fmt: skip
    ledger.add("probability", "precision weighs more than recall",
               expected_counts(above, said, what="true"), setting=setting, seed=seed)  # fmt: skip
    ledger.settle()


def _fitted(answers, rng):
    import warnings

    from howgood.errors import UngatedPosteriorError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return learn.fit_acceptability(
                answers, means=(0,), priors=PRIORS, flawless=False, engine="importance", draws=1500,
                random_state=rng,
            )  # fmt: skip
        except UngatedPosteriorError:
            return None
