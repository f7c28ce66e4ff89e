"""The studies and people of `tests/flow/hosting`, for answers that come from elsewhere."""

from tests.flow.hosting.conftest import host, person, run

__all__ = ["host", "person", "run"]
