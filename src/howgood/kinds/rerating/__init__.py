"""Rerating: the same items, rated in several rounds. How noisy are people's ratings?"""

from howgood.kinds.protocol import Kind
from howgood.kinds.rerating import data, screens

KIND = Kind(
    name="rerating",
    steps=screens.steps,
    pause_minutes=screens.pause_minutes,
    hides_answers=True,
    pictures=screens.pictures,
    rows=data.rows,
    answer_columns=data.answer_columns,
    rating_columns=data.rating_columns,
)
