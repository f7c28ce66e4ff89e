"""When do answers inform, and when are further pairs asked? One rule for every interview.

In: how much better than a coin the answers that were not learned from are predicted, and how many
they are. Out: whether that is enough, whether to ask further, how far the last questions are.
Absent: how well they are predicted (`fit`), which pair is asked.
"""

import numpy as np

DECISIVE, INFORMATIVE = 1 / 0.05, 1 / 0.1
ENOUGH_TESTED = 8  # fewer questions do not distinguish a coin from a metric
# Who still says too little then is not asked further. Interviews about weights keep fewer pairs
# back, and may go on for longer.
MOST_TESTED, MOST_TESTED_OF_WEIGHTS = 24, 32
TESTED = ("held-out", "repeat", "extra")  # trade-offs not learned from


def says_enough(factor: float, n_tested: int) -> bool:
    """Say whether answers inform: so many tested, predicted so much better than by a coin."""
    return n_tested < ENOUGH_TESTED or factor > INFORMATIVE


def asks_further(factor: float, n_tested: int, *, most: int = MOST_TESTED) -> bool:
    """Say whether further pairs may show that answers inform, where those so far did not."""
    is_open = not says_enough(factor, n_tested) and factor > 1 / DECISIVE
    return is_open and n_tested < most


def may_have_changed(log_factor: float, n_tested: int) -> bool:
    """Say whether further pairs may show that somebody about weights changed their mind."""
    is_open = 0 < log_factor < np.log(DECISIVE)
    return bool(is_open) and ENOUGH_TESTED <= n_tested < MOST_TESTED_OF_WEIGHTS


def most_further(n_tested: int, *, most: int = MOST_TESTED) -> int:
    """Return how many further pairs may follow so many tested ones."""
    return max(most - n_tested, 0) if n_tested >= ENOUGH_TESTED else 0


def share_of_closing(done: int, planned: int, *, is_over: bool) -> float:
    """Return how far the questions are that follow those learned from, from 0 to 1.

    Further questions share the last of the steps planned: nobody's progress jumps, or goes back.
    """
    if is_over:
        return 1.0
    further = max(done - planned, 0) / (MOST_TESTED_OF_WEIGHTS + 1)
    return (min(done, planned) + further) / (planned + 1)
