"""A system in use, watched at every answer: are warnings and bounds wrong as rarely as promised?"""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from tests.statistical.judging import covers, expected_counts

from howgood import decide
from howgood.stats.sequential import share_bounds

pytestmark = pytest.mark.slow
START = datetime(2026, 3, 2, tzinfo=UTC)
# Who answers: how many answers, of how many people (None: everybody is new), and on what scale.
DESIGNS = {
    "800 new people, yes or no": (800, None, "accepted"),
    "40 people again and again, 800 answers, yes or no": (800, 40, "accepted"),
    "800 answers of 300 people, ratings": (800, 300, "rating"),
}


def _stream(rng, design, *, change=None, loss=0.0):
    """Answers of people who differ; from the answer `change` on everybody accepts less."""
    n, n_people, scale = DESIGNS[design]
    who = np.arange(n) if n_people is None else rng.integers(n_people, size=n)
    content = rng.beta(6, 2, size=who.max() + 1)[who]
    if change is not None:
        content = np.where(np.arange(n) < change, content, np.maximum(content - loss, 0.0))
    answers = {
        "participant": who.astype(str),
        "at": [START + timedelta(hours=3 * int(place)) for place in range(n)],
    }
    if scale == "accepted":
        return answers | {"accepted": rng.random(n) < content}
    return answers | {"rating": 1 + rng.binomial(6, content)}


@pytest.mark.parametrize("design", DESIGNS)
def test_where_nothing_changes_warnings_are_as_rare_as_promised(design, ledger):
    seed, streams = 20941, 150
    rng = np.random.default_rng([seed, list(DESIGNS).index(design)])
    warned = [decide.watch(_stream(rng, design)).has_changed for _ in range(streams)]
    ledger.add(
        "probability",
        "ever warned though nothing changed",
        expected_counts(warned, np.full(streams, 0.05), what="warned at any look", at_most=True),
        setting=f"{design}; a look at every answer",
        seed=seed,
    )
    ledger.settle()


@pytest.mark.parametrize("design", DESIGNS)
def test_a_large_fall_is_noticed(design):
    rng = np.random.default_rng([20942, list(DESIGNS).index(design)])
    found = [decide.watch(_stream(rng, design, change=400, loss=0.4)).changes for _ in range(40)]
    fell = [any(change.direction == "fell" for change in changes) for changes in found]
    assert np.mean(fell) >= 0.9


def test_bounds_of_the_share_hold_at_every_look(ledger):
    seed, streams, looks = 20943, 300, range(1, 401, 10)
    rng = np.random.default_rng(seed)
    for share in (0.6, 0.8, 0.95):
        held = []
        for _ in range(streams):
            accepted = np.cumsum(rng.random(400) < share)
            bounds = (share_bounds(int(accepted[n - 1]), n, level=0.05) for n in looks)
            held.append(all(lower <= share <= upper for lower, upper in bounds))
        ledger.add(
            "coverage",
            "share accepting in use, at every look",
            covers({0.95: held}, at_least=True),
            setting=f"{share:.0%} accept; 40 looks at 1 to 391 people",
            seed=seed,
        )
    ledger.settle()


def test_intervals_of_a_period_hold_the_share(ledger):
    seed, streams = 20944, 300
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(streams):
        who = rng.integers(40, size=80)
        content = rng.beta(6, 2, size=40)[who]
        answers = {
            "participant": who.astype(str),
            "at": [START + timedelta(minutes=int(place)) for place in range(80)],
            "accepted": rng.random(80) < content,
        }
        (row,) = decide.watch(answers, period="week").periods.rows()
        held.append(row["lower"] <= 0.75 <= row["upper"])
    ledger.add(
        "coverage",
        "share accepting in a period",
        covers({0.95: held}, at_least=True, allowed=0.02),
        setting="80 answers of 40 people who differ; wider where people answered several times",
        seed=seed,
    )
    ledger.settle()


def test_asking_only_the_content_again_breaks_the_promise():
    """What the documentation warns of: who is asked again must not depend on what they said."""
    rng = np.random.default_rng(20945)
    warned = []
    for _ in range(60):
        who, accepted = [], []
        for person in range(400):
            content = rng.beta(3, 3)
            said = True
            while said and len(accepted) < 5000:
                said = bool(rng.random() < content)
                who.append(str(person))
                accepted.append(said)
        answers = {
            "participant": who, "accepted": accepted,
            "at": [START + timedelta(minutes=place) for place in range(len(who))],
        }  # fmt: skip
        warned.append(decide.watch(answers).has_changed)
    assert np.mean(warned) > 0.2
