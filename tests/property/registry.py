"""Which test states a property of which public name.

`about` marks a test here; `ELSEWHERE` names property tests that live beside the example tests of
the same function. `test_every_public_name` fails for a public name in neither.
"""

import os
from collections.abc import Callable
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., object])


def cases(n: int) -> int:
    """Return how many cases to try: n, and many times as many in `make slow`."""
    return n * int(os.environ.get("HOWGOOD_MORE_CASES", "1"))


def about(*names: str) -> Callable[[Test], Test]:
    """Say which public names, such as "score.rmse", a property test is about."""

    def mark(test: Test) -> Test:
        test.properties_of = names
        return test

    return mark


_FAILURES = "tests/learn/test_failures.py::"
ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(
        ("decide.watch", "decide.AcceptanceWatch", "decide.AcceptanceChange"),
        "tests/decide/test_watch.py::"
        "test_mirrored_answers_mirror_the_share_and_names_do_not_matter",
    ),
    **dict.fromkeys(
        ("learn.reliability", "learn.Reliability"),
        "tests/learn/test_reliability.py::test_units_and_order_do_not_matter",
    ),
    "ask.degrade": "tests/ask/test_degrade.py::"
    "test_accuracies_are_met_as_closely_as_whole_cases_allow",
    **dict.fromkeys(
        ("ask.failure_scenarios", "ask.FailureScenario"),
        _FAILURES + "test_scenarios_are_different_and_never_fail_more_than_there_are",
    ),
    **dict.fromkeys(
        ("ask.simulate_failure_answers", "learn.fit_failures", "learn.FailuresFit"),
        _FAILURES + "test_more_failures_never_win_more_people",
    ),
    **dict.fromkeys(
        ("learn.compare_measures", "learn.MeasureComparison"),
        "tests/learn/test_measures.py::test_measures_agree_with_those_of_scikit_learn",
    ),
    **dict.fromkeys(
        ("learn.load_failures", "learn.FailurePriors"),
        _FAILURES + "test_a_fit_comes_back_from_its_file",
    ),
    **dict.fromkeys(
        ("decide.failure_bar", "decide.FailureBar"),
        _FAILURES + "test_rates_of_the_bar_are_low_enough_together",
    ),
    **dict.fromkeys(
        ("decide.failure_gate", "decide.FailureGate"),
        _FAILURES + "test_a_gate_says_pass_fail_and_investigate",
    ),
    **dict.fromkeys(
        ("decide.rank_predictions", "decide.metric_gate", "decide.MetricGate"),
        "tests/decide/test_by_metric.py::test_a_system_is_level_with_itself_and_errors_mirror",
    ),
    "ask.scenarios": "tests/ask/test_levels.py::test_order_is_recall_outer_precision_inner",
    "ask.LEVELS": "tests/ask/test_levels.py::test_counts_come_as_close_as_whole_numbers_can",
    "ask.simulate_answers": "tests/ask/test_simulate.py::test_everybody_sees_distinct_scenarios",
    "ask.open_table": "tests/fuzz/test_readers.py::test_a_damaged_file_is_read_or_refused_kindly",
    "ask.read_log": "tests/fuzz/test_readers.py::test_a_damaged_file_is_read_or_refused_kindly",
    "ask.EvaluationLog": "tests/ask/test_evaluation_logs.py::"
    "test_every_score_of_a_log_comes_back_in_its_row",
    "learn.Elicitor": "tests/learn/elicitation/test_elicitor.py::"
    "test_undo_is_as_if_the_answer_had_never_been_given",
    **dict.fromkeys(
        ("learn.WeightsResult", "learn.WeightedArgmax", "learn.GroupThresholds"),
        "tests/learn/elicitation/test_classes_and_groups.py::"
        "test_undo_is_as_if_the_answer_had_never_been_given",
    ),
    **dict.fromkeys(
        (
            "learn.QuantileElicitor",
            "learn.elicit_quantile",
            "learn.QuantileResult",
            "score.PinballMetric",
        ),
        "tests/learn/elicitation/test_quantile.py::test_the_quantile_itself_costs_least",
    ),
    **dict.fromkeys(
        ("learn.stakeholders", "learn.Stakeholders"),
        "tests/learn/elicitation/test_stakeholders.py::test_shifting_and_naming_change_nothing",
    ),
    "learn.CriteriaElicitor": "tests/learn/elicitation/test_criteria.py::"
    "test_undo_is_as_if_the_answer_had_never_been_given",
    "learn.elicit_criteria": "tests/learn/elicitation/test_criteria.py::"
    "test_units_and_frames_change_no_result",
    "learn.CriteriaResult": "tests/learn/elicitation/test_criteria.py::"
    "test_units_and_frames_change_no_result",
    "learn.Criterion": "tests/learn/elicitation/test_criteria.py::"
    "test_units_and_frames_change_no_result",
    "learn.elicitation_log": "tests/learn/elicitation/test_elicitor.py::"
    "test_a_replayed_log_equals_the_interview",
    "learn.replay": "tests/learn/elicitation/test_elicitor.py::"
    "test_a_replayed_log_equals_the_interview",
    "learn.Bisection": "tests/learn/elicitation/test_bisection.py::"
    "test_each_round_halves_whatever_is_answered",
    "learn.ask_oracle": "tests/learn/elicitation/test_bisection.py::"
    "test_a_consistent_respondent_is_recovered_within_the_tolerance",
    "score.relevance_score": "tests/score/test_relevance.py::"
    "test_renaming_labels_and_reordering_rows_changes_nothing",
    "score.power_mean": "tests/score/test_power_mean.py::test_a_mean_lies_between_its_parts",
    "score.PowerMean": "tests/records/test_power_mean.py::"
    "test_the_harmonic_mean_is_scikit_learns_f_beta",
    "score.FBetaMetric": "tests/records/test_elicited_metric.py::test_f_beta_is_scikit_learns",
    "score.judge": "tests/score/test_judge.py::"
    "test_moving_and_stretching_the_judge_changes_nothing",
    "score.JudgeReport": "tests/score/test_judge.py::test_the_order_of_rows_changes_nothing",
    "score.JudgeAgreement": "tests/score/test_judge.py::test_the_order_of_rows_changes_nothing",
    "score.JudgePlan": "tests/score/test_judge.py::test_a_wider_interval_never_costs_more",
    "score.JudgeDrift": "tests/score/test_judge.py::"
    "test_drift_is_the_mean_change_and_anchors_that_move_alike_are_certain",
    "score.judge_drift": "tests/score/test_judge.py::"
    "test_drift_is_the_mean_change_and_anchors_that_move_alike_are_certain",
    "score.LinearMetric": "tests/records/test_elicited_metric.py::"
    "test_equal_weights_are_half_the_accuracy",
    "decide.rank_grades": "tests/decide/test_rank_grades.py::"
    "test_order_names_and_units_change_nothing",
    "decide.NeededGrades": "tests/decide/test_rank_grades.py::"
    "test_needed_items_and_raters_bring_the_error_just_below_the_target",
    "learn.rater_agreement": "tests/learn/test_raters.py::"
    "test_order_of_rows_and_names_change_nothing",
    "learn.RaterAgreement": "tests/learn/test_raters.py::"
    "test_order_of_rows_and_names_change_nothing",
    "score.noise_ceiling": "tests/score/test_ceilings.py::"
    "test_names_of_labels_and_order_of_rows_change_nothing",
    "score.NoiseCeiling": "tests/score/test_ceilings.py::"
    "test_names_of_labels_and_order_of_rows_change_nothing",
    "learn.context_agreement": "tests/learn/test_randomness.py::"
    "test_names_and_order_of_rows_change_nothing",
    "learn.ContextAgreement": "tests/learn/test_randomness.py::"
    "test_names_and_order_of_rows_change_nothing",
    "learn.FeatureAgreement": "tests/learn/test_randomness.py::"
    "test_pairs_and_the_jackknife_are_those_counted_one_by_one",
    "decide.rank_sessions": "tests/decide/test_rank_sessions.py::"
    "test_order_of_rows_and_names_of_people_change_nothing",
    "decide.Sessions": "tests/decide/test_rank_sessions.py::"
    "test_order_of_rows_and_names_of_people_change_nothing",
    "score.beta_feedback": "tests/score/test_other_laws.py::"
    "test_a_beta_has_the_mean_sd_and_quantiles_asked_for",
    "score.first_order": "tests/score/test_other_laws.py::"
    "test_first_order_is_exact_for_linear_metrics",
    "score.fit_family": "tests/score/test_other_laws.py::"
    "test_the_distance_does_not_depend_on_the_unit",
    "score.FamilyFit": "tests/score/test_other_laws.py::"
    "test_the_distance_does_not_depend_on_the_unit",
    "score.significant": "tests/score/test_other_laws.py::"
    "test_significant_absolute_and_squared_losses_are_those_in_closed_form",
    "decide.rank_lists": "tests/decide/test_rank_lists.py::"
    "test_order_of_rows_and_any_rising_change_of_predictions_change_nothing",
    "decide.rank_votes": "tests/decide/test_rank_votes.py::"
    "test_turning_every_pair_round_only_turns_the_order_effect",
    "decide.ship": "tests/decide/test_ship.py::test_units_and_order_change_no_verdict",
    "decide.ShipDecision": "tests/decide/test_ship.py::"
    "test_swapping_the_systems_swaps_better_and_worse",
    "decide.MetricComparison": "tests/decide/test_ship.py::"
    "test_swapping_the_systems_swaps_better_and_worse",
    "decide.threshold": "tests/decide/test_threshold.py::"
    "test_moving_and_stretching_the_scores_moves_the_threshold_along",
}
