"""Verb 3: score models with what was learned."""

__all__: list[str] = []
