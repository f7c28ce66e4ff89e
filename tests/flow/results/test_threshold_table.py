"""The threshold a result recommends stands in its table too, with the same digits."""

import numpy as np
import pytest

from howgood import decide, score
from howgood.flow.results.tasks import _every_threshold
from howgood.show.decisions import threshold_findings


@pytest.mark.parametrize("seed", range(6))
def test_the_recommended_threshold_is_a_row_of_the_table(seed):
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, 2, 400)
    scores = np.clip(0.3 * truth + generator.normal(0.35, 0.2, 400), 0, 1)
    choice = decide.threshold(score.PowerMean(p=0, alpha=0.4), truth, scores, random_state=seed)
    said = threshold_findings(choice)[0].text.removeprefix("Use ").partition(":")[0]
    marked = [each for each in _every_threshold(choice).table["threshold"] if "use this" in each]
    assert marked == [f"{said} (use this)"]
