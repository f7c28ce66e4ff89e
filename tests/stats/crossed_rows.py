"""The crossed model from rows, block by block as results are computed: means and components."""

from functools import reduce
from operator import add

import numpy as np

from howgood.stats.crossed_components import means_from_sums
from howgood.stats.crossed_sums import blocks_of, crossed_sums


def crossed_means(values, group, item, rater, *, cluster=None, step=0.0):
    """Every group has a value for every item, codes start at 0; no raters: one gave all values."""
    rater = np.zeros_like(item) if rater is None else rater
    middle = float(values.mean())
    anchor = middle + np.bincount(group, weights=values - middle) / np.bincount(group)
    parts = []
    for rows in blocks_of(item if cluster is None else cluster, len(anchor)):
        chosen = slice(None) if rows is None else rows
        bunch = None if cluster is None else cluster[chosen]
        some = (codes[chosen] for codes in (values, group, item, rater))
        parts.append(crossed_sums(*some, cluster=bunch, anchor=anchor))
    return means_from_sums(reduce(add, parts), step=step)
