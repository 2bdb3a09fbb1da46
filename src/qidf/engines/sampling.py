"""How sure a share is that was counted in a sample."""

from __future__ import annotations


def wilson(successes: int, trials: int, population: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share, narrowed where much of a finite population was seen."""
    if trials == 0:
        return 0.0, 1.0
    if trials >= population:
        return successes / trials, successes / trials
    z = 1.959964
    # The finite population correction, as if more had been looked at.
    seen = trials * (population - 1) / (population - trials)
    share = successes / trials
    centre = (share + z * z / (2 * seen)) / (1 + z * z / seen)
    half = z * (share * (1 - share) / seen + z * z / (4 * seen * seen)) ** 0.5 / (1 + z * z / seen)
    return max(centre - half, 0.0), min(centre + half, 1.0)
