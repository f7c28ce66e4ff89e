"""The columns that howgood itself writes, and what they mean.

In: nothing, or a study. Out: columns. Absent: columns that a study's own questions make
(`codebook`).
"""

from collections.abc import Iterator, Mapping

from howgood.flow.participate.comparison_rows import CHOICE_LEVELS
from howgood.records.codebook import Column, ColumnType
from howgood.records.elicitation import QUERY_KINDS
from howgood.records.inclusion import CHECKS_COLUMN, FINISHED_COLUMN, PILOT_COLUMN
from howgood.records.participant import STATUS_MEANINGS, Status
from howgood.records.study import Study

_Row = tuple[str, ColumnType, str] | tuple[str, ColumnType, str, Mapping[str, str]]


def _columns(*rows: _Row) -> tuple[Column, ...]:
    return tuple(
        Column(name=name, type=kind, meaning=meaning, levels=dict(*levels))
        for name, kind, meaning, *levels in rows
    )


_PARTICIPANT: _Row = ("participant", "text", "number of the participant, the same in every table")
_SECONDS: _Row = (
    "seconds",
    "number",
    "how long the page was in front of the person; empty: not known",
)
_CELLS = {
    "true_positives": "right alarms",
    "false_negatives": "misses",
    "false_positives": "false alarms",
    "true_negatives": "correctly quiet",
}

_SURVEY = _columns(
    _PARTICIPANT,
    ("condition", "text", "branch or single scenario the person was assigned to"),
    ("application", "text", "key of the application, or of a system the person uses"),
    ("system", "text", "name of the system the person was to imagine or uses"),
    ("part", "text", "'hypothetical' for scenarios, else the item about a system in use"),
    ("order", "integer", "place of the page on the person's way, from 1"),
    ("real_positives", "integer", "how often the thing really happened in the scenario"),
    *((name, "integer", f"{meaning} in the scenario") for name, meaning in _CELLS.items()),
    ("precision", "number", "precision of the counts shown"),
    ("recall", "number", "recall of the counts shown"),
    ("desired_precision", "number", "level of precision the scenario was made for"),
    ("desired_recall", "number", "level of recall the scenario was made for"),
    ("rating", "integer", "rating of the first item, 1 is lowest"),
    _SECONDS,
)
_KIND_LEVELS = {str(kind): why for kind, why in QUERY_KINDS.items()}
_COMPARISON = _columns(
    _PARTICIPANT,
    ("screen", "text", "name of the page"),
    ("number", "integer", "number of the pair; a pair that was undone is asked again"),
    ("kind", "text", "why this pair was asked; empty: not known", _KIND_LEVELS),
    *((f"left_{name}", "integer", f"{meaning}, left") for name, meaning in _CELLS.items()),
    *((f"right_{name}", "integer", f"{meaning}, right") for name, meaning in _CELLS.items()),
    ("choice", "text", "what was chosen", CHOICE_LEVELS),
    _SECONDS,
)
_RERATING = _columns(
    ("user", "text", "number of the participant, the same in every table"),
    ("item", "text", "key of what was rated"),
    ("trial", "integer", "round, from 1"),
    ("rating", "integer", "rating, 1 is lowest"),
    ("position", "integer", "place in the round, from 1"),
    _SECONDS,
    ("at", "time", "when the rating was sent, UTC"),
)
COLUMNS_OF = {"survey": _SURVEY, "comparison": _COMPARISON, "rerating": _RERATING}

# What decides whose answers enter a fit, on every row of a table of answers.
PASSED_CHECKS = Column(
    name=CHECKS_COLUMN,
    type="boolean",
    meaning="whether the person passed every attention check; empty: saw none",
)
WHO_COUNTS = _columns(
    (FINISHED_COLUMN, "boolean", "whether the person reached the last page"),
    (PILOT_COLUMN, "boolean", "whether this was a test run"),
)

SCREENS = _columns(
    _PARTICIPANT,
    ("screen", "text", "name of the page"),
    ("position", "integer", "place of the page on the person's way, from 1"),
    ("shown_at", "time", "when the page was first shown, UTC"),
    ("answered_at", "time", "when its answer was stored, UTC; empty: not answered"),
    _SECONDS,
)

# Who only has a link is in no table.
_STATUS_LEVELS = {
    each.value: STATUS_MEANINGS[each] for each in Status if each is not Status.INVITED
}
_PEOPLE = _columns(
    _PARTICIPANT,
    ("external_id", "text", "id the recruiting platform or an import gave; it may name a person"),
    ("status", "text", "how far the person has come", _STATUS_LEVELS),
    ("pilot", "boolean", "whether this was a test run"),
    ("version", "text", "fingerprint of the version of the study this person saw"),
    ("condition", "text", "branch or single scenario the person was assigned to"),
    ("started_at", "time", "when the person was first known, UTC"),
    ("consented_at", "time", "when consent was given, UTC"),
    ("finished_at", "time", "when the last page was reached, UTC"),
    ("consent", "text", "answer to the consent, yes"),
    ("pages", "integer", "pages answered"),
    ("seconds", "number", "time on all answered pages together"),
)
_ATTENTION = _columns(
    ("attention_asked", "integer", "attention checks seen"),
    ("attention_passed", "integer", "attention checks answered as asked"),
)
_DIRECT = _columns(
    ("ratio_before", "number", "direct answer before the pairs: false alarms that equal one miss"),
    ("ratio_after", "number", "the same, asked after the pairs"),
)
_PRACTICE = _columns(
    ("practice_right_at_once", "integer", "practice questions right at the first try"),
    ("practice_right_again", "integer", "practice questions right at the second try"),
)
_ELICITED = _columns(
    (
        "a0",
        "number",
        "weight of true negatives (correct rejections) that the choices say, from 0 to 1; true "
        "positives weigh 1 - a0, so one miss is worth (1 - a0) / a0 false alarms; empty: not "
        "enough evidence",
    ),
    ("a0_lower", "number", "lower end of its 90 % interval, or of a bisection's last bracket"),
    ("a0_upper", "number", "upper end of its 90 % interval, or of a bisection's last bracket"),
    (
        "p_linear",
        "number",
        "probability that the person's metric is linear; empty: not enough evidence",
    ),
    ("agreement", "number", "percent of hidden pairs the metric predicts"),
    ("checks_wrong", "integer", "pairs with a plainly better side answered against it"),
    ("looks_careless", "boolean", "whether the checks suggest careless answers"),
)


def about_people(study: Study) -> Iterator[Column]:
    """Yield the columns about a person that howgood writes for such a study."""
    yield from _PEOPLE
    if study.survey is not None and study.survey.attention:
        yield from _ATTENTION
    if study.comparison is not None:
        yield from _DIRECT
        if study.comparison.practice:
            yield from _PRACTICE
        yield from _ELICITED
