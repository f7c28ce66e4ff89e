"""The studies and people of `tests/flow/hosting`, for what is left of them."""

from tests.flow.hosting.conftest import host, person, run

__all__ = ["host", "person", "run"]
