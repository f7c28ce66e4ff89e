"""Draws as an ArviZ object, for its plots and diagnostics.

In: arrays of draws by name. Out: what `arviz.from_dict` makes. Absent: any need for ArviZ here.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from howgood.errors import MissingExtraError
from howgood.stats.arrays import FloatArray


def arviz_object(
    posterior: Mapping[str, FloatArray],
    *,
    dims: Mapping[str, Sequence[str]],
    coords: Mapping[str, Sequence[str]],
) -> Any:  # noqa: ANN401 - ArviZ's own type
    """Return arrays of shape (chains, draws, ...) as ArviZ's own object."""
    with warnings.catch_warnings():
        # Deprecations inside ArviZ are not the caller's business.
        warnings.simplefilter("ignore")
        try:
            import arviz
        except ImportError as error:
            raise MissingExtraError(task="export to ArviZ", extra="nuts") from error
        named = {"dims": dict(dims), "coords": dict(coords)}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict({"posterior": dict(posterior)}, **named)
        return arviz.from_dict(posterior=dict(posterior), **named)
