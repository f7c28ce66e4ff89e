"""A paragraph for the methods section of a paper.

In: what a fit knows about itself. Out: text with the model, priors, computation and references.
Absent: results (see the fit), and layout.
"""

from howgood.records.diagnostics import Diagnostics
from howgood.records.priors import Priors
from howgood.records.provenance import Provenance

_REFERENCES = (
    "Kay, M., Patel, S. N. and Kientz, J. A. (2015). How Good is 85%? A Survey Tool to Connect "
    "Classifier Evaluation to Acceptability of Accuracy. CHI 2015. "
    "Vehtari, A. et al. (2024). Pareto smoothed importance sampling. JMLR 25(72)."
)


def binary_methods(
    *,
    n_people: int,
    applications: tuple[str, ...],
    cut: int,
    priors: Priors,
    diagnostics: Diagnostics,
    provenance: Provenance,
) -> str:
    """Return the methods of a binary fit in words."""
    left_out = _left_out(provenance)
    asked = f"{len(applications)} application{'s' if len(applications) != 1 else ''}"
    line = ("intercept", "slope") if priors.curve is None else ("curve",)
    named = _named(priors, (*line, "alpha", "person_sd"))
    return (
        f"{n_people} respondents gave {provenance.rows_used} answers about {asked}{left_out}. "
        f"A rating of {cut} or higher counts as accepting. We fitted a Bayesian mixed-effects "
        "logistic regression of accepting on a weighted power mean of precision and recall "
        "(Kay et al., 2015), with intercept, slope and weight alpha of precision per application, "
        f"a normal random intercept per respondent, and {_order(priors, provenance)}. "
        f"Priors ({priors.name}): {named}. "
        f"{_computation(diagnostics)} Intervals are 95 % highest-density intervals; differences "
        f"are called credible when theirs leaves out zero. {_source(provenance)} "
        f"References: {_REFERENCES}"
    )


def ordinal_methods(
    *,
    n_people: int,
    parts: tuple[str, ...],
    levels: tuple[int, ...],
    priors: Priors,
    diagnostics: Diagnostics,
    provenance: Provenance,
) -> str:
    """Return the methods of an ordinal fit in words."""
    reference, *others = parts
    beside = f" together with {_joined(others)}" if others else ""
    named = _named(priors, ("threshold", "slope", "alpha", "shift", "log_scale", "person_sd"))
    return (
        f"{n_people} respondents gave {provenance.rows_used} ratings{_left_out(provenance)}, "
        f"{reference}{beside}, of which the levels {levels[0]} to {levels[-1]} occurred. We fitted "
        "a Bayesian cumulative logit model of the rating on a weighted power mean of precision and "
        "recall (Kay et al., 2015, Study 2), with ordered thresholds, one slope and one weight "
        f"alpha of precision, a shift and a log scale per part (zero for {reference}), a normal "
        f"random intercept per respondent, and {_order(priors, provenance)}. Priors "
        f"({priors.name}): {named}. {_computation(diagnostics)} Intervals are 95 % highest-density "
        f"intervals. {_source(provenance)} References: {_REFERENCES}"
    )


def _named(priors: Priors, names: tuple[str, ...]) -> str:
    assumed = priors.describe()
    words = {"curve": "people's mean logit to accept"}
    return "; ".join(f"{words.get(name, name)} ~ {assumed[name]}" for name in names)


def _left_out(provenance: Provenance) -> str:
    """Say which rows were left out, and by which rule people were."""
    dropped = {why: count for why, count in provenance.rows_dropped.items() if count}
    listed = ", ".join(f"{count} ({why})" for why, count in dropped.items())
    rule = provenance.settings.get("people")
    counted = f"; whose answers count: {rule}" if rule else ""
    return f" (rows left out: {listed}{counted})" if dropped else f" ({rule})" if rule else ""


def _order(priors: Priors, provenance: Provenance) -> str:
    assumed, means = priors.describe(), provenance.settings.get("means")
    if means == "continuous":
        return f"a continuous order p ~ {assumed['order']}"
    orders = [f"{p:g}" for p in means] if isinstance(means, list | tuple) else []
    if len(orders) == 1:
        return f"the mean of order p = {orders[0]}"
    return f"the order p among {{{', '.join(orders)}}}, {assumed['means']} beforehand"


def _source(provenance: Provenance) -> str:
    return f"howgood {provenance.versions.get('howgood', '')}, seed {provenance.seed}."


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _computation(diagnostics: Diagnostics) -> str:
    if diagnostics.engine == "nuts":
        return (
            "The posterior was sampled with NUTS (largest R-hat "
            f"{diagnostics.rhat:.3f}, {diagnostics.effective_draws:.0f} effective draws)."
        )
    return (
        "Respondents' intercepts were integrated out on a grid and the posterior sampled by "
        "importance sampling from multivariate t distributions fitted to it (largest "
        f"Pareto k-hat {diagnostics.khat:.2f}, {diagnostics.effective_draws:.0f} effective draws)."
    )
