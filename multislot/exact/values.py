"""What counts as the future of an agent that may be copied: value functions (Orseau 2014, section 4).

Here are the copy-centered, the static and the dynamic value; `multislot.exact.futures` has the others.

A value is any object with ``action_values(belief, planner)``: the value of each action in a situation. The planner
knows the values of the situations one step later. Most futures of the paper are weighted sums over (copy, observation);
a `WeightedFuture` needs only the weights, and can also be planned without an end.

Each is a maximum over the agent's own actions; a tie goes to the first action. A value that is defined by its own value
at the next history foresees its later choices. If a class does not, `time_consistent` is False and its docstring has an
example.

The posteriors "own" and "printed" are two readings of equation (2). Under ``"own"`` each world counts in proportion to
the value's own prediction of the observations. At the empty history the value of a `Mixture` is then the paper's
equation (2), ``V_M^π = Σ_ν w_ν V_ν^π``, for every value that is a weighted sum over what comes next, and one policy is
best at every later history. Substitute ``V_ν^π(h) = Σ_k weight_k [reward_k + γ V_ν^π(h a o_k)]`` and collect the terms
of each observation: the weight of world ν after ``h a o`` is ``w_ν(h a o) = w_ν(h) · b_ν(o | h a)``, where ``b_ν`` is
the sum of the weights of the branches that show ``o``.

The paper prints the *prior* weight ``w_ν`` at every history, and chooses again at each. That is ``"printed"``: what was
observed changes the weights of slots and states in each world, and never those of the worlds. The two can choose
differently (docs/fidelity.md has an example).
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, ClassVar, NamedTuple, TypeAlias

from multislot.checks import checked_items, checked_mapping, known_name, refusal
from multislot.errors import SettingError, TooLargeError, show_value
from multislot.exact.belief import Belief, Situations, find_rule
from multislot.exact.kernel import Arrival, CheckedKernel, Kernel, Number, Outcome, check_slot
from multislot.exact.mixture import OWN, PRINTED, Mixture
from multislot.exact.mixture.thirders_and_halfers import POSTERIORS, Count, Posterior
from multislot.exact.mixture.weights import (
    Branch,
    Ledger,
    Particle,
    alike,
    copy_branches,
    forward,
    sum_worlds,
    weigh_worlds,
)

FLOAT_TIE = 1e-12
"""Values in floats whose difference is at most this, relative to the largest magnitude, count as equal."""
STEP_TIE = 1e-14
"""The same for one step of policy iteration: without an end its gain counts up to 1/(1-γ) times."""
Asked: TypeAlias = tuple[Callable[..., Any], tuple[Hashable, ...], int]
"""A question, its arguments, and the number of steps left."""


@contextmanager
def refusing_overflow() -> Iterator[None]:
    """Refuse what is too large for floats; exact numbers have no such limit."""
    try:
        yield
    except OverflowError:
        raise SettingError(
            "a number is too large for a float; give ints and Fractions only, or smaller rewards"
        ) from None


def summed(terms: Iterable[Number]) -> Number:
    """Return the sum of terms; 0 if floats cancel up to rounding, within `FLOAT_TIE` of the largest of them.

    The rest of such a sum is noise, which would break a tie at 0.

    Raises:
        OverflowError: the sum is too large for a float.
    """
    added = list(terms)
    total = sum(added, Fraction())
    if isinstance(total, float) and not isfinite(total):
        raise OverflowError
    return 0.0 if isinstance(total, float) and abs(total) <= FLOAT_TIE * largest_magnitude(added) else total


def largest_magnitude(numbers: Iterable[Number]) -> float:
    """Return the largest absolute value, as a float."""
    return max(abs(float(number)) for number in numbers)


class ActionValues(dict[Hashable, Number]):
    """The value of each action, in the kernel's order: Fractions if every number is exact, otherwise floats."""

    @property
    def optimal(self) -> tuple[Hashable, ...]:
        """All actions of the largest value; floats tie within 1e-12 of the largest magnitude among the actions."""
        return self.within(FLOAT_TIE)

    def within(self, tie: float) -> tuple[Hashable, ...]:
        """Return all actions of the largest value; floats may differ by `tie` of the largest magnitude."""
        largest = max(self.values())
        is_exact = not any(isinstance(value, float) for value in self.values())
        slack = 0 if is_exact else tie * largest_magnitude(self.values())
        return tuple(action for action, value in self.items() if value >= largest - slack)

    @property
    def best(self) -> Hashable:
        """The optimal action; ties go to the first."""
        return self.optimal[0]


class Planner:
    """The answers to what a value asks about later situations, up to a last step.

    An unknown answer is noted and replaced by 0 for the moment; the question that needs it is repeated once it is
    known. So there is no recursion, and each (question, situation, steps left) is computed once.
    """

    def __init__(self, value: "Value", discount: Number, last_step: int, most: int) -> None:
        self.discount, self._most = discount, most
        self._value, self._last_step = value, last_step
        self._answers: dict[Asked, Any] = {}
        self._missing: list[Asked] = []
        self._left = last_step

    @property
    def step(self) -> int:
        """The step at which the action is chosen, counted from 1."""
        return self._last_step - self._left + 1

    def action_values(self, belief: Belief, left: int) -> ActionValues:
        """Return the value of each action in a situation with `left` steps left."""
        if left == 0:
            return ActionValues(dict.fromkeys(belief.situations.actions, Fraction()))
        asked = (self._all_values, (belief,), left)
        open_questions: list[Asked] = [asked]
        while open_questions:
            if open_questions[-1] in self._answers:
                open_questions.pop()
            else:
                open_questions += self._attempt(open_questions[-1])
                if len(self._answers) + len(open_questions) > self._most:
                    raise TooLargeError(
                        f"planning for {self._last_step} steps has {len(self._answers)} answers and "
                        f"{len(open_questions)} open questions; expected at most={self._most} together; "
                        "give a shorter horizon or a larger most="
                    )
        return self._answers[asked]  # type: ignore[no-any-return]

    def _attempt(self, asked: Asked) -> list[Asked]:
        """Answer a question, or return those that must be answered first."""
        question, arguments, self._left = asked
        self._missing = []
        try:
            answer = question(*arguments, self)
        except ArithmeticError:  # a provisional 0 may be a divisor
            if not self._missing:
                raise
        if not self._missing:
            self._answers[asked] = answer
        return self._missing

    def value(self, belief: Belief) -> Number:
        """Return the value of a situation one step later: its largest action value, 0 after the last step."""
        values = self._later_values(belief)
        return max(values.values()) if values else Fraction()

    def best(self, belief: Belief) -> Hashable:
        """Return the action that the agent will choose one step later; any after the last step."""
        values = self._later_values(belief)
        return values.best if values else belief.situations.actions[0]

    def later(self, question: Callable[..., Number], *arguments: Hashable) -> Number:
        """Return ``question(*arguments, planner)`` asked one step later; 0 after the last step."""
        return (self._ask(question, arguments, self._left - 1) or Fraction()) if self._left > 1 else Fraction()

    def now(self, question: Callable[..., Number], *arguments: Hashable) -> Number:
        """Return ``question(*arguments, planner)`` asked at this step, so that it is computed once."""
        return self._ask(question, arguments, self._left) or Fraction()

    def _later_values(self, belief: Belief) -> ActionValues | None:
        return self._ask(self._all_values, (self._value.situation(belief),), self._left - 1) if self._left > 1 else None

    def _all_values(self, belief: Belief, planner: "Planner") -> ActionValues:
        values, actions = self._value.action_values(belief, planner), belief.situations.actions
        if checked_mapping("action_values(belief, planner)", values).keys() != set(actions):
            raise refusal("action_values(belief, planner)", values, f"a number for each of {show_value(actions)}")
        return ActionValues((action, values[action]) for action in actions)

    def _ask(self, question: Callable[..., Any], arguments: tuple[Hashable, ...], left: int) -> Any:
        asked = question, arguments, left
        if asked not in self._answers:
            self._missing.append(asked)
        return self._answers.get(asked)


class Value:
    """Base of the values: a subclass must write `action_values` and may change the rest.

    Attributes:
        name: the name that may stand for the value, once `futures.register_value` has been called.
        plain_name: the name in words.
        meaning: whose rewards count, in a line, as the agent would say it.
        is_shown: whether it is shown where nobody chose values.
        time_consistent: whether the agent will make the choices that it foresees.
        depends_on_time: whether it reads the planner's step, so that equal situations differ at different times.
    """

    name: ClassVar[str] = ""
    plain_name: ClassVar[str] = ""
    meaning: ClassVar[str] = ""
    is_shown: ClassVar[bool] = False
    time_consistent = True
    depends_on_time = True

    def action_values(self, belief: Belief, planner: Planner) -> Mapping[Hashable, Number]:
        """Return the value of each action; a pure function of its arguments."""
        raise NotImplementedError(f"{type(self).__name__} does not define action_values(belief, planner)")

    def mark(self, kernel: Kernel) -> Kernel:
        """Return the kernel with what a situation must also remember, see `MarkedKernel`."""
        return kernel

    def situation(self, belief: Belief) -> Belief:
        """Return the part of a belief on which the value depends; equal situations share one value."""
        return belief

    def rule(self, mixture: Mixture) -> Posterior:
        """Return how the weights of a mixture's worlds follow a history."""
        if mixture.posterior in (OWN, PRINTED):
            raise SettingError(
                f"got posterior={mixture.posterior!r} with {type(self).__name__}; expected a value that is a "
                f"weighted sum over what comes next, such as cpy or sta: only those have such weights; give "
                f"one of {', '.join(POSTERIORS)}"
            )
        return find_rule(mixture)


class WeightedFuture(Value):
    """``V(h, a) = Σ_k weight_k · [reward_k + γ V(h a o_k)]`` over the branches of `future`."""

    depends_on_time = False

    def rule(self, mixture: Mixture) -> Posterior:
        """How the weights of a mixture's worlds follow a history: `Own` or `Printed` if the mixture asks for it."""
        if mixture.posterior == PRINTED:
            return Printed(self)
        return Own(self) if mixture.posterior == OWN else find_rule(mixture)

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterable[Branch]:
        """Yield the branches: the observations that count for this value, with their weights.

        The step of the action is counted from 1; it is None unless `depends_on_time`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define future(belief, action, step)")

    def summary(self, belief: Belief, action: Hashable, step: int | None) -> tuple[Number, dict[Belief, Number]]:
        """Return the expected reward of this step, and the weight of each situation that may come next."""
        rewards = []
        seen: dict[Hashable, Number] = defaultdict(Fraction)
        for branch in checked_items("future(belief, action, step)", self.future(belief, action, step), Branch):
            rewards.append(branch.weight * branch.reward)
            seen[branch.observation] += branch.weight
        after: dict[Belief, Number] = defaultdict(Fraction)
        situations = belief.after(action)
        for observation, weight in seen.items():
            if weight:
                after[self.situation(situations[known_name("observation", observation, situations)])] += weight
        return summed(rewards), after

    def action_values(self, belief: Belief, planner: Planner) -> Mapping[Hashable, Number]:
        """Return the sum above for each action."""
        values = {}
        step = planner.step if self.depends_on_time else None
        for action in belief.situations.actions:
            reward, after = belief.once(self.summary, belief, action, step)
            values[action] = summed([reward, *(planner.discount * w * planner.value(b) for b, w in after.items())])
        return values


@dataclass(frozen=True)
class CopyCentered(WeightedFuture):
    """The copy-centered future: the observations of all copies (Orseau 2014, section 4.2).

    ``V(h, a) = Σ_i P_i(h) Σ_j P_ij(ha) Σ_o ν(c^ij o^j | h^i a) [r(o) + γ V(h a o)]``, with
    ``P_ij = ν(c^ij | h^i a) / Σ_k ν(c^ik | h^i a)``.

    Args:
        share: the weight of a copy relative to its siblings, ``share(source, target)``; equal in the paper ("possibly
            with some weighting").
    """

    name = "cpy"
    plain_name = "copy-centered"
    meaning = "all my copies are my future, in equal shares; chance in who is copied counts twice"
    is_shown = True

    share: Callable[[int, int], Number] = alike

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield ``P_i · P_ij · ν(c^ij o^j | h^i a)`` for all copies."""
        for _, branch in copy_branches(belief.situations.worlds, belief.places, action, self.share):
            yield branch


class SharesOfOutcomes(WeightedFuture):
    """The copy-centered future that counts chance once: in each outcome with the copy set c every copy counts 1/|c|."""

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield ``P_i · ν(outcome | h^i a) / |c|`` for all copies."""
        for place, (chance, _) in belief.places.items():
            for probability, arrivals in belief.outcomes(place, action):
                for arrival in arrivals.values():
                    yield Branch(chance * probability / len(arrivals), arrival.reward, arrival.observation)


class Marked(NamedTuple):
    """A hidden state with what a value must also remember."""

    state: Hashable
    mark: Hashable


@dataclass(frozen=True)
class MarkedKernel:
    """A kernel whose hidden states carry a mark, which follows the copies.

    A start slot has the mark ``begin(slot)``, a copy has ``then(mark, source, action, target)``.
    """

    kernel: Kernel
    begin: Callable[[int], Hashable]
    then: Callable[[Hashable, int, Hashable, int], Hashable]

    @property
    def actions(self) -> Sequence[Hashable]:
        """The kernel's actions."""
        return self.kernel.actions

    @property
    def start(self) -> Mapping[int, Hashable]:
        """The kernel's start, marked."""
        return {slot: Marked(state, self.begin(slot)) for slot, state in self.kernel.start.items()}

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Iterator[Outcome]:
        """Yield the kernel's outcomes with the new marks."""
        hidden: Hashable
        mark: Hashable
        hidden, mark = state  # type: ignore[misc]
        for probability, arrivals in self.kernel.outcomes(slot, hidden, action):
            yield (
                probability,
                {
                    target: Arrival(
                        Marked(arrival.state, self.then(mark, slot, action, target)),
                        arrival.observation,
                        arrival.reward,
                    )
                    for target, arrival in arrivals.items()
                },
            )


@dataclass(frozen=True)
class StaticSlotCentered(WeightedFuture):
    """The static slot-centered future: the observations of one slot, like a bank account (Orseau 2014, section 4.3).

    ``V(h, a) = Σ_o ν(c^ii o^i | h^i = h, a, stayed) [r(o) + γ V(h a o)]``: conditional on having stayed on the slot
    from the start. The chance of staying at each later step is a factor. Every action is worth 0 if the agent cannot
    have stayed, for example on a slot that is never reached.

    Args:
        slot: the slot ``i``.
    """

    name = "sta"
    plain_name = "static slot-centered"
    meaning = "only what happens in slot 1 counts, and only while I have stayed there"
    is_shown = True

    slot: int = 1

    def __post_init__(self) -> None:
        check_slot(self.slot)

    def mark(self, kernel: Kernel) -> Kernel:
        """Remember whether a copy has always been on the slot."""
        return MarkedKernel(kernel, lambda slot: slot == self.slot, lambda mark, i, _, j: bool(mark) and i == j)

    def situation(self, belief: Belief) -> Belief:
        """Return the belief about the slot; in a mixture the whole belief, which the posterior of the worlds needs."""
        return belief.only(_has_stayed) if len(belief.situations.worlds) == 1 else belief

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        """Yield the slot's possible next observations."""
        stayed = {particle: weight for particle, weight in belief.weights.items() if _has_stayed(particle)}
        totals = sum_worlds(stayed)
        for particle, weight in stayed.items():
            chance = belief.worlds[particle.world] * weight / totals[particle.world]
            yield from onto(belief.particle_outcomes(particle, action), self.slot, chance)


def _has_stayed(particle: Particle) -> bool:
    return bool(particle.state.mark)  # type: ignore[attr-defined]


def onto(outcomes: Iterable[Outcome], slot: int, chance: Number) -> Iterator[Branch]:
    """Yield the branches that lead onto one slot, each weighed by its probability and `chance`."""
    for probability, arrivals in outcomes:
        if slot in arrivals:
            yield Branch(chance * probability, arrivals[slot].reward, arrivals[slot].observation)


@dataclass(frozen=True)
class DynamicSlotCentered(Value):
    """The dynamic slot-centered future: the observations of the slot now occupied (Orseau 2014, section 4.4).

    ``V(h, a) = Σ_i P_i(h) V^i(h, a)`` and ``V^i(h, a) = Σ_o ν(c^ii o^i | h^i a) [r(o) + γ V^i(h a o, a')]``, where
    ``a'`` is the arg max of ``V(h a o, ·)``: the next self does not know its slot and acts for all slots that are
    possible. From the present this is a game between selves, not an optimum; without a last step a consistent policy
    need not exist. The paper conditions ``V^i`` on the history alone. Where that leaves a hidden state open, it is here
    the state of the slot followed along ``c^ii``, not of copies that may have come onto it.
    """

    name = "dyn"
    plain_name = "dynamic slot-centered"
    meaning = "only the slot that I am in now counts, wherever that may be"
    is_shown = True

    depends_on_time = False

    def action_values(self, belief: Belief, planner: Planner) -> Mapping[Hashable, Number]:
        """Return ``Σ_i P_i V^i`` for each action."""
        return {
            action: summed(
                weight * planner.now(self.on_slot, belief, particle, action)
                for particle, weight in belief.weights.items()
            )
            for action in belief.situations.actions
        }

    def on_slot(self, belief: Belief, particle: Particle, action: Hashable, planner: Planner) -> Number:
        """Return ``V^i(h, a)`` for one slot in one hidden state."""
        return summed(
            weight * worth
            for weight, reward, after, there in belief.once(self.staying, belief, particle, action)
            for worth in (reward, planner.discount * planner.later(self.on_slot, after, there, planner.best(after)))
        )

    def staying(
        self, belief: Belief, particle: Particle, action: Hashable
    ) -> list[tuple[Number, Number, Belief, Particle]]:
        """Return each possibility to stay on the slot: probability, reward, new situation, new state of the slot."""
        world, slot, _ = particle
        return [
            (probability, reward, belief.after(action)[observation], Particle(world, slot, state))
            for probability, arrivals in belief.particle_outcomes(particle, action)
            for target, (state, observation, reward) in arrivals.items()
            if target == slot
        ]


@dataclass(frozen=True)
class Written(Value):
    """A user's value that does not inherit from `Value`."""

    value: Any

    def action_values(self, belief: Belief, planner: Planner) -> Mapping[Hashable, Number]:
        """Return the action values of the user's value."""
        return self.value.action_values(belief, planner)  # type: ignore[no-any-return]


class Timed(NamedTuple):
    """A `Particle`, and the step whose action comes next; None where the value does not read it."""

    world: int
    particle: Particle
    step: int | None


class Own(Posterior):
    """Posterior ∝ ``w_ν Π_t b_ν(o_t | h a)``, with the value's own branch weights ``b_ν`` in world ν.

    A world that the value gives no weight keeps its slots and states with weight 0, so that its histories stay
    possible. If all worlds weigh 0, every action is worth 0.
    """

    keeps_zeros = True

    def __init__(self, value: WeightedFuture) -> None:
        self.value = value

    def begin(self, worlds: Sequence[CheckedKernel], prior: Sequence[Number]) -> Ledger:
        """Share a world's prior weight among its start slots."""
        step = 1 if self.value.depends_on_time else None
        return {
            Timed(particle.world, particle, step): weight / len(worlds[particle.world].start)
            for particle, weight in Count().begin(worlds, prior).items()
        }

    def advance(self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable) -> Mapping[Hashable, Ledger]:
        """Follow the copies within each world, and weigh the worlds by the value's own branches."""
        step = next(iter(ledger)).step if ledger else None
        predicted = self._predictions(worlds, ledger, action, step)
        after = forward(worlds, {key.particle: weight for key, weight in ledger.items()}, action)
        later = None if step is None else step + 1
        return {
            seen: {Timed(particle.world, particle, later): weight for particle, weight in weights.items()}
            for seen, weights in weigh_worlds(after, predicted).items()
        }

    def _predictions(
        self, worlds: Sequence[CheckedKernel], ledger: Ledger, action: Hashable, step: int | None
    ) -> Mapping[tuple[int, Hashable], Number]:
        """``w_ν b_ν(o | h a)`` for each world and observation."""
        predicted: dict[tuple[int, Hashable], Number] = defaultdict(Fraction)
        by_world: dict[int, dict[Particle, Number]] = defaultdict(dict)  # weights as those of a single world
        for (world, slot, state), weight in self.weights(ledger).items():
            by_world[world][Particle(0, slot, state)] = weight
        for index, weights in by_world.items():
            total = sum(weights.values())
            belief = Situations(worlds[index]).situation(weights)
            for branch in self.value.future(belief, action, step):
                predicted[index, branch.observation] += total * branch.weight
        return predicted

    def weights(self, ledger: Ledger) -> Mapping[Particle, Number]:
        """Return the weights that are not 0."""
        return {key.particle: weight for key, weight in ledger.items() if weight}


class Printed(Own):
    """Like `Own` within a plan, but every decision begins with the prior weights ``w_ν`` again.

    A world in which the history is impossible, or has no weight for the value, counts 0, as its value does. Values
    are divided by the prior weights of the worlds that are left, which changes no choice.
    """

    restarts = True
