"""What answers can say about each application, and warnings about what they cannot.

In: `Cells`, and how many people spoke about each application. Out: `Evidence` per application, the
reasons, warnings. Absent: the fit, which is made all the same.
"""

from collections.abc import Mapping

import numpy as np

from howgood.errors import FewRespondentsWarning, NoEvidenceWarning, announce
from howgood.learn.binary_model import Cells
from howgood.records.evidence import FEW_PEOPLE, Evidence

_FALLING = -2.0  # standard errors below no relation at all


def evidence_by_application(cells: Cells, people: Mapping[str, int]) -> dict[str, Evidence]:
    """Return how much is known about each application.

    "none" where the answers cannot tell the model's parameters, or contradict it; "few people"
    where fewer than `FEW_PEOPLE` answered; else "enough".
    """
    without = {**silent_applications(cells), **falling_applications(cells)}
    found: dict[str, Evidence] = {}
    for name in cells.applications:
        if name in without:
            found[name] = "none"
        else:
            found[name] = "few people" if people[name] < FEW_PEOPLE else "enough"
    return found


def warn_about(cells: Cells, people: Mapping[str, int]) -> None:
    """Warn where the answers say little or nothing about an application."""
    few = {name: count for name, count in people.items() if count < FEW_PEOPLE}
    if few:
        listed = ", ".join(f"{name!r} ({count})" for name, count in few.items())
        announce(
            f"few respondents for {listed}: 20 to 25 per application are usual; the intervals "
            "say how little is known, and lean on the priors.",
            FewRespondentsWarning,
        )
    for name, reason in silent_applications(cells).items():
        announce(
            f"the answers about {name!r} say nothing about {reason}: what is reported for it "
            "comes from the priors.",
            NoEvidenceWarning,
        )
    for name, reason in falling_applications(cells).items():
        announce(f"{name!r}: {reason}.", NoEvidenceWarning)


def silent_applications(cells: Cells) -> dict[str, str]:
    """Return what the answers cannot say about an application, and why, by its name."""
    total = cells.groups.alike @ cells.groups.counts
    accepted, refused = total[: cells.n_cells], total[cells.n_cells :]
    reasons = {}
    for index, name in enumerate(cells.applications):
        here = cells.application == index
        accuracy = {(p, r) for p, r in zip(cells.precision[here], cells.recall[here], strict=True)}
        if refused[here].sum() == 0:
            reasons[name] = "alpha and slope (every answer accepts)"
        elif accepted[here].sum() == 0:
            reasons[name] = "alpha and slope (every answer refuses)"
        elif len(accuracy) == 1:
            reasons[name] = "alpha and slope (a single scenario was shown)"
        elif len(accuracy) == 2:
            reasons[name] = "alpha apart from the slope (only two scenarios were shown)"
        elif len({p for p, _ in accuracy}) == 1 or len({r for _, r in accuracy}) == 1:
            reasons[name] = "alpha apart from the slope (precision or recall never varied)"
        elif all(precision == recall for precision, recall in accuracy):
            reasons[name] = "alpha (precision equals recall in every scenario)"
    return reasons


def falling_applications(cells: Cells) -> dict[str, str]:
    r"""Return the applications about which the answers contradict the model, by name, with why.

    Within each person k, :math:`S_k = \sum_j (a_{kj} - \bar a_k)(m_{kj} - \bar m_k)` adds up how
    accepting goes with accuracy m; :math:`\sum_k S_k / \sqrt{\sum_k S_k^2}` is about standard
    normal where they have nothing to do with each other.
    """
    accuracy = (cells.precision + cells.recall) / 2
    accepted, refused = np.split(cells.groups.counts, 2, axis=1)
    asked, found = accepted + refused, {}
    for index, name in enumerate(cells.applications):
        n = asked * (cells.application == index)
        totals = np.maximum(n.sum(axis=1, keepdims=True), 1.0)
        away = accuracy - (n @ accuracy)[:, None] / totals
        # Rounded: sums that are zero by arithmetic must not decide by their last digits.
        together = (accepted * (n > 0) * away).sum(axis=1).round(9)
        squares = float(cells.groups.alike @ together**2)
        if squares > 0 and cells.groups.alike @ together < _FALLING * np.sqrt(squares):
            found[name] = (
                "acceptance falls as accuracy rises; check that precision, recall and rating mean "
                "what their columns say"
            )
    return found


def lowest_shown(cells: Cells, application: str) -> float:
    """Return the lowest accuracy people were asked about: the mean of precision and recall."""
    here = cells.application == cells.applications.index(application)
    return float(((cells.precision + cells.recall) / 2)[here].min())
