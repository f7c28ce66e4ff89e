"""A statement that people rate.

In: a key and a text. Out: a frozen `Item`. Absent: the scale, which is the study's.
"""

from pydantic import Field

from howgood.records.record import Record


class Item(Record):
    """A statement rated on the scale of the survey."""

    key: str = Field(description="name of the column in the data")
    text: str = Field(description="the statement")
