"""Shares and probabilities a decision is given.

In: a number. Out: the number, checked. Absent: everything else.
"""

from howgood.errors import InputError


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
