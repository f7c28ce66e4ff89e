"""What must stand wherever a model card is shown, listed or used.

In: a card. Out: a sentence, or nothing. Absent: judging the answers behind it (`learn`).
"""

from howgood.records.card import ModelCard
from howgood.records.evidence import FEW_PEOPLE


def card_warning(card: ModelCard) -> str:
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
