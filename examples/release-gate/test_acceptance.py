"""Stop a release that too few people would accept: the gate as a test of your own suite."""

import csv
from pathlib import Path

FOLDER = Path(__file__).parent


def test_enough_people_would_accept_the_model(howgood_gate):
    """Read the predictions of this build and ask the gate; howgood brings the fixture."""
    with (FOLDER / "predictions.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    truth = [int(row["y_true"]) for row in rows]
    predicted = [int(row["y_pred"]) for row in rows]
    howgood_gate("kay2015-answers-electricity", truth, predicted, share=0.5)
