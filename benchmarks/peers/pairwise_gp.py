"""How soon BoTorch's PairwiseGP knows a person's weight: questions chosen by EUBO.

Runs in an environment of its own: `python pairwise_gp.py GIVEN.npz FOUND.json`. Given are the
shares of correct rejections and hits of every system, true weights, steps and the share of slips;
found is a0 at every step, weight by weight: that of the linear metric nearest to the utility that
the process learned.
"""

import json
import sys
import warnings

import numpy as np
import torch
from botorch.acquisition.preference import AnalyticExpectedUtilityOfBestOption
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood


def asked(points, a0, steps, slips, seed):
    rng = np.random.default_rng(seed)
    utility = points @ [a0, 1 - a0]
    low, high = points.min(axis=0), points.max(axis=0)
    inputs = torch.tensor((points - low) / (high - low), dtype=torch.double)
    pairs = torch.combinations(torch.arange(len(points)), 2)
    pair, comparisons, found, model = rng.choice(len(points), 2, replace=False), [], [], None
    for number in range(1, max(steps) + 1):
        first, second = map(int, pair)
        is_first = (utility[first] >= utility[second]) != (rng.random() < slips)
        comparisons.append((first, second) if is_first else (second, first))
        model = _learned(inputs, comparisons, model, fits=number <= 5 or number % 5 == 0)
        with torch.no_grad():
            if number in steps:
                found.append(_weight(points, model.posterior(inputs).mean.squeeze().numpy()))
            gain = AnalyticExpectedUtilityOfBestOption(model)(inputs[pairs])
            pair = pairs[int(gain.argmax())].tolist()
    return found


def _learned(inputs, comparisons, before, *, fits):
    """Take in the last answer; length scales are fitted anew at every fifth."""
    model = PairwiseGP(inputs, torch.tensor(comparisons))
    if before is not None:
        model.load_state_dict(before.state_dict(), strict=False)
    if fits:
        fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    return model.eval()


def _weight(points, utility):
    design = np.column_stack([points, np.ones(len(points))])
    cleared, found, _ = np.maximum(np.linalg.lstsq(design, utility, rcond=None)[0], 1e-9)
    return float(cleared / (cleared + found))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    given = np.load(sys.argv[1])
    steps, slips = given["steps"].tolist(), float(given["slips"])
    answers = [
        asked(given["points"], a0, steps, slips, number)
        for number, a0 in enumerate(given["weights"])
    ]
    with open(sys.argv[2], "w") as file:
        json.dump(answers, file)
