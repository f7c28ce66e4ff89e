"""Every public number with an uncertainty, found by walking the types, and the rows it owes.

In: the four stages. Out: `printed()`, the names of all attributes that hold an interval, a table
or a probability; `PROVED`, which rows of the ledger each of them rests on; `EXCUSED`, why the
others owe none. Absent: the proofs.
"""

import dataclasses
import importlib
import inspect
import re
import types
import typing

STAGES = ("ask", "learn", "score", "decide")
_UNCERTAIN = {"Estimate", "Interval", "Table", "Range", "Ordering", "ScoreDistribution"}
# Plain numbers give themselves away by name.
_NAMED = re.compile(
    r"prob|^p_|^k?hat|error|chance|reachable|families|agreement|^predict|cdf|^sf$|quantile|certain"
    r"|needed|interval|power"
)


def printed() -> set[str]:
    """Return "Result.attribute" and "stage.function" of everything that may carry uncertainty."""
    found, seen, waiting = set(), set(), []
    for stage in STAGES:
        module = importlib.import_module(f"howgood.{stage}")
        for name in module.__all__:
            public = getattr(module, name)
            if inspect.isclass(public):
                waiting.append(public)
            elif inspect.isfunction(public):
                kinds = _kinds(_returned(public))
                waiting += kinds
                if kinds and {kind.__name__ for kind in kinds} & _UNCERTAIN:
                    found.add(f"{stage}.{name}")
    while waiting:
        owner = waiting.pop()
        if owner in seen:
            continue
        seen.add(owner)
        for name, annotation in _attributes(owner):
            kinds = _kinds(annotation)
            waiting += kinds
            is_number = not kinds and _NAMED.search(name) and _is_numeric(annotation)
            if is_number or {kind.__name__ for kind in kinds} & _UNCERTAIN:
                found.add(f"{owner.__name__}.{name}")
    return found


def _attributes(owner: type) -> list[tuple[str, object]]:
    """Public fields, properties and methods of a class and its bases, with what they give."""
    given = {}
    for each in reversed(owner.__mro__):
        for name, value in vars(each).items():
            function = value.fget if isinstance(value, property) else value
            function = getattr(function, "__func__", function)
            if not name.startswith("_") and inspect.isfunction(function):
                given[name] = _returned(function)
    if dataclasses.is_dataclass(owner):
        hints = typing.get_type_hints(owner)
        given |= {field.name: hints[field.name] for field in dataclasses.fields(owner)}
    return [(name, kind) for name, kind in given.items() if not name.startswith("_")]


def _returned(function) -> object:
    try:
        return typing.get_type_hints(function).get("return")
    except NameError:  # a name only type checkers know
        return None


def _kinds(annotation) -> list[type]:
    """Return the classes of howgood an annotation mentions."""
    if inspect.isclass(annotation) and not isinstance(annotation, types.GenericAlias):
        return [annotation] if annotation.__module__.startswith("howgood.") else []
    return [kind for each in typing.get_args(annotation) for kind in _kinds(each)]


def _is_numeric(annotation) -> bool:
    return bool(re.search(r"float|ndarray|int\b", str(annotation)))


_FIT = ("binary: intercept", "binary: slope", "binary: alpha", "binary: spread of people",
        "alpha, fixed truth", "slope, fixed truth", "intercept, fixed truth")  # fmt: skip
_PREDICTED = ("binary: prediction, population", "binary: prediction, average person",
              "binary, again: prediction, average person",
              *(f"prediction, fixed truth, {n} people" for n in (3, 5, 10)),
              *(f"default priors, {n} people: prediction, population" for n in (3, 5, 10)),
              )  # fmt: skip
_ORDINAL = ("ordinal: slope", "ordinal: slope, fixed truth", "ordinal: alpha",
            "ordinal: spread of people", "ordinal: shift of a part",
            "ordinal: log scale of a part", "ordinal: scale of a part",
            "ordinal: variance of a part")  # fmt: skip
_CORRELATION = ("correlation of two questions, by its standard error",
                "correlation of two questions, six people")  # fmt: skip
_KIND_OF_MEAN = ("kind of mean is harmonic",)
_EXACT = ("distribution of RMSE", "distribution of MSE", "distribution of MAE", "RMSE quantiles",
          "MSE quantiles", "MAE quantiles")  # fmt: skip
_FLIPS = ("a re-rating flips the order", "a re-rating flips the order of lists",
          "a re-rating flips the order of lists, several systems",
          "a re-rating flips the order, few ratings",
          "paired error of RMSE", "paired error of MAE",
          "paired error of MAE, few pairs", "the order by mean grades is the opposite",
          "the order by mean grades is the opposite, few items",
          "the order by mean grades is the opposite, few raters",
          "the order by errors is the opposite, raters as a sample")  # fmt: skip
_TRUE_ORDER = ("the true order is the opposite, all", "the true order is the opposite, few ratings")
_RANKS = ("probability of a rank", "probability of being best")
_PLANNED = ("needed pairs, re-rating", "needed pairs, true order", "needed repeats per pair")

_CHOSEN = ("{} at the chosen threshold", "{} at the chosen threshold, unseen populations")
_ECHO = "what the caller asked for, handed back"
_BRACKET = (
    "the last bracket of a search without a model of error: no probability is claimed, and result "
    "pages call it a bracket"
)
_NO_CHANCE = "a count or a mean of what was given: nothing is inferred"
_OF_THE_SUM = "a sum over the data, from which the distributions are made"

_RATERS = (3, 5, 8, 25)
_CORRECTED = (*(f"corrected pass rate, {n} raters" for n in _RATERS),
              "corrected pass rate, a rater per item")  # fmt: skip
_OTHER_PEOPLE = tuple(
    f"other people: alpha, sd {sd}, {n} people" for sd in ("0", "0.5", "1.1") for n in (25, 53)
)
_OFF = tuple(f"how far a judge is off, {n} raters" for n in _RATERS)

_SHIPPED = ("shipped though equal", "stopped though equal",
            "ever shipped though equal, many looks",
            "the better evaluation is not the better system",
            "a verdict is reversed on other documents")  # fmt: skip
_GAP = ("difference of two evaluations", "difference of two evaluations, few items")

_CRITERION = ("weight of a criterion", "weight of a criterion, noise: flips")
_BEST_BY_CRITERIA = ("alternative is the best", "alternative is the best, uncertain scores",
                     "alternative is the best, noise: flips")  # fmt: skip
_FAILING_WEIGHT = ("failures: weight of a kind",)
_FAILING_SHARE = ("failures: share accepting",)

_THREE_WEIGHTS = tuple(
    f"three measures: weight of {name}" for name in ("precision", "recall", "specificity")
)
PROVED: dict[str, tuple[str, ...]] = {
    "MetricComparison.base": ("pass rate of one system, few items",),
    "MetricComparison.candidate": ("the candidate is below the bar",
                                   "pass rate of one system, few items"),
    "MetricComparison.difference": _GAP,
    "MetricComparison.p_better": _SHIPPED,
    "MetricComparison.p_not_worse": _SHIPPED,
    "MetricComparison.p_opposite": ("the better evaluation is not the better system",),
    "MetricComparison.p_worse": _SHIPPED,
    "MeasureComparison.table": ("measures: which one people follow",
                                "measures: score of people left out"),
    "MeasureWeights.probability_counting": ("three measures: specificity counts",),
    "MeasureWeights.table": _THREE_WEIGHTS,
    "MeasureWeights.weights": _THREE_WEIGHTS,
    "Reliability.alpha": ("Cronbach's alpha",),
    "Reliability.omega": ("McDonald's omega",),
    "AcceptanceWatch.accepting": ("share accepting in use, at every look",),
    "AcceptanceWatch.periods": ("share accepting in a period",),
    "ShipDecision.candidate_rate": ("the candidate is below the bar",),
    "ShipDecision.cost": ("ratio of costs",),
    "ShipDecision.difference": _GAP,
    "ShipDecision.error": _SHIPPED,
    "ShipDecision.latency": ("ratio of costs",),
    "ShipDecision.needed": ("needed items for a verdict",),
    "ShipDecision.p_above_bar": ("the candidate is below the bar",),
    "ShipDecision.p_tolerated": ("a rate of failure is below what is tolerated",
                                 "passed though the rate of failure is what is tolerated"),
    "ShipDecision.table": (*_SHIPPED, *_GAP),
    "JudgeAgreement.colleague": ("judge against a colleague",),
    "JudgeAgreement.judge_people": ("judge agrees with a person",),
    "JudgeAgreement.people_people": ("two people agree",),
    "JudgeAgreement.people_themselves": ("two people agree",),  # the same estimator
    "NoiseCeiling.left_out": ("ceiling of accuracy",),
    "NoiseCeiling.plug_in": ("ceiling of accuracy",),
    "RaterAgreement.alpha": ("Krippendorff's alpha",),
    "RaterAgreement.self_agreement": ("self-agreement of raters",),
    "RaterAgreement.table": ("Krippendorff's alpha", "self-agreement of raters"),
    "JudgeDrift.change": ("drift of a judge",),
    "JudgeDrift.table": ("drift of a judge",),
    "JudgePlan.alternatives": ("labels for a wanted width",),
    "JudgeReport.bias": ("bias of a judge by length",),
    "JudgeReport.corrected": _CORRECTED,
    "JudgeReport.difference": ("difference of corrected systems",),
    "JudgeReport.labels_alone": _CORRECTED,  # the same estimator, with weight 0
    "JudgeReport.off": _OFF,
    "JudgeReport.segments": ("corrected mean of a segment",),
    "JudgeReport.table": (*_CORRECTED, *_OFF),
    "AcceptabilityFit.correlations": _CORRELATION,
    "AcceptabilityFit.difference": ("binary: difference of alpha",),
    "AcceptabilityFit.differences": ("binary: difference of alpha",),
    "AcceptabilityFit.estimate": _FIT,
    "AcceptabilityFit.flawless": ("flawless: no error at all",),
    "AcceptabilityFit.iso_acceptability": ("binary: surface of acceptance",),
    "AcceptabilityFit.mean_probabilities": _KIND_OF_MEAN,
    "AcceptabilityFit.odds_ratio": ("binary: odds ratio per point",),
    "AcceptabilityFit.order": ("continuous p: p",),
    "AcceptabilityFit.people": ("people: alpha of a person",),
    "Gate.segments": ("segments: share accepting",),
    "OneThreshold.acceptance": ("segments: share accepting",),
    "OneThreshold.lost": ("one threshold: acceptance lost",),
    "OneThreshold.lost_overall": ("one threshold: acceptance lost",),
    "OneThreshold.table": ("one threshold: acceptance lost",),
    "OtherPeople.alpha": _OTHER_PEOPLE,
    "OtherPeople.difference": _OTHER_PEOPLE,  # paired draws of the same alphas
    "OtherPeople.probability": ("other people: weights differ",),
    "OtherPeople.spread": ("people: spread of alpha",),  # the same density
    "OtherPeople.table": _OTHER_PEOPLE,
    "SegmentedPeople.probability_differing": ("segments: people differ by a column",),
    "SegmentedPeople.alpha": ("people: alpha of the middle person",),
    "SegmentedPeople.people": ("people: alpha of a person",),
    "SegmentedPeople.person_spread": ("people: spread of alpha",),
    "AcceptabilityFit.person_sd": ("binary: spread of people", "continuous p: spread of people"),
    "AcceptanceDraws.estimate": _PREDICTED,
    "AcceptabilityFit.predict": _PREDICTED,
    "AcceptabilityFit.prior_sensitivity": _KIND_OF_MEAN,
    "AcceptabilityFit.probability_alpha_above": ("precision weighs more than recall",),
    "AcceptabilityFit.respondent_curve": ("binary: curve of those asked",),
    "AcceptabilityFit.summary": _FIT,
    "AcceptabilityFit.surface": ("binary: surface of acceptance",),
    "Agreement.share": ("agreement with held-out choices",),
    "ApplicationChoice.acceptance": ("acceptance in an application",),
    "ApplicationChoice.best_probability": ("application is the best",),
    "ApplicationChoice.table": ("acceptance in an application", "application is the best"),
    "CalibrationReport.error_by_chance": ("perfect scores look worse than chance",),
    "CriteriaElicitor.predict": _CRITERION,  # choices follow from weights and noise alone
    "CriteriaResult.best_probability": _BEST_BY_CRITERIA,
    "CriteriaResult.exchange": _CRITERION,  # ratios of the same draws
    "CriteriaResult.p_settled": _BEST_BY_CRITERIA,
    "CriteriaResult.regret": (*_CRITERION, *_BEST_BY_CRITERIA),
    "CriteriaResult.table": _BEST_BY_CRITERIA,
    "CriteriaResult.utility": _CRITERION,  # sums of the same draws
    "CriteriaResult.weights": _CRITERION,
    "ElicitationResult.a0": ("elicited a0", "elicited a0, noise: none",
                             "elicited a0, noise: flips", "elicited a0, noise: logistic"),
    "ElicitationResult.expected_agreement": ("expected agreement",),
    "ElicitationResult.families": ("family is linear",),
    "ElicitationResult.interval": ("elicited a0",),
    "ElicitationResult.ratio": ("elicited a0",),  # the same quantiles, turned over
    "Elicitor.predict": ("predicted choice",),
    # Choices follow from weights and noise alone.
    "FairElicitor.predict": ("fair: weight of recall", "fair: weight of the gap in recall"),
    "MulticlassElicitor.predict": ("weight of a class",),
    "QuantileElicitor.predict": ("quantile to predict",),
    "Estimate.from_draws": ("shortest interval, flat posterior",
                            "shortest interval, normal posterior",
                            "shortest interval, skewed posterior"),
    "Estimate.interval": ("shortest interval, normal posterior",),
    "Estimate.probability_above": ("precision weighs more than recall",),
    "Gate.acceptance": ("binary: acceptance of a classifier",),
    "Gate.p_enough": ("gate: enough people accept",),
    "GoLive.table": ("go live: enough people accept", "binary: acceptance of a classifier"),
    "Law.cdf": _EXACT,
    "Law.quantile": _EXACT,
    "Law.sf": _EXACT,
    "LeftOut.mean_absolute_error": ("ratings of people left out",),
    "LeftOut.predictions": ("ratings of people left out", "range of one person's rating"),
    "MultinomialFit.alpha": ("multinomial: alpha",),
    "MultinomialFit.level_shares": ("multinomial: share accepting",),
    "MultinomialFit.mean_probabilities": ("multinomial: kind of mean",),
    "MultinomialFit.predict": ("multinomial: share accepting",),
    "MultinomialFit.summary": (
        "multinomial: alpha", "multinomial: level of a rating", "multinomial: slope of a rating",
        "multinomial: spread of people",
    ),
    "OrdinalFit.alpha": _ORDINAL,
    "OrdinalFit.correlations": _CORRELATION,
    "OrdinalFit.difference": _ORDINAL,
    "OrdinalFit.estimate": _ORDINAL,
    "OrdinalFit.log_scale": _ORDINAL,
    "OrdinalFit.person_sd": _ORDINAL,
    "OrdinalFit.predict": ("ordinal: prediction, imagined system, fixed truth",
                           "ordinal: prediction, real system, fixed truth",
                           "ordinal: prediction, imagined system",
                           "ordinal: prediction, real system"),
    "OrdinalFit.scale_ratio": _ORDINAL,
    "OrdinalFit.shift": _ORDINAL,
    "OrdinalFit.slope": _ORDINAL,
    "OrdinalFit.summary": _ORDINAL,
    "OrdinalFit.thresholds": ("ordinal: second threshold",),
    "OrdinalFit.variance_ratio": _ORDINAL,
    "OutcomeTable.to_table": ("share of an outcome in a context",),
    "PairedScores.difference": ("paired difference of a propagated metric",),
    "PairedScores.probability_above": ("a propagated metric is above another",),
    "PropagatedScore.cdf": ("propagated metric",),
    "PropagatedScore.interval": ("propagated metric",),
    "PropagatedScore.quantile": ("propagated metric",),
    "PropagatedScore.sf": ("propagated metric",),
    "ContextAgreement.table": ("agreement that a feature explains",),
    "FeatureAgreement.interval": ("agreement that a feature explains",),
    "Sessions.p_value": ("exchangeable sessions are called different",),
    "Sessions.p_values": ("exchangeable sessions are called different",),
    "Ranking.best_probability": ("probability of being best",),
    "Ranking.error": _FLIPS,
    "Ranking.error_table": _FLIPS,
    "Ranking.errors": _FLIPS,
    "Ranking.orderings": ("probability of the likeliest order",),
    "Ranking.rank_intervals": ("rank interval",),
    "Ranking.rank_probabilities": _RANKS,
    "Ranking.table": ("rank interval", *_RANKS, *_FLIPS),
    "Ranking.true_error": _TRUE_ORDER,
    "Ranking.true_errors": _TRUE_ORDER,
    "RaterConsistency.table": (
        "share of pairs rated alike", "share of pairs rated alike, people differ",
        "share of pairs rated three ways or more, people differ",
    ),
    "RelevanceReport.at_infinite_alpha": ("Relevance Score, infinite alpha",),
    "RelevanceReport.at_infinite_beta": ("Relevance Score, infinite beta",),
    "RelevanceReport.estimate": (
        "Relevance Score", "Relevance Score, people grouped", "Relevance Score, few people",
    ),
    # "p lead" is the share of the same paired draws above 0.
    "RelevanceSweep.crossings": ("gap between two Relevance Scores",),
    # Each band is made of the draws at both ends.
    "RelevanceSweep.lines": ("Relevance Score", "Relevance Score, infinite alpha",
                             "Relevance Score, infinite beta"),
    "RelevanceWeights.alpha_share": ("weights of the Relevance Score",
                                     "weights of the Relevance Score, few people"),
    "RelevanceWeights.base_error": ("error at zero distance",
                                    "error at zero distance, few people"),
    "Requirement.error_now": (*_FLIPS, *_PLANNED),
    "NeededGrades.error_now": (*_FLIPS, "needed items, grades"),
    "Sources.needed": ("needed items, grades",),
    "Sources.repeats_needed": ("needed items, grades",),  # the same solution for another part
    "Sources.together_needed": ("needed items, grades",),  # likewise, of both at once
    "ScoreDistribution.interval": _EXACT,
    "StudySize.power": ("study size: power",),
    "StudySize.widths": ("study size: width of alpha's interval",
                         "study size: wanted width is reached", "study size: alpha's interval"),
    "FailuresFit.estimate_of": _FAILING_SHARE,
    "FailuresFit.flawless": ("flawless: no error at all",),
    "FailuresFit.person_sd": ("failures: spread of people",),
    "FailuresFit.predict": _FAILING_SHARE,
    "FailuresFit.relative": _FAILING_WEIGHT,
    "FailuresFit.removing": _FAILING_SHARE,
    "FailuresFit.summary": _FAILING_WEIGHT,
    "FailuresFit.tolerable": _FAILING_SHARE,
    "FailuresFit.weights": _FAILING_WEIGHT,
    "FailuresFit.without": _FAILING_SHARE,
    "FailureBar.alone": _FAILING_SHARE,
    "FailureBar.reachable": _FAILING_SHARE,
    "FailureGate.acceptance": _FAILING_SHARE,
    "FailureGate.p_enough": _FAILING_SHARE,
    "MetricGate.gain": ("gain by a metric",),
    "MetricGate.p_better": ("gain by a metric",),
    "MetricGate.value": ("metric of predicted labels",),
    "QuantileResult.interval": ("quantile to predict",),
    "QuantileResult.quantile": ("quantile to predict",),
    "QuantileResult.ratio": ("quantile to predict",),
    "QuantileResult.shift": ("how far predictions should move",),
    "Stakeholders.a0": ("crowd: one person given the others",),
    "Stakeholders.p_two": ("people form two crowds",),
    "Stakeholders.spread": ("crowd: spread between people",),
    "Stakeholders.typical": ("crowd: the person in the middle",),
    "Target.acceptance": _PREDICTED,
    "Target.at_best": ("binary: share at perfect accuracy",),
    "Target.needed_mean": ("binary: needed accuracy (target)",),
    "Target.precision_gain": ("binary: gain per point of precision",),
    "Target.reachable": ("target: the share can be reached",),
    "Target.recall_gain": ("binary: gain per point of recall",),
    "ThresholdChoice.acceptance": tuple(each.format("acceptance") for each in _CHOSEN),
    "ThresholdChoice.curve": ("curve over thresholds", "curve over thresholds, few cases"),
    "ThresholdChoice.precision": tuple(each.format("precision") for each in _CHOSEN),
    "ThresholdChoice.recall": tuple(each.format("recall") for each in _CHOSEN),
    "ThresholdChoice.threshold": (
        "best threshold", "best threshold, unseen populations", "best threshold, few cases",
        "best threshold, few cases, other shapes",
    ),
    "TradeOff.curve": ("trade-off: band of acceptance",
                       "trade-off: enough people at the least accuracy",
                       "trade-off: not enough one point lower"),
    # Shares of draws of the weights among those that were learned.
    "WeightsResult.learned": ("weight of a class",),
    "WeightsResult.violation_weight": ("fair: weight of all gaps",),
    "WeightsResult.weights": ("weight of a class", "fair: weight of recall",
                              "fair: weight of the gap in recall"),
    "decide.acceptance": ("binary: acceptance of a classifier",),
    "learn.item_correlations": _CORRELATION,
    "score.from_sums": ("distribution of RMSE", "distribution of MSE"),
    "score.mae": ("distribution of MAE",),
    "score.mse": ("distribution of MSE",),
    "score.rmse": ("distribution of RMSE", "distribution of RMSE, five-star feedback"),
}  # fmt: skip

EXCUSED: dict[str, str] = {
    "LabelVariances.predictions": "a variance that plans rest on, which are proved",
    "JudgeReport.judge_alone": "a textbook interval, shown to be compared with",
    "AcceptabilityFit.flawless_comparison": "evidence of two models, and posterior predictive "
    "p-values, which are not uniform",
    "AcceptabilityFit.predictive_check": "posterior predictive p-values are not uniform, and no "
    "decision rests on them: they point at misfit",
    "ApplicationChoice.certainty": _ECHO,
    "Bisection.intervals": _BRACKET,
    "BisectionResult.families": "one family, with probability 1 by assumption",
    "BisectionResult.interval": _BRACKET,
    "BisectionResult.optimal_range": "exact: every a0 for which the matrix is the best",
    "CalibrationReport.error": "the error of these scores; its chance level is proved",
    "CalibrationReport.table": _NO_CHANCE,
    "DiagonalResult.intervals": _BRACKET,
    "Diagnostics.khat": "a gate, not a claim: posteriors that pass it are proved",
    "DiscreteFeedback.probabilities": _ECHO,
    "ElicitationResult.optimal_range": "exact: every a0 for which the matrix is the best",
    "ElicitationResult.thresholds": "exact: where the matrix is reached",
    "FractionalResult.disagreement": "how far two derivations differ; the thresholds they start "
    "from are compared with brute force",
    "FailureBar.certainty": _ECHO,
    "GroupThresholds.predict": "labels, not numbers",
    "PinballMetric.quantile": _ECHO,
    "Stakeholders.disagreement": "what each person's own metric forgoes: nothing beyond the a0 it "
    "is made from",
    "WeightedArgmax.predict": "labels, not numbers",
    "Stakeholders.regret": "means over the people asked of what their own metrics forgo; the "
    "intervals are the Bayesian bootstrap over them, proved for other means",
    "FailureGate.certainty": _ECHO,
    "MetricGate.certainty": _ECHO,
    "FailuresFit.power_probabilities": "evidence of two curves; what is said under both is proved",
    "Gate.certainty": _ECHO,
    "OneThreshold.certainty": _ECHO,
    "GoLive.certainty": _ECHO,
    "ContextAgreement.agreement": _NO_CHANCE,
    "FamilyFit.by_chance": "the expected size of a distance, to leading order",
    "FamilyFit.table": "distances and likelihoods of draws that were given: nothing is inferred",
    "Sessions.observed": _NO_CHANCE,
    "Sessions.resampled": "shares of re-evaluations of the ratings seen: nothing is inferred",
    "Sessions.table": _NO_CHANCE,
    "score.first_order": "the published approximation, compared with draws and with the exact "
    "distribution in tests/score",
    "Interval.probability": _ECHO,
    "Needed.error": _ECHO,
    "NeededGrades.error": _ECHO,
    "OtherPeople.mean_probabilities": "the likeliest kind of mean of the fit, taken as known",
    "OrdinalFit.mean_probabilities": "the same mixture of kinds as in the binary model, proved "
    "there; no ordinal studies with several kinds have been simulated",
    "RelevanceReport.case_table": _NO_CHANCE,
    "RelevanceReport.chance": "exact: the expected score of random guesses",
    "RelevanceReport.most_probable": "exact: the score of the likeliest guess",
    "SquaredErrorSums.deviation_powers": _OF_THE_SUM,
    "PowerCostMetric.power": "an exponent that defines the metric, not a probability",
    "SquaredErrorSums.power_sums": _OF_THE_SUM,
    "SquaredErrorSums.variance_powers": _OF_THE_SUM,
    "ThresholdCounts.optimal_range": "exact: every a0 for which the threshold is the best",
    "ThresholdCounts.ranges": "exact: the thresholds that lead to the counts",
    "ThresholdMatrices.ranges": "exact: the thresholds that lead to a matrix",
    "ThresholdMatrices.thresholds_of": "exact: the thresholds that lead to a matrix",
    "TradeOff.certainty": _ECHO,
    "TrialSums.second_power": _OF_THE_SUM,
    "ask.simulate_answers": "made-up data",
    "ask.simulate_failure_answers": "made-up data",
    "ask.simulate_lighting": "made-up data",
    "ask.simulate_ordinal_answers": "made-up data",
    "ask.simulate_ratings": "made-up data",
    "learn.optimal_range": "exact: every a0 for which the matrix is the best",
    "score.significant": "the published index for any loss, compared with quadrature in "
    "tests/score",
    "score.significant_mae": "the published index, compared with quadrature in tests/score",
    "score.significant_rmse": "the published index, compared with quadrature in tests/score",
}
