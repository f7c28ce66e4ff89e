"""Is 85 % enough? The page's own few lines of Python; everything else is howgood, unchanged.

In: the name of a model card, precision and recall. Out: JSON. Runs in the reader's browser.
"""

import json

from howgood import decide
from howgood.flow.registry import cards

KNOWN = {name: card for name, card in cards().items() if name.startswith("kay2015-answers-")}


def applications():
    """Return the applications people were asked about, and how many people."""
    return json.dumps(
        [
            {
                "name": name,
                "label": card.application.replace("_", " "),
                "people": card.n_respondents,
            }
            for name, card in KNOWN.items()
        ]
    )


def _words(name):
    return name.replace("_", " ")


def answer(name, precision, recall):
    """Return the share that would accept this accuracy, and what would change it."""
    target = decide.target(KNOWN[name], precision=precision, recall=recall, share=0.8)
    share = target.acceptance
    return json.dumps(
        {
            "mean": share.mean,
            "lower": share.interval.lower,
            "upper": share.interval.upper,
            "precision_gain": 100 * target.precision_gain.mean,
            "recall_gain": 100 * target.recall_gain.mean,
        }
    )


def curve(name):
    """Return the accepting share over accuracy, with precision and recall alike."""
    return json.dumps(decide.trade_off(KNOWN[name]).to_dict()["curve"])
