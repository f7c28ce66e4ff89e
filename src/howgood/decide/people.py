"""Whose acceptance a decision is about: the draws of one application.

In: a fit or a model card, and an application's name. Out: its `AcceptanceDraws`. Absent: fitting.
"""

from howgood.errors import InputError, UnknownNameError
from howgood.records.acceptance import AcceptanceDraws, AcceptanceModel


def draws_for(model: AcceptanceModel, application: str | None, *, where: str) -> AcceptanceDraws:
    """Return the draws of the named application, or of the only one."""
    names = known_applications(model, where=where)
    if application is None and len(names) == 1:
        return model.acceptance_draws(names[0])
    if application is None:
        raise InputError(
            where=where,
            found="no application named",
            needed=f"one of {', '.join(repr(name) for name in names)}",
            cure="Pass application=...",
        )
    if application not in names:
        raise UnknownNameError(where=f"{where}, application", name=application, names=names)
    return model.acceptance_draws(application)


def known_applications(model: AcceptanceModel, *, where: str) -> tuple[str, ...]:
    """Return the applications a model knows; refuse anything that is not a model."""
    if not isinstance(model, AcceptanceModel):
        raise InputError(
            where=where,
            found=f"a {type(model).__name__}",
            needed="a fit of answers (learn.fit_acceptability) or a model card with draws",
            cure="Fit the answers first.",
        )
    return tuple(model.applications)


def check_share(value: float, *, name: str, where: str) -> float:
    """Refuse a share or probability outside 0 to 1, ends excluded."""
    if not 0.0 < value < 1.0:
        raise InputError(
            where=f"{where}, {name}",
            found=f"{value}",
            needed=f"{name} must lie between 0 and 1",
            cure="Divide percentages by 100." if value > 1 else "Use for instance 0.8.",
        )
    return float(value)
