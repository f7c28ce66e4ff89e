"""Where research would matter most, and how near a card is: by hand, by property, by refusal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from howgood.cli.main import run
from howgood.decide.challenges import challenges, nearest, transfer
from howgood.errors import FileFormatError, HowgoodError
from howgood.flow import registry
from howgood.records.acceptance import AcceptanceDraws
from howgood.records.card import ReachedSystem, card_of_draws
from howgood.show.challenges import (
    challenge_findings,
    challenge_report,
    challenge_table,
    nearest_findings,
)


def card(name, level, *, systems=(), slope=10.0, description="a thing", people=20, spread=0.0):
    """Return a card of people without spread: logit = level + slope (mean - .85)."""
    away = spread * np.array([-1.0, 0.0, 1.0])
    draws = AcceptanceDraws(
        application=name, p=np.ones(3), alpha=np.full(3, 0.5),
        intercept=level - 0.85 * slope + away, slope=np.full(3, slope), person_sd=np.full(3, 1e-6),
        n_respondents=people,
    )  # fmt: skip
    made = card_of_draws(
        draws, name=f"{name}-card", description=description, citation="test", licence="none"
    )
    entered = tuple(
        ReachedSystem(name=f"s{i}", precision=p, recall=r, source="somewhere")
        for i, (p, r) in enumerate(systems)
    )
    return made.changed(systems=entered)


def known(*cards):
    return {one.name: one for one in cards}


def test_shares_and_gains_are_those_of_the_curve():
    (only,) = challenges(known(card("alarm", 0.0, systems=[(0.6, 0.6), (0.85, 0.85)])))
    assert only.best.name == "s1"
    assert only.accepting.mean == pytest.approx(0.5, abs=1e-6)
    assert only.gain.mean == pytest.approx(expit(0.5) - 0.5, abs=1e-6)
    assert only.probability_enough == 0.0
    assert only.reachable == 1.0  # logit 1.5 at perfect accuracy is 82 %


def test_most_urgent_is_where_people_can_be_won_and_nothing_entered_comes_last():
    ranked = challenges(
        known(
            card("enough", 4.0, systems=[(0.9, 0.9)]),
            card("unknown", 0.0),
            card("open", 0.0, systems=[(0.85, 0.85)]),
            card("hopeless", -9.0, systems=[(0.85, 0.85)]),
        )
    )
    assert ranked[0].application == "open"
    assert ranked[-1].application == "unknown"
    assert ranked[-1].accepting is None


def test_leaving_one_application_out_is_the_gap_to_every_other():
    shares = expit(np.array([0.0, 1.0, -1.0]))
    found = transfer(known(*(card(f"a{i}", level) for i, level in enumerate((0.0, 1.0, -1.0)))))
    gaps = [abs(x - y) for i, x in enumerate(shares) for j, y in enumerate(shares) if i != j]
    assert found.n_applications == 3
    assert found.mean == pytest.approx(np.mean(gaps), abs=1e-6)
    assert found.largest == pytest.approx(max(gaps), abs=1e-6)
    assert found.held == 0.0


def test_two_cards_of_one_application_do_not_predict_each_other():
    one = card("alarm", 0.0, people=30)
    twin = one.changed(name="twin", n_respondents=10)
    assert transfer({"a": one, "b": twin}).n_applications == 1
    assert transfer({"a": one, "b": twin}).mean is None
    assert "not known" in nearest_findings(nearest({"a": one}, "x"), transfer({"a": one}))[1].text


SHOWN = known(
    card("alarm", 0.0, description="A home alarm calls the police when a stranger enters."),
    card("fridge", 0.0, description="A fridge notices that milk is missing and orders it."),
)


@pytest.mark.parametrize(
    ("text", "first", "near", "far"),
    [
        ("A home alarm that calls the police when strangers enter", "alarm", True, False),
        ("A fridge that orders missing milk", "fridge", True, False),
        ("Translation of court documents", "alarm", False, True),
        ("", "alarm", False, True),
    ],
)
def test_nearness_is_by_what_is_described(text, first, near, far):
    found = nearest(SHOWN, text)
    assert found[0].application == first
    assert (found[0].is_near, found[0].is_far) == (near, far)
    said = nearest_findings(found, transfer(SHOWN))[0].text
    assert ("No card is near" in said) is far


@given(st.text(max_size=60))
def test_nearness_lies_between_nothing_and_the_same(text):
    found = nearest(SHOWN, text)
    assert all(0.0 <= one.nearness <= 1.0 + 1e-9 for one in found)
    own = next(iter(SHOWN.values()))
    same = nearest(SHOWN, f"{own.application} {own.description}")
    assert same[0].nearness == pytest.approx(1.0)


def test_the_report_says_what_is_missing_and_on_how_many_applications_it_rests():
    cards = known(card("open", 0.0, systems=[(0.85, 0.85)]), card("unknown", 1.0))
    ranked, apart = challenges(cards), transfer(cards)
    texts = " ".join(finding.text for finding in challenge_findings(ranked, apart))
    assert "matter most for open" in texts
    assert "For unknown nobody entered" in texts
    assert "the 2 applications were missed" in texts
    assert challenge_table(ranked)["source"].tolist() == ["somewhere", ""]
    assert challenge_report(ranked, apart).sections[0].svg


def test_a_system_needs_a_source_and_an_accuracy(tmp_path):
    name = "kay2015-answers-location"
    options = {"folder": tmp_path, "system": "x", "precision": 0.8, "recall": 0.7}
    with pytest.raises((FileFormatError, HowgoodError)):
        registry.with_system(name, **options, source="")
    with pytest.raises((FileFormatError, HowgoodError)):
        registry.with_system(name, **{**options, "recall": 1.7}, source="paper")
    for recall in (0.7, 0.75):  # entered again, it is replaced
        registry.with_system(name, **{**options, "recall": recall}, source="paper")
    (system,) = registry.cards(tmp_path)[name].systems
    assert system.recall == 0.75


def test_commands_enter_rank_look_up_and_write_the_site(tmp_path, capsys):
    folder = ["--registry", str(tmp_path / "cards")]
    enter = ["registry", "system", "kay2015-answers-location", "--name", "Wi-Fi <b>"]
    enter += ["--precision", ".8", "--recall", ".75", "--source", "a paper"]
    assert run([*enter, *folder]) == 0
    assert run(["registry", "challenges", "--out", str(tmp_path / "page.html"), *folder]) == 0
    assert "matter most for Location tracker" in " ".join(capsys.readouterr().out.split())
    assert run(["registry", "nearest", "A fridge that orders milk", *folder]) == 0
    assert "No card is near" in capsys.readouterr().out
    assert run(["registry", "site", str(tmp_path / "site"), *folder]) == 0
    index = (tmp_path / "site" / "index.html").read_text()
    assert "<b>" not in index.split("<main", 1)[1]
    for name in registry.cards(tmp_path / "cards"):
        assert f'href="{name}.html"' in index
        assert (tmp_path / "site" / f"{name}.html").is_file()
    assert "http" not in " ".join(part.split('"')[0] for part in index.split('src="')[1:])
