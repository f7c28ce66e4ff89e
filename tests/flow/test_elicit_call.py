"""One call from a classifier to a metric: labels of any kind, resumed, saved, used."""

import io
import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from howgood import decide, learn, score
from howgood.cli.main import run
from howgood.errors import FileFormatError, InputError
from howgood.records.elicitation import ElicitationResult

_RNG = np.random.default_rng(3)
X = _RNG.normal(size=(900, 2))
SICK = _RNG.random(900) < 1 / (1 + np.exp(1.0 - 2.2 * X[:, 0]))
Y = np.where(SICK, "sick", "well")
LABELS = np.where(SICK, "yes", "no")  # the positive one sorts second, as scikit-learn expects
MODEL = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:400], LABELS[:400])
PERSON = score.LinearMetric(a0=0.2).prefers


@pytest.fixture(scope="module")
def elicited():
    return learn.elicit(MODEL, X[400:], LABELS[400:], ui=PERSON, random_state=1)


def test_a_pipeline_with_text_labels_leads_to_a_metric_and_its_scorer(elicited):
    assert elicited.fits
    assert elicited.positive == "yes"
    assert 0.2 in elicited.interval
    assert elicited.agreement.n_questions > 10
    tuned = TunedThresholdClassifierCV(MODEL, scoring=elicited.scorer(), cv=3)
    assert 0.05 < tuned.fit(X[400:], LABELS[400:]).best_threshold_ < 0.45
    choice = elicited.threshold(LABELS[400:], decide.positive_scores(MODEL, X[400:]))
    assert choice.chosen in choice.threshold.interval


def test_the_positive_label_can_be_named_and_scores_given():
    chance = MODEL.predict_proba(X[400:])[:, 1]
    result = learn.elicit(scores=chance, y=Y[400:], pos_label="sick", ui=PERSON, random_state=1)
    assert result.positive == "sick"
    assert 0.2 in result.interval
    assert result.scorer()._kwargs == {"pos_label": "sick"}


def test_groups_are_scored_by_the_label_that_is_named():
    groups = np.where(X[400:, 1] > 0, "one", "other")
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[:400], Y[:400])
    assert model.classes_[0] == "sick"

    def careful(one, other):
        worth = [np.dot(shown.features, [0.5, 0.2, 0.2, 0.1]) for shown in (one, other)]
        return "first" if worth[0] > worth[1] else "second"

    asked = {"y": Y[400:], "groups": groups, "pos_label": "sick", "ui": careful}
    by_model = learn.elicit(model, X[400:], random_state=1, **asked)
    by_scores = learn.elicit(scores=model.predict_proba(X[400:])[:, 0], random_state=1, **asked)
    assert by_model.rule() == by_scores.rule()


def test_weights_that_were_saved_are_read_by_the_same_function(tmp_path):
    chances = _RNG.dirichlet([1, 1, 1], size=300)
    weights = learn.elicit(
        scores=chances, y=chances.argmax(axis=1), ui=lambda *_: "first", random_state=1,
        min_queries=2, max_queries=2, catch_pairs=0, held_out=0,
    )  # fmt: skip
    weights.save(tmp_path / "weights.json")
    with pytest.raises(FileFormatError, match=r"learn\.load_elicited"):
        ElicitationResult.load(tmp_path / "weights.json")
    for again in (learn.WeightsResult.load, learn.load_elicited):
        assert again(tmp_path / "weights.json").weights.keys() == weights.weights.keys()


def test_a_saved_result_is_read_back_whole(elicited, tmp_path):
    path = tmp_path / "metric.json"
    elicited.save(path)
    again = learn.load_elicited(path)
    assert again.metric == elicited.metric
    assert again.positive == "yes"
    assert again.families == pytest.approx(elicited.families)
    assert again.a0.draws == pytest.approx(elicited.a0.draws, abs=1e-8)
    one, other = again.to_dict(), elicited.to_dict()
    for name in ("a0", "ratio"):  # draws are written with nine digits
        assert one[name]["interval"]["lower"] == pytest.approx(other[name]["interval"]["lower"])
        one.pop(name), other.pop(name)
    one.pop("record"), other.pop("record")  # the same once more, packed
    assert one == other
    scores = tmp_path / "scores.csv"
    rows = [f"{y},{s}" for y, s in zip(LABELS[400:], MODEL.predict_proba(X[400:])[:, 1],
                                       strict=True)]  # fmt: skip
    scores.write_text("\n".join(["y_true,score", *rows]))
    command = ["threshold", str(scores), "--positive", "yes"]
    assert run([*command, "--elicited", str(path)]) == 0
    assert run([*command, "--elicited", str(path), "--alpha", ".3"]) == 2
    assert run([*command, "--elicited", str(scores)]) == 2


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "howgood elicited metric"}'])
def test_a_file_that_holds_no_result_is_refused(content, tmp_path):
    path = tmp_path / "metric.json"
    path.write_text(content)
    with pytest.raises(FileFormatError):
        learn.load_elicited(path)


def test_a_damaged_result_is_refused(elicited, tmp_path):
    path = tmp_path / "metric.json"
    elicited.save(path)
    values = json.loads(path.read_text())
    for name in ("metric", "checks", "provenance", "queries"):
        path.write_text(json.dumps({key: value for key, value in values.items() if key != name}))
        with pytest.raises(FileFormatError, match="cannot be read"):
            learn.load_elicited(path)


def test_an_interview_typed_in_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys):
    log = tmp_path / "interview.json"
    typed = iter(["1", "?", "x", "2", "u", "q"])
    monkeypatch.setattr("builtins.input", lambda _prompt: next(typed))
    settings = {"ui": "terminal", "resume": log, "random_state": 1}
    assert learn.elicit(MODEL, X[400:], LABELS[400:], **settings).queries == 1
    assert "Question 1 of at most 55" in capsys.readouterr().out
    whole = learn.elicit(MODEL, X[400:], LABELS[400:], **settings | {"ui": PERSON})
    assert whole.queries > 20
    assert learn.elicit(MODEL, X[400:], LABELS[400:], **settings) == whole  # nothing left to ask
    with pytest.raises(InputError, match="other systems"):
        learn.elicit(MODEL, X[450:], LABELS[450:], **settings)


def test_a_person_whom_nothing_describes_gets_no_scorer_and_a_file_that_says_so(tmp_path):
    result = learn.elicit(MODEL, X[400:], LABELS[400:], ui=lambda *_: "first", random_state=2)
    assert not result.fits
    with pytest.raises(InputError, match="describes the person"):
        result.scorer()
    with pytest.raises(InputError, match="does not describe"):
        result.threshold(LABELS[400:], decide.positive_scores(MODEL, X[400:]))
    with pytest.raises(InputError, match="no metric"):
        result.plot()
    result.save(tmp_path / "metric.json")
    again = learn.load_elicited(tmp_path / "metric.json")
    assert again.misfit == result.misfit
    assert again.metric is None


def test_a_picture_is_a_figure_and_a_file(elicited, tmp_path):
    figure = elicited.plot(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    assert buffer.tell() > 5000


def test_wrong_calls_say_what_to_do():
    with pytest.raises(InputError, match="browser"):
        learn.elicit(MODEL, X[400:], LABELS[400:], ui="telephone")
    with pytest.raises(InputError, match="Fit it first"):
        learn.elicit(LogisticRegression(), X, LABELS, ui=PERSON)
