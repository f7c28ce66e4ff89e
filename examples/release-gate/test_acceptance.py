"""Stop a release that too few people would accept: the gate as a test of your own suite."""

import csv
from pathlib import Path

from howgood import decide
from howgood.flow.acceptability import open_model

FOLDER = Path(__file__).parent


def test_enough_people_would_accept_the_model():
    """Read the predictions of this build and ask the gate."""
    with (FOLDER / "predictions.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    truth = [int(row["truth"]) for row in rows]
    predicted = [int(row["predicted"]) for row in rows]
    people = open_model(
        "kay2015-answers-electricity", folder=Path("howgood-registry"), random_state=1
    )
    gate = decide.gate(people, "electricity", truth, predicted, share=0.5, random_state=1)
    assert gate.verdict != "fail", f"{gate.acceptance.mean:.0%} would accept it"
