"""Ali et al. (2022), "Metric Elicitation; Moving from Theory to Practice": claims and figures."""

from howgood.flow.reproduce.s1.paper import reproduce

__all__ = ["reproduce"]
