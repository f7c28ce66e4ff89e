"""Jasberg & Sizov (2018), "Human Uncertainty and Ranking Error": every figure and claim."""

from howgood.flow.reproduce.s3.paper import reproduce

__all__ = ["reproduce"]
