"""Deciding at a history: does an agent that finds itself there want to do what was best from the beginning?

All copies follow a policy π. An instance is a copy at a time of a run. An instance with history h asks what to do, and
expects a payoff U of the whole run: what all copies receive, weighed with α as in `multislot.exact.copies.caring`.

- *Causal* choice: this instance takes action a, all others follow π.
- *Evidential* choice: every instance at h draws from one distribution σ. Deterministic actions are not enough: the
  driver who continues with probability 2/3 prefers neither action for certain.

It weighs the instances that share h by a posterior rule. ``count``: by their probability. ``exists``: by that of the
run so far, shared among its instances at h. ``sequential`` and ``own``: the worlds of a `Mixture` by the rules of that
name, and the instances within a world by their probability; ``own`` follows the payoff's own branches. π is
*ratifiable* at h if its actions there maximize the expectation; the *regret* is what they miss.

**Theorem 1.** A policy that is best from the beginning among all with private coins is causally ratifiable under
``count`` at every history that it reaches. The best plan without coins need not be: it maximizes the worth at a corner,
with all instances at h moved together. Where at most one instance can have a history, the worth is linear in the
probabilities there, and the best plan is ratifiable, too.

**Theorem 2.** A policy that is best from the beginning among all with private coins is evidentially ratifiable under
``exists`` at every history that it reaches. The best plan without coins need not be: only against single actions at h
it is. The theorem holds without memory, too: nobody draws from σ before h is reached for the first time.

The proofs and their sources are in docs/deciding.md. Neither needs U to be a sum: U can be any function of the run.
Both use that U belongs to the *run* and is the same for all of its instances. docs/deciding.md has a world in
which all other pairs fail.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any, TypeAlias, cast

from multislot.checks import checked_callable, checked_discount, checked_instance, known_name, refusal, whole
from multislot.errors import SettingError, TooLargeError, show_value
from multislot.exact.belief import Belief, History, Situations
from multislot.exact.copies.caring import CopiesBracket, CopiesPlan, checked_caring
from multislot.exact.copies.coins import Unknowns, distribution
from multislot.exact.copies.descendants import copy_weight
from multislot.exact.copies.joint import Affairs, Chances, JointLaw, Policy, Scoring, Worlds, course, ways
from multislot.exact.copies.memoryless import MemorylessPlan
from multislot.exact.copies.optimizing import Maximum, Polynomial, maximize
from multislot.exact.copies.polynomials import Algebraic
from multislot.exact.copies.populations import MOST_COUNTED_STEPS
from multislot.exact.kernel import Kernel, Number, exact
from multislot.exact.mixture import OWN, Mixture
from multislot.exact.mixture.thirders_and_halfers import POSTERIORS
from multislot.exact.mixture.weights import Branch
from multislot.exact.stationary import solve_linear
from multislot.exact.values import Own, WeightedFuture

THEORIES = ("causal", "evidential")
RULES = (*POSTERIORS, OWN)
LONGEST = 12
"""The largest number of steps that are tried without a horizon, until everybody is deleted."""
DINKELBACH = 30
MOST_CHOICES = 8
"""The largest number of actions of which all subsets are tried."""
HALF = Fraction(1, 2)
NO_REGRET = Fraction(1, 10**20)
"""Regrets below this share of the largest payoff of a step are 0 where a probability of the policy was rounded."""

Situation: TypeAlias = Hashable
"""What an instance knows: its history, or without memory its last observation."""
Evidence: TypeAlias = Mapping[tuple[str, int], list[Polynomial]]
"""For each rule and world the expected payoff of the runs that have an instance in a situation, and their weight.

They are polynomials in the probabilities there. "count" weighs a run by its number of instances, "exists" by 1.
"""


@dataclass(frozen=True)
class Ratification:
    """Whether a policy is ratifiable; true as a condition if it is.

    Exact, but algebraic probabilities of a policy are rounded. Then regrets below 1e-20 times the largest payoff are 0.
    An evidential regret is rounded, too, if the number of instances depends on what they do. With three or more actions
    it may be a lower bound above 0 where more than two instances of a run share a situation, or with more than 8.

    Attributes:
        regret: the largest of the regrets; 0 if the policy is ratifiable.
        where: the first situation that has it, None for the beginning without memory; None if the policy is ratifiable.
        regrets: what the policy misses in each situation that it reaches, in expected payoff given the situation.
        preferred: what an instance would rather do there: an action (causal), or probabilities (evidential).
    """

    regret: Any
    where: Situation | None
    regrets: Mapping[Situation, Any]
    preferred: Mapping[Situation, Any]

    @property
    def is_ratifiable(self) -> bool:
        """Whether no instance would rather do something else: the regret is 0."""
        return not self.regret

    def __bool__(self) -> bool:
        return self.is_ratifiable


def ratifiable(
    kernel: Kernel | Mixture,
    policy: Policy | Mapping[Any, Any] | CopiesPlan | CopiesBracket | MemorylessPlan,
    theory: str = "causal",
    posterior: str = "count",
    caring: Number = 1,
    *,
    discount: Number = 1,
    horizon: int | None = None,
    memory: bool = True,
) -> Ratification:
    """Say whether an agent that decides at each history that it reaches would keep to a policy; exactly.

    Args:
        kernel: the world, or a `Mixture` of worlds; its prior counts, and its posterior does not.
        policy: from a history to an action or to the probability of each action; a function, a mapping, or
            a plan, whose policy is taken.
        theory: ``"causal"`` (causal decision theory, CDT) or ``"evidential"`` (EDT).
        posterior: ``"count"``, ``"exists"``, ``"sequential"`` or ``"own"``.
        caring: α; at 1 the payoff of a run is the total over all copies, at 0 the average over those alive.
        discount: γ in [0, 1].
        horizon: the number of steps; by default one more than the longest history of a mapping, otherwise until
            everybody is deleted.
        memory: whether instances know their history; otherwise only their last observation, None at the beginning, from
            which the policy is then asked. Without memory only ``count`` and ``exists`` are defined.

    Returns:
        The regrets, and where they are; ``bool(result)`` and ``result.is_ratifiable`` say whether there are none.

    Raises:
        TooLargeError: too many joint outcomes of all copies would be computed, or too many steps, or the bounds of an
            evidential regret do not decide whether it is 0.
    """
    known_name("theory", theory, THEORIES)
    known_name("posterior", posterior, RULES)
    if not memory and posterior not in ("count", "exists"):
        raise refusal("posterior", posterior, "'count' or 'exists' without memory")
    if isinstance(policy, CopiesPlan | CopiesBracket | MemorylessPlan):
        policy = policy.policy
    deciding = Deciding(kernel, policy, caring, discount=discount, horizon=horizon, memory=memory)
    try:
        return deciding.ratify(theory, posterior)
    except RecursionError:
        raise TooLargeError(
            f"{deciding.horizon} steps are too many to foresee what follows each choice; give a shorter horizon"
        ) from None


class Deciding:
    """A policy in a world, and what its instances expect; results for one pair serve the others.

    The arguments are those of `ratifiable`.
    """

    def __init__(
        self,
        kernel: Kernel | Mixture,
        policy: Policy | Mapping[Any, Any],
        caring: Number = 1,
        *,
        discount: Number = 1,
        horizon: int | None = None,
        memory: bool = True,
    ) -> None:
        self.caring, self.memory = Fraction(checked_caring("caring", caring)), memory
        paid = Scoring(lambda rewards: (copy_weight(self.caring, len(rewards)) * sum(rewards),))
        self.law = JointLaw(Worlds(kernel), paid)
        if isinstance(policy, Mapping) and horizon is None and memory:
            for history in policy:
                remedy = "a policy of observations needs memory=False"
                checked_instance("history", history, Sequence, remedy)  # type: ignore[type-abstract]
            horizon = 1 + max(map(len, policy), default=0)
        self._ask: Policy = policy.__getitem__ if isinstance(policy, Mapping) else checked_callable("policy", policy)
        self._answers: dict[Situation, Mapping[Hashable, Fraction]] = {}
        self._missing: list[Situation] = []
        self._futures: dict[tuple[int, Affairs], Fraction] = {}
        self._is_rounded, self._largest = False, Fraction()
        self.discount = Fraction(exact(checked_discount(discount)))
        self.horizon = LONGEST if horizon is None else whole("horizon", horizon, most=MOST_COUNTED_STEPS)
        if horizon is None and any(affairs.copies for affairs in self.course[-1]):
            raise refusal("horizon", None, f"a whole number where somebody is alive after {LONGEST} steps")
        if self.instances.keys() & self._missing:  # the policy has been asked
            raise refusal(
                "policy",
                policy,
                "an action for every history that it reaches",
                f"{show_value(self._missing[0])} has none",
            )

    def policy(self, situation: Situation) -> Mapping[Hashable, Fraction]:
        """Return the probability of each action in a situation."""
        if situation not in self._answers:
            try:
                answer = self._ask(cast("History", situation))
            except (KeyError, SettingError):  # a plan says nothing about histories that it avoids: take any action
                self._missing.append(situation)
                answer = self.law.actions[0]
            chances = answer.values() if isinstance(answer, Mapping) else ()
            self._is_rounded |= any(isinstance(chance, Algebraic) for chance in chances)
            self._answers[situation] = distribution(lambda _: answer, situation, self.law.actions)
        return self._answers[situation]

    def situation(self, history: Any) -> Situation:
        """Return the situation of an instance with a history."""
        if self.memory:
            return tuple(history)
        return history[-1][1] if history else None

    @cached_property
    def course(self) -> list[Mapping[Affairs, Fraction]]:
        """The probability of each state of affairs after 0, 1, … steps; copies hold their whole histories."""
        return [reached for reached, _ in course(self.law, self._chances, self.discount, self.horizon)]

    def _chances(self, history: Any) -> Chances:
        return self.policy(self.situation(history))

    @cached_property
    def instances(self) -> Mapping[Situation, list[tuple[int, Affairs, int, Fraction, int]]]:
        """For each situation its instances: step, state of affairs, place in it, probability, and how many it has."""
        instances: dict[Situation, list[tuple[int, Affairs, int, Fraction, int]]] = defaultdict(list)
        for step, reached in enumerate(self.course[:-1]):
            for affairs, weight in reached.items():
                situations = [self.situation(copy.history) for copy in affairs.copies]
                for place, situation in enumerate(situations):
                    instances[situation].append((step, affairs, place, weight, situations.count(situation)))
        return instances

    def future(self, step: int, affairs: Affairs) -> Fraction:
        """Return the expected payoff from a step on if all follow the policy."""
        if step == self.horizon or not affairs.copies:
            return Fraction()
        key = step, affairs
        if key not in self._futures:
            self._futures[key] = self._expected(step, affairs, self._drawing(affairs))
        return self._futures[key]

    def _drawing(self, affairs: Affairs) -> list[Chances]:
        """Return what each copy does if all follow the policy."""
        return [self._chances(copy.history) for copy in affairs.copies]

    def _expected(self, step: int, affairs: Affairs, drawing: Iterable[Chances]) -> Fraction:
        following = self._ways(step, affairs, drawing)
        return sum((chance * (paid + self.future(step + 1, after)) for chance, after, paid in following), Fraction())

    def _ways(self, step: int, affairs: Affairs, drawing: Iterable[Chances]) -> Iterator[tuple[Any, Affairs, Fraction]]:
        """Yield the probability, the next state of affairs and the discounted payoff of each thing that may happen."""
        for drawn, chance, after, rewards in ways(self.law, affairs, drawing, 0):
            paid = self.discount**step * Fraction(self.law.scoring.step(rewards)[0])
            self._largest = max(self._largest, abs(paid))
            yield drawn * chance, after, paid

    def ratify(self, theory: str, posterior: str) -> Ratification:
        """Return the regrets of a theory with a posterior rule."""
        regrets, preferred = {}, {}
        for situation in self.instances:
            choose = self._causal if theory == "causal" else self._evidential
            missed, preferred[situation] = choose(situation, posterior)
            noise = self._largest * NO_REGRET * self._is_rounded
            regrets[situation] = Fraction() if -noise < missed < noise else missed
        regret = max(regrets.values(), default=Fraction())
        where = (
            next((situation for situation, missed in regrets.items() if missed == regret), None) if regret > 0 else None
        )
        return Ratification(regret, where, regrets, preferred)

    def _weights(self, situation: Situation, posterior: str) -> list[Fraction]:
        """Return the weight of each instance in a situation, up to a common factor."""
        instances = self.instances[situation]
        if posterior == "exists" and self.memory:
            return [weight / count for *_, weight, count in instances]
        if posterior == "exists":
            return self._shared_in_time(situation)
        if posterior == "count":
            return [weight for *_, weight, _ in instances]
        totals: dict[int, Fraction] = defaultdict(Fraction)
        for _, affairs, _, weight, _ in instances:
            totals[affairs.world] += weight
        worlds = self._worlds(situation, posterior)
        return [worlds[affairs.world] * weight / totals[affairs.world] for _, affairs, _, weight, _ in instances]

    def _worlds(self, situation: Situation, posterior: str) -> list[Fraction]:
        """Return the posterior of each world by a rule that follows lineages."""
        history = cast("History", situation)
        return [Fraction(weight) for weight in self._situations[posterior].belief(history).worlds]

    @cached_property
    def _situations(self) -> Mapping[str, Situations]:
        mixture = self.law.worlds.mixture
        sequential = Mixture(mixture.kernels, mixture.prior, "sequential")
        own = Own(_OwnBranches(self.caring))
        return {"sequential": Situations(sequential), OWN: Situations(sequential, make_rule=lambda _: own)}

    @cached_property
    def _causal_values(self) -> Mapping[Situation, list[dict[Hashable, Fraction]]]:
        """For each situation the expected payoff of each action of each instance, if all others follow the policy."""

        def value(step: int, affairs: Affairs, place: int, action: Hashable) -> Fraction:
            drawing = self._drawing(affairs)
            drawing[place] = {action: Fraction(1)}
            return self._expected(step, affairs, drawing)

        return {
            situation: [
                {action: value(step, affairs, place, action) for action in self.law.actions}
                for step, affairs, place, _, _ in instances
            ]
            for situation, instances in self.instances.items()
        }

    def _causal(self, situation: Situation, posterior: str) -> tuple[Fraction, Hashable]:
        """Return the regret of the policy, and the first best action."""
        weights = self._weights(situation, posterior)
        total = sum(weights) or 1
        values: dict[Hashable, Fraction] = dict.fromkeys(self.law.actions, Fraction())
        for weight, of_instance in zip(weights, self._causal_values[situation], strict=True):
            for action, expected in of_instance.items():
                values[action] += weight * expected / total
        best = max(values, key=values.__getitem__)
        return values[best] - sum(chance * values[a] for a, chance in self.policy(situation).items()), best

    def _shared_in_time(self, situation: Situation) -> list[Fraction]:
        """Return the weight of each instance if a run is shared among all of its instances, at all times."""
        shares: dict[tuple[int, Affairs], Fraction] = defaultdict(Fraction)

        def follow(step: int, affairs: Affairs, weight: Fraction, instances: tuple[tuple[int, Affairs], ...]) -> None:
            here = sum(self.situation(copy.history) == situation for copy in affairs.copies)
            instances = instances + ((step, affairs),) * here
            if step + 1 == self.horizon or not affairs.copies:
                for instance in instances:
                    shares[instance] += weight / len(instances)
                return
            for chance, after, _ in self._ways(step, affairs, self._drawing(affairs)):
                follow(step + 1, after, weight * chance, instances)

        for affairs, weight in self.course[0].items():
            follow(0, affairs, weight, ())
        return [shares[step, affairs] / count for step, affairs, _, _, count in self.instances[situation]]

    def _evidential(self, situation: Situation, posterior: str) -> tuple[Any, Mapping[Hashable, Any]]:
        """Return the regret of the policy, and the best distribution."""
        evidence, unknowns = self._evidence[situation], Unknowns(self.law.actions)
        unknowns(situation)
        payoff, weight = Polynomial({}), Polynomial({})
        if posterior in ("count", "exists"):
            for (rule, _), (paid, chance) in evidence.items():
                if rule == posterior:
                    payoff, weight = payoff + paid, weight + chance
        else:
            worlds = self._worlds(situation, posterior)
            for (rule, world), (paid, chance) in evidence.items():
                if rule == "count" and worlds[world]:
                    payoff, weight = payoff + paid * (worlds[world] / chance.at({})), Polynomial.of(1)
        if not weight:
            return Fraction(), dict(self.policy(situation))
        here = unknowns.shares(self.policy(situation))
        value: Any = payoff.at(here) / weight.at(here)
        start = value
        best: dict[Hashable, Any] = dict(self.policy(situation))
        for _ in range(DINKELBACH):  # the largest quotient of two polynomials
            top = _largest(payoff - weight * value, unknowns)
            gain = top.lower if top.value is None else top.value
            if top.value is None and gain <= 0 and value == start:
                raise TooLargeError(
                    f"whether the policy has a regret at {show_value(situation)} is not decided; an evidential choice "
                    f"is decided between two actions, and among up to {MOST_CHOICES} if at most two instances of a run "
                    "share a situation"
                )
            if gain <= 0:
                break
            best = dict(unknowns.solved(top)[situation])
            if not weight.powers:
                value += gain * (1 / weight.at({}))
                break
            place = unknowns.shares({act: Fraction(float(p)).limit_denominator(10**9) for act, p in best.items()})
            improved = payoff.at(place) / weight.at(place)
            if improved <= value:
                break
            value = improved
        return value - start, best

    @cached_property
    def _evidence(self) -> Mapping[Situation, Evidence]:
        return {situation: self._payoffs(situation) for situation in self.instances}

    def _payoffs(self, situation: Situation) -> Evidence:
        """Return the expected payoff of all runs that have an instance in a situation, and their weight."""
        unknown = Unknowns(self.law.actions)(situation)

        def chances(history: Any) -> Chances:
            return unknown if self.situation(history) == situation else self._chances(history)

        evidence: dict[tuple[str, int], list[Polynomial]] = defaultdict(lambda: [Polynomial({}), Polynomial({})])
        now: dict[tuple[Affairs, int], tuple[Any, Any]] = {
            (affairs, 0): (chance, Fraction()) for affairs, chance in self.course[0].items()
        }
        for step in range(self.horizon + 1):
            after: dict[tuple[Affairs, int], tuple[Any, Any]] = defaultdict(lambda: (Fraction(), Fraction()))
            for (affairs, met), (chance, paid) in now.items():
                if step == self.horizon or not affairs.copies:
                    for rule, factor in (("count", met), ("exists", 1)) if met else ():
                        evidence[rule, affairs.world][0] += factor * Polynomial.of(paid)
                        evidence[rule, affairs.world][1] += factor * Polynomial.of(chance)
                    continue
                histories = [copy.history for copy in affairs.copies]
                here = met + sum(self.situation(history) == situation for history in histories)
                for share, then, gained in self._ways(step, affairs, map(chances, histories)):
                    old_chance, old_paid = after[then, here]
                    after[then, here] = old_chance + chance * share, old_paid + (paid + chance * gained) * share
            now = after
        return evidence


def _largest(polynomial: Polynomial, unknowns: Unknowns) -> Maximum:
    """Return the largest value of a polynomial in the probabilities of one situation; exact if it is quadratic.

    Among distributions over some actions a quadratic function is largest where an action has probability 0, or at the
    only place where it is stationary.
    """
    actions = unknowns.actions  # the others are shares of what the first unknown leaves, so its power is the degree
    if polynomial.powers.get(0) != 2 or not 2 < len(actions) <= MOST_CHOICES:
        return maximize(polynomial)
    at = {(a, b): polynomial.at(unknowns.shares({a: HALF, b: HALF})) for a in actions for b in actions}
    mixed = {(a, b): 4 * at[a, b] - 2 * at[a, a] - 2 * at[b, b] for a, b in at}
    found = []
    for first, *others in (some for size in range(len(actions)) for some in combinations(actions, size + 1)):
        slopes = {
            a: (
                at[a, a] - at[first, first] + mixed[a, first],
                {b: mixed[a, b] - mixed[a, first] - mixed[b, first] + (a == b) for b in others},
            )
            for a in others
        }
        try:
            chances: dict[Hashable, Any] = solve_linear(slopes)
        except ZeroDivisionError:  # it is stationary nowhere, or along a line
            continue
        chances[first] = 1 - sum(chances.values())
        if min(chances.values()) >= 0:
            place = unknowns.shares(chances)
            value = polynomial.at(place)
            found.append(Maximum(value, value, place, value))
    return max(found, key=lambda one: one.lower)


@dataclass(frozen=True, eq=False)
class _OwnBranches(WeightedFuture):
    """The children of an agent, each weighed as its reward in the payoff: ``w_α`` of their number."""

    caring: Number

    def future(self, belief: Belief, action: Hashable, step: int | None) -> Iterator[Branch]:
        for _, chance, arrivals in belief.copy_sets(action):
            weight = chance * copy_weight(self.caring, len(arrivals))
            if weight < 0:
                least = f"at least {Fraction(-1, len(arrivals) - 1)} where an agent has {len(arrivals)} copies"
                raise refusal("caring", self.caring, least, "give a posterior other than 'own'")
            yield from (Branch(weight, arrival.reward, arrival.observation) for arrival in arrivals.values())
