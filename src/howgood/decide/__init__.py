"""Verb 4: decide, with the probability of being wrong."""

__all__: list[str] = []
