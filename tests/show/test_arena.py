"""What a board of votes says about votes that say little, or nothing."""

from collections import Counter
from itertools import count

import numpy as np
import pytest

from howgood.decide.arena import board
from howgood.show.arena import AskedAgain, VoteCounts, headline, live_board, report, verdict
from howgood.show.translation import translated_page
from howgood.show.votes import cycle_finding, few_votes_findings

NOT_ASKED = AskedAgain(share=None, pairs=0, alike=0, left_twice=0, right_twice=0)
PAIRS = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")]


def _votes(winners, pairs=PAIRS):
    """A vote of each of ten people on each pair; `winners` gives who wins by pair and person."""
    rows = [(left, right, person) for person in range(10) for left, right in pairs]
    return {
        "left": [left for left, _, _ in rows],
        "right": [right for _, right, _ in rows],
        "winner": [winners(left, right, person) for left, right, person in rows],
        "item": [f"p{place % 12}" for place in range(len(rows))],
        "rater": [person for _, _, person in rows],
    }


def _counts(votes, unseen=()):
    seen = Counter(votes["left"]) + Counter(votes["right"])
    return VoteCounts(votes=seen, won={}, lost={}, both_bad={}, unseen=unseen)


def _alphabetical():
    """Return winners: the first in the alphabet, but for every 25th vote."""
    number = count()
    return lambda left, right, person: (
        "left" if (left < right) != (next(number) % 25 == 0) else "right"
    )


@pytest.mark.parametrize(
    ("winner", "said"),
    [
        ("left", "All 60 votes that prefer an output prefer the one on the left"),
        ("right", "All 60 votes that prefer an output prefer the one on the right"),
        ("tie", "None of 60 votes prefers a system"),
    ],
)
def test_votes_for_one_side_or_for_none_settle_nothing(winner, said):
    votes = _votes(lambda left, right, person: winner)
    made = board(votes)
    assert said in verdict(made).text
    assert verdict(made).tone == "unsure"
    notes = " ".join(live_board(made, _counts(votes), people=10).notes)
    assert "what the side does cannot be estimated" in notes


def test_a_system_that_ties_with_another_is_not_named_as_the_answer():
    rng = np.random.default_rng(3)
    coins = rng.random((10, 3, 3)) < 0.5
    votes = _votes(
        lambda left, right, person: (
            "left" if coins[person, "abc".index(left), "abc".index(right)] else "right"
        )
    )
    made = board(votes)
    leader = made.ranking.order[0]
    assert made.ties[leader], "equal systems tie"
    said = headline(made, _counts(votes), NOT_ASKED)
    assert said.title == "No clear winner"
    assert said.text.startswith(f"{leader} is first so far")
    assert not said.is_enough


def test_of_two_systems_the_win_rate_is_the_share_of_votes_won():
    votes = _votes(_alphabetical(), pairs=[("a", "b"), ("b", "a")] * 6)
    won = np.mean([
        (left if winner == "left" else right) == "a"
        for left, right, winner in zip(votes["left"], votes["right"], votes["winner"], strict=True)
    ])  # fmt: skip
    said = headline(board(votes), _counts(votes), NOT_ASKED)
    assert said.title == "a"
    assert said.share[1] == pytest.approx(won, abs=0.01)
    assert said.caption == "win rate against the other system"


def test_a_system_nobody_voted_on_keeps_the_order_open():
    votes = _votes(_alphabetical(), pairs=[("a", "b"), ("b", "a")] * 6)
    made = board(votes)
    assert verdict(made).tone == "good"
    counts = _counts(votes, unseen=("c",))
    said = headline(made, counts, NOT_ASKED)
    assert not said.is_enough
    assert "nobody has voted on c" in said.more[0]
    assert "stop" not in said.more[0]


def test_groups_that_were_never_compared_are_named_on_the_board():
    votes = _votes(_alphabetical(), pairs=[("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")] * 4)
    made = board(votes)
    assert "no number of such votes would settle it" in verdict(made).text
    findings = report(made, _counts(votes), NOT_ASKED, with_length=None).findings
    groups = next(each.text for each in findings if "No vote connects these groups" in each.text)
    assert "Keine Stimme verbindet" in translated_page(groups, "de")
    assert 'lang="en"' not in translated_page(groups, "de")


def test_systems_with_few_votes_and_circles_are_named_in_german_too():
    few = _votes(_alphabetical(), pairs=[("a", "b"), ("b", "a")] * 6)
    few = {name: [*values, *values[:3]] for name, values in few.items()}
    few["right"][-3:] = ["c"] * 3
    made = board(few)
    said = [each.text for each in few_votes_findings(made.ranking)]
    settings = {
        "circular triples": 7,
        "circular triples by chance": 2.25,
        "share of chance with as many circles": 0.01,
    }
    said.append(cycle_finding(settings).text)
    assert len(said) == 2
    assert [text for text in said if 'lang="en"' in translated_page(text, "de")] == []


def test_pairs_asked_again_are_counted_as_they_were_answered():
    from howgood.records.estimate import Estimate

    votes = _votes(_alphabetical())
    share = Estimate.from_draws(np.linspace(0.8, 1.0, 101), kind="quantile")
    again = AskedAgain(share=share, pairs=12, alike=12, left_twice=0, right_twice=0)
    said = headline(board(votes), _counts(votes), again)
    assert said.more[-1].endswith("the same answer in 12 of 12 pairs.")
