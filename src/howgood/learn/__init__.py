"""Verb 2: learn what people value, and how noisy their answers are."""

__all__: list[str] = []
