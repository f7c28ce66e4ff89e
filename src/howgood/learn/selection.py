"""Which answers a model is about: one application, or one part of a study.

In: `Answers`. Out: `Answers` of what was named, or a refusal that names what to do. Absent: any
choice made silently.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from howgood.errors import InputError, UnknownNameError
from howgood.records.answers import Answers


def one_part(answers: Answers, part: str | None) -> Answers:
    """Return the answers of one part; refuse imagined and real systems in one binary model."""
    names = _names(answers, "part")
    if part is not None:
        return _only(answers, "part", [part])
    if len(names) > 1:
        raise InputError(
            where="answers, part",
            found=f"{len(names)} parts: {', '.join(map(repr, names))}",
            needed="one part: people rate what they use and what they imagine on other scales",
            cure="Fit them together with the ordinal model (learn.fit_ordinal, or --model ordinal),"
            f" or only one of them: only_part={names[0]!r}.",
        )
    return answers


def one_application(
    answers: Answers, application: str | Sequence[str] | None, *, reference: str
) -> Answers:
    """Return the answers about one application; refuse several in one ordinal model.

    Other parts may name the real systems people use, so the `reference` part counts.
    """
    if application is not None:
        named = [application] if isinstance(application, str) else list(application)
        return _only(answers, "application", named)
    imagined = answers["part"].astype(str) == reference
    names = sorted(
        {str(this_application) for this_application in answers["application"][imagined].tolist()}
    )
    if len(names) > 1:
        raise InputError(
            where=f"answers, part {reference!r}",
            found=f"{len(names)} applications: {', '.join(map(repr, names))}",
            needed="one application: the ordinal model has one alpha and one slope, and would pool "
            "them",
            cure=f"Fit them one by one: application={names[0]!r}, together with the real systems "
            "that belong to it.",
        )
    return answers


def one_named_application(answers: Answers, application: str | None) -> Answers:
    """Return the answers about one application; refuse several where none is named."""
    if application is not None:
        return _only(answers, "application", [application])
    names = _names(answers, "application")
    if len(names) > 1:
        raise InputError(
            where="answers, application",
            found=f"{len(names)} applications: {', '.join(map(repr, names))}",
            needed="one application: the model would pool them",
            cure=f"Fit them one by one: application={names[0]!r}.",
        )
    return answers


def _names(answers: Answers, column: str) -> list[str]:
    return sorted({str(value) for value in answers[column].tolist()}) if column in answers else []


def _only(answers: Answers, column: str, named: Sequence[str]) -> Answers:
    names = _names(answers, column)
    for name in named:
        if name not in names:
            raise UnknownNameError(where=f"answers, {column}", name=name, names=names)
    here = np.isin(answers[column].astype(str), named)
    provenance = answers.provenance
    return Answers(
        {one_name: values[here] for one_name, values in answers.items()},
        provenance=dataclasses.replace(
            provenance,
            settings={**provenance.settings, column: ", ".join(named)},
            rows_used=int(here.sum()),
            rows_dropped={
                **provenance.rows_dropped,
                **({f"another {column}": int((~here).sum())} if (~here).any() else {}),
            },
        ),
    )
