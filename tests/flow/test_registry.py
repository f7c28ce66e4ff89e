"""The registry of model cards."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from howgood import ask, decide, learn
from howgood.cli.main import run
from howgood.errors import FileFormatError, InputError, UnknownNameError
from howgood.flow import registry
from howgood.flow.files import MOST_BYTES
from howgood.learn.cards import prior_of_card
from howgood.show.cards import card_warning

SLEEP = {"sleep sensor": {"alpha": 0.3, "intercept": -13.0, "slope": 16.0}}


@pytest.fixture(scope="module")
def fit():
    answers = ask.simulate_answers(SLEEP, people=25, per_person=8, random_state=1)
    return learn.fit_acceptability(answers, random_state=1)


@pytest.fixture
def card(fit):
    return registry.card_of_fit(
        fit,
        "sleep sensor",
        name="sleep-sensor",
        description="Says whether you slept badly.",
        licence="CC BY 4.0",
    )


def test_the_paper_ships_with_its_numbers_and_nothing_more():
    known = {name: card for name, card in registry.cards().items() if card.source == "published"}
    alphas = {name: card.alpha.mean for name, card in known.items()}
    assert alphas == {
        "kay2015-alarm-police": 0.53,
        "kay2015-alarm-text-application": 0.30,
        "kay2015-alarm-text-interface": 0.42,
        "kay2015-electricity": 0.49,
        "kay2015-location": 0.49,
        "kay2015-weather": 0.461,
    }
    assert all(not card.draws for card in known.values())
    assert known["kay2015-electricity"].intercept is None
    assert known["kay2015-weather"].slope.upper == 16.7


def test_fits_of_the_public_answers_ship_too_and_predict():
    known = {name: card for name, card in registry.cards().items() if card.source == "fit"}
    assert len(known) == 4
    for card in known.values():
        assert "CC BY 4.0" in card.licence
        assert 0.3 < decide.target(card, precision=0.85, recall=0.85).acceptance.mean < 0.8


def test_a_card_survives_its_file_and_predicts_like_the_fit(fit, card, tmp_path):
    path = registry.write_card(card, folder=tmp_path)
    again = registry.find_card("sleep-sensor", folder=tmp_path)
    assert again == card
    assert path.stat().st_size < 60_000
    target, of_fit = (decide.target(model, share=0.6) for model in (again, fit))
    assert target.needed_mean.mean == pytest.approx(
        of_fit.needed_mean.mean, abs=3 * of_fit.needed_mean.sd / np.sqrt(400)
    )


def test_an_existing_card_is_not_overwritten_by_accident(card, tmp_path):
    registry.write_card(card, folder=tmp_path)
    with pytest.raises(InputError, match="--replace"):
        registry.write_card(card, folder=tmp_path)
    registry.write_card(card, folder=tmp_path, replace=True)


def test_a_published_card_says_why_it_cannot_predict():
    with pytest.raises(InputError, match="posterior draws"):
        decide.target(registry.find_card("kay2015-electricity"))


def test_a_card_becomes_a_prior_around_what_it_knows(fit, card):
    prior = prior_of_card(card, application="snoring sensor", widen=2.0)
    joint = prior.applications["snoring sensor"]
    draws = fit.acceptance_draws("sleep sensor")
    assert joint.mean[0] == pytest.approx(draws.intercept.mean(), abs=0.3)
    assert np.sqrt(joint.covariance[1][1]) == pytest.approx(2 * draws.slope.std(), rel=0.15)
    assert np.all(np.linalg.eigvalsh(np.array(joint.covariance)) > 0)


def test_an_informed_prior_narrows_a_small_study(card):
    few = ask.simulate_answers(
        {"snoring sensor": SLEEP["sleep sensor"]}, people=10, per_person=8, random_state=3
    )
    alone = learn.fit_acceptability(few, means=(0,), random_state=1)
    prior = prior_of_card(card, application="snoring sensor")
    informed = learn.fit_acceptability(few, means=(0,), priors=prior, random_state=1)
    assert (
        informed.estimate("alpha", "snoring sensor").sd
        < alone.estimate("alpha", "snoring sensor").sd
    )


def test_a_published_interval_informs_alpha_alone_and_a_bare_mean_is_refused():
    prior = prior_of_card(registry.find_card("kay2015-weather"), application="umbrella", widen=1.0)
    joint = prior.applications["umbrella"]
    # Level and slope as unknown as under the default priors: half-normal slopes of scale 15 have
    # the variance 225 (1 - 2 / pi), and the level at 0.75 the variance 1.6 squared.
    slope = 225 * (1 - 2 / np.pi)
    assert joint.covariance[1][1] == pytest.approx(slope)
    at_usual = np.array([1.0, 0.75])
    level = at_usual @ np.array(joint.covariance)[:2, :2] @ at_usual
    assert level == pytest.approx(1.6**2)
    assert at_usual @ np.array(joint.mean)[:2] == pytest.approx(0.0)
    assert 1 / (1 + np.exp(-joint.mean[2])) == pytest.approx(0.461)
    with pytest.raises(InputError, match="no interval"):
        prior_of_card(registry.find_card("kay2015-electricity"), application="x")
    with pytest.raises(InputError, match="above 0"):
        prior_of_card(registry.find_card("kay2015-weather"), application="x", widen=0)


def test_unreadable_cards_are_refused_kindly(card, tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        registry.find_card("nowhere.json")
    with pytest.raises(UnknownNameError, match="kay2015-weather"):
        registry.find_card("kay2015-wether")
    broken = tmp_path / "broken.json"
    broken.write_text("{not json")
    with pytest.raises(FileFormatError, match="not JSON"):
        registry.read_card(broken)
    broken.write_text("[" * 100_000)
    with pytest.raises(FileFormatError, match="too deep"):
        registry.read_card(broken)
    broken.write_text(" " * (MOST_BYTES + 1))
    with pytest.raises(FileFormatError, match="more than"):
        registry.read_card(broken)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "../../etc"}, "file name"),
        ({"format": 9}, "Update howgood"),
        ({"alpha": "high"}, "alpha"),
        ({"draws": {"p": [0.0]}}, "equally many"),
        ({"colour": "red"}, "colour"),
        ({"model": "neural"}, "model"),
    ],
)
def test_a_card_with_wrong_content_is_refused_with_the_place(card, tmp_path, change, words):
    path = registry.write_card(card, folder=tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=words):
        registry.read_card(path)


def test_a_card_from_few_people_says_so_in_its_file_and_on_the_command_line(card, tmp_path, capsys):
    few = card.changed(n_respondents=6)
    assert card_warning(card) == "" == " ".join(card.notes)
    registry.write_card(few, folder=tmp_path)
    folder = ["--registry", str(tmp_path)]
    for words in (["show", "sleep-sensor"], ["prior", "sleep-sensor", "--application", "bed"]):
        assert run(["registry", *words, *folder]) == 0
        assert "rests on the answers of 6" in capsys.readouterr().err
    assert run(["registry", "list", "--json", *folder]) == 0
    rows = json.loads(capsys.readouterr().out)["cards"]
    warned = {row["name"]: row["warning"] for row in rows}
    assert warned["sleep-sensor"] == "few people"
    assert not any(text for name, text in warned.items() if name != "sleep-sensor")


@pytest.mark.filterwarnings("ignore")
def test_a_card_made_from_few_people_carries_a_note():
    answers = ask.simulate_answers(SLEEP, people=6, per_person=8, random_state=1)
    fit = learn.fit_acceptability(answers, random_state=1)
    few = registry.card_of_fit(fit, None, name="few", description="Six people.")
    assert "rests on the answers of 6" in few.notes[0]


@pytest.mark.parametrize(("people", "evidence", "begins"), [
    (6, "few people", "Few people"), (6, "none", "Few people"), (40, "enough", ""),
    (40, "none", "Not enough evidence"), (None, "few people", ""),
])  # fmt: skip
def test_the_warning_follows_the_evidence_a_card_carries(people, evidence, begins):
    card = SimpleNamespace(n_respondents=people, evidence=evidence, draws={"alpha": (0.5,)})
    assert card_warning(card).partition(":")[0] == begins


def test_a_card_named_index_has_a_page_next_to_the_index(tmp_path):
    known = registry.cards(tmp_path)
    one = next(card for card in known.values() if card.draws)
    taken = {"Index": one.changed(name="Index"), "index-card": one.changed(name="index-card")}
    pages = registry.write_site({"index": one.changed(name="index"), **taken}, folder=tmp_path)
    names = [page.name for page in pages]
    assert len({name.casefold() for name in names}) == len(names) == 4
    index = (tmp_path / "index.html").read_text()
    assert "<h2>Cards</h2>" in index
    assert all(f'href="{name}"' in index for name in names if name != "index.html")
