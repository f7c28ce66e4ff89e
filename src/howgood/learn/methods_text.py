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
    dropped = sum(provenance.rows_dropped.values())
    left_out = f" ({dropped} rows without an answer were left out)" if dropped else ""
    asked = f"{len(applications)} application{'s' if len(applications) != 1 else ''}"
    assumed = priors.describe()
    named = "; ".join(
        f"{name} ~ {assumed[name]}" for name in ("intercept", "slope", "alpha", "person_sd")
    )
    means = provenance.settings.get("means")
    order = (
        f"a continuous order p ~ {assumed['order']}"
        if means == "continuous"
        else f"the order p among {_listed(means)}, {assumed['means']} beforehand"
    )
    return (
        f"{n_people} respondents gave {provenance.rows_used} answers about {asked}{left_out}. "
        f"A rating of {cut} or higher counts as accepting. We fitted a Bayesian mixed-effects "
        "logistic regression of accepting on a weighted power mean of precision and recall "
        "(Kay et al., 2015), with intercept, slope and weight alpha of precision per application, "
        f"a normal random intercept per respondent, and {order}. Priors ({priors.name}): {named}. "
        f"{_computation(diagnostics)} Intervals are 95 % highest-density intervals; differences "
        f"are called credible when theirs leaves out zero. howgood "
        f"{provenance.versions.get('howgood', '')}, seed {provenance.seed}. "
        f"References: {_REFERENCES}"
    )


def _computation(diagnostics: Diagnostics) -> str:
    if diagnostics.engine == "nuts":
        return (
            "The posterior was sampled with NUTS (largest R-hat "
            f"{diagnostics.rhat:.3f}, {diagnostics.effective_draws:.0f} effective draws)."
        )
    return (
        "Respondents' intercepts were integrated out on 65 nodes and the posterior sampled by "
        "importance sampling from a split multivariate t distribution around its mode (largest "
        f"Pareto k-hat {diagnostics.khat:.2f}, {diagnostics.effective_draws:.0f} effective draws)."
    )


def _listed(means: object) -> str:
    values = means if isinstance(means, list | tuple) else []
    return "{" + ", ".join(f"{p:g}" for p in values) + "}"
