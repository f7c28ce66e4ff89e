"""Kay, Patel, Kientz (2015), "How Good is 85%?": every number beside ours."""

from howgood.flow.reproduce.s0.run import reproduce

__all__ = ["reproduce"]
