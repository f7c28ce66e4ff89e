"""Stop a release that is not shown to be better: the comparison as a test of your own suite."""

from pathlib import Path

FOLDER = Path(__file__).parent


def test_the_candidate_may_replace_the_base(howgood_ship):
    """Compare the two evaluation logs of this build; howgood brings the fixture."""
    howgood_ship(FOLDER / "base.csv", FOLDER / "candidate.csv", metric="correct")
