"""Verb 4: decide, with the probability of being wrong.

The public names and where they live: `__init__.pyi`; each is loaded when it is first used.
"""

from howgood.lazy import names_of

__getattr__, __dir__, __all__ = names_of(__name__, __file__)
