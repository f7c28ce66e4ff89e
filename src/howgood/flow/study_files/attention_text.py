"""Can people follow an attention check on every screen?

In: a study. Out: advice. Absent: rules; nothing here stops a study.

On a phone the answers stand below each other: who is asked for "the second answer from the left"
cannot tell which one is meant, and failing drops them from the fit. A label is the same everywhere.
"""

import re
from collections.abc import Iterator

from howgood.kinds.survey.screens import survey_scale
from howgood.records.plans import AttentionCheck
from howgood.records.study import Study

# Words that always say where an answer stands, in English and German.
_PLACES = (
    r"left(?:most|-hand)?|right(?:most|-hand)?|top(?:most)?|bottom(?:most)?|upper(?:most)?|"
    r"lower(?:most)?|above|below|middle|cent(?:er|re)|leftwards?|rightwards?|"
    r"links|rechts|oben|unten|(?:link|recht|ober|unter|mittler)(?:e|er|es|en|em|ste|sten|stes)|"
    r"mitte|außen|darüber|darunter"
)
# Words that count, and so say it only of answers: "the second answer", "third from the end".
_COUNTS = (
    r"first|second|third|fourth|fifth|sixth|seventh|last|\d+(?:st|nd|rd|th)|"
    r"(?:erst|zweit|dritt|viert|fünft|sechst|siebt|letzt|vorletzt)(?:e|er|es|en|em)|\d+\."
)
_COUNTED = (
    r"answers?|options?|choices?|points?|buttons?|box|boxes|circles?|columns?|rows?|one|from|"
    r"antwort|antworten|option|möglichkeit|punkt|feld|kästchen|kreis|spalte|zeile|von"
)
_POSITION = re.compile(
    rf"\b(?:{_PLACES})\b|(?<!\w)(?:{_COUNTS})(?=\W+(?:\w+\W+)?(?:{_COUNTED})\b)", re.IGNORECASE
)


def attention_advice(study: Study) -> Iterator[str]:
    """Yield a sentence for every check that says where its answer stands, or not which it is."""
    plan = study.survey
    if plan is None:
        return
    scale = survey_scale(study, plan)
    for number, check in enumerate(plan.attention):
        found = _about(check, scale)
        if found:
            yield f"survey.attention[{number}].text {found}"


def _about(check: AttentionCheck, scale: tuple[str, ...]) -> str:
    label = scale[check.answer - 1]
    rest = re.sub(re.escape(label), " ", check.text, flags=re.IGNORECASE)
    position = _POSITION.search(rest)
    if position:
        return (
            f'says where the answer stands ("{position[0]}"): on a phone answers stand below each '
            f'other, and who fails is left out of the fit; name its label instead: "{label}".'
        )
    if label.casefold() not in check.text.casefold():
        return f'does not name the answer that passes, number {check.answer}: "{label}"; name it.'
    return ""
