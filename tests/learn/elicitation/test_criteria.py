"""Choosing by criteria: weights, the best alternative, when to stop, what is refused."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.registry import cases

from howgood import learn
from howgood.cli.main import run
from howgood.errors import InputError
from howgood.flow.elicit_criteria import resumed, simulated_respondent, write_log
from howgood.learn.elicitation.criteria_table import criteria_table, pairs_of
from howgood.learn.elicitation.fit import information_of_weights
from howgood.show.criteria import readable_table
from howgood.stats.weighted_choices import Choices

TABLE = {
    "model": ["small", "medium", "careful", "large"],
    "quality": [71, 82, 80, 90],
    "harm": [9, 6, 2, 4],
    "wait": [0.6, 1.1, 2.4, 3.8],
    "price": [0.4, 1.8, 3.5, 9.0],
}
CRITERIA = {"quality": "max", "harm": "min", "wait": "min", "price": "min"}


def _asked(weights, *, table=TABLE, seed=1, **options):
    learner = learn.CriteriaElicitor(table, criteria=CRITERIA, random_state=seed, **options)
    names = [each.name for each in learner.table.criteria]
    person = simulated_respondent(dict(zip(names, weights, strict=True)), learner.table)
    return learn.ask_oracle(learner, person)


def test_features_and_values_by_hand():
    table = criteria_table(TABLE, criteria={"quality": "max", "price": "min"})
    # quality 71 to 90, price 9 to 0.4: medium is 11/19 and 7.2/8.6 of the way.
    assert table.features(table.scores)[1] == pytest.approx([11 / 19, 7.2 / 8.6])
    assert table.features(table.scores)[0] == pytest.approx([0.0, 1.0])
    doubling = criteria_table(
        {"name": ["a", "b", "c"], "wait": [1, 2, 4], "cost": [3, 2, 1]},
        criteria={"wait": {"direction": "min", "scale": "log"}, "cost": "min"},
    )
    assert doubling.features(doubling.scores)[:, 0] == pytest.approx([1.0, 0.5, 0.0])


@pytest.mark.parametrize(
    "weights", [(0.7, 0.1, 0.1, 0.1), (0.1, 0.7, 0.1, 0.1), (0.1, 0.1, 0.2, 0.6)]
)
def test_a_consistent_person_gets_the_alternative_their_weights_put_first(weights):
    result = _asked(weights)
    table = result.alternatives
    best = table.names[int(np.argmax(table.features(table.scores) @ weights))]
    assert result.best == best
    assert result.fits
    assert result.best_probability[best] > 0.8
    assert sum(result.best_probability.values()) == pytest.approx(1.0)
    assert result.regret[best].mean == min(each.mean for each in result.regret.values())
    assert result.agreement.percent >= 75


def test_it_stops_when_the_best_is_settled_and_asks_on_when_it_is_not():
    clear = _asked((0.94, 0.02, 0.02, 0.02))
    assert clear.stopped == "the best is settled"
    assert clear.choices < 20
    assert clear.p_settled >= 0.9 or clear.regret[clear.best].mean <= 0.005
    short = _asked((0.25, 0.25, 0.25, 0.25), max_queries=6)
    assert short.choices <= 6


def test_a_dominated_alternative_is_never_the_best():
    table = {name: [*values, worst] for (name, values), worst in
             zip(TABLE.items(), ["worst", 70, 10, 4.0, 10.0], strict=True)}  # fmt: skip
    assert _asked((0.4, 0.2, 0.2, 0.2), table=table).best_probability["worst"] == 0.0


def test_uncertain_scores_lower_the_probability_and_say_so():
    exact = _asked((0.94, 0.02, 0.02, 0.02))
    noisy = _asked((0.94, 0.02, 0.02, 0.02), table=TABLE | {"quality_sd": [8.0] * 4})
    assert noisy.alternatives.is_measured
    assert noisy.best_probability["large"] < exact.best_probability["large"] - 0.1
    assert noisy.p_settled > noisy.best_probability["large"]
    from howgood.show.criteria import criteria_findings

    said = " ".join(each.text for each in criteria_findings(noisy))
    assert "measuring the alternatives again helps more" in said


@pytest.mark.parametrize("people", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_random_clicks_and_one_side_name_no_alternative(people):
    rng, flagged = np.random.default_rng(2), 0
    for seed in range(people):
        learner = learn.CriteriaElicitor(TABLE, criteria=CRITERIA, random_state=seed)
        result = learn.ask_oracle(learner, lambda *_: str(rng.choice(["first", "second"])))
        flagged += result.best is None or result.best_probability[result.best] < 0.95
        left = learn.CriteriaElicitor(TABLE, criteria=CRITERIA, random_state=seed)
        one_side = learn.ask_oracle(left, lambda *_: "first")
        assert one_side.best is None
        assert one_side.advice
    assert flagged >= people - 1
    same = learn.CriteriaElicitor(TABLE, criteria=CRITERIA, random_state=1)
    nothing = learn.ask_oracle(same, lambda *_: "same")
    assert nothing.evidence == "none"
    assert nothing.best is None
    for result in (nothing, one_side):  # a table is an answer too
        assert not {"P(best)", "lost"} & set(readable_table(result).columns)
        assert list(readable_table(result)["alternative"]) == list(result.alternatives.names)


def test_information_is_how_much_better_than_a_coin_the_other_answers_predict():
    """Two particles by hand: one who always takes the greater first feature, and a coin."""
    huge, tiny = 40.0, -40.0
    sure = [huge, 6.0, tiny, tiny, tiny]  # weight 1 on the first, sharp, no lapse, no indifference
    coin = [0.0, tiny, tiny, tiny, tiny]
    gaps = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]])

    def said(*chosen):
        return Choices(differences=gaps[: len(chosen)], chosen=np.array(chosen, dtype=np.int64))

    found = information_of_weights(np.array([sure, coin]), choices=said(0), catches=said(0),
                        tested=said(0, 1, 0))  # fmt: skip
    # After the catch the sure one is twice as probable; each says 1 or 1/8 of three answers.
    model = (2 * 1 + 1 / 8) / 3
    shares = np.array([0.02, 0.1, 1 / 3])
    before = ((1 - shares) / 2) ** 2
    by_coin = (before * ((1 - shares) / 2) ** 3).sum() / before.sum()
    assert found == pytest.approx(model / by_coin, rel=1e-6)


def test_somebody_who_slips_is_asked_further_pairs_and_gets_a_result():
    rng, n_extra, named = np.random.default_rng(5), [], 0
    for seed in range(6):
        learner = learn.CriteriaElicitor(TABLE, criteria=CRITERIA, random_state=seed)
        weights = {"quality": 0.4, "harm": 0.2, "wait": 0.2, "price": 0.2}
        person = simulated_respondent(weights, learner.table)
        while (query := learner.query()) is not None:
            choice = person(query.first, query.second)
            slips = seed > 0 and rng.random() < 0.2
            learner.answer({"first": "second", "second": "first"}.get(choice, choice) if slips
                           else choice)  # fmt: skip
            assert learner.closing() is None or 0 <= learner.closing()[1] <= 1
        asked = [frozenset((one.query.first.name + str(one.query.first.values),
                            one.query.second.name + str(one.query.second.values)))
                 for one in learner.answers if one.query.kind != "catch"]  # fmt: skip
        assert len(set(asked)) == len(asked) <= learner.most_questions
        n_extra.append(sum(one.query.kind == "extra" for one in learner.answers))
        named += seed > 0 and learner.result().best is not None
        assert learner.result().agreement.n_questions <= 8
    assert n_extra[0] == 0
    assert max(n_extra) > 0
    assert named >= 3


def test_pairs_are_trade_offs_and_checks_have_a_better_side():
    bank = pairs_of(criteria_table(TABLE, criteria=CRITERIA))
    gaps = bank.differences(bank.pairs)
    assert (gaps.max(axis=1) > 0).all()
    assert (gaps.min(axis=1) < 0).all()
    assert (bank.differences(bank.catches).min(axis=1) >= 0).all()
    real = [bank.alternatives[index].name for index in bank.pairs[bank.real].ravel()]
    assert set(real) == set(TABLE["model"])
    # Whole numbers stay whole, and an imagined pair differs in two criteria.
    for index in bank.pairs[~bank.real].ravel():
        assert float(bank.alternatives[index].values["harm"]).is_integer()
    assert ((np.abs(gaps[~bank.real]) > 0).sum(axis=1) == 2).all()


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000), answers=st.lists(st.sampled_from(["first", "second", "same"]),
                                                     min_size=2, max_size=6))  # fmt: skip
def test_undo_is_as_if_the_answer_had_never_been_given(seed, answers):
    one, other = (
        learn.CriteriaElicitor(TABLE, criteria=CRITERIA, random_state=seed) for _ in range(2)
    )
    for answer in answers[:-1]:
        one.answer(answer)
        other.answer(answer)
    other.answer(answers[-1])
    other.undo()
    assert one.query() == other.query()
    assert one.result().weights == other.result().weights


@settings(max_examples=cases(2), deadline=None)
@given(seed=st.integers(0, 10_000))
def test_units_and_frames_change_no_result(seed):
    cents = TABLE | {"price": [100 * each for each in TABLE["price"]]}
    results = []
    for table in (TABLE, cents, pd.DataFrame(TABLE), pl.DataFrame(TABLE)):
        learner = learn.CriteriaElicitor(table, criteria=CRITERIA, random_state=seed)
        person = simulated_respondent({"quality": 0.6, "price": 0.4}, learner.table)
        results.append(learn.ask_oracle(learner, person))
    assert len({result.best for result in results}) == 1
    by_frame = [results[place].weights["price"].mean for place in (0, 2, 3)]
    assert by_frame == pytest.approx([by_frame[0]] * 3)


def test_the_exchange_rate_is_in_the_units_of_the_table():
    table = {"name": list("abc"), "quality": [0, 50, 100], "price": [0.0, 20.0, 50.0]}
    learner = learn.CriteriaElicitor(
        table, criteria={"quality": "max", "price": "min"}, max_queries=25, random_state=3
    )
    person = simulated_respondent({"quality": 0.5, "price": 0.5}, learner.table)
    result = learn.ask_oracle(learner, person)
    # Equal weights of 100 points and 50 units of price: a point is worth half a unit.
    worth = result.exchange("quality", "price")
    assert 0.5 in worth.interval
    assert worth.middle == np.median(worth.draws)
    assert str(worth).startswith(f"{worth.middle:.3g} [")
    with pytest.raises(InputError, match="Did you mean 'price'"):
        result.exchange("quality", "prices")


@pytest.mark.parametrize(
    ("table", "criteria", "message"),
    [
        (TABLE, {"quality": "max"}, "from 2 to 8 criteria"),
        (TABLE, {"quality": "max", "price": "down"}, "'max' or 'min'"),
        (TABLE, {"quality": "max", "prize": "min"}, "price"),
        (TABLE | {"price": [1, 1, 1, 1]}, CRITERIA, "decide nothing"),
        (TABLE | {"price": [1, None, 2, 3]}, CRITERIA, "row 2"),
        (TABLE | {"model": ["a", "a", "b", "c"]}, CRITERIA, "same name"),
        (TABLE | {"price_sd": [-1, 0, 0, 0]}, CRITERIA, "negative standard deviation"),
        (TABLE | {"wait": [0, 1, 2, 3]}, CRITERIA | {"wait": {"direction": "min", "scale": "log"}},
         "positive scores"),
        ({"quality": [1], "price": [2]}, {"quality": "max", "price": "min"}, "alternative"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_about_is_refused_kindly(table, criteria, message):
    with pytest.raises(InputError, match=message):
        learn.CriteriaElicitor(table, criteria=criteria)


def test_what_ends_the_questions_is_one_of_three_words():
    two = {"quality": "max", "price": "min"}
    table = {"model": ["a", "b"], "quality": [1, 2], "price": [1, 2], "harm": [3, 4]}
    with pytest.raises(InputError, match=r"until: no 'weight'.*Did you mean 'weights'"):
        learn.CriteriaElicitor(table, criteria=two, until="weight")
    with pytest.raises(InputError, match="'ratio' with 3 criteria"):
        learn.CriteriaElicitor(table, criteria=two | {"harm": "min"}, until="ratio")
    assert learn.CriteriaElicitor(table, criteria=two, until="ratio").until == "ratio"


def test_an_interview_is_kept_taken_up_and_refused_for_another_table(tmp_path):
    log = tmp_path / "log.json"
    table = criteria_table(TABLE, criteria=CRITERIA)
    person = simulated_respondent({"quality": 0.7, "price": 0.3}, table)
    answers = iter(range(5))

    def tired(one, other):
        return person(one, other) if next(answers, None) is not None else "stop"

    learn.elicit_criteria(TABLE, criteria=CRITERIA, ui=tired, resume=log, random_state=4)
    begun = json.loads(log.read_text())
    assert len(begun["answers"]) == 5
    whole = learn.elicit_criteria(TABLE, criteria=CRITERIA, ui=person, resume=log)
    again = learn.elicit_criteria(TABLE, criteria=CRITERIA, ui=person, random_state=4)
    assert whole.weights == again.weights
    with pytest.raises(InputError, match="another table"):
        learn.elicit_criteria(
            TABLE | {"price": [1, 2, 3, 5]}, criteria=CRITERIA, ui=person, resume=log
        )
    begun["answers"][0]["first"]["values"]["price"] = 77.0
    log.write_text(json.dumps(begun))
    with pytest.raises(InputError, match="do not lead to"):
        resumed(log, of=learn.CriteriaElicitor(TABLE, criteria=CRITERIA, random_state=4))
    write_log(learn.CriteriaElicitor(TABLE, criteria=CRITERIA, random_state=1), log)
    assert (
        resumed(log, of=learn.CriteriaElicitor(TABLE, criteria=CRITERIA, random_state=4)).answers
        == ()
    )


def test_the_notebook_asks_by_typing(monkeypatch, capsys):
    keys = iter(["x", "1", "u", "2", "0", "q"])
    monkeypatch.setattr("builtins.input", lambda _prompt="": next(keys))
    result = learn.elicit_criteria(TABLE, criteria=CRITERIA, ui="notebook", random_state=1)
    assert result.queries == 2
    assert "A is better in" in capsys.readouterr().out
    assert "Not enough evidence" in result._repr_html_()


def test_the_command_prints_the_best_and_writes_report_and_picture(tmp_path, capsys):
    file = tmp_path / "models.csv"
    pd.DataFrame(TABLE).to_csv(file, index=False)
    options = [
        "--criterion", "quality=max", "--criterion", "price=min", "--criterion", "harm=min",
        "--unit", "price=EUR", "--simulate", "quality=.9,price=.05,harm=.05", "--seed", "2",
    ]  # fmt: skip
    out, plot = tmp_path / "report.html", tmp_path / "picture.svg"
    assert run(["criteria", str(file), *options, "--out", str(out), "--plot", str(plot)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("large is the best")
    assert "9 EUR" in printed
    assert "Every answer" in out.read_text()
    assert plot.exists()
    assert run(["criteria", str(file), *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["best"] == "large"
    assert (
        run(["criteria", str(file), "--criterion", "quality=up", "--criterion", "price=min"]) == 2
    )
    assert run(["criteria", str(file), *options, "--simulate", "quality"]) == 2
