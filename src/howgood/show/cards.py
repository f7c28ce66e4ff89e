"""What must stand wherever a model card is shown, listed or used.

In: a card. Out: a sentence, or nothing. Absent: judging the answers behind it (`learn`).
"""

from typing import TYPE_CHECKING

from howgood import ask
from howgood.records.evidence import FEW_PEOPLE

if TYPE_CHECKING:  # every page can warn, and only a few show cards
    from howgood.records.card import ModelCard


def card_warning(card: "ModelCard") -> str:
    """Return the warning of a card that rests on little; empty for the others."""
    people = card.n_respondents
    # Cards written before fits judged their evidence have no such word.
    if card.draws and getattr(card, "evidence", None) == "none" and (people or 0) >= FEW_PEOPLE:
        return (
            "Not enough evidence: the answers behind this card do not settle its numbers, which "
            "come mostly from the priors: do not decide by them."
        )
    if people is None or people >= FEW_PEOPLE:
        return ""
    return (
        f"Few people: this card rests on the answers of {people}. With fewer than {FEW_PEOPLE} its "
        "numbers come mostly from the priors, not from the answers: do not decide by them."
    )


def with_warning(card: "ModelCard") -> "ModelCard":
    """Return a card with its warning as a note, if there is one."""
    warning = card_warning(card)
    return card.changed(notes=(*card.notes, warning)) if warning else card


def readable(application: str) -> str:
    """Return an application as people would write it; cards may name it by its key.

    Examples
    --------
    >>> readable("alarm_police"), readable("front_door bell")
    ('Alarm (police)', 'Front door bell')
    """
    if application in ask.applications():
        return ask.application(application).name
    name = application.replace("_", " ")
    return name[:1].upper() + name[1:]
