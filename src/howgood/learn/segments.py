"""Fit people who differ: by a column they answered, and person by person.

In: answers that were read, and the fit of all of them together. Out: `SegmentedPeople`. Absent: the
density (`learn.segment_model`), what comes of it (`learn.segmented`).

Segments are sampled for every kind of mean. People's own alphas are sampled for the likeliest
one, as many draws as a table of people needs.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from howgood.errors import (
    FewRespondentsWarning,
    InputError,
    UngatedPosteriorError,
    announce,
)
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.learn.binary_model import Cells, draw_columns, people_per_application
from howgood.learn.engines.importance import (
    Mixture,
    careful_pilot,
    natural_draws,
    shaped_by,
)
from howgood.learn.engines.select import Engine, choose_and_sample
from howgood.learn.kinds import order_of, tidy
from howgood.learn.segment_model import SegmentModel, nodes_for, plain_grid, segment_columns
from howgood.learn.segmented import SegmentedPeople
from howgood.learn.segmented import loaded_people as loaded_people
from howgood.records.answers import Answers
from howgood.records.diagnostics import Diagnostics
from howgood.records.evidence import FEW_PEOPLE
from howgood.records.progress import Progress, silent
from howgood.records.table import Table
from howgood.stats.arrays import FloatArray
from howgood.stats.power_mean import power_mean
from howgood.stats.random_intercepts import (
    N_NODES,
    Float32Array,
    GroupCounts,
    log_choices,
)

BY_PERSON = "participant"
EVERYONE = "everyone"
MOST_SEGMENTS = 12
_PEOPLE_DRAWS = 400
# Of more people than this, what all share is known so well that fewer draws of it will do; several
# draws of everybody's own alpha are then made given each.
_MANY_PEOPLE, _LEAST_PEOPLE_DRAWS = 2000, 100
_REACH, _STEPS = 4.5, 31


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment's answers: counts per distinct person, and whose they are."""

    name: str
    cells: Cells
    people: NDArray[np.object_]
    group: NDArray[np.intp]
    respondents: dict[str, int]


def segments_of(
    answers: Answers, accepted: NDArray[np.bool_], applications: tuple[str, ...], by: str
) -> tuple[Segment, ...]:
    """Divide answers by a column; one segment of everyone where `by` is the participant."""
    if by == BY_PERSON:
        labels = np.full(len(answers), EVERYONE, dtype=object)
    else:
        labels = _checked_labels(answers, by)
    names = sorted(set(labels.tolist()))
    return tuple(_segment(answers, accepted, applications, labels == name, name) for name in names)


def _checked_labels(answers: Answers, by: str) -> NDArray[np.object_]:
    """Return the segment of every row; everybody belongs to one, and there are a few."""
    labels = np.array([str(value) for value in answers[by].tolist()], dtype=object)
    people = answers["participant"].astype(str)
    of_person: dict[str, str] = {}
    for person, label in zip(people.tolist(), labels.tolist(), strict=True):
        if of_person.setdefault(person, label) != label:
            raise InputError(
                where=f"answers, column {by!r}",
                found=f"{of_person[person]!r} and {label!r} for participant {person!r}",
                needed="one value per person: segments are groups of people",
                cure="Correct the table, or choose a column that people answered once.",
            )
    n_segments = len(set(of_person.values()))
    if not 2 <= n_segments <= MOST_SEGMENTS:
        raise InputError(
            where=f"answers, column {by!r}",
            found=f"{n_segments} different value{'s' if n_segments != 1 else ''}",
            needed=f"2 to {MOST_SEGMENTS} segments",
            cure="Choose another column, or put values into groups first, such as ages into "
            "decades.",
        )
    return labels


def _segment(
    answers: Answers,
    accepted: NDArray[np.bool_],
    applications: tuple[str, ...],
    rows: NDArray[np.bool_],
    name: str,
) -> Segment:
    own = Answers(
        {column: values[rows] for column, values in answers.items()}, provenance=answers.provenance
    )
    place = {asked: number for number, asked in enumerate(applications)}
    application = np.array([place[str(asked)] for asked in own["application"].tolist()])
    people, person = np.unique(own["participant"].astype(str), return_inverse=True)
    question = np.column_stack([application, own["precision"], own["recall"]])
    distinct, cell = np.unique(question, axis=0, return_inverse=True)
    outcome = np.where(accepted[rows], cell.ravel(), cell.ravel() + len(distinct))
    groups, members = GroupCounts.from_rows_with_members(person, outcome, 2 * len(distinct))
    cells = Cells(
        applications=applications,
        application=distinct[:, 0].astype(np.intp),
        precision=distinct[:, 1],
        recall=distinct[:, 2],
        groups=groups,
    )
    return Segment(name, cells, people.astype(object), members, people_per_application(own))


def fit_people(
    answers: Answers,
    accepted: NDArray[np.bool_],
    whole: AcceptabilityFit,
    *,
    by: str,
    engine: Engine,
    draws: int,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> SegmentedPeople:
    """Return segments by the column `by` (or none), and everybody's own alpha."""
    segments = segments_of(answers, accepted, whole.applications, by)
    _warn_about_few(segments)
    model = _model_of(segments, whole)
    fits: dict[str, AcceptabilityFit] = {}
    spread_draws, log_evidence = np.zeros((0, 2)), 0.0
    order, like = float(whole.best_order), None
    if by != BY_PERSON:
        model = model.whitened()
        fits, spread_draws, log_evidence, mixture = _fit_segments(
            model, segments, whole,
            engine=engine, draws=draws, rng=rng, progress=_scaled(progress, 0.0, 0.6),
        )  # fmt: skip
        if order in mixture.pilots:
            like = shaped_by(mixture.pilots[order], mixture.samples[order])
    personal = replace(model, order=order, has_own_alphas=True)
    shared = _shared_draws(sum(len(segment.people) for segment in segments))
    mixture, diagnostics = choose_and_sample(
        {order: personal}, {order: 1.0},
        engine=engine, draws=shared, rng=rng, progress=_scaled(progress, 0.6, 0.9),
        find=partial(careful_pilot, enough=shared), like=like,
    )  # fmt: skip
    natural = personal.natural(mixture.samples[order].resampled(shared, rng))
    log_evidence, pooled_evidence = _evidence_either_way(
        personal, whole, fits, log_evidence, mixture.log_evidence[order],
        engine=engine, draws=shared, rng=rng,
    )  # fmt: skip
    return SegmentedPeople(
        column=by,
        fits=fits,
        spread_draws=spread_draws,
        person_spread_draws=natural[:, -1],
        person_order=order,
        people=_people_table(segments, natural, personal.n_nodes, rng),
        log_evidence=log_evidence,
        pooled_log_evidence=pooled_evidence,
        person_diagnostics=diagnostics,
        applications=whole.applications,
        alpha_draws=_middle_people(natural, whole, len(segments)),
    )


def _evidence_either_way(
    personal: SegmentModel,
    whole: AcceptabilityFit,
    fits: Mapping[str, AcceptabilityFit],
    log_evidence: float,
    with_own_weights: float,
    *,
    engine: Engine,
    draws: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the evidence with segments and without, each over one weight and own weights."""
    pooled = _total_evidence(whole.log_evidence, whole)
    if not fits or not np.isfinite(log_evidence):
        return log_evidence, pooled
    one = next(iter(fits.values())).log_evidence[float(whole.best_order)]
    gain = _gain_without_segments(personal, whole, engine=engine, draws=draws, rng=rng)
    return _either_way(log_evidence, with_own_weights - one), _either_way(pooled, gain)


def _middle_people(natural: FloatArray, whole: AcceptabilityFit, n_segments: int) -> FloatArray:
    """Return draws of the alpha of whoever in each segment has the middle one."""
    own, _ = segment_columns(len(whole.applications), n_segments)
    alphas = draw_columns(len(whole.applications))["alpha"]
    return np.column_stack([natural[:, columns][:, alphas] for columns in own])


def _shared_draws(n_people: int) -> int:
    """Return how many draws of what people share are needed."""
    wanted = _PEOPLE_DRAWS * _MANY_PEOPLE // max(n_people, 1)
    return min(max(wanted, _LEAST_PEOPLE_DRAWS), _PEOPLE_DRAWS)


def _model_of(segments: tuple[Segment, ...], whole: AcceptabilityFit) -> SegmentModel:
    return SegmentModel(
        tuple(segment.cells for segment in segments),
        whole.priors,
        0.0,
        flawless=whole.has_flawless_term,
        n_nodes=nodes_for(whole.person_sd_draws()),
    )


def _fit_segments(
    model: SegmentModel,
    segments: tuple[Segment, ...],
    whole: AcceptabilityFit,
    *,
    engine: Engine,
    draws: int,
    rng: np.random.Generator,
    progress: Progress,
) -> tuple[dict[str, AcceptabilityFit], FloatArray, float, Mixture]:
    prior = whole.prior_of_means()
    models = {p: replace(model, order=order_of(p)) for p in prior}
    mixture, diagnostics = choose_and_sample(
        models, prior,
        engine=engine, draws=draws, rng=rng, progress=progress, find=careful_pilot,
    )  # fmt: skip
    averaged, given = natural_draws(mixture, models, draws, rng)
    own, spreads = segment_columns(len(whole.applications), len(segments))
    fits = {}
    for segment, columns in zip(segments, own, strict=True):
        rows = {p: values[:, columns] for p, values in tidy(given).items()}
        fits[segment.name] = _segment_fit(
            segment, whole, mixture, averaged[:, columns], rows, diagnostics
        )
    evidence = _total_evidence(mixture.log_evidence, whole)
    return fits, averaged[:, spreads][:, :2], evidence, mixture


def _segment_fit(
    segment: Segment,
    whole: AcceptabilityFit,
    mixture: Mixture,
    averaged: FloatArray,
    given: dict[float, FloatArray],
    diagnostics: Diagnostics,
) -> AcceptabilityFit:
    """Return one segment's fit, about the applications its people were asked about."""
    asked = [name for name in whole.applications if name in segment.respondents]
    kept = [whole.applications.index(name) for name in asked]
    at, n = draw_columns(len(whole.applications)), len(whole.applications)
    columns = [*(i + offset for offset in (0, n, 2 * n) for i in kept)]
    columns += list(range(at["person_sd"].start, at["flawless"].stop))
    new_place = {old: new for new, old in enumerate(kept)}
    cells = replace(
        segment.cells,
        applications=tuple(asked),
        application=np.array([new_place[int(i)] for i in segment.cells.application], dtype=np.intp),
    )
    return dataclasses.replace(
        whole,
        applications=tuple(asked),
        n_respondents=len(segment.people),
        respondents=segment.respondents,
        mean_probabilities=tidy(mixture.probabilities),
        log_evidence=tidy(mixture.log_evidence),
        averaged_draws=averaged[:, columns],
        conditional_draws={p: rows[:, columns] for p, rows in given.items()},
        cells=cells,
        diagnostics=diagnostics,
        correlations=None,
        segmented=None,
        provenance=replace(
            whole.provenance,
            method=f"{whole.provenance.method}, segments partially pooled",
            settings={**whole.provenance.settings, "segment": segment.name},
        ),
    )


def _total_evidence(log_evidence: Mapping[float, float], whole: AcceptabilityFit) -> float:
    """Log evidence averaged over the kinds of mean; not a number where p is continuous."""
    prior = whole.prior_of_means()
    terms = [value + np.log(prior[float(p)]) for p, value in tidy(log_evidence).items()]
    return float(np.logaddexp.reduce(terms)) if terms else float("nan")


def _either_way(log_evidence: float, gain: float) -> float:
    """Average the evidence of one weight for all people over weights of people's own.

    `gain` is how much larger the log evidence of own weights is. People with weights of their own
    differ by any column, by chance: next to one weight for everybody, that looks like segments.
    """
    return float(log_evidence + np.logaddexp(0.0, gain) - np.log(2.0))


def _gain_without_segments(
    personal: SegmentModel,
    whole: AcceptabilityFit,
    *,
    engine: Engine,
    draws: int,
    rng: np.random.Generator,
) -> float:
    """Return how much weights of people's own gain where nobody is divided; NaN where unknown."""
    order = float(whole.best_order)
    model = replace(personal, segments=(whole.cells,), whitening=None)
    try:
        mixture, _ = choose_and_sample(
            {order: model},
            {order: 1.0},
            engine="importance" if engine == "auto" else engine,
            draws=draws,
            rng=rng,
            find=partial(careful_pilot, enough=draws),
        )
    except UngatedPosteriorError:
        return float("nan")
    return float(mixture.log_evidence[order] - whole.log_evidence[order])


def _people_table(
    segments: tuple[Segment, ...], natural: FloatArray, n_nodes: int, rng: np.random.Generator
) -> Table:
    """Return everybody's alpha per application they were asked about: mean, 95 % interval."""
    n = len(segments[0].cells.applications)
    own, _ = segment_columns(n, len(segments))
    parts = [
        _people_of(segment, natural[:, columns], natural[:, -1], n_nodes, rng)
        for segment, columns in zip(segments, own, strict=True)
    ]
    names = ("participant", "segment", "application", "answers", "mean", "lower", "upper")
    return Table({name: np.concatenate([part[name] for part in parts]) for name in names})


def _people_of(
    segment: Segment,
    draws: FloatArray,
    omega: FloatArray,
    n_nodes: int,
    rng: np.random.Generator,
) -> dict[str, NDArray[Any]]:
    cells, groups = segment.cells, segment.cells.groups
    n = len(cells.applications)
    logits = draws[:, draw_columns(n)["alpha"]]
    logits = np.log(logits / (1.0 - logits))
    steps = _own_steps(cells, draws, omega, n_nodes, rng)
    logits, omega = (np.repeat(one, len(steps) // len(draws), axis=0) for one in (logits, omega))
    step = steps[:, segment.group]
    total = groups.counts[:, : cells.n_cells] + groups.counts[:, cells.n_cells :]
    columns: dict[str, list[NDArray[Any]]] = {}
    for index, name in enumerate(cells.applications):
        answers = total[:, cells.application == index].sum(axis=1)[segment.group]
        asked = answers > 0
        alpha = expit(logits[:, index, None] + omega[:, None] * step[:, asked])
        lower, upper = np.quantile(alpha, (0.025, 0.975), axis=0)
        rows = {
            "participant": segment.people[asked],
            "segment": np.full(int(asked.sum()), segment.name, dtype=object),
            "application": np.full(int(asked.sum()), name, dtype=object),
            "answers": answers[asked].astype(int),
            "mean": alpha.mean(axis=0),
            "lower": lower,
            "upper": upper,
        }
        for column, values in rows.items():
            columns.setdefault(column, []).append(values)
    return {name: np.concatenate(values) for name, values in columns.items()}


def _own_steps(
    cells: Cells, draws: FloatArray, omega: FloatArray, n_nodes: int, rng: np.random.Generator
) -> Float32Array:
    """Draw for every group how far a person's alpha lies from that of the segment.

    Shape (draws, groups), or several rows per draw, one after the other, where draws are few.
    """
    at, counts = draw_columns(len(cells.applications)), cells.groups.counts
    steps = np.linspace(-_REACH, _REACH, _STEPS)
    _, _, nodes, weights = plain_grid(min(N_NODES, n_nodes))
    of_step, node = np.nonzero(steps[:, None] ** 2 + nodes**2 <= _REACH**2)
    first = np.searchsorted(of_step, np.arange(_STEPS))
    log_prior = (np.log(weights[node]) - 0.5 * steps[of_step] ** 2).astype(np.float32)
    times = -(-_PEOPLE_DRAWS // len(draws))
    own_steps = np.empty((len(draws), times, len(counts)), dtype=np.float32)
    for number, row in enumerate(draws):
        own = {name: row[place] for name, place in at.items()}
        center = own["alpha"][cells.application]
        alpha = expit(np.log(center / (1.0 - center))[:, None] + omega[number] * steps)
        mean = power_mean(
            cells.precision[:, None], cells.recall[:, None], p=own["p"].item(), alpha=alpha
        )
        line = own["intercept"][cells.application] + own["flawless"] * cells.is_flawless
        x = line[:, None] + own["slope"][cells.application][:, None] * mean
        spread, start = own["person_sd"] * nodes[node][None, :], 0
        for joint in log_choices(counts, x[:, None, :], spread, place=of_step):
            own_steps[number, :, start : start + len(joint)] = _drawn(
                joint[:, 0] + log_prior, first, times, rng
            )
            start += len(joint)
    own_steps *= np.float32(steps[1] - steps[0])
    own_steps += np.float32(steps[0])
    return own_steps.reshape(-1, len(counts))


def _drawn(
    joint: Float32Array, first: NDArray[np.intp], times: int, rng: np.random.Generator
) -> FloatArray:
    """Draw steps per group by log probabilities, whose nodes begin at `first`, and around them."""
    joint -= joint.max(axis=1, keepdims=True)
    share = np.add.reduceat(np.exp(joint, out=joint), first, axis=1)
    passed = np.cumsum(share, axis=1) / share.sum(axis=1, keepdims=True)
    chance = rng.random((times, len(joint)))
    place = (passed < chance[:, :, None]).sum(axis=2)
    return np.asarray(place + rng.random(place.shape) - 0.5)


def _warn_about_few(segments: tuple[Segment, ...]) -> None:
    few = [f"{segment.name!r} ({len(segment.people)})" for segment in segments if _is_few(segment)]
    if few and len(segments) > 1:
        announce(
            f"few respondents in {', '.join(few)}: fewer than {FEW_PEOPLE} in a segment; its "
            "numbers lean on the other segments and on the priors.",
            FewRespondentsWarning,
        )


def _is_few(segment: Segment) -> bool:
    return len(segment.people) < FEW_PEOPLE


def _scaled(progress: Progress, start: float, end: float) -> Progress:
    return lambda share, step: progress(start + (end - start) * share, step)
