"""Survey: scenarios of applications, rated on a few items. Which accuracy do people accept?"""

from howgood.kinds.protocol import Kind
from howgood.kinds.survey import data, screens

KIND = Kind(
    name="survey",
    steps=screens.steps,
    conditions=screens.conditions,
    quotas=screens.quotas,
    pictures=screens.pictures,
    rows=data.rows,
    answer_columns=data.answer_columns,
    rating_columns=data.rating_columns,
    person_facts=data.person_facts,
    person_columns=data.person_columns,
    passed_checks=data.passed_checks,
)
