"""Every operation of the API, once.

In: the operations by subject. Out: one table. Absent: everything else.
"""

from howgood.web.api import data, fits, people, studies
from howgood.web.api.operation import Operation

OPERATIONS: tuple[Operation, ...] = (
    *studies.OPERATIONS,
    *people.OPERATIONS,
    *data.OPERATIONS,
    *fits.OPERATIONS,
)
