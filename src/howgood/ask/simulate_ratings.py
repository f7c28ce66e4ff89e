"""People who rate the same things several times, and do not always say the same.

In: how many users, items and trials. Out: a table of ratings on a five-star scale. Absent: real
people; the published re-rating data are not available, only their mix of answer categories.
"""

import numpy as np
from numpy.typing import NDArray

from howgood.errors import InputError
from howgood.records.table import Table
from howgood.stats.randomness import RandomState, generator_and_seed

# Share of users who use one, two, three or more answer categories for the same item.
CONSISTENCY = (0.35, 0.50, 0.15)
STARS = 5
_FOURTH_CATEGORY = 0.2


def simulate_ratings(
    *, users: int, items: int, trials: int = 5, random_state: RandomState = None
) -> Table:
    """Simulate repeated ratings with the published mix of constant and wavering raters.

    Every user rates every item `trials` times, on five stars. 35 % of users always repeat
    themselves, 50 % use exactly two answer categories per item, 15 % three or (one time in five)
    four; the counts are exact up to rounding, so the shares of users and of user-item pairs agree.
    A pair's usual answer is a rounded Gaussian around 3.5 stars with a user and an item effect;
    the other categories are its nearest neighbours, each used at least once.

    Parameters
    ----------
    users, items : int
    trials : int
        Ratings per pair, at least 3.
    random_state : None, int or Generator

    Returns
    -------
    Table
        user, item, trial (all counted from 1), rating (1 .. 5); users x items x trials rows.

    References
    ----------
    Jasberg & Sizov (2018), "Human Uncertainty and Ranking Error", motivating example.

    Notes
    -----
    Stability: stable

    Examples
    --------
    >>> ratings = simulate_ratings(users=20, items=3, random_state=1)
    >>> ratings.columns, len(ratings)
    (['user', 'item', 'trial', 'rating'], 300)
    """
    for name, value, least in (("users", users, 1), ("items", items, 1), ("trials", trials, 3)):
        if value < least:
            raise InputError(
                where=f"simulate_ratings, {name}",
                found=str(value),
                needed=f"at least {least}",
                cure="Three answer categories need three trials."
                if name == "trials"
                else "Ask for more.",
            )
    generator, _ = generator_and_seed(random_state)
    categories = _categories_per_pair(users, items, trials, generator)
    usual = _usual_answers(users, items, generator)
    ratings = _wavering(usual, categories, trials, generator)
    user, item, trial = np.meshgrid(
        np.arange(1, users + 1), np.arange(1, items + 1), np.arange(1, trials + 1), indexing="ij"
    )
    return Table(
        {
            "user": user.ravel(),
            "item": item.ravel(),
            "trial": trial.ravel(),
            "rating": ratings.ravel(),
        }
    )


def _categories_per_pair(
    users: int, items: int, trials: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return how many categories each pair uses, by user: exact shares, in random order."""
    exact = np.array(CONSISTENCY) * users
    counts = np.floor(exact).astype(np.int64)
    most_owed = np.argsort(counts - exact, kind="stable")[: users - counts.sum()]
    counts[most_owed] += 1
    kinds = generator.permutation(np.repeat([1, 2, 3], counts))
    categories = np.repeat(kinds[:, None], items, axis=1)
    if trials > 3:
        four = generator.random((users, items)) < _FOURTH_CATEGORY
        categories[four & (categories == 3)] = 4
    return categories.ravel()


def _usual_answers(users: int, items: int, generator: np.random.Generator) -> NDArray[np.int64]:
    taste = generator.normal(0, 0.5, (users, 1)) + generator.normal(0, 0.7, (1, items))
    latent = 3.5 + taste + generator.normal(0, 0.7, (users, items))
    return np.clip(np.rint(latent), 1, STARS).astype(np.int64).ravel()


def _wavering(
    usual: NDArray[np.int64],
    categories: NDArray[np.int64],
    trials: int,
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Return ratings (pairs, trials) that use exactly the wanted number of categories."""
    nearest = _nearest_categories(usual, generator)
    slots = np.arange(trials)
    # The first slots use each category once; the others repeat one of them, mostly the usual.
    repeated = np.minimum(generator.geometric(0.6, (len(usual), trials)) - 1, STARS - 1)
    repeated = repeated % categories[:, None]
    chosen = np.where(slots < categories[:, None], slots, repeated)
    return generator.permuted(np.take_along_axis(nearest, chosen, axis=1), axis=1)


def _nearest_categories(
    usual: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return all categories by distance from the usual one, ties in random order."""
    stars = np.arange(1, STARS + 1)
    distance = np.abs(stars - usual[:, None]) + generator.uniform(-0.25, 0.25, (len(usual), STARS))
    distance[np.arange(len(usual)), usual - 1] = -1.0
    return stars[np.argsort(distance, axis=1)]
