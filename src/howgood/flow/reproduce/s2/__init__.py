"""The Relevance Score's paper: claims, experiments and figures."""

from howgood.flow.reproduce.s2.paper import reproduce

__all__ = ["reproduce"]
