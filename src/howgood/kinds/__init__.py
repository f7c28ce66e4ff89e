"""The kinds of study, one package each, behind one protocol."""

from howgood.kinds.protocol import EVERYBODY, Kind, Row
from howgood.kinds.registry import KINDS, kind_named, kind_of, pictures_of, register

__all__ = ["EVERYBODY", "KINDS", "Kind", "Row", "kind_named", "kind_of", "pictures_of", "register"]
