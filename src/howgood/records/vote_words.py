"""What programs call the winner of a vote between two outputs.

In: the words of a column. Out: which side each means, or that they are systems' names. Absent:
files and rows.
"""

import re
from collections.abc import Collection

from howgood.errors import InputError

# What other programs call a winner, as what they mean.
SAID = {
    "left": "left", "a": "left", "model_a": "left", "1": "left", "first": "left",
    "output_1": "left", "response_a": "left", "x": "left", "a is better": "left",
    "model_1": "left", "system_a": "left", "generator_1": "left",
    "right": "right", "b": "right", "model_b": "right", "2": "right", "second": "right",
    "output_2": "right", "response_b": "right", "y": "right", "b is better": "right",
    "model_2": "right", "system_b": "right", "generator_2": "right",
    "tie": "tie", "0": "tie", "draw": "tie", "same": "tie", "equal": "tie", "neither": "tie",
    "1.5": "tie",
    "both_good": "both_good", "tie (bothgood)": "both_good", "both good": "both_good",
    "bothgood": "both_good",
    "both_bad": "both_bad", "tie (bothbad)": "both_bad", "both bad": "both_bad",
    "bothbad": "both_bad",
}  # fmt: skip
# What a column of outputs is often called; so may a system be.
_COLUMNS = {"model_1", "model_2", "system_a", "system_b", "generator_1", "generator_2"}
_WHOLE = re.compile(r"([0-9])\.0+")
_SHARES = (
    "Numbers from 1 to 2 are shares of a vote: round them to 1 (left), 2 (right), or 1.5 (a tie)."
)
_NEEDED = "left, right or tie (or the winner's name)"


def word_of(text: str) -> str:
    """Return a word as it is looked up: without spaces around it, in small letters, 1.0 as 1."""
    return _WHOLE.sub(r"\1", text.strip().casefold())


def sides_of(
    values: Collection[str], systems: Collection[str], *, where: str
) -> dict[str, str] | None:
    """Return left, right or tie for each value; None: values are names of systems, or ties.

    Examples
    --------
    >>> sides_of(["model_b", "tie (bothbad)"], ["gpt", "llama"], where="votes")
    {'model_b': 'right', 'tie (bothbad)': 'tie'}
    >>> sides_of(["gpt", "tie"], ["gpt", "llama"], where="votes") is None
    True
    """
    words = {value: word_of(value) for value in values}
    sides = {
        value: SAID[word] if SAID.get(word) in ("left", "right") else "tie"
        for value, word in words.items()
        if word in SAID
    }
    names = {value for value in values if value in systems}
    if len(sides) == len(words):
        # "A" may be the left side, or the system that other columns call "a".
        called = {word_of(system) for system in systems}
        both = sorted(
            value for value, word in words.items() if word in called and sides[value] != "tie"
        )
        are_names = all(value in names or sides[value] == "tie" for value in words)
        if both and are_names and set(map(word_of, both)) <= _COLUMNS:
            return None  # systems may be called as columns are
        if both:
            _refuse(where, both, "names of systems that may also mean a side")
        if "0" in words.values() and set(words.values()) <= {"0", "1", "2"}:
            # A tie, left and right, or left, right and a tie: programs write both.
            _refuse(where, sorted(words), "numbers that do not say which side they mean")
        return sides
    strange = sorted(value for value in words if value not in sides and value not in names)
    if strange:
        _refuse(where, strange, "")
    if any(sides.get(value, "tie") != "tie" and value not in names for value in words):
        _refuse(where, sorted(words), "sides and names of systems mixed")
    return None


def _refuse(where: str, found: list[str], what: str) -> None:
    listed = ", ".join(map(repr, found[:4])) + (" and more" if len(found) > 4 else "")
    raise InputError(
        where=where,
        found=f"{listed}: {what}" if what else listed,
        needed=_NEEDED,
        cure=_SHARES
        if not what and _are_shares(found)
        else "Say on which side the winner stood: left, right or tie.",
    )


def _are_shares(found: list[str]) -> bool:
    """Whether values are how much of a vote the second output gets, as AlpacaEval 2 writes them."""
    try:
        return all(1.0 <= float(value) <= 2.0 for value in found)
    except ValueError:
        return False
