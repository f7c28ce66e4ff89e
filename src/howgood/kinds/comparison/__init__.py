"""Comparison: pairs of confusion matrices, of which people prefer one. Which errors weigh more?"""

from howgood.kinds.comparison import data, screens
from howgood.kinds.protocol import Kind

KIND = Kind(
    name="comparison",
    steps=screens.steps,
    computes_steps=True,
    is_task=screens.shows_pair,
    rows=data.rows,
    answer_columns=data.answer_columns,
    person_facts=data.person_facts,
    person_columns=data.person_columns,
    own_questions=screens.own_questions,
)
