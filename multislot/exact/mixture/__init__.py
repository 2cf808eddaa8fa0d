"""Mixtures: finite classes of kernels, and the weight of each world given a history (Orseau 2014, equation 2).

The paper sums over environments with prior weights. How such a weight follows a history is a rule of
`multislot.exact.mixture.thirders_and_halfers`, or, with `Own` and `Printed` (`multislot.exact.values`), it follows the
value.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import inf

from multislot.checks import known_name, refusal, wrong_type
from multislot.exact.kernel import Kernel, Number, checked_kernel, exact
from multislot.exact.mixture.thirders_and_halfers import POSTERIORS

OWN, PRINTED = "own", "printed"
"""The rules that follow the value, see `multislot.exact.values`."""


@dataclass(frozen=True)
class Mixture:
    """A finite class of kernels with prior weights; it can stand wherever one plans in a kernel.

    Args:
        kernels: the worlds, with the same actions in the same order.
        prior: their weights, in any unit; all equal by default.
        posterior: ``"sequential"``, ``"count"``, ``"exists"``, ``"own"`` or ``"printed"``: how a world's weight
            follows a history; see `Sequential`, `Count`, `Exists`, `Own` and `Printed`. The default works with every
            value. With it the copy-centered value at the empty history is equation (2); with ``"own"`` other values
            are, too. At later histories equation (2) as the paper prints it is ``"printed"``.
    """

    kernels: tuple[Kernel, ...]
    prior: tuple[Number, ...] = ()
    posterior: str = "sequential"

    def __init__(self, kernels: Iterable[Kernel], prior: Iterable[Number] = (), posterior: str = "sequential") -> None:
        if not isinstance(kernels, Iterable):
            raise wrong_type("kernels", kernels, "a list of kernels")
        object.__setattr__(self, "kernels", tuple(kernels))
        actions = list(dict.fromkeys(checked_kernel(kernel).actions for kernel in self.kernels))
        weights = tuple(prior) or (1,) * len(self.kernels)
        object.__setattr__(self, "prior", tuple(exact(weight, "weight in prior") for weight in weights))
        object.__setattr__(self, "posterior", posterior)
        if len(actions) != 1:
            raise refusal("actions of the kernels", actions, "at least one kernel, all with the same actions")
        if len(self.prior) != len(self.kernels) or min(self.prior) < 0 or not 0 < sum(self.prior) < inf:
            raise refusal("prior", weights, f"{len(self.kernels)} weights of at least 0, with a finite sum, not all 0")
        known_name("posterior", posterior, (*POSTERIORS, OWN, PRINTED))

    @property
    def actions(self) -> tuple[Hashable, ...]:
        """The actions that all its kernels have."""
        return tuple(self.kernels[0].actions)
