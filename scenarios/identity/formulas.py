"""Sums that the closed forms of several scenarios are made of, derived from the equations of Orseau 2014, section 4.

Staying pays ``r_s`` a step, ``r_s G`` in all, with ``G = G_T`` and ``G_n = Σ_{k<n} γ^k``. The decision is made at the
first step, in slot 1. Ties go to staying.
"""

from fractions import Fraction

from scenarios.lab.experiment import geometric

HALF = Fraction(1, 2)


def after(discount: Fraction, horizon: int, steps: int) -> Fraction:
    """``G_T - G_n``, what a reward of 1 at each step after the n-th is worth; 0 if n ≥ T."""
    return geometric(discount, horizon) - geometric(discount, min(steps, horizon))


def copy_value(kind: str, discount: Fraction, horizon: int, r_1: Fraction, r_2: Fraction, b: int) -> Fraction:
    """``½(r_1 + r_2)(G - G_b)`` for 1 → {1, 2}, alike and unpaid for b steps; on slot 1 ``r_1 (G - G_b)``."""
    return (HALF * (r_1 + r_2) if kind == "cpy" else r_1) * after(discount, horizon, b)
