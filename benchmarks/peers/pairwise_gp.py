"""How soon BoTorch's PairwiseGP knows a person's weight.

Runs in an environment of its own: `python pairwise_gp.py GIVEN.npz FOUND.json`. Given are the
shares of correct rejections and hits of every system, true weights, steps, the share of slips and
the name of a way to choose pairs; found is a0 at every step, weight by weight: that of
the linear metric that correlates best, over all systems, with the utility the process learned.

What is fair to it: it may ask about the same systems as we do (up to `CANDIDATES`, evenly over
thresholds), its pair is the best of all by one joint posterior, inputs lie between 0 and 1, and
hyperparameters are fitted after each of the first five answers and then after every fifth, from
where they were. Kernel, priors and likelihood are BoTorch's own. A pair is chosen by the "expected
best" (EUBO), made to find the best system rather than the weight, or because it is the most
"uncertain", by the variance of the difference of its utilities. What the process cannot know is
that slips are as likely in clear choices (its likelihood is probit), and that the metric is linear.
"""

import json
import sys
import warnings

import numpy as np
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood

# Pairs grow with the square; all of them share one posterior.
CANDIDATES = 150


def asked(points, a0, steps, slips, seed, *, choice):
    rng = np.random.default_rng(seed)
    utility = points @ [a0, 1 - a0]
    low, high = points.min(axis=0), points.max(axis=0)
    inputs = torch.tensor((points - low) / (high - low), dtype=torch.double)
    pair, comparisons, found, model = rng.choice(len(points), 2, replace=False), [], [], None
    for number in range(1, max(steps) + 1):
        first, second = map(int, pair)
        is_first = (utility[first] >= utility[second]) != (rng.random() < slips)
        comparisons.append((first, second) if is_first else (second, first))
        fits = number <= 5 or number % 5 == 0
        model = _learned(inputs, comparisons, model, fits=fits)
        with torch.no_grad():
            mean, covariance = _joint(model, inputs)
        if number in steps:
            found.append(_weight(points, mean))
        pair = CHOICES[choice](mean, covariance)
    return found


def _learned(inputs, comparisons, before, *, fits):
    """Take in the last answer, with the systems that were compared so far."""
    compared, rows = torch.tensor(comparisons).unique(return_inverse=True)
    model = PairwiseGP(inputs[compared], rows)
    if before is not None:
        model.covar_module.load_state_dict(before.covar_module.state_dict())
    if fits:
        fit_gpytorch_mll(PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model))
    else:
        model.set_train_data(inputs[compared], rows, update_model=True)
    return model.eval()


def _joint(model, inputs):
    posterior = model.posterior(inputs)
    return posterior.mean.squeeze(-1).numpy(), posterior.mvn.covariance_matrix.numpy()


def _expected_best(mean, covariance):
    """Return the pair with the largest E max(f_1, f_2): EUBO in closed form."""
    first, second, spread = _pairs(covariance)
    normal = torch.distributions.Normal(0.0, 1.0)
    gap = torch.tensor((mean[first] - mean[second]) / spread)
    gain = spread * (normal.log_prob(gap).exp() + gap * normal.cdf(gap)).numpy() + mean[second]
    return first[gain.argmax()], second[gain.argmax()]


def _uncertain(_mean, covariance):
    """Return the pair of whose difference least is known."""
    first, second, spread = _pairs(covariance)
    return first[spread.argmax()], second[spread.argmax()]


CHOICES = {"expected best": _expected_best, "uncertain": _uncertain}


def _pairs(covariance):
    first, second = np.triu_indices(len(covariance), k=1)
    own = covariance.diagonal()
    variance = own[first] + own[second] - 2 * covariance[first, second]
    return first, second, np.sqrt(np.maximum(variance, 1e-12))


def _weight(points, utility):
    """Return the a0 whose metric goes together best with the utility, whatever its scale."""
    weights = np.linspace(0, 1, 1001)
    metrics = points @ np.stack([weights, 1 - weights])
    metrics -= metrics.mean(axis=0)
    together = (utility - utility.mean()) @ metrics / np.linalg.norm(metrics, axis=0)
    return float(weights[together.argmax()])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    given = np.load(sys.argv[1])
    points, steps, slips = given["points"], given["steps"].tolist(), float(given["slips"])
    kept = np.linspace(0, len(points) - 1, min(CANDIDATES, len(points))).round().astype(int)
    answers = [
        asked(points[kept], a0, steps, slips, number, choice=str(given["choice"]))
        for number, a0 in enumerate(given["weights"])
    ]  # fmt: skip
    with open(sys.argv[2], "w") as file:
        json.dump(answers, file)
