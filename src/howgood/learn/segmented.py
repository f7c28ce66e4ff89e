"""What a fit knows about people who differ: segments, and each person's own alpha.

In: draws of `learn.segment_model`, made by `learn.segments`. Out: `SegmentedPeople`, which an
`AcceptabilityFit` carries when it was fitted with `by`. Absent: sampling, decisions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from howgood.errors import UnknownNameError
from howgood.learn import fit_file
from howgood.learn.binary_model import Cells
from howgood.records.diagnostics import Diagnostics
from howgood.records.estimate import Estimate
from howgood.records.table import Table, Tabular
from howgood.stats.arrays import FloatArray

_PEOPLE = ("participant", "segment", "application", "answers", "mean", "lower", "upper")
_NUMBERS = ("answers", "mean", "lower", "upper")
_NONE = np.zeros((0, 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentedPeople(Tabular):
    """Segments by one column people answered, partially pooled, and people's own alphas.

    `fits` holds one fit per segment, whose draws are paired over segments; it is empty where people
    were not divided (by="participant"). `spread_draws` are the standard deviations of the logit of
    alpha and of the level between segments; `person_spread_draws` that of the logit of alpha
    between people, given the order `person_order` of the mean. `alpha_draws` are those of the
    middle person's alpha, of all applications segment by segment (draws, segments × applications),
    of one segment where people were not divided. `log_evidence` is that of the model with segments,
    `pooled_log_evidence` that of one model for all; in both, people of a segment have one weight or
    weights of their own, as likely as not beforehand.

    Stability: experimental
    """

    frame_of: ClassVar[str] = "people"

    column: str
    fits: Mapping[str, Any]  # of AcceptabilityFit, whose module imports this one
    spread_draws: FloatArray = field(repr=False)
    person_spread_draws: FloatArray = field(repr=False)
    person_order: float
    people: Table = field(repr=False)
    log_evidence: float
    pooled_log_evidence: float
    person_diagnostics: Diagnostics
    applications: tuple[str, ...] = ()
    alpha_draws: FloatArray = field(default_factory=lambda: np.zeros((0, 0)), repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the segments."""
        return tuple(self.fits)

    def fit_of(self, segment: str) -> Any:  # noqa: ANN401 - AcceptabilityFit, as above
        """Return the fit of one segment."""
        if segment not in self.fits:
            raise UnknownNameError(where="segment", name=segment, names=self.names)
        return self.fits[segment]

    @property
    def person_spread(self) -> Estimate:
        """Standard deviation of the logit of alpha between people of one segment."""
        return Estimate.from_draws(self.person_spread_draws, n_respondents=self.n_people)

    def alpha(self, application: str, *, segment: str | None = None) -> Estimate:
        """Return the middle person's weight of precision, where everybody may have their own.

        The model of all people, and that of a segment, give everybody one weight: its interval is
        about these people's. This one is about people like them, and the wider the more they
        differ. Name a segment where people are divided.
        """
        draws = self.draws(application, segment=segment)
        people = self.fits[segment].respondents[application] if segment else self.n_people
        return Estimate.from_draws(draws, n_respondents=people)

    def draws(self, application: str, *, segment: str | None = None) -> FloatArray:
        """Return draws of the middle person's alpha, paired over segments and applications."""
        place, known = 0, self.applications
        if self.fits:
            known = tuple(self.fit_of(str(segment)).applications)
            place = self.names.index(str(segment)) * len(self.applications)
        if application not in self.applications or application not in known:
            raise UnknownNameError(where="application", name=application, names=known)
        return np.asarray(self.alpha_draws[:, place + self.applications.index(application)])

    @property
    def n_people(self) -> int:
        """How many people have an alpha of their own."""
        return len(set(self.people["participant"].tolist()))

    @property
    def probability_differing(self) -> float | None:
        """Probability that segments differ, as likely as not beforehand.

        Whether people within a segment differ too is left open. None without segments, and where
        the evidence is not known.
        """
        gap = self.log_evidence - self.pooled_log_evidence
        if not self.fits or not np.isfinite(gap):
            return None
        return float(expit(np.clip(gap, -700.0, 700.0)))


def saved_people(people: SegmentedPeople) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return everything as plain values and arrays, for the file of the fit."""
    values = {
        "column": people.column,
        "person_order": people.person_order,
        "log_evidence": people.log_evidence if people.fits else 0.0,
        "pooled_log_evidence": people.pooled_log_evidence,
        "person_diagnostics": people.person_diagnostics.to_dict(),
        "segments": [
            {
                "name": name,
                "applications": list(fit.applications),
                "respondents": dict(fit.respondents),
                **fit_file.shared_values(fit),
            }
            for name, fit in people.fits.items()
        ],
        "texts": {name: people.people[name].tolist() for name in _PEOPLE if name not in _NUMBERS},
    }
    arrays: dict[str, NDArray[Any]] = {
        "people_spread": people.spread_draws,
        "people_alpha_spread": people.person_spread_draws,
        "people_alpha": people.alpha_draws,
        "people_numbers": np.column_stack([people.people[name] for name in _NUMBERS]).astype(float),
    }
    for number, fit in enumerate(people.fits.values()):
        prefix = f"segment{number}_"
        arrays |= {prefix + name: rows for name, rows in fit_file.shared_arrays(fit).items()}
        arrays |= fit.cells.to_arrays(prefix)
    return values, arrays


def loaded_people(
    values: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    whole: Any,  # noqa: ANN401 - AcceptabilityFit, as above
) -> SegmentedPeople:
    """Undo `saved_people`; what segments share with the whole fit comes from there."""
    numbers = arrays["people_numbers"]
    table = {name: np.array(values["texts"][name], dtype=object) for name in values["texts"]}
    table |= {name: numbers[:, place] for place, name in enumerate(_NUMBERS)}
    table["answers"] = table["answers"].astype(int)
    fits = {}
    for number, segment in enumerate(values["segments"]):
        prefix = f"segment{number}_"
        own = {
            name.removeprefix(prefix): rows
            for name, rows in arrays.items()
            if name.startswith(prefix)
        }
        fits[str(segment["name"])] = replace(
            whole,
            **fit_file.shared_fields(segment, own),
            applications=tuple(segment["applications"]),
            respondents=segment["respondents"],
            cells=Cells.from_arrays(tuple(segment["applications"]), own),
            correlations=None,
        )
    return SegmentedPeople(
        column=str(values["column"]),
        fits=fits,
        spread_draws=arrays["people_spread"],
        person_spread_draws=arrays["people_alpha_spread"],
        person_order=float(values["person_order"]),
        people=Table({name: table[name] for name in _PEOPLE}),
        log_evidence=float(values["log_evidence"]),
        pooled_log_evidence=float(values["pooled_log_evidence"]),
        person_diagnostics=Diagnostics(**values["person_diagnostics"]),
        # Fits saved by 0.2.0 have none.
        applications=tuple(whole.applications) if arrays.get("people_alpha", _NONE).size else (),
        alpha_draws=arrays.get("people_alpha", _NONE),
    )
