"""The kinds of study, one package each, behind one protocol."""

from howgood.kinds.kind_registry import KINDS, kind_named, kind_of, pictures_of, register
from howgood.kinds.protocol import EVERYBODY, Kind, Row

__all__ = ["EVERYBODY", "KINDS", "Kind", "Row", "kind_named", "kind_of", "pictures_of", "register"]
