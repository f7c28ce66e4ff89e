"""An arena that is watched: how often are two equal systems called different, over all looks?"""

import numpy as np
import pytest
from tests.statistical.judging import covers

from howgood.decide.arena import lasting_sds
from howgood.kinds.study import Study
from howgood.kinds.votes.next_pair import Pair, next_pair, votes_so_far
from howgood.stats.paired_votes import Votes, fit_votes
from howgood.stats.sequential import lasting_half_width

pytestmark = pytest.mark.slow
_SYSTEMS = ("first", "twin", "third", "fourth")
_STRENGTHS = np.array([0.0, 0.0, 0.8, -0.6])
_CHOICES = ("left", "right", "tie")


def _arena(prompts):
    """A study of votes with so many prompts; what outputs say does not matter."""
    return Study.from_dict(
        {
            "kind": "votes",
            "slug": "arena",
            "title": "Which is better?",
            "consent": {"text": "I agree."},
            "votes": {
                "task": "Please choose.",
                "repeat_every": 0,
                "prompts": [{"key": f"p{n}", "text": "?"} for n in range(prompts)],
                "outputs": [
                    {"prompt": f"p{n}", "system": system, "text": "x"}
                    for n in range(prompts)
                    for system in _SYSTEMS
                ],
            },
        }
    )


def _watched(rng, study, *, people, votes, taste):
    """Let people vote, pairs chosen by the votes so far; look after every person from the third.

    Returns whether the twins were ever called different: by the board, by intervals for one look.
    """
    on_prompts = rng.normal(0, taste, (len(study.plan.prompts), len(_SYSTEMS)))
    rows, given = [], []
    lasting = once = False
    for person in range(people):
        own = _STRENGTHS + rng.normal(0, taste, len(_SYSTEMS))
        shown = []
        for number in range(votes):
            if number % 5 == 0:  # a busy server knows the votes of a moment ago
                so_far = votes_so_far(study, given)
            pair = next_pair(study, int(rng.integers(2**31)), shown, so_far)
            shown.append(pair)
            rows.append((*_vote(rng, pair, own, on_prompts), person))
            given.append({"pair": pair.as_text(), "choice": _CHOICES[rows[-1][2]]})
        if person >= 2:
            left, right, outcome, item, rater = np.array(rows).T
            item = np.unique(item, return_inverse=True)[1]
            fitted = fit_votes(Votes(left=left, right=right, outcome=outcome, item=item,
                                     rater=rater, n_competitors=len(_SYSTEMS)))  # fmt: skip
            gap, sd = abs(fitted.strengths[0] - fitted.strengths[1]), lasting_sds(fitted)[0, 1]
            lasting = lasting or gap > lasting_half_width(sd, level=0.05)
            once = once or gap > 1.959964 * sd
    return lasting, once


def _vote(rng, pair: Pair, own, on_prompts):
    left, right = (_SYSTEMS.index(system) for system in (pair.left, pair.right))
    prompt = int(pair.prompt[1:])
    value = own + on_prompts[prompt]
    gap = value[left] - value[right] + 0.15
    weights = np.exp([gap / 2, -gap / 2, -0.7])
    return left, right, int(rng.choice(3, p=weights / weights.sum())), prompt


@pytest.mark.parametrize(("people", "prompts"), [(12, 12), (30, 40)])
def test_twins_are_rarely_called_different_however_often_somebody_looks(ledger, people, prompts):
    seed, studies, study = 24_000 + people, 200, _arena(prompts)
    rng = np.random.default_rng(seed)
    watched = [_watched(rng, study, people=people, votes=20, taste=0.5) for _ in range(studies)]
    kept = [not lasting for lasting, _ in watched]
    once = np.mean([once for _, once in watched])
    ledger.add(
        "coverage",
        "two equal systems stay tied at every look of an arena",
        covers({0.95: kept}, at_least=True),
        setting=f"{people} people with 20 votes on {prompts} prompts, pairs chosen by the votes so "
        f"far, a look after every person, tastes of sd .5; intervals for one look call twins "
        f"different in {once:.0%}",
        seed=seed,
    )
    ledger.settle()
