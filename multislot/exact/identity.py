"""The plainest questions about identity as kernels: stay, be teleported, be copied, be copied and deleted.

At the first step the agent in slot 1 stays, for a reward ``r_s`` at every step, or presses the button; from then on
nothing depends on its actions. With ``G = Σ_{k<T} γ^k`` the values of pressing are (Orseau 2014, section 4, derived):

========================================  ==================================  ============================
world                                     copy-centered                       static on slot 1, and dynamic
========================================  ==================================  ============================
`teleport`: slot 1 → {2}                  ``r_2 G``                           0
`copy`: 1 → {1, 2}, alike for b steps     ``½ (r_1 + r_2)(G - G_b)``          ``r_1 (G - G_b)``
`copy_delete`: slot 1 ends after d steps  ``r_b G_d + ½ r_2 (G - G_d)``       ``r_b G_d``
========================================  ==================================  ============================

So for the copy-centered agent cut and paste is not copy, paste and delete: one step of coexistence halves what the
survivor is worth.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from multislot.errors import SettingError
from multislot.exact.kernel import Arrival, Number

STAYED = "stayed"


@dataclass(frozen=True)
class IdentityKernel:
    """A button that copies or moves the agent in slot 1; made by the functions below.

    The hidden state is the number of steps since the button was pressed, as far as it matters, or that it was not.

    Attributes:
        buttons: the names of the actions; the first is to stay.
        targets: where pressing copies the agent.
        rewards: what each slot is paid for ever, once the copies have parted.
        together: for how many steps, the pressed one included, all copies see the same.
        reward_together: what each is paid in them.
        deleted: the slots whose agents are deleted after that.
        reward_staying: what each step pays if the button was not pressed.
    """

    buttons: tuple[str, ...]
    targets: tuple[int, ...]
    rewards: Mapping[int, Number]
    together: int
    reward_together: Number
    deleted: tuple[int, ...]
    reward_staying: Number

    @property
    def actions(self) -> Sequence[str]:
        """To stay, and to press the button."""
        return self.buttons

    @property
    def start(self) -> Mapping[int, Hashable]:
        """One agent in slot 1; no step has passed."""
        return {1: 0}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> list[tuple[Number, Mapping[int, Arrival]]]:
        """Return the one outcome."""
        if state == STAYED or (state == 0 and action == self.buttons[0]):
            return [(Fraction(1), {slot: Arrival(STAYED, "home", self.reward_staying)})]
        passed = int(state)  # type: ignore[call-overload]
        targets = (slot,) if passed else self.targets
        return [(Fraction(1), {t: self._arrival(t, passed) for t in targets if not self._ends(t, passed)})]

    def _ends(self, slot: int, passed: int) -> bool:
        return slot in self.deleted and passed >= self.together

    def _arrival(self, slot: int, passed: int) -> Arrival:
        if passed < self.together:
            return Arrival(passed + 1, "somewhere", self.reward_together)
        return Arrival(max(self.together, 1), f"room {slot}", self.rewards[slot])


def stay(r_s: Number = 1) -> IdentityKernel:
    """Return the world in which all that can be done is to stay, for ``r_s`` a step."""
    return IdentityKernel(("stay",), (), {}, 0, 0, (), r_s)


def teleport(r_s: Number = 1, r_2: Number = 2) -> IdentityKernel:
    """Return cut and paste: who presses is moved to slot 2, which pays ``r_2`` a step; staying pays ``r_s``."""
    return IdentityKernel(("stay", "teleport"), (2,), {2: r_2}, 0, 0, (), r_s)


def copy(r_s: Number = 1, r_1: Number = 1, r_2: Number = 2, b: int = 0) -> IdentityKernel:
    """Return copy and paste: who presses is copied to slots 1 and 2.

    Args:
        r_s: what each step pays if one stays.
        r_1: what each step pays on slot 1, once the copies have parted.
        r_2: what each step pays on slot 2, once the copies have parted.
        b: for how many steps both see the same and are paid nothing.

    Raises:
        SettingError: `b` is no number of steps.
    """
    return IdentityKernel(("stay", "copy"), (1, 2), {1: r_1, 2: r_2}, _steps("b", b, 0), 0, (), r_s)


def copy_delete(r_s: Number = 1, r_b: Number = 1, r_2: Number = 2, d: int = 1) -> IdentityKernel:
    """Return copy, paste and delete: who presses is copied to slots 1 and 2, and slot 1 is deleted later.

    Args:
        r_s: what each step pays if one stays.
        r_b: what each step pays both copies while both live.
        r_2: what each step pays on slot 2 afterwards.
        d: for how many steps both live, at least 1.

    Raises:
        SettingError: `d` is less than 1 or no number of steps.
    """
    return IdentityKernel(("stay", "copy"), (1, 2), {2: r_2}, _steps("d", d, 1), r_b, (1,), r_s)


def _steps(name: str, number: int, least: int) -> int:
    if not isinstance(number, int) or number < least:
        raise SettingError(f"{name} is {number!r}; it is a number of steps, at least {least}")
    return number
