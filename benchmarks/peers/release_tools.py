"""What other tools say about the same studies: truescore, evalstats, lm-eval's error.

Runs in an environment of its own: `python release_tools.py judge|ship STUDIES.npz FOUND.json`.
"""

import json
import sys
import warnings

import numpy as np
from scipy import stats


def judged(studies):
    """Return each tool's intervals of the corrected pass rate."""
    import truescore

    found = {"truescore (PPI++)": [], "labels alone (Wilson)": []}
    for judge, label in zip(studies["judge"], studies["label"], strict=True):
        report = truescore.build_report(judge, label, np.arange(len(label)))
        for name, estimate in zip(found, (report.corrected, report.gold_only), strict=True):
            found[name].append((float(estimate.low), float(estimate.high)))
    return found


def shipped(studies):
    """Return for each tool whether it would call the candidate better, study by study."""
    from evalstats import tests
    from lm_eval.api.metrics import mean_stderr

    found = {"lm-eval's standard errors, unpaired": [], "evalstats, paired t-test": []}
    for base, candidate in zip(studies["base"], studies["candidate"], strict=True):
        gap = candidate.mean() - base.mean()
        error = np.hypot(mean_stderr(base.tolist()), mean_stderr(candidate.tolist()))
        # One-sided, as a decision to ship is.
        found["lm-eval's standard errors, unpaired"].append(
            bool(gap / error > stats.norm.ppf(0.95))
        )
        result = tests.ttest(candidate, base, paired=True, alpha=0.1, print_result=False)
        found["evalstats, paired t-test"].append(bool(gap > 0 and result.p_value < 0.1))
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    what, given, printed = sys.argv[1:]
    with np.load(given) as studies:
        answers = {"judge": judged, "ship": shipped}[what](dict(studies))
    with open(printed, "w") as file:
        json.dump(answers, file)
