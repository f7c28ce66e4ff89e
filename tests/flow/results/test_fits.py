"""A stored study's result is what its rows say, and says when they say too little."""

import json
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from tests.flow.results.conftest import RERATING, SURVEY, comparison

from howgood import decide, learn
from howgood.demo import web as people
from howgood.errors import InputError, UngatedPosteriorError
from howgood.flow.collected import tidy_rows
from howgood.flow.results.tasks import gather, run_task, systems_result
from howgood.flow.study_files import read_study
from howgood.kinds.comparison import interview
from howgood.kinds.comparison import screens as participate
from howgood.kinds.pair_choices import choices_so_far
from howgood.kinds.study import Study
from howgood.kinds.survey import KIND as SURVEY_KIND
from howgood.kinds.survey import results as survey_fit
from howgood.learn.elicitation.family_registry import family_label
from howgood.records.progress import silent
from howgood.records.result import StudyResult
from howgood.records.table import Table
from howgood.store.schema import answers, participants


@pytest.fixture
def database_address(tmp_path):
    """SQLite alone: the rows are the same on both, and they are tested on both."""
    return str(tmp_path / "answers.sqlite")


def _said(result):
    return " ".join(each.text for each in result.report.findings)


@pytest.mark.parametrize("study", [SURVEY, RERATING, comparison()], ids=lambda each: each["kind"])
def test_a_study_without_answers_says_so_and_is_no_error(host, asked, study):
    result = run_task(host, asked(study, 0).number, "fit", {})
    assert not result.is_enough
    assert "Nobody has answered yet" in _said(result)
    assert result.people == result.answers == 0


def test_one_person_is_not_enough_for_a_survey(host, asked):
    result = run_task(host, asked(SURVEY, 1).number, "fit", {})
    assert not result.is_enough
    assert "one person" in _said(result)


@pytest.mark.filterwarnings("ignore")
def test_a_survey_gives_what_the_exported_rows_give(host, asked):
    row = asked(SURVEY, 12)
    told = []
    result = run_task(
        host, row.number, "fit", {"seed": 5}, progress=lambda share, step: told.append(share)
    )
    rows = list(tidy_rows(host, "doors"))
    table = {
        name: np.array([each[name] for each in rows])
        for name in ("participant", "application", "precision", "recall", "rating")
    }
    direct = learn.fit_acceptability(table, random_state=5)
    card = result.cards[0]
    assert card.application == "The bell"
    assert card.alpha.mean == pytest.approx(direct.estimate("alpha", "bell").mean)
    assert (card.n_respondents, result.people, len(rows)) == (12, 12, 108)
    assert "to be accepted by half of people you need about" in _said(result)
    assert [headline.acceptance is not None for headline in result.report.headlines] == [True]
    assert any(section.svg for section in result.report.sections)
    assert told == sorted(told)
    assert told[-1] <= 1
    again = StudyResult.from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert again.report.findings == result.report.findings
    assert again.cards[0].draws == card.draws


@pytest.mark.filterwarnings("ignore")
def test_pilots_and_the_inattentive_are_left_out_by_name(host, asked, monkeypatch):
    row = asked(SURVEY, 6)

    pilots = sa.update(participants).where(participants.c.id <= 2).values(is_pilot=True)
    host.database.write(lambda connection: connection.execute(pilots))
    result = run_task(host, row.number, "fit", {})
    assert (result.people, dict(result.left_out)) == (4, {"test runs": 2})
    assert result.report.provenance.rows_dropped["people: test runs"] == 2
    assert "Left out: 2 (test runs)" in _said(result)
    # Four people: every number leans on the priors, and that is said.
    assert "With fewer than 10 the numbers rest mostly on the priors" in _said(result)
    tones = {each.tone for each in result.report.findings if "of people" in each.text}
    assert tones == {"unsure"}


def test_who_fails_an_attention_check_is_left_out_unless_everyone_counts(host, asked):
    row = asked(SURVEY, 3)
    wrong = {"attention-care": 5}

    def fail_one(connection):
        of_first = sa.select(answers).where(answers.c.participant_id == 1)
        for each in connection.execute(of_first).all():
            if "attention-care" in each.content:
                changed = sa.update(answers).where(
                    answers.c.participant_id == 1, answers.c.screen == each.screen
                )
                connection.execute(changed.values(content=each.content | wrong))

    host.database.write(fail_one)
    kept = gather(host, row, policy="attentive")
    assert (len(kept.people), kept.left_out) == (2, {"failed an attention check": 1})
    assert len(gather(host, row, policy="everyone").people) == 3
    assert len(gather(host, row, policy="finished").people) == 2


WORSE = {
    "key": "worse", "type": "choice", "text": "Which is worse?",
    "options": [{"key": "missed", "text": "A missed visitor"},
                {"key": "false_alarm", "text": "A false ring"}],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_people_are_compared_by_what_they_call_worse_and_specificity_is_weighed(host, asked):
    shown = SURVEY["survey"] | {"cases": 40}
    written = SURVEY | {"closing": [WORSE], "survey": shown}
    row, study = asked(written, 14), Study.from_dict(written)
    offered = {option.name: option.choices for option in SURVEY_KIND.fit_options(study, dict)}
    assert list(offered["by"]) == ["", "participant", "worse"]
    assert list(offered["measures"]) == ["", "specificity"]
    assert offered["model"]["parts"] == "ratings in their order"
    chosen = {"by": "worse", "measures": "specificity", "model": ""}
    settings = SURVEY_KIND.fit_settings(study, chosen, dict)
    result = run_task(host, row.number, "fit", settings)
    sections = {section.title: section for section in result.report.sections}
    divided = sections["By worse"].table
    assert {"A missed visitor", "A false ring"} <= set(divided["segment"])
    assert int(np.sum(divided["people"])) == 14
    assert "How people differ" in sections
    assert "Weights of the three measures" in sections
    assert "Asked directly (Which is worse?)" in _said(result)
    with pytest.raises(InputError, match="worse"):
        SURVEY_KIND.fit_settings(study, {"by": "height"}, dict)


@pytest.mark.filterwarnings("ignore")
def test_a_comparison_that_cannot_be_made_is_said_and_the_fit_is_kept(host, asked):
    one = WORSE | {"options": [*WORSE["options"], {"key": "neither", "text": "Neither"}]}
    row = asked(SURVEY | {"demographics": [one]}, 4)
    settled = sa.update(answers).where(answers.c.screen == "demographics")
    host.database.write(
        lambda connection: connection.execute(settled.values(content={"worse": "neither"}))
    )
    result = run_task(host, row.number, "fit", {"by": "worse"})
    assert "Not enough evidence to compare people as asked" in _said(result)
    assert len(result.cards) == 1


@pytest.mark.filterwarnings("ignore")
def test_of_two_things_asked_for_the_one_that_can_be_had_is_kept(host, asked, monkeypatch):
    row = asked(SURVEY | {"closing": [WORSE], "survey": SURVEY["survey"] | {"cases": 40}}, 14)
    both = {"by": "worse", "measures": "specificity"}
    fit = learn.fit_acceptability

    def refuse(*names):
        def fit_without(*given, **options):
            for name in names:
                if name in options:
                    raise UngatedPosteriorError(f"no draws of {name}")
            return fit(*given, **options)

        monkeypatch.setattr(learn, "fit_acceptability", fit_without)
        result = run_task(host, row.number, "fit", both)
        return _said(result), [section.title for section in result.report.sections]

    said, titles = refuse("measures")
    assert "Not enough evidence to weigh specificity: no draws of measures" in said
    assert "compare people as asked" not in said
    assert "By worse" in titles
    said, titles = refuse("by")
    assert "Not enough evidence to compare people as asked: no draws of by" in said
    assert "weigh specificity" not in said
    assert "Weights of the three measures" in titles
    said, titles = refuse("by", "measures")
    assert "compare people as asked: no draws of by" in said
    assert "weigh specificity: no draws of measures" in said


@pytest.mark.filterwarnings("ignore")
def test_ratings_in_their_order_or_each_by_itself_are_a_choice(host, asked):
    row = asked(SURVEY, 12)
    result = run_task(host, row.number, "fit", {"model": "levels"})
    assert result.report.sections[0].title == "Ratings by accuracy"
    assert (result.people, result.cards) == (12, ())
    result = run_task(host, row.number, "fit", {"model": "parts"})
    assert "Where one rating passes into the next" in [one.title for one in result.report.sections]
    assert "real" not in result.report.question


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_imagined_and_real_systems_are_put_on_one_scale(host, asked):
    study = read_study(Path(__file__).parents[3] / "examples" / "weather-survey.toml")
    row = asked(study.to_dict(), 15)
    result = run_task(host, row.number, "fit", {"model": "parts"})
    assert "than hypothetical at the same accuracy" in _said(result)
    assert result.cards == ()
    assert "Do the items hang together?" in [one.title for one in result.report.sections]


def test_a_posterior_that_fails_its_checks_is_not_enough_evidence(host, asked, monkeypatch):
    row = asked(SURVEY, 2)

    def refuse(*_a, **_k):
        raise UngatedPosteriorError("no engine gives draws that pass")

    monkeypatch.setattr(survey_fit.learn, "fit_acceptability", refuse)
    result = run_task(host, row.number, "fit", {})
    assert not result.is_enough
    assert "do not pin the model down" in _said(result)


def test_settings_that_do_not_exist_are_refused_by_name(host, asked):
    row = asked(SURVEY, 2)
    with pytest.raises(InputError, match="attentive"):
        run_task(host, row.number, "fit", {"people": "friends"})
    with pytest.raises(InputError, match="howgood"):
        run_task(host, row.number, "fit", {"priors": "mine"})
    with pytest.raises(InputError, match="gone"):
        run_task(host, 99, "fit", {})


def test_a_comparison_gives_each_person_and_the_group(host, asked):
    row = asked(comparison(), 4)
    result = run_task(host, row.number, "fit", {})
    facts = list(tidy_rows(host, "pairs", table="participants"))
    table = next(each.table for each in result.report.sections if each.title == "Every person")
    shown = {row["person"]: float(row["a0"]) for row in table.rows()}
    for each in facts:
        assert shown[each["participant"]] == pytest.approx(each["a0"], abs=0.0006)
    assert result.weight_draws.mean() == pytest.approx(
        np.mean([each["a0"] for each in facts]), abs=0.03
    )
    assert "On average over 4 people" in _said(result)
    assert "Agreement M" in _said(result)


@pytest.fixture
def answering(monkeypatch):
    """Let some of the synthetic people, by their place, answer comparisons in their own way."""
    usual = people._choosing

    def change(**ways):
        def choosing(seed):
            way = ways.get(f"p{seed % 1000}")
            as_usual = usual(seed)
            return as_usual if way is None else lambda screen, form: way(screen, form, as_usual)

        monkeypatch.setattr(people, "_choosing", choosing)

    return change


def _skips_the_direct_question(screen, form, as_usual):
    return {"ratio": ""} if "ratio" in form else as_usual(screen, form)


def _prefers_nothing(screen, form, as_usual):
    usual = as_usual(screen, form)
    return {"choice": "same"} if "choice" in usual else usual


def _takes_two_choices_back(screen, form, as_usual):
    if screen.key in ("compare-3", "compare-6"):
        return {"choice": "undo"}
    return as_usual(screen, form)


@pytest.mark.parametrize(
    "skipping",
    [(0,), (0, 1, 2), *[pytest.param(one, marks=pytest.mark.slow) for one in ((1,), (2,), (0, 2))]],
)
def test_a_group_with_people_who_skip_the_direct_question_has_a_result(
    host, asked, answering, skipping
):
    answering(**{f"p{place}": _skips_the_direct_question for place in skipping})
    result = run_task(host, asked(comparison(), 3).number, "fit", {})
    ratios = [each["ratio_before"] for each in tidy_rows(host, "pairs", table="participants")]
    assert [place for place, each in enumerate(ratios) if each is None] == list(skipping)
    assert result.people == 3
    said = _said(result)
    assert "accuracy:" in said
    n_answering = 3 - len(skipping)
    expected = (
        f"for the {n_answering} of 3 people who answered it, whose own metric reaches"
        if n_answering
        else "direct question: nobody answered it"
    )
    assert expected in said


@pytest.mark.parametrize("policy", ["attentive", "everyone"])
def test_who_prefers_nothing_is_not_enough_evidence_and_is_left_out_by_name(
    host, asked, answering, policy
):
    answering(p1=_prefers_nothing)
    result = run_task(host, asked(comparison(), 3).number, "fit", {"people": policy})
    assert result.people == 2
    reason = "preferred a side in fewer than 3 pairs asked to learn from"
    assert result.left_out == {reason: 1}
    facts = list(tidy_rows(host, "pairs", table="participants"))
    assert [each["a0"] is None for each in facts] == [False, True, False]
    assert (facts[1]["a0_lower"], facts[1]["p_linear"]) == (None, None)


def test_who_always_takes_the_first_option_is_said_to_be_of_no_use(host, asked, answering):
    def first(screen, form, as_usual):
        usual = as_usual(screen, form)
        return {"choice": "first"} if "choice" in usual else usual

    answering(p0=first)
    result = run_task(host, asked(comparison(), 1).number, "fit", {})
    assert not result.is_enough
    assert "cannot be used" in result.report.findings[0].text
    assert "Nobody has compared enough pairs" not in _said(result)
    assert sum(result.left_out.values()) == 1


def test_a_bisection_without_a_preference_has_no_weight(host, asked, answering):
    answering(p0=_prefers_nothing)
    study = read_study(Path(__file__).parents[3] / "examples" / "cancer-comparison.toml").to_dict()
    study["comparison"] |= {"algorithm": "bisection", "tolerance": 0.2, "evaluation": 4}
    row = asked(study, 1)
    result = run_task(host, row.number, "fit", {})
    assert not result.is_enough
    assert not result.weight_draws.size
    facts = next(iter(tidy_rows(host, row.slug, table="participants")))
    assert (facts["a0"], facts["a0_lower"], facts["a0_upper"]) == (None, None, None)


def test_undone_choices_are_no_judgements_where_evidence_lacks_either(host, asked, answering):
    answering(p0=lambda screen, form, as_usual: _prefers_nothing(screen, form, as_usual)
              | ({"choice": "undo"} if screen.key == "compare-3" else {}))  # fmt: skip
    result = run_task(host, asked(comparison(), 1).number, "fit", {})
    rows = list(tidy_rows(host, "pairs"))
    assert sum(each["choice"] == "undo" for each in rows) == 1
    assert result.summary == f"not enough evidence: 1 person, {len(rows) - 2} judgements"


def test_judgements_are_those_given_by_the_people_who_count(host, asked, answering):
    """Undone choices and people left out are in the rows, and not among the judgements."""
    answering(p0=_takes_two_choices_back, p1=_prefers_nothing)
    result = run_task(host, asked(comparison(repeats=1), 3).number, "fit", {})
    rows = list(tidy_rows(host, "pairs"))
    names = sorted({each["participant"] for each in rows})
    kept = [each for each in rows if each["participant"] != names[1]]
    undone = sum(each["choice"] == "undo" for each in kept)
    assert undone == 2
    given = len(kept) - 2 * undone  # the undo itself, and the choice it takes back
    assert result.summary == f"2 people, {given} judgements"
    assert result.report.provenance.rows_used == given
    text = next(each.text for each in result.report.sections if each.title == "Every person")
    assert text.startswith(f"{given} judgements: ")
    assert "4 attention checks, 2 repeats, 8 kept back to test" in text
    assert "Taken back, and not counted: 2." in text


def test_the_results_page_calls_a_kind_of_metric_what_the_library_calls_it(host, asked):
    """One rule: linear from 80 % on, another kind from 95 % on, else not settled."""
    row = asked(comparison(queries=6), 6)
    result = run_task(host, row.number, "fit", {"people": "everyone"})
    table = next(each.table for each in result.report.sections if each.title == "Every person")
    study = host.study(row.version)
    shown = dict(zip(table["person"].tolist(), table["kind of metric"].tolist(), strict=True))
    for person in gather(host, row, policy="everyone").people:
        answered = {each.screen: each for each in person.participation.answers}
        learned = interview.replayed(
            study, seed=person.participation.seed,
            ratio=participate.direct_ratio(answered, participate.BEFORE),
            choices=choices_so_far(answered),
        ).result()  # fmt: skip
        best = max(learned.families, key=learned.families.get)
        needed = 0.8 if best == "linear" else 0.95
        if not learned.fits:
            assert person.participation.participant not in shown
            continue
        expected = family_label(best) if learned.families[best] >= needed else "not settled"
        assert shown[person.participation.participant] == expected
    assert "not settled" in shown.values()


def test_a_bisection_gives_brackets(host, asked):
    study = read_study(Path(__file__).parents[3] / "examples" / "cancer-comparison.toml").to_dict()
    study["comparison"] |= {"algorithm": "bisection", "tolerance": 0.2, "evaluation": 4}
    row = asked(study, 2)
    result = run_task(host, row.number, "fit", {})
    assert result.people == 2
    assert 0 < result.weight_draws.mean() < 1
    section = next(each for each in result.report.sections if each.title == "Every person")
    assert "90 % interval" not in section.table
    lower, upper = (float(end) for end in section.table["last bracket"][0].split(" to "))
    assert upper - lower <= 0.2  # the tolerance: the whole bracket, not nine tenths of it
    assert "no probability" in section.text


def test_a_rerating_gives_the_barrier_of_its_rows(host, asked):
    row = asked(RERATING, 5)
    result = run_task(host, row.number, "fit", {})
    cells = {}
    for each in tidy_rows(host, "songs"):
        cells.setdefault((each["user"], each["item"]), []).append(each["rating"])
    barrier = np.sqrt(np.mean([np.var(values, ddof=1) for values in cells.values()]))
    assert f"root mean squared error of {barrier:.1f}"[:-1] in _said(result)
    assert result.report.provenance.rows_used == 75


def test_ratings_that_never_change_show_no_noise_and_decide_nothing(host, asked, monkeypatch):
    monkeypatch.setattr(people, "_rating", lambda seed: lambda screen, form: {"rating": "1"})
    result = run_task(host, asked(RERATING, 4).number, "fit", {})
    (headline,) = result.report.headlines
    assert headline.text.startswith("Nobody ever changed a rating")
    assert not headline.is_enough
    assert "0.00" not in headline.text


def test_personal_predictions_are_ranked_as_the_library_ranks_them(host, asked):
    row = asked(RERATING, 4)
    ratings = list(tidy_rows(host, "songs"))
    pairs = sorted({(each["user"], each["item"]) for each in ratings})
    rng = np.random.default_rng(4)
    table = Table(
        {
            "rater": [float(user) for user, _ in pairs],
            "song": [item for _, item in pairs],
            "a": rng.normal(3, 0.5, len(pairs)),
            "b": rng.normal(3, 1.5, len(pairs)),
        }
    )
    gathered = gather(host, row, policy="everyone")
    result = systems_result(
        gathered,
        host.study(row.version),
        table,
        {"item": "song", "user": "rater"},
        progress=silent,
    )
    direct = decide.rank_ratings(
        {name: np.array([each[name] for each in ratings]) for name in ("user", "item", "rating")},
        predictions=["a", "b"],
        predicted={"user": np.array([user for user, _ in pairs]), "item": table["song"],
                   "a": table["a"], "b": table["b"]},
    )  # fmt: skip
    shown = next(each.table for each in result.report.sections if each.title == "The ranking")
    assert shown["system"].tolist() == list(direct.order)
    best = direct.index(direct.order[0])
    assert shown["RMSE"][0].startswith(f"{direct.scores[best]:.2f}"[:3])
    assert f"{direct.n} person-item pairs" in result.report.methods


def test_two_rows_for_one_item_are_refused(host, asked):
    row = asked(RERATING, 2)
    table = Table({"item": ["s1", "s1"], "a": [1.0, 2.0]})
    gathered = gather(host, row, policy="everyone")
    with pytest.raises(InputError, match="Remove the duplicates"):
        systems_result(gathered, host.study(row.version), table, {"item": "item"}, progress=silent)
