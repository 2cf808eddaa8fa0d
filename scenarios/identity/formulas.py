"""What accepting is worth, in closed form, derived from the equations of Orseau 2014, section 4.

Staying pays ``r_s`` a step, ``r_s G`` in all, with ``G = G_T`` and ``G_n = Σ_{k<n} γ^k``. The decision is made at the
first step, in slot 1. Ties go to staying.
"""

from fractions import Fraction

HALF = Fraction(1, 2)


def geometric(discount: Fraction, steps: int) -> Fraction:
    """Return ``G_n = Σ_{k<n} γ^k``, what a reward of 1 at each of n steps is worth."""
    return sum((discount**k for k in range(steps)), Fraction(0))


def after(discount: Fraction, horizon: int, steps: int) -> Fraction:
    """Return ``G_T - G_n``, what a reward of 1 at each step after the n-th is worth; 0 if n ≥ T."""
    return geometric(discount, horizon) - geometric(discount, min(steps, horizon))


def teleport_value(kind: str, discount: Fraction, horizon: int, r_2: Fraction) -> Fraction:
    """Return ``r_2 G`` for slot 1 → {2}, copy-centered; 0 for the others, whose slot is left empty."""
    return r_2 * geometric(discount, horizon) if kind == "cpy" else Fraction(0)


def copy_value(kind: str, discount: Fraction, horizon: int, r_1: Fraction, r_2: Fraction, b: int) -> Fraction:
    """Return ``½(r_1 + r_2)(G - G_b)`` for 1 → {1, 2}, alike and unpaid for b steps; on slot 1 ``r_1 (G - G_b)``."""
    return (HALF * (r_1 + r_2) if kind == "cpy" else r_1) * after(discount, horizon, b)


def copy_delete_value(kind: str, discount: Fraction, horizon: int, r_b: Fraction, r_2: Fraction, d: int) -> Fraction:
    """Return ``r_b G_d``, for copies ``+ ½ r_2 (G - G_d)``: 1 → {1, 2} for d steps, then slot 1 is deleted."""
    together = r_b * geometric(discount, min(d, horizon))
    return together + (HALF * r_2 * after(discount, horizon, d) if kind == "cpy" else 0)


def universal_value(kind: str, discount: Fraction, horizon: int, r: Fraction, exchange: bool) -> Fraction:
    """Return ``½ r G`` for copies, if observing 1 pays ``r``; on slot 1, 0, or ``r G`` where actions exchange them."""
    share = HALF if kind == "cpy" else Fraction(int(exchange))
    return share * r * geometric(discount, horizon)


def blind_fork_value(kind: str, discount: Fraction, horizon: int, a: Fraction, b: Fraction) -> Fraction:
    """Return the worth of two doors after 1 → {1, 2}: the left one pays slot 1 a, the right one pays slot 2 b.

    Copy-centered ``½ max(a, b)(G - G_1)``. Static ``max(a, 0)(G - G_1)``: slot 1's own best. Dynamic ``a (G - G_1)`` if
    a ≥ b and 0 otherwise: it cares for slot 1 alone, but knows that its future self will open the door that is better
    for somebody who may be in either slot.
    """
    paid = after(discount, horizon, 1)
    if kind == "cpy":
        return HALF * max(a, b) * paid
    if kind == "sta":
        return max(a, Fraction(0)) * paid
    return (a if a >= b else Fraction(0)) * paid


def tree_value(
    kind: str, discount: Fraction, horizon: int, rewards: tuple[Fraction, Fraction, Fraction], told: bool
) -> Fraction:
    """Return the worth of 1 → {1, 2}, then 2 → {2, 3}, paid from the third step on.

    Copy-centered: ``(½ r_1 + ¼ r_2 + ¼ r_3)(G - G_2)`` if the first two copies are told apart before the second
    copying, ``⅓ (r_1 + r_2 + r_3)(G - G_2)`` if not: then three equal histories count alike. Slot 1: ``r_1 (G - G_2)``.
    """
    paid, (r_1, r_2, r_3) = after(discount, horizon, 2), rewards
    if kind != "cpy":
        return r_1 * paid
    return (HALF * r_1 + Fraction(1, 4) * (r_2 + r_3) if told else Fraction(1, 3) * (r_1 + r_2 + r_3)) * paid
