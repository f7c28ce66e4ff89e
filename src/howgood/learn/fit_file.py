"""What leaves a fit: a file and back, a paragraph for the methods section, draws for ArviZ.

In: a fit; arrays and plain values. Out: an .npz archive with nothing that runs when opened; text
with the model, priors, computation and references; what `arviz.from_dict` makes. Absent: pickles,
results in words (see `show`), and what is in a file beyond what all fits share (each fit knows
its own).
"""

import json
import warnings
import zipfile
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from howgood.errors import FileFormatError, MissingExtraError
from howgood.learn.kinds import tidy
from howgood.records.diagnostics import Diagnostics
from howgood.records.priors import Priors
from howgood.records.provenance import Provenance
from howgood.stats.arrays import FloatArray
from howgood.writing import replacing

Fit = TypeVar("Fit")
FORMAT = 1
# A fit of 100,000 draws of 20 applications has 200 MB; what unpacks to more is not one.
MOST_BYTES = 500_000_000
# Draws are logits, logarithms and the like: beyond this they are damaged, and squares overflow.
_MOST = 1e9
_BROKEN = "a fit whose parts are missing or do not fit together"
_REFERENCES = (
    "Kay, M., Patel, S. N. and Kientz, J. A. (2015). How Good is 85%? A Survey Tool to Connect "
    "Classifier Evaluation to Acceptability of Accuracy. CHI 2015. "
    "Vehtari, A. et al. (2024). Pareto smoothed importance sampling. JMLR 25(72)."
)


class SavedFit(Protocol):
    """What fits of either model have in common."""

    @property
    def n_respondents(self) -> int:
        """Number of people."""

    @property
    def mean_probabilities(self) -> Mapping[float, float]:
        """Posterior probability of each kind of mean."""

    @property
    def log_evidence(self) -> Mapping[float, float]:
        """Log evidence of each kind of mean."""

    @property
    def averaged_draws(self) -> FloatArray:
        """Draws averaged over kinds of mean."""

    @property
    def conditional_draws(self) -> Mapping[float, FloatArray]:
        """Draws given each kind of mean."""

    @property
    def priors(self) -> Priors:
        """What was assumed."""

    @property
    def diagnostics(self) -> Diagnostics:
        """How it was computed."""

    @property
    def provenance(self) -> Provenance:
        """Where it comes from."""


def write_fit(
    path: str | Path, *, kind: str, values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write one fit."""
    header = json.dumps({"kind": kind, "format": FORMAT, "values": values})
    packed = {**arrays, "header": np.frombuffer(header.encode(), dtype=np.uint8)}
    with replacing(path) as handle:
        np.savez_compressed(handle, allow_pickle=False, **packed)


def read_fit(path: str | Path, *, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read one fit of the given kind; anything else is refused with a reason."""
    location = Path(path)
    if not location.is_file():
        raise _refusal(location, "no such file", kind)
    try:
        arrays = _arrays(location)
        header = json.loads(bytes(arrays.pop("header")))
    except Exception as error:  # whatever zipfile, zlib, NumPy or json say of a damaged archive
        raise _refusal(location, "a file that no fit was saved to", kind) from error
    if not isinstance(header, dict) or header.get("kind") != kind:
        held = header.get("kind") if isinstance(header, dict) else None
        raise _refusal(location, f"a saved {held}" if held else "a file without a fit", kind)
    if header.get("format") != FORMAT:
        raise _refusal(location, f"format {header.get('format')!r}, newer than this version", kind)
    if not isinstance(header.get("values"), dict):
        raise _refusal(location, "a fit without values", kind)
    return header["values"], arrays


def kind_of_fit(path: str | Path) -> str:
    """Return which kind of fit a file holds; empty where it holds none."""
    try:
        with zipfile.ZipFile(path) as archive:
            member = archive.getinfo("header.npy")
            if member.file_size > MOST_BYTES:
                return ""
            header = np.lib.format.read_array(BytesIO(archive.read(member)), allow_pickle=False)
        return str(json.loads(bytes(header))["kind"])
    except Exception:  # whatever a damaged archive makes them say; loading it tells the reason
        return ""


def shared_values(fit: "SavedFit") -> dict[str, Any]:
    """Return what every fit keeps with its draws, as plain values."""
    return {
        "n_respondents": fit.n_respondents,
        "mean_probabilities": [[p, value] for p, value in fit.mean_probabilities.items()],
        "log_evidence": [[p, value] for p, value in fit.log_evidence.items()],
        "orders": list(fit.conditional_draws),
        "priors": fit.priors.to_dict(),
        "diagnostics": fit.diagnostics.to_dict(),
        "provenance": fit.provenance.to_dict(),
    }


def shared_arrays(fit: "SavedFit") -> dict[str, NDArray[Any]]:
    """Return every fit's draws, averaged and given each kind of mean."""
    given = {f"given_{i}": rows for i, rows in enumerate(fit.conditional_draws.values())}
    return {"averaged": fit.averaged_draws, **given}


def shared_fields(values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """Return the fields every fit has, from what `shared_values` and `shared_arrays` kept."""
    return {
        "n_respondents": values["n_respondents"],
        "mean_probabilities": tidy(dict(values["mean_probabilities"])),
        "log_evidence": tidy(dict(values["log_evidence"])),
        "averaged_draws": arrays["averaged"],
        "conditional_draws": tidy(
            {p: arrays[f"given_{index}"] for index, p in enumerate(values["orders"])}
        ),
        "priors": Priors.from_dict(values["priors"]),
        "diagnostics": Diagnostics(**values["diagnostics"]),
        "provenance": Provenance(**values["provenance"]),
    }


def _arrays(location: Path) -> dict[str, NDArray[Any]]:
    """Unpack every array, none of which may hold objects, and no more than a fit can need."""
    with zipfile.ZipFile(location) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
            raise ValueError("too large")
        arrays = {
            member.filename.removesuffix(".npy"): np.lib.format.read_array(
                BytesIO(archive.read(member)), allow_pickle=False
            )
            for member in archive.infolist()
        }
    if any(array.dtype.kind == "c" for array in arrays.values()):
        raise ValueError("complex numbers")
    return arrays


def loaded(
    path: str | Path,
    *,
    kind: str,
    make: Callable[[dict[str, Any], dict[str, NDArray[Any]]], Fit],
    is_whole: Callable[[Fit], bool],
) -> Fit:
    """Return the fit in a file, or refuse one whose parts are missing or do not fit together."""
    values, arrays = read_fit(path, kind=kind)
    try:
        fit = make(values, arrays)
        if is_whole(fit):
            return fit
    except Exception as error:  # parts of any shape, made by anybody
        raise _refusal(Path(path), _BROKEN, kind) from error
    raise _refusal(Path(path), _BROKEN, kind)


def has_whole_draws(fit: SavedFit, *, n_columns: int) -> bool:
    """Whether draws and probabilities have the shape and the values every method relies on."""
    draws = [fit.averaged_draws, *fit.conditional_draws.values()]
    return (
        all(draw.dtype.kind == "f" and (np.abs(draw) < _MOST).all() for draw in draws)
        and all(draw.ndim == 2 and draw.shape[1] == n_columns and len(draw) for draw in draws)
        and isinstance(fit.n_respondents, int)
        and fit.n_respondents > 0
        and set(fit.mean_probabilities) == set(fit.log_evidence) == set(fit.conditional_draws)
        and all(0 <= share <= 1 for share in fit.mean_probabilities.values())
        and all(np.isfinite(estimate) for estimate in fit.log_evidence.values())
        and isinstance(fit.provenance.settings, Mapping)
    )


def _refusal(location: Path, found: str, kind: str) -> FileFormatError:
    return FileFormatError(
        where=str(location),
        found=found,
        needed=f"a saved {kind}",
        cure="Write it with `howgood fit ANSWERS --save FILE` or fit.save(path), with this version "
        "or an earlier one.",
    )


def binary_methods(
    *,
    n_people: int,
    applications: tuple[str, ...],
    cut: int,
    priors: Priors,
    flawless: bool,
    diagnostics: Diagnostics,
    provenance: Provenance,
    shown_alpha: str,
) -> str:
    """Return the methods of a binary fit in words; `shown_alpha` says how alpha is shown."""
    left_out = _left_out(provenance)
    asked = f"{len(applications)} application{'s' if len(applications) != 1 else ''}"
    line = ("intercept", "slope") if priors.curve is None else ("curve",)
    named = _named(priors, (*line, "alpha", "person_sd", *["flawless"] * flawless))
    perfect = "a shared term for scenarios without any error, " if flawless else ""
    return (
        f"{n_people} respondents gave {provenance.rows_used} answers about {asked}{left_out}. "
        f"A rating of {cut} or higher counts as accepting. We fitted a Bayesian mixed-effects "
        "logistic regression of accepting on a weighted power mean of precision and recall "
        "(Kay et al., 2015), with intercept, slope and weight alpha of precision per application, "
        f"{perfect}a normal random intercept per respondent, and {_order(priors, provenance)}. "
        f"Priors ({priors.name}): {named}. "
        f"{_computation(diagnostics)} Intervals are 95 % highest-density intervals; differences "
        f"are called credible when theirs leaves out zero. {shown_alpha}{_source(provenance)} "
        f"References: {_REFERENCES}"
    )


def ordinal_methods(
    *,
    n_people: int,
    applications: tuple[str, ...],
    parts: tuple[str, ...],
    levels: tuple[int, ...],
    priors: Priors,
    diagnostics: Diagnostics,
    provenance: Provenance,
) -> str:
    """Return the methods of an ordinal fit in words."""
    reference, *others = parts
    more = f" together with {_joined(others)}" if others else ""
    named = _named(priors, ("threshold", "slope", "alpha", "shift", "log_scale", "person_sd"))
    own = "one slope and one weight alpha of precision"
    if len(applications) > 1:
        own = (
            f"slope, level (zero for {applications[0]}; its prior is that of a shift) and weight "
            f"alpha of precision for each of {len(applications)} applications"
        )
    return (
        f"{n_people} respondents gave {provenance.rows_used} ratings{_left_out(provenance)}, "
        f"{reference}{more}, of which the levels {levels[0]} to {levels[-1]} occurred. We fitted "
        "a Bayesian cumulative logit model of the rating on a weighted power mean of precision and "
        f"recall (Kay et al., 2015, Study 2), with ordered thresholds, {own}, "
        f"a shift and a log scale per part (zero for {reference}), a normal "
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


def arviz_object(
    posterior: Mapping[str, FloatArray],
    *,
    dims: Mapping[str, Sequence[str]],
    coords: Mapping[str, Sequence[str]],
    log_likelihood: Mapping[str, FloatArray],
) -> Any:  # noqa: ANN401 - ArviZ's own type
    """Return arrays of shape (chains, draws, ...) as ArviZ's own object; likelihoods by person."""
    with warnings.catch_warnings():
        # Deprecations inside ArviZ are not the caller's business.
        warnings.simplefilter("ignore")
        try:
            import arviz
        except ImportError as error:
            raise MissingExtraError(task="export to ArviZ", extra="nuts") from error
        by_person = {name: ["person"] for name in log_likelihood}
        named = {"dims": {**dims, **by_person}, "coords": dict(coords)}
        groups = {"posterior": dict(posterior), "log_likelihood": dict(log_likelihood)}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict(groups, **named)
        return arviz.from_dict(**groups, **named)
