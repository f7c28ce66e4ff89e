"""Verb 1: ask people. Studies in, answers out."""

from howgood.ask.files import open_table

__all__ = ["open_table"]
