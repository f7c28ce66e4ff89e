"""What to do with missing values: a policy that has a name.

In: a policy's name. Out: nothing, or an error. Absent: applying it.
"""

from howgood.errors import InputError

POLICIES = ("error", "drop")


def check_policy(missing: str) -> None:
    """Raise unless `missing` names a policy."""
    if missing not in POLICIES:
        raise InputError(
            where="missing",
            found=repr(missing),
            needed=f"one of {', '.join(POLICIES)}",
            cure="Choose one of these.",
        )
