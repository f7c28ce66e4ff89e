"""Items of the technology acceptance model, ready to use.

In: nothing. Out: items by construct. Absent: the published three, which every survey asks
(`screens.survey_items`).

The constructs are those of TAM (Davis, 1989, "Perceived usefulness, perceived ease of use, and user
acceptance of information technology", MIS Quarterly 13) and of its extension TAM2 (Venkatesh and
Davis, 2000, "A theoretical extension of the technology acceptance model", Management Science 46),
which adds output quality. The sentences are ours, in the future tense of systems that are imagined,
and answered on the same scale from extremely unlikely to extremely likely as Davis used.
"""

from howgood.records.item import Item

# Construct -> its items; those without a text are the published ones of every survey.
CONSTRUCTS: dict[str, dict[str, str]] = {
    "usefulness": {
        "useful": "",
        "useful_2": "Using this system would help me get done what I care about.",
        "useful_3": "With this system I would manage better than without it.",
    },
    "ease of use": {
        "ease": "",
        "ease_2": "Learning to use this system would be easy for me.",
        "ease_3": "It would take me little effort to live with what this system does.",
    },
    "output quality": {
        "quality": "What this system reports would be of high quality.",
        "quality_2": "I could rely on what this system reports.",
        "quality_3": "I would have no objections to the quality of what this system reports.",
    },
    "intention to use": {
        "intent": "",
        "intent_2": "If I could have this system, I would use it.",
        "intent_3": "I would go on using this system after the first weeks.",
    },
}


def own_items() -> tuple[Item, ...]:
    """Return the items that the battery adds to the published ones, construct by construct."""
    return tuple(
        Item(key=key, text=text)
        for items in CONSTRUCTS.values()
        for key, text in items.items()
        if text
    )


def constructs_of(keys: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the constructs of which at least two items were asked.

    Examples
    --------
    >>> constructs_of(("acceptable", "useful", "useful_2", "ease"))
    {'usefulness': ('useful', 'useful_2')}
    """
    constructs = {
        name: tuple(key for key in items if key in keys) for name, items in CONSTRUCTS.items()
    }
    return {name: items for name, items in constructs.items() if len(items) > 1}
