"""When does an optimal policy end? Proposition 1, and the tasks for which its conditions fail.

Alizadeh Alamdari et al. 2021, Proposition 1: undiscounted, with α₁ > 0, rewards that are negative before the end,
finite values and some policy that ends, every optimal policy ends. For equation 6 the augmented reward must be
negative. These conditions are sufficient, not necessary. If they fail, a task is refused if never ending is optimal,
and solved otherwise. Everything is deterministic, so never ending means following a cycle. A cycle with a positive
total reward pays without bound; a cycle of cost 0 is worth the path to it.
"""

from considerate.distributions import Number
from considerate.exact.paths.network import Network
from considerate.exact.paths.rationals import Rationals, Wholes
from multislot.errors import NeverEndingError


def worth_of_never_ending(scale: Number, network: Network, weights: Rationals, distances: Wholes) -> Number | None:
    """Compute the worth of the best path to a cycle of cost 0; None if every cycle has a cost.

    Args:
        scale: the worth of a unit of distance: |α₁|; 1 for equation 6, whose costs include the others' rewards.
        network: the states and the steps between them, by cost.
        weights: the costs.
        distances: [S], the least total cost from the start.
    """
    if scale == 0:
        return 0
    on_cycles = network.on_cycles(network.steps_from(distances)).any(axis=1)
    if not on_cycles.any():
        return None
    return -scale * weights.over_denominator(distances[on_cycles].min())


def check_ending(scale: Number, never: Number | None, best: Number) -> None:
    """Raise an error if never ending is worth more than the best end."""
    if never is None or never <= best:
        return
    if scale == 0:
        raise NeverEndingError(
            f"got α₁=0, so that never ending costs nothing, and the best end is worth {best}: never ending is "
            "optimal; give α₁ above 0"
        )
    raise NeverEndingError(
        f"undiscounted, never ending is optimal: it is worth {never} from the start, the best policy that ends {best}; "
        "Proposition 1 needs every reward to be negative before the end"
    )
