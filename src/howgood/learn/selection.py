"""Which answers a model is about: one application, or one part of a study.

In: `Answers`. Out: `Answers` of what was named, or a refusal that names what to do. Absent: any
choice made silently.
"""

import dataclasses
from collections.abc import Mapping, Sequence

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


def rated_applications(
    answers: Answers,
    application: str | Sequence[str] | None,
    *,
    reference: str,
    systems: Mapping[str, str] | None = None,
) -> Answers:
    """Return the answers about the applications named, with real systems under their application.

    Applications are those of the `reference` part. Other parts may name the real systems people
    use instead: `systems` says to which application each belongs, and where there is only one
    application all of them belong to it.
    """
    if application is not None:
        named = [application] if isinstance(application, str) else list(application)
        more = [system for system, name in (systems or {}).items() if name in named]
        known = _names(answers, "application")
        answers = _only(answers, "application", [*named, *(name for name in more if name in known)])
    imagined = answers["part"].astype(str) == reference
    given = answers["application"].astype(str)
    names = sorted(set(given[imagined].tolist()))
    if not names:
        return answers  # the reference part is refused by its name, where cells are made
    belongs = {name: name for name in names} | _belonging(systems, names)
    if len(names) == 1:
        belongs = dict.fromkeys(given.tolist(), names[0]) | belongs
    strangers = sorted(set(given.tolist()) - set(belongs))
    if strangers:
        raise InputError(
            where=f"answers, parts other than {reference!r}",
            found=f"{', '.join(map(repr, strangers))}, which the part {reference!r} does not name",
            needed=f"one of its applications: {', '.join(map(repr, names))}",
            cure="Say to which application a system belongs: "
            f"systems={{{strangers[0]!r}: {names[0]!r}}} (--system {strangers[0]}={names[0]}).",
        )
    whose = np.array([belongs[name] for name in given.tolist()], dtype=object)
    return Answers({**dict(answers), "application": whose}, provenance=answers.provenance)


def _belonging(systems: Mapping[str, str] | None, names: Sequence[str]) -> dict[str, str]:
    for name in (systems or {}).values():
        if name not in names:
            raise UnknownNameError(where="systems, application", name=name, names=names)
    return {str(system): str(name) for system, name in (systems or {}).items()}


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
