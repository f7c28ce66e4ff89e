"""A whole study end to end with synthetic people: ask, learn, score, decide."""

from howgood.flow.demo.story import Demo, run_demo

__all__ = ["Demo", "run_demo"]
