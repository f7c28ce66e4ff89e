"""Whether two logs write a metric on the same scale.

In: a metric's values in both logs. Out: nothing, or an error. Absent: converting one into another.
"""

from collections.abc import Sequence

import numpy as np

from howgood.errors import InputError
from howgood.records.evaluation_log import EvaluationLog

_VERDICTS_IN_PERCENT = (0.0, 50.0, 100.0)
_SURELY_NO_SHARE = 10.0


def refuse_percent_and_share(logs: Sequence[EvaluationLog], metric: str) -> None:
    """Refuse 0 to 1 in one log and 0 to 100 in the other: any difference would look certain.

    Metrics without an upper end may be large in one log and small in the other, so that percent is
    what half of the values say, or all of them where they are verdicts.
    """
    values = [log.metrics[metric][np.isfinite(log.metrics[metric])] for log in logs]
    for (share, share_log), (other, other_log) in zip(
        zip(values, logs, strict=True), zip(values[::-1], logs[::-1], strict=True), strict=True
    ):
        # Nothing but zeros is the same on both scales.
        if not share.any() or not len(other) or share.min() < 0 or share.max() > 1:
            continue
        is_percent = other.min() >= 0 and 1 < other.max() <= 100
        are_verdicts = (
            np.isin(2 * share, (0, 1, 2)).all() and np.isin(other, _VERDICTS_IN_PERCENT).all()
        )
        if is_percent and (are_verdicts or np.median(other) > _SURELY_NO_SHARE):
            raise InputError(
                where=f"metric {metric!r}",
                found=f"0 to 1 in {share_log.source}, up to {other.max():g} in {other_log.source}",
                needed="the same scale in both logs",
                cure="Write percent as shares, .85 for 85, or with the sign: 85 %.",
            )
