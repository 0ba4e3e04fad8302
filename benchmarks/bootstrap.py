"""Bootstrap intervals of kappa and AC1 over 100,000 clustered statements, beside what it costs to
draw the resamples alone.

On one core. Clusters of one size have tables that repeat, and the larger they are the less so: the
sizes run from a statement a cluster to long cases. The floor draws as many multinomials over the
same distinct tables and does nothing with them.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import timeit
from collections.abc import Callable
from functools import partial

import numpy as np

from calibration.stats import bootstrap
from calibration.stats.coefficients import ac1, cohen_kappa
from calibration.stats.confusion import cluster_confusions

STATEMENTS = 100_000
REPLICATES = 2000
SIZES = (1, 2, 4, 6, 10, 20)
ALLOWED_S = 1.0


def main() -> None:
    print(
        f"kappa and AC1, {REPLICATES:,} replicates over {STATEMENTS:,} statements, four verdicts "
        f"(allowed: {ALLOWED_S:.0f} s)"
    )
    for size in SIZES:
        tables = _tables(size)
        patterns, multiplicities = bootstrap._distinct(tables.astype(np.float64))
        measured = _best(partial(bootstrap.cluster_intervals, tables, [cohen_kappa, ac1], 1))
        floor = _best(partial(_drawn, multiplicities))
        print(
            f"  {size:>2} a cluster, {len(patterns):>5,} distinct tables: {measured:.3f} s; "
            f"floor, the draws alone: {floor:.3f} s"
        )


def _tables(size: int) -> bootstrap.Integers:
    """A judge who repeats the reference in seven of ten statements, and otherwise guesses."""
    rng = np.random.default_rng(0)
    human = rng.choice(4, STATEMENTS, p=[0.4, 0.3, 0.2, 0.1])
    judge = np.where(rng.random(STATEMENTS) < 0.7, human, rng.integers(0, 4, STATEMENTS))
    return cluster_confusions(human, judge, np.arange(STATEMENTS) // size, 4)


def _drawn(multiplicities: bootstrap.Integers) -> None:
    bootstrap._draw(multiplicities, np.random.default_rng(1), REPLICATES)


def _best(measured: Callable[[], object]) -> float:
    return min(timeit.repeat(measured, number=1, repeat=3))


if __name__ == "__main__":
    main()
