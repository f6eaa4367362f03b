"""Confidence intervals of shares, so that few cases are not read as many."""

from __future__ import annotations

import math

_Z = 1.96  # of a normal distribution, for 95 %


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of `successes` in `trials`, from 0 to 1; (0, 1) without trials.

    It is Wilson's, which holds for few trials and for shares of 0 and 1.
    """
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    denominator = 1 + _Z**2 / trials
    center = (share + _Z**2 / (2 * trials)) / denominator
    half = _Z * math.sqrt(share * (1 - share) / trials + _Z**2 / (4 * trials**2)) / denominator
    return max(center - half, 0.0), min(center + half, 1.0)
