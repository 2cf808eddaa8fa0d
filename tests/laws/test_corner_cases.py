"""Corner cases: small worlds in which a wrong formula gives another number.

Most experiments have equal priors, equal chances and no discount, where many mistakes make no difference. Here nothing
is equal. Every number follows by hand from the definition that is named next to it.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import pytest
from scipy.sparse import csr_array

from considerate.criteria import augment
from considerate.distributions import Distribution, Option
from considerate.futures import FromStarts, exact_values, learned_values
from multislot import bayes, exact
from multislot.exact.kernel import Outcome
from multislot.mdp.solving import TabularMDP

F = Fraction
Ways: TypeAlias = list[tuple[Any, dict[int, tuple[str, Any]]]]
"""Outcomes: a probability, and for each slot that gets a copy its state and reward."""


Case: TypeAlias = tuple[str, Any, Any, float]
"""What is computed, the result, what a formula gives by hand, and a tolerance."""


@dataclass(frozen=True)
class World:
    """A kernel written as a table of outcomes by (slot, state, action) or (state, action).

    Attributes:
        sees: what a state looks like, if not like itself.
    """

    ways: Mapping[tuple[Any, ...], Ways] = field(hash=False)
    actions: Sequence[Hashable] = ("a", "b")
    sees: Mapping[str, str] = field(default_factory=dict, hash=False)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "start"}, hash=False)

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Iterator[Outcome]:
        """Yield what the table says; where it says nothing, the agent stays and is paid nothing."""
        stays: Ways = [(1, {slot: (str(state), 0)})]
        for chance, arrivals in self.ways.get((slot, state, action), self.ways.get((state, action), stays)):
            yield chance, {i: exact.Arrival(to, self.sees.get(to, to), pays) for i, (to, pays) in arrivals.items()}


LOTTERY = World({("start", "a"): [(F(3, 4), {2: ("over", 4)}), (F(1, 4), {3: ("over", 8)})]})
LEAVES = World(
    {
        (1, "start", "a"): [(F(1, 3), {1: ("start", 3)}), (F(2, 3), {2: ("start", 6)})],
        (2, "start", "a"): [(1, {1: ("start", 12)})],
    },
    actions=("a",),
    sees={"start": "home"},
)
"""Stays in slot 1 with chance 1/3; from slot 2 it returns."""
HOME = (("a", "home"), ("a", "home"))
AWAY = World(
    {
        (1, "start", "a"): [(1, {2: ("start", 6)})],
        (2, "start", "a"): [(1, {1: ("back", 5)})],
        ("back", "a"): [(1, {1: ("back", 7)})],
    },
    sees={"start": "home", "back": "home"},
)
"""After two steps nobody who is in slot 1 has stayed there."""
BLIND = World(
    {
        ("start", "a"): [(F(3, 4), {1: ("asleep", 0)}), (F(1, 4), {2: ("asleep", 0)})],
        ("start", "b"): [(1, {1: ("over", F(1, 8))})],
        (1, "asleep", "a"): [(1, {1: ("over", 1)})],
        (2, "asleep", "b"): [(1, {2: ("over", 4)})],
    },
    sees={"asleep": "dark"},
)
MANY = World({("start", action): [(1, {1: ("x", 1), 2: ("y", 2), 3: ("y", 3)})] for action in ("a", "b")})
FEW = World({("start", a): [(F(1, 2), {1: ("x", 5)}), (F(1, 2), {1: ("y", 7)})] for a in ("a", "b")})
SPLIT = World(
    {
        ("start", "a"): [(1, {1: ("left", F(1, 2)), 2: ("right", 4)})],
        ("start", "b"): [(1, {1: ("home", F(3, 2))})],
        ("left", "a"): [(1, {1: ("left", F(1, 2))})],
        ("left", "b"): [(1, {})],
        ("right", "a"): [(1, {2: ("right", 4)})],
        ("right", "b"): [(1, {2: ("right", 1)})],
        ("home", "a"): [(1, {1: ("home", F(3, 2))})],
        ("home", "b"): [(1, {1: ("home", 0)})],
    }
)
DRIVE = World(
    {
        ("start", "a"): [(1, {1: ("end", 0)})],
        ("start", "b"): [(1, {1: ("second", 0)})],
        ("second", "a"): [(1, {1: ("end", 4)})],
        ("second", "b"): [(1, {1: ("end", 1)})],
    },
    sees={"second": "road"},
)
"""The absent-minded driver: a exits, b continues."""
AWAKE = (("a", "dark"),)
HIDDEN = World(
    {
        ("start", "a"): [(F(1, 2), {1: ("poor", 0)}), (F(1, 4), {1: ("rich", 0)}), (F(1, 4), {2: ("poor", 0)})],
        ("poor", "a"): [(1, {1: ("over", 4)})],
        ("rich", "a"): [(1, {1: ("over", 8)})],
    },
    sees={"poor": "dark", "rich": "dark"},
)
"""In the dark slot 1 may hold either of two hidden states."""
TWINS = World({("start", "a"): [(1, {1: ("x", 2), 2: ("x", 2), 3: ("y", 5)})], (1, "x", "a"): [(1, {1: ("over", 3)})]})
ALONE = World({("start", "a"): [(1, {1: ("x", 0)})], ("x", "a"): [(1, {1: ("over", 5)})]})
SOMETIMES = World({("start", "a"): [(F(1, 2), {1: ("y", 0), 2: (seen, 0)}) for seen in "xy"]})
"""Slot 1 always sees y, slot 2 half of the time."""


def mixed(posterior: str) -> exact.Mixture:
    """Both worlds, with prior weights 1/5 and 4/5."""
    return exact.Mixture([MANY, FEW], [F(1, 5), F(4, 5)], posterior)


def worth(kernel: Any, value: Any, horizon: int, **options: Any) -> Mapping[Any, Any]:
    """Action values with a discount of 1/2."""
    return exact.action_values(kernel, value, discount=F(1, 2), horizon=horizon, **options)


def slots() -> Iterator[Case]:
    """Values and beliefs of Orseau 2014 where chances differ."""
    yield formula("cpy, unequal chances", worth(LOTTERY, "cpy", 1)["a"], F(11, 4), "¾·¾·4 + ¼·¼·8")
    yield formula("first copy, unequal chances", worth(LOTTERY, "first-copy", 1)["a"], 5, "¾·4 + ¼·8")
    yield formula("sta, two steps", worth(LEAVES, "sta", 2)["a"], F(7, 6), "⅓(3 + ½·⅓·3)")
    returned = worth(AWAY, "sta", 2, history=HOME)["a"]
    yield formula("sta after leaving and returning", returned, 0, "it did not stay on slot 1")
    yield formula("one-slot, two steps", worth(LEAVES, "one-slot", 2)["a"], F(43, 18), "⅓(3 + ½(⅓·⅓·3 + ⅔·12))")
    yield formula("W_1 after two steps at home", exact.slot_weights(LEAVES, HOME)[1], F(7, 9), "⅓·⅓ + ⅔·1")
    yield formula("P_2 after the dark", exact.Situations(BLIND).belief(AWAKE).slots[2], F(1, 4), "¼ of all weight")
    for value, acts in (("cpy", "b"), ("dyn", "b")):
        values = worth(BLIND, value, 1, history=AWAKE)
        yield formula(f"{value} in the dark", values["b"], 1, "¼·4")
        yield formula(f"{value} in the dark, other action", values["a"], F(3, 4), "¾·1")
        yield formula(f"{value}: choice in the dark", values.best, acts, "the larger of ¾ and 1")  # type: ignore[attr-defined]
    first = worth(BLIND, "dyn", 2)
    yield formula("dyn before the dark", first["a"], 0, "its later self takes b, which pays nothing in slot 1")
    yield formula("sta before the dark", worth(BLIND, "sta", 2)["a"], F(3, 8), "½·¾·1: it takes a")
    yield formula("cpy before the dark", worth(BLIND, "cpy", 2)["a"], F(5, 16), "(¾·¾ + ¼·¼)·½·1")
    for value in ("dyn", "known-slot"):
        yield formula(f"{value}, two steps", worth(LEAVES, value, 2)["a"], F(7, 6), "⅓(3 + ½·⅓·3): along slot 1")
    yield formula("W_1 with two hidden states", exact.slot_weights(HIDDEN, AWAKE)[1], F(3, 4), "½ + ¼")
    yield formula("P_1 with two hidden states", exact.Situations(HIDDEN).belief(AWAKE).slots[1], F(3, 4), "½ + ¼")
    yield formula("cpy with two hidden states", worth(HIDDEN, "cpy", 1, history=AWAKE)["a"], 5, "½·4 + ¼·8 + ¼·4")
    yield formula("least-rewarded, two of them", worth(TWINS, "least-rewarded", 1)["a"], 2, "½·2 + ½·2")
    done = worth(SPLIT, exact.ActedSequence(("b",)), 1, history=(("b", "home"),))["a"]
    yield formula("acted-sequence, one step after it", done, F(3, 2), "the sequence b is complete")
    yield formula("common-ancestor, unequal chances", worth(LOTTERY, "common-ancestor", 1)["a"], 5, "¾·4 + ¼·8")
    yield formula("least-rewarded", worth(SPLIT, "least-rewarded", 2)["a"], F(3, 4), "½ + ½·½")
    yield formula("common-ancestor", worth(SPLIT, "common-ancestor", 2)["a"], F(27, 4), "9/2·(1 + ½)")
    yield formula("cpy of a copier", worth(SPLIT, "cpy", 2)["a"], F(27, 8), "½·9/2·(1 + ½)")
    yield formula("same-history, unequal chances", worth(LOTTERY, "same-history", 1)["a"], F(11, 4), "as cpy at first")


def mixtures() -> Iterator[Case]:
    """Weights of two worlds with prior weights 1/5 and 4/5."""
    expected = {
        ("count", "x"): (F(1, 3), "1/5·1 against 4/5·1/2"),
        ("count", "y"): (F(1, 2), "1/5·2 against 4/5·1/2"),
        ("exists", "x"): (F(1, 3), "1/5·1 against 4/5·1/2"),
        ("exists", "y"): (F(1, 3), "1/5·1 against 4/5·1/2"),
        ("sequential", "x"): (F(1, 7), "1/5·1/3 against 4/5·1/2"),
        ("sequential", "y"): (F(1, 4), "1/5·2/3 against 4/5·1/2"),
        ("own", "x"): (F(1, 3), "for slot 1: 1/5·1 against 4/5·1/2"),
        ("printed", "x"): (F(1, 5), "the prior weight"),
    }
    for (rule, seen), (weight, why) in expected.items():
        situations = exact.Plan(mixed(rule), "sta", F(1, 2), 2).situations  # type: ignore[arg-type]
        ours = Fraction(situations.belief((("a", seen),)).worlds[0])
        yield formula(f"{rule}: weight of the larger world after {seen}", ours, weight, why)
    both = exact.Situations(mixed("exists")).belief((("a", "y"),)).slots
    yield formula("exists: slot 2 after y", both[2], F(1, 6), "⅓·½: two of its slots see y")
    uneven = exact.Situations(exact.Mixture([SOMETIMES], [1], "exists")).belief((("a", "y"),)).slots
    yield formula("exists: slot 2 where it sees y half of the time", uneven[2], F(1, 3), "½ / (1 + ½)")
    counted = exact.Mixture([TWINS, ALONE], [F(1, 5), F(4, 5)], "count")
    later = worth(counted, "sta", 1, history=(("a", "x"),))["a"]
    yield formula("sta after a step: each world once", later, F(13, 3), "⅓·3 + ⅔·5: 1/5·2 against 4/5·1")
    for value, paid, why in (
        ("cpy", F(26, 5), "1/5·2 + 4/5·6"),
        ("sta", 5, "1/5·1 + 4/5·6"),
        ("dyn", 5, "as sta at first"),
    ):
        yield formula(f"{value} of the mixture", worth(mixed("sequential"), value, 1)["a"], paid, why)


def copies() -> Iterator[Case]:
    """Caring for copies at γ = 1/2 and α = 1/3."""
    for alpha, expected, why in (
        (F(0), F(17, 4), "½·9/2, then the poor copy is deleted: ½·4"),
        (F(1, 3), F(5), "⅔·9/2 + ½·4"),
        (F(1), F(27, 4), "9/2·(1 + ½): both are kept"),
    ):
        plan = exact.plan_for_copies(SPLIT, caring=alpha, discount=F(1, 2), horizon=2)
        yield formula(f"plan for copies, α={alpha}", plan.action_values["a"], expected, why)
    yield formula(
        "plan for copies, one stays",
        exact.plan_for_copies(SPLIT, discount=F(1, 2), horizon=2).action_values["b"],
        F(9, 4),
        "3/2·(1 + ½)",
    )
    for name, world, expected, why in (
        ("three copies", MANY, F(10, 3), "6·(1 + ⅓·2)/3"),
        ("one, by chance", LOTTERY, F(5), "¾·4 + ¼·8"),
        ("two worlds", mixed("count"), F(82, 15), "1/5·10/3 + 4/5·6"),
    ):
        plan = exact.plan_for_copies(world, caring=F(1, 3), discount=F(1, 2), horizon=1)
        yield formula(f"plan for copies, their number known: {name}", plan.action_values["a"], expected, why)
    worst = exact.plan_for_copies(SPLIT, criterion="worst", discount=F(1, 2), horizon=2)
    yield formula("worst life", worst.action_values["a"], F(3, 4), "½ + ½·½")
    average = exact.plan_for_copies(SPLIT, criterion="average-life", discount=F(1, 2), horizon=2)
    yield formula("average life", average.action_values["a"], F(27, 8), "half of 27/4")
    driver = exact.best_memoryless(DRIVE, discount=F(1, 2), horizon=2, first="road")
    yield formula("driver, γ=1/2", driver.value, F(2, 3), "½·4/3")
    yield formula("driver without chance, γ=1/2", driver.pure_value, F(1, 2), "½·1: continue twice")
    bracket = exact.bracket_for_copies(SPLIT, caring=F(0), discount=F(1, 2), horizon=2)
    yield formula("bracket holds the plan", str(bracket.lower <= F(17, 4) <= bracket.upper), "True", "2·2 + 9/4 at α=0")
    frontier = exact.frontier_for_copies(SPLIT, discount=F(1, 2), horizon=2)
    yield formula("largest α of the first piece", str(frontier.thresholds[0]), str(F(7, 9)), "where keeping pays")


def spread(items: Mapping[Any, Any]) -> Distribution[Any]:
    return Distribution(tuple(items.values()), tuple(items))


def equations() -> Iterator[Case]:
    """Equations 1 to 8 with unequal chances and coefficients, and γ = 1/2 (Alizadeh Alamdari et al. 2021)."""
    mixed = spread({F(1, 4): {"end": 8, "begin": 2}.get, F(3, 4): {"end": 4, "begin": 6}.get})
    two = Distribution.certain({"end": 7, "begin": 7}.get)
    never = spread({1: {"end": 4, "begin": 4}.get, 0: {"end": -9, "begin": -9}.get})
    both = {"second": mixed, "third": two}
    expected: dict[str, tuple[Any, Any, Any, str]] = {
        "value": (mixed, 3, F(15, 2), "½·3·(¼·8 + ¾·4)"),
        "worst": (mixed, 3, 6, "½·3·4"),
        "neg": (mixed, 3, F(21, 4), "½·3·(¼·2 + ¾·4)"),
        "per_agent": (both, {"second": 3, "third": 2}, F(29, 2), "½·(3·5 + 2·7)"),
        "min": (both, {"second": 3, "third": 2}, 7, "½·min(15, 14)"),
    }
    for name, (futures, caring, paid, why) in expected.items():
        reward = augment(name, acting="first", caring=caring, futures=futures, discount=F(1, 2))
        yield formula(f"term of {name}", reward.term("end", "begin"), paid, why)
    reward = augment("worst", acting="first", caring=1, futures=never, discount=1)
    yield formula("term of worst, one value impossible", reward.term("end", "begin"), 4, "probability 0 does not count")
    own = augment(
        "per_agent", acting="first", caring={"first": 2, "second": 3}, futures={"first": two, "second": mixed}
    )
    yield formula("term with a future of its own", own.term("end", "begin"), 29, "2·7 + 3·5")
    everyone: dict[str, Any] = {"acting": "first", "caring": {"first": 2, "second": 3}}
    ranked = augment("min", **everyone, futures={"first": two, "second": mixed})
    yield formula("term of min with a future of its own", ranked.term("end", "begin"), 14, "min(2·7, 3·5)")
    yield formula("augmented reward", own(-1, "s", "a", "end", terminal=True, start="begin"), 27, "2·(−1) + 29")
    yield formula(
        "augmented reward before the end", own(-1, "s", "a", "t", terminal=False, start="begin"), -2, "2·(−1)"
    )
    paid_now = {
        "second": spread({F(1, 4): lambda s, a, t: 8 if t == "t" else 0, F(3, 4): lambda s, a, t: -4}),
        "third": Distribution.certain(lambda s, a, t: 5),
    }
    at_once = augment("sim", acting="first", caring={"second": 2, "third": 3}, futures=paid_now, discount=F(1, 2))
    yield formula("step of sim", at_once.step_term("s", "a", "t"), 13, "2·(¼·8 − ¾·4) + 3·5, without γ")
    with_own = augment("sim", **everyone, futures={"first": paid_now["third"], "second": paid_now["second"]})
    yield formula("step of sim with a reward of its own", with_own.step_term("s", "a", "t"), 7, "2·5 + 3·(¼·8 − ¾·4)")
    yield formula("term of sim", at_once.term("end", "begin"), 0, "nothing at the end")
    choices = spread(
        {
            F(1, 4): Option(lambda s: s == "end", value=lambda s: 8),
            F(3, 4): Option(lambda s: s != "end", value=lambda s: 4),
        }
    )
    for name, paid, why in (("options", F(3, 8), "½·3·¼"), ("valued_options", 6, "3·¼·8, without γ")):
        chosen = augment(name, acting="first", caring=3, futures=choices, discount=F(1, 2))
        yield formula(f"term of {name}", chosen.term("end", "begin"), paid, why)
    starts = FromStarts({"door": 4, "gate": 8}.get, lambda end: spread({F(1, 4): "door", F(3, 4): "gate"}))  # type: ignore[arg-type]
    yield formula("value from starting states", starts("end"), 7, "¼·4 + ¾·8")


class Walk(gymnasium.Env[int, int]):
    """Five places in a row; a step to the right costs 1, the last place ends it. The other action stays and costs 2."""

    observation_space, action_space = gymnasium.spaces.Discrete(5), gymnasium.spaces.Discrete(2)  # type: ignore[assignment]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.place = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.place += action == 1
        return self.place, -1.0 if action == 1 else -2.0, self.place == 4, False, {}


def learned() -> Iterator[Case]:
    """What is learned of others' futures equals what is computed, and broken learners do not."""
    stay, step = np.diag([1.0] * 4 + [0.0]), np.diag([1.0] * 4, k=1)
    costs = np.array([[-2.0, -1.0]] * 5)
    computed = exact_values(TabularMDP((csr_array(stay), csr_array(step)), costs, np.eye(5)[0]), discount=0.5)
    estimated = learned_values(Walk(), steps=2000, seed=1, discount=0.5)
    for place in range(4):
        yield formula(f"learned value of place {place}", estimated(place), computed(place), "γ = 1/2", 1e-9)
    yield formula("learned value of the first place", estimated(0), -1.875, "−(1 + ½ + ¼ + ⅛)")


def caution() -> Iterator[Case]:
    """The pessimistic agent's parts with unequal priors and γ = 1/2 (Cohen and Hutter 2020)."""
    here = np.ones((1, 2, 1))
    good, bad = bayes.TabularModel(here, [[1.0, 0.25]]), bayes.TabularModel(here, [[0.2, 0.6]])
    models, half = bayes.ModelClass([good, bad], [0.2, 0.8]), 0.5
    randomised, pure = (bayes.pessimistic_value(models, half, 2, pure=is_pure) for is_pure in (False, True))
    yield formula("Y, randomised", randomised.lower, 39 / 92, "½·(¾ + ¾·3/23): after a step the model is known", 1e-9)
    yield formula("Y, pure", pure.lower, 0.375, "½·min(¼ + ½, 6/10 + 3/10)", 1e-9)
    yield formula("Y, step-wise", bayes.pessimistic_value(models, half, 2, exact=False).lower, 0.1875, "⅛ + ½·⅛", 1e-9)
    for name, is_exact, expected, why in (
        ("pure", True, 0.6, "b first: min(½·¼ + ½·1, 6/10)"),
        ("step-wise", False, 0.25, "the better of 2/10 and ¼, at every step"),
    ):
        whole = bayes.pessimistic_value(models, half, None, exact=is_exact, pure=is_exact, error=1e-6)
        within = whole.lower - 1e-9 <= expected <= whole.lower + whole.truncation + 1e-9
        yield formula(f"Y of the whole future, {name}", whole.lower, expected, why, 2e-6)
        yield formula(f"Y of the whole future, {name}: within its truncation", str(within), "True", "γ^T·(1 − 2/10)")
    lottery = [
        bayes.TabularModel(here, np.array([[[p, 1 - p], [0.5, 0.5]]]), reward_values=[0.0, 1.0]) for p in (0.25, 0.5)
    ]
    after = bayes.ModelClass(lottery, [0.2, 0.8]).posterior(((0, (0, 0.0)),))
    yield formula("posterior of the first model", float(after.weights[0]), 1 / 9, "1/5·¼ against 4/5·½", 1e-9)
    for beta, top in ((0.0, "(1,)"), (0.8, "(1,)"), (0.89, "(1, 0)")):
        yield formula(f"top set at β={beta}", str(after.top_set(beta)), top, "in falling order, until more than β")
    three = bayes.ModelClass([good, bad, lottery[0]], [0.5, 0.3, 0.2]).posterior()
    yield formula("top set of three at β=0.6", str(three.top_set(0.6)), "(0, 1)", "½ + 3/10 is more than 6/10")
    mentors = bayes.MentorClass([bayes.TabularMentor([[0.25, 0.75]]), bayes.TabularMentor([[0.75, 0.25]])], [0.2, 0.8])
    worth_of = bayes.mentor_value(good, 0, mentors.mentors[0], 0, half, 2)
    yield formula("worth of a mentor", worth_of, 0.75 * 0.4375, "(1 − ½)(1 + ½)(¼·1 + ¾·¼)", 1e-9)
    for by_mentor, weight, why in ((True, 1 / 13, "1/5·¼ against 4/5·¾"), (False, 0.2, "the agent's own step")):
        seen = mentors.posterior()
        seen.observe(0, (0, 1.0), by_mentor)
        who = "mentor" if by_mentor else "agent"
        yield formula(f"weight of the first mentor, the {who} acted", float(seen.weights[0]), weight, why, 1e-9)
    sure = bayes.MentorClass([bayes.TabularMentor([[1.0, 0.0]])])
    nothing, little = bayes.TabularModel(here, [[0.0, 0.0]]), bayes.TabularModel(here, [[0.0, 0.125]])
    for known, beta, reason, why in (
        ([good], 0.0, "acts", "the mentor does what it plans"),
        ([nothing], 0.0, "zero condition", "Y = 0"),
        ([good, bad], 0.995, "mentor is worth more", "¾ in the likelier model, against Y = 3/8"),
        ([good, little], 0.0, "acts", "at β = 0 only the likelier model counts"),
    ):
        prior = [0.99, 0.01] if len(known) > 1 else None
        agent = bayes.PessimisticAgent(bayes.ModelClass(known, prior), sure, beta, half, 2, noise=1e-6)
        yield formula(f"decision among {len(known)} at β={beta}: {reason}", agent.decide().reason, reason, why)


def formula(quantity: str, ours: Any, by_hand: Any, why: str, tolerance: float = 0.0) -> Case:
    """A number beside what a formula gives by hand; `why` is the formula with its numbers."""
    return f"{quantity} = {why}", ours, by_hand, tolerance


CASES = [case for part in (slots, mixtures, copies, equations, learned, caution) for case in part()]


@pytest.mark.parametrize(
    ("ours", "by_hand", "tolerance"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_formula_gives_what_it_gives_by_hand(ours, by_hand, tolerance):
    assert ours == (pytest.approx(by_hand, abs=tolerance, rel=0) if tolerance else by_hand)
