"""A registry of model cards: one small JSON file per application, in a folder.

In: fits, cards, folders. Out: cards on disk, tables of cards, priors for the next study. Ships the
estimates Kay et al. (2015) published, and fits of their public answers. Absent: a server; share
the folder as you share code.
"""

import dataclasses
import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from howgood.errors import InputError, UnknownNameError
from howgood.flow.json_files import read_json
from howgood.learn.acceptability_fit import AcceptabilityFit
from howgood.records.acceptance import draws_for
from howgood.records.card import CardEstimate, ModelCard, card_of_draws
from howgood.records.priors import (
    HOWGOOD,
    HOWGOOD_CURVE,
    USUAL_MEAN,
    JointNormal,
    LogNormal,
    Priors,
)
from howgood.records.record import read_record
from howgood.records.table import Table
from howgood.show.cards import card_warning
from howgood.show.numbers import plain
from howgood.show.text import to_json
from howgood.writing import write_text

FloatArray = NDArray[np.float64]

DEFAULT_FOLDER = Path("howgood-registry")
# Where a publication says nothing about level and slope: mean and spread of the usual priors.
_USUAL = HOWGOOD_CURVE
_HALF_NORMAL_MEAN = (2 / np.pi) ** 0.5
_CENTRE = 1e-3


def cards(folder: Path | None = None) -> dict[str, ModelCard]:
    """Return the shipped cards and those of a folder by name; the folder's win."""
    found = {card.name: card for card in _shipped()}
    for path in sorted(folder.glob("*.json")) if folder is not None and folder.is_dir() else []:
        card = read_card(path)
        found[card.name] = card
    return found


def find_card(name: str, *, folder: Path | None = None) -> ModelCard:
    """Return a card by its name, or by the path of its file."""
    if name.endswith(".json"):
        return read_card(Path(name))
    known = cards(folder)
    if name not in known:
        raise UnknownNameError(where="registry", name=name, names=known)
    return known[name]


def predicting_card(name: str, *, folder: Path | None = None) -> ModelCard:
    """Return a card that can predict; where there is none of that name, suggest one that can."""
    known = {} if name.endswith(".json") else cards(folder)
    able = {each: card for each, card in known.items() if card.draws}
    if known and name not in known:
        raise UnknownNameError(where="registry, cards that predict", name=name, names=able)
    card = find_card(name, folder=folder)
    if card.draws:
        return card
    words = set(card.name.split("-"))
    alike = [each for each in able if words <= set(each.split("-"))]
    cure = f"Use {alike[0]!r}, which predicts" if alike else "Choose one of " + ", ".join(able)
    raise InputError(
        where=f"model card {card.name!r}",
        found=f"only the summary {card.citation} reports",
        needed="posterior draws, to predict acceptance",
        cure=f"{cure}; or fit answers of your own.",
    )


def read_card(path: Path) -> ModelCard:
    """Read one card; only JSON of a sensible size and shape is accepted, nothing is executed."""
    data = read_json(path, needed="a model card: one JSON file written by `howgood registry add`")
    return read_record(ModelCard, data, where=str(path))


def write_card(card: ModelCard, *, folder: Path, replace: bool = False) -> Path:
    """Write a card into a folder; an existing one is kept unless `replace` is set."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{card.name}.json"
    if path.exists() and not replace:
        raise InputError(
            where=str(path),
            found="a card of that name",
            needed="a new name",
            cure="Choose another --name, or replace it with --replace.",
        )
    return write_text(path, _written(card))


def card_of_fit(
    fit: AcceptabilityFit,
    application: str | None,
    *,
    name: str,
    description: str,
    citation: str = "unpublished",
    licence: str = "not stated",
) -> ModelCard:
    """Return the card of one application of a fit."""
    draws = draws_for(fit, application, where="model card")
    rows = np.flatnonzero(fit.cells.application == fit.applications.index(draws.application))
    levels = {round(float(value), 4) for value in fit.cells.precision[rows]}
    made = card_of_draws(
        draws,
        name=name,
        description=description,
        citation=citation,
        licence=licence,
        levels=tuple(sorted(levels)),
        n_answers=fit.provenance.rows_used if len(fit.applications) == 1 else None,
        order_probabilities=fit.mean_probabilities,
        provenance={
            "method": fit.provenance.method,
            "priors": fit.priors.name,
            "cut": str(fit.cut),
            "seed": str(fit.provenance.seed),
            **{f"version of {each}": text for each, text in fit.provenance.versions.items()},
            "people": str(fit.provenance.settings.get("people", "not recorded")),
        },
    )
    warning = card_warning(made)
    return made.changed(notes=(warning,)) if warning else made


def prior_of_card(card: ModelCard, *, application: str, widen: float = 2.0) -> Priors:
    """Return what a card says about a similar application, as a prior for its study.

    `widen` multiplies every standard deviation: a similar application is not the same one. With
    draws, intercept, slope and logit alpha are a joint normal and the spread of people log-normal.
    A published card without draws informs alpha alone, and only if an interval was published.
    """
    if not widen > 0:
        raise InputError(
            where="widen", found=str(widen), needed="a number above 0", cure="Use for instance 2."
        )
    name = f"card {card.name}, widened {widen:g} times"
    if not card.draws:
        known = {application: _published_prior(card, widen)}
        return dataclasses.replace(HOWGOOD, name=name, applications=known)
    draws = card.acceptance_draws(card.application)
    logit_alpha = _logit(draws.alpha)
    rows = np.column_stack([draws.intercept, draws.slope, logit_alpha])
    covariance = np.cov(rows, rowvar=False) * widen**2
    log_sd = np.log(np.maximum(draws.person_sd, _CENTRE))
    return dataclasses.replace(
        HOWGOOD,
        name=name,
        person_sd=LogNormal(float(log_sd.mean()), float(max(log_sd.std() * widen, 0.05))),
        applications={
            application: JointNormal(
                mean=_triple(rows.mean(axis=0)),
                covariance=tuple(_triple(row) for row in covariance),
            )
        },
    )


def card_table(known: dict[str, ModelCard]) -> Table:
    """Return one row per card: what it is about, how it weighs precision, whom it rests on."""
    return Table(
        {
            "name": list(known),
            "application": [card.application for card in known.values()],
            "alpha": [_shown(card.alpha) for card in known.values()],
            "respondents": [
                "not known" if card.n_respondents is None else str(card.n_respondents)
                for card in known.values()
            ],
            "warning": [card_warning(card).partition(":")[0].lower() for card in known.values()],
            "source": [card.source for card in known.values()],
            "predicts": ["yes" if card.draws else "no" for card in known.values()],
        }
    )


def _written(card: ModelCard) -> str:
    """JSON with one line per parameter's draws: readable, and a third of the lines."""
    values = card.to_dict()
    draws = values.pop("draws")
    lines = ",\n".join(f'    "{name}": {json.dumps(each)}' for name, each in draws.items())
    return to_json(values).removesuffix("\n}") + f',\n  "draws": {{\n{lines}\n  }}\n}}\n'


def _shipped() -> Iterator[ModelCard]:
    folder = resources.files("howgood.flow") / "shipped_cards"
    for entry in sorted(folder.iterdir(), key=lambda each: each.name):
        data = json.loads(entry.read_text(encoding="utf-8"))
        yield read_record(ModelCard, data, where=entry.name)


def _published_prior(card: ModelCard, widen: float) -> JointNormal:
    alpha = card.alpha
    if alpha is None or alpha.lower is None or alpha.upper is None:
        raise InputError(
            where=f"model card {card.name!r}",
            found=f"no interval of alpha in {card.citation}",
            needed="draws, or at least an interval: a mean alone says nothing about its certainty",
            cure="Use a card with draws (`howgood registry add`), or a preset prior.",
        )
    mean, lower, upper = (float(_logit(each)) for each in (alpha.mean, alpha.lower, alpha.upper))
    sd = widen * (upper - lower) / (2 * 1.96)
    level, slope = _USUAL.level_mean, _USUAL.slope_scale * _HALF_NORMAL_MEAN
    spread = _USUAL.slope_scale**2 * (1 - _HALF_NORMAL_MEAN**2)
    apart = _USUAL.level_sd**2 + USUAL_MEAN**2 * spread
    return JointNormal(
        mean=(level - USUAL_MEAN * slope, slope, mean),
        covariance=(
            (apart, -USUAL_MEAN * spread, 0.0),
            (-USUAL_MEAN * spread, spread, 0.0),
            (0.0, 0.0, sd**2),
        ),
    )


def _logit(alpha: ArrayLike) -> FloatArray:
    inside = np.clip(alpha, _CENTRE, 1 - _CENTRE)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def _triple(values: FloatArray) -> tuple[float, float, float]:
    first, second, third = (float(value) for value in values)
    return first, second, third


def _shown(estimate: CardEstimate | None) -> str:
    if estimate is None:
        return "not known"
    mean = plain(estimate.mean, digits=2)
    if estimate.lower is None or estimate.upper is None:
        return mean
    return f"{mean} [{plain(estimate.lower, digits=2)}, {plain(estimate.upper, digits=2)}]"
