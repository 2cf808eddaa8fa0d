"""Plans for copies, coins and ratifying in random worlds, against sums over all runs and all policies."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from multislot.errors import TooLargeError
from multislot.exact import (
    Arrival,
    Lives,
    best_memoryless,
    bracket_for_copies,
    frontier_for_copies,
    memoryless_worth,
    plan_for_copies,
    ratifiable,
    worth_for_copies,
)
from multislot.exact.copies.caring import Question
from multislot.exact.copies.undominated import UndominatedPlanner
from tests.laws.test_exact_mixtures import RULES
from tests.multislot.exact import oracle
from tests.worlds.generator import Worlds, classes, discounts, from_seeds
from tests.worlds.runs import Brute, Run, caring_weight, sure

CARING = st.sampled_from([Fraction(-1), Fraction(0), Fraction(1, 3), Fraction(1), Fraction(2)])
HALF = Fraction(1, 2)
WIDE = classes((2, 4), (1, 2))
TWO, THREE = classes((2, 2), (1, 2)), classes((2, 3), (1, 2))
cases = st.one_of(st.tuples(WIDE, st.integers(1, 2)), st.tuples(TWO, st.integers(2, 3)))
RULES_OF_INSTANCES = ("count", "exists", "sequential", "own")
MOST_RUNS = 30_000
seeds = st.integers(0, 2**32 - 1)


def average(lives):
    return sum(lives) / Fraction(len(lives))


def policies(actions, horizon, history=(), observations=oracle.OBSERVATIONS):
    """Every policy up to a number of steps, as {history: action} on the histories that follow it."""
    if horizon == 0:
        yield {}
        return
    for action in actions:
        after = [
            list(policies(actions, horizon - 1, (*history, (action, observation)), observations))
            for observation in observations
        ]
        for parts in product(*after):
            yield {history: action} | {one: act for part in parts for one, act in part.items()}


def best_first(drawn: Worlds, horizon, worth, observations=oracle.OBSERVATIONS):
    """The largest expected worth of a policy for each first action, all policies tried."""
    best, actions = {}, drawn.kernels[0].actions
    tried = list(policies(actions, horizon, observations=observations))
    assume(len(tried) <= 300)
    for policy in tried:
        brute = Brute(drawn.kernels, drawn.prior, sure(policy.__getitem__), horizon)
        found = brute.expected(worth)
        best[policy[()]] = max(best.get(policy[()], found), found)
    return best


@given(cases, CARING, discounts)
def test_the_best_plan(case, caring, discount):
    drawn, horizon = case
    weigh = caring_weight(caring)
    best = best_first(drawn, horizon, lambda run: run.payoff(weigh, discount))
    options = {"caring": caring, "discount": discount, "horizon": horizon}
    plan = plan_for_copies(drawn.mixture(), **options)
    assert plan.action_values == best
    assert list(plan.action_values) == list(drawn.kernels[0].actions)
    assert plan.policy(()) == oracle.first_best(best)
    assert worth_for_copies(drawn.mixture(), plan.policy, **options) == plan.value
    assert plan_for_copies(drawn.mixture(), coins="shared", **options).value == plan.value
    if caring >= 0:
        bracket = bracket_for_copies(drawn.mixture(), **options)
        assert all(low <= best[action] <= high for action, (low, high) in bracket.action_values.items())
        assert bracket.lower <= worth_for_copies(drawn.mixture(), bracket.policy, **options)
        assert caring != 1 or bracket.lower == bracket.upper


def make_joined(random):
    """Make a world in which one agent, told left or right, may be copied, and others may be there, who do nothing."""
    chance, extra = random.choice([HALF, Fraction(2, 3), Fraction(4, 5)]), random.choice([1, 2])
    others = {slot: Arrival("other", "else", 0) for slot in range(2, 2 + extra)}
    told = [{1: Arrival("one", random.choice(oracle.OBSERVATIONS), 0)} for _ in range(2)]
    pays = {1: 10, 2: 15, 3: 15, 4: random.randrange(9, 15)}
    ends = {slot: Arrival("end", "left", pay) for slot, pay in pays.items()}
    table = {}
    for action in (0, 1):
        table[1, "begin", action] = [(chance, told[0]), (1 - chance, told[1] | others)]
        table[1, "one", action] = [(1, {slot: ends[slot] for slot in (1, 4)[: 1 + action]})]
        table |= {(slot, "other", action): [(1, {slot: ends[slot]})] for slot in (2, 3)}
    return oracle.TableKernel(table, {1: "begin"})


@given(from_seeds(make_joined), st.sampled_from([Fraction(-1, 20), Fraction(0), Fraction(1, 20)]))
def test_the_best_plan_where_two_observations_lead_to_one_situation(kernel, caring):
    weigh, observations = caring_weight(caring), (*oracle.OBSERVATIONS, "else")
    best = best_first(Worlds((kernel,), (Fraction(1),)), 2, lambda run: run.payoff(weigh, 1), observations)
    assert plan_for_copies(kernel, caring=caring, discount=1, horizon=2).action_values == best
    compared = UndominatedPlanner(Question(kernel, 1, 2).company, caring, Fraction(1), 10**6)
    assert compared.plan().action_values == best


@given(cases, discounts)
def test_the_best_plan_by_a_criterion(case, discount):
    drawn, horizon = case
    options = {"discount": discount, "horizon": horizon}

    def second_best(rewards):
        return sorted(rewards)[-2] if len(rewards) > 1 else -1

    def stepwise(run):
        return sum(
            discount**step * second_best([copy.reward for copy in living])
            for step, living in enumerate(run.steps[1:])
            if living
        )

    for criterion, worth in (
        ("worst", lambda run: min(run.lives(discount))),
        ("average-life", lambda run: average(run.lives(discount))),
        (
            Lives(lambda lives: sorted(lives)[len(lives) // 2]),
            lambda run: sorted(run.lives(discount))[len(run.lives(1)) // 2],
        ),
        (lambda rewards: second_best(rewards) if rewards else 0, stepwise),
    ):
        plan = plan_for_copies(drawn.mixture(), criterion=criterion, **options)
        assert plan.action_values == best_first(drawn, horizon, worth)
        assert worth_for_copies(drawn.mixture(), plan.policy, criterion=criterion, **options) == plan.value


@given(TWO, discounts, st.integers(1, 2))
def test_the_staircase_of_caring(drawn, discount, horizon):
    frontier = frontier_for_copies(drawn.mixture(), discount=discount, horizon=horizon)
    for caring in (Fraction(0), Fraction(2, 7), Fraction(1, 2), Fraction(1), *frontier.thresholds):
        weigh = caring_weight(caring)
        best = best_first(drawn, horizon, lambda run, weigh=weigh: run.payoff(weigh, discount))
        piece = frontier.at(caring)
        assert piece.line.at(caring) == max(best.values())
        options = {"caring": caring, "discount": discount, "horizon": horizon}
        assert worth_for_copies(drawn.mixture(), piece.policy, **options) == max(best.values())
    slopes = [piece.line.slope for piece in frontier.pieces]
    assert slopes == sorted(set(slopes))
    assert (frontier.pieces[0].lower, frontier.pieces[-1].upper) == (0, 1)


def make_policy(seed, actions, *, pure=0.4, memory=True):
    """Random probabilities of the actions after each history; without memory after each observation."""

    def policy(history):
        known = history if memory or not history else history[-1][1]
        random = Random(f"{seed} {known}")
        if random.random() < pure:
            return {random.choice(actions): Fraction(1)}
        parts = [random.choice((0, 1, 1, 2)) for _ in actions]
        parts[random.randrange(len(actions))] += 1
        return {action: Fraction(part, sum(parts)) for action, part in zip(actions, parts, strict=True) if part}

    return policy


def followed(drawn, policy, horizon):
    brute = Brute(drawn.kernels, drawn.prior, policy, horizon)
    count = 0
    for begun in brute.begin():
        for _ in brute.follow(begun, horizon):
            count += 1
            assume(count <= MOST_RUNS // 10)
    return brute


@given(st.one_of(st.tuples(WIDE, st.just(2)), st.tuples(TWO, st.just(3))), CARING, discounts, seeds)
def test_what_a_policy_with_private_coins_is_worth(case, caring, discount, seed):
    drawn, horizon = case
    policy = make_policy(seed, drawn.kernels[0].actions)
    brute = followed(drawn, policy, horizon)
    options = {"discount": discount, "horizon": horizon}
    weigh = caring_weight(caring)
    expected = brute.expected(lambda run: run.payoff(weigh, discount))
    assert worth_for_copies(drawn.mixture(), policy, caring=caring, **options) == expected
    for criterion, worth in (("worst", min), ("average-life", average)):
        ours = worth_for_copies(drawn.mixture(), policy, criterion=criterion, **options)
        assert ours == brute.expected(lambda run, worth=worth: worth(run.lives(discount)))


@given(THREE, CARING, discounts, st.lists(seeds, min_size=8, max_size=8))
def test_no_random_policy_beats_the_best_one_with_private_coins(drawn, caring, discount, some):
    options = {"caring": caring, "discount": discount, "horizon": 2}
    try:
        best = plan_for_copies(drawn.mixture(), coins="private", **options)
    except TooLargeError:
        assume(False)
    weigh = caring_weight(caring)
    for seed in some:
        policy = make_policy(seed, drawn.kernels[0].actions, pure=0.2)
        brute = followed(drawn, policy, 2)
        assert brute.expected(lambda run: run.payoff(weigh, discount)) <= best.upper
    worth = worth_for_copies(drawn.mixture(), best.policy, **options)
    assert abs(worth - best.lower) < Fraction(1, 10**9)
    assert best.upper >= plan_for_copies(drawn.mixture(), **options).value


@given(
    st.one_of(st.tuples(THREE, st.just(2)), st.tuples(TWO, st.just(3))),
    discounts,
    st.lists(seeds, min_size=4, max_size=4),
)
def test_policies_without_memory(case, discount, some):
    drawn, horizon = case
    actions = drawn.kernels[0].actions
    options = {"discount": discount, "horizon": horizon, "first": "begin"}
    best = best_memoryless(drawn.mixture(), **options)
    pure = []
    for chosen in product(actions, repeat=3):
        table = dict(zip(("begin", *oracle.OBSERVATIONS), chosen, strict=True))
        brute = followed(drawn, lambda h, t=table: {t[h[-1][1] if h else "begin"]: Fraction(1)}, horizon)
        pure.append(brute.expected(lambda run: run.payoff(lambda number: 1, discount)))
    assert best.pure_value == max(pure)
    for seed in some:
        policy = make_policy(seed, actions, memory=False)
        brute = followed(drawn, policy, horizon)
        expected = brute.expected(lambda run: run.payoff(lambda number: 1, discount))
        table = {seen: policy(((None, seen),)) for seen in oracle.OBSERVATIONS} | {"begin": policy(())}
        assert memoryless_worth(drawn.mixture(), table, **options) == expected
        assert expected <= best.upper
    assert best.lower >= best.pure_value


class Deciding:
    """Regrets from their definition: sums over all runs and over the instances in them."""

    def __init__(self, drawn, policy, caring, discount, horizon, *, memory=True):
        self.drawn, self.policy, self.horizon, self.memory = drawn, policy, horizon, memory
        self.discount, self.weigh = discount, caring_weight(caring)
        self.brute = followed(drawn, policy, horizon)
        self.actions = drawn.kernels[0].actions

    def situation(self, history):
        return history if self.memory else (history[-1][1] if history else None)

    def instances(self, run, situation):
        """(step, place) of every instance of a run at a situation; the last step decides nothing."""
        return [
            (step, place)
            for step, living in enumerate(run.steps[:-1])
            for place, copy in enumerate(living)
            if self.situation(copy.history) == situation
        ]

    def situations(self):
        return {self.situation(copy.history) for run in self.brute.runs for living in run.steps[:-1] for copy in living}

    def worlds(self, situation, rule):
        """The weight of each world by a rule that follows lineages."""
        if rule == "sequential":
            weights = [
                prior * RULES["sequential"](kernel, situation)
                for kernel, prior in zip(self.drawn.kernels, self.drawn.prior, strict=True)
            ]
        else:
            weights = [
                prior * self.predicted(kernel, situation)
                for kernel, prior in zip(self.drawn.kernels, self.drawn.prior, strict=True)
            ]
        return [weight / sum(weights) if sum(weights) else Fraction() for weight in weights]

    def predicted(self, kernel, history):
        """``Π_t Σ_i P_i Σ_c ν(c o_t) w_α(|c|)`` over the members of c that see o_t."""
        chance = Fraction(1)
        for step, (action, seen) in enumerate(history):
            threads = oracle.threads(kernel, history[:step])
            total = sum(weight for _, _, weight in threads)
            branch = Fraction()
            for slots, state, weight in threads:
                for probability, arrivals in kernel.outcomes(slots[-1], state, action):
                    alike = sum(arrival.observation == seen for arrival in arrivals.values())
                    if alike:
                        branch += weight / total * probability * alike * self.weigh(len(arrivals))
            chance *= branch
        return chance

    def weighed(self, situation, rule):
        """Every (run, instance) with its weight, which sum to 1."""
        entries = [(run, at) for run in self.brute.runs for at in self.instances(run, situation)]
        if rule == "exists":
            weights = [run.chance / len(self.instances(run, situation)) for run, _ in entries]
        else:
            weights = [run.chance for run, _ in entries]
        if rule in ("sequential", "own"):
            of_worlds = self.worlds(situation, rule)
            totals = [
                sum(w for (run, _), w in zip(entries, weights, strict=True) if run.world == k)
                for k in range(len(of_worlds))
            ]
            weights = [
                of_worlds[run.world] * w / totals[run.world] for (run, _), w in zip(entries, weights, strict=True)
            ]
        total = sum(weights) or 1
        return [(run, at, weight / total) for (run, at), weight in zip(entries, weights, strict=True)]

    def instead(self, run, at, action):
        """The expected payoff if one instance takes an action and all else follow the policy."""
        step, place = at
        begun = Run(run.world, Fraction(1), run.steps[: step + 1])
        drawing = [self.policy(copy.history) for copy in run.steps[step]]
        drawing[place] = {action: Fraction(1)}
        return sum(
            longer.chance * longer.payoff(self.weigh, self.discount)
            for next_one in self.brute.advance(begun, drawing)
            for longer in self.brute.follow(next_one, self.horizon - step - 1)
        )

    def causal(self, situation, rule):
        """The regret of what the policy does in a situation, and the first best action."""
        known, values = {}, dict.fromkeys(self.actions, Fraction())
        for run, at, weight in self.weighed(situation, rule):
            for action in self.actions:
                key = run.world, run.steps[: at[0] + 1], at, action
                if key not in known:
                    known[key] = self.instead(run, at, action)
                values[action] += weight * known[key]
        history = next(
            copy.history
            for run in self.brute.runs
            for living in run.steps[:-1]
            for copy in living
            if self.situation(copy.history) == situation
        )
        kept = sum(chance * values[action] for action, chance in self.policy(history).items())
        return max(values.values()) - kept, max(values, key=values.get)

    def evidential(self, situation, rule, chances):
        """The expected payoff, given the situation, if every instance in it draws from these chances."""

        def changed(history):
            return chances if self.situation(history) == situation else self.policy(history)

        runs = followed(self.drawn, changed, self.horizon).runs
        paid, weight = Fraction(), Fraction()
        of_worlds = self.worlds(situation, rule) if rule in ("sequential", "own") else None
        for world in range(len(self.drawn.kernels)):
            counts = [(run, len(self.instances(run, situation))) for run in runs if run.world == world]
            factors = [(run, (number > 0) if rule == "exists" else number) for run, number in counts]
            total = sum(run.chance * factor for run, factor in factors)
            share = 1 if of_worlds is None else of_worlds[world] / total if total else 0
            paid += share * sum(run.chance * factor * run.payoff(self.weigh, self.discount) for run, factor in factors)
            weight += share * total
        return paid / weight if weight else Fraction()


BLIND = {"observations": st.sampled_from((1, 1, 2)), "alone": st.just(False)}


def deciding_in(counts):
    """Cases in which many copies have the same history."""
    return st.one_of(
        st.tuples(classes((2, 3), counts, **BLIND), st.just(2)), st.tuples(classes((2, 2), counts, **BLIND), st.just(3))
    )


RATIFY = deciding_in((1, 2))
OF_RULE = {rule: deciding_in((2, 2)) if rule in ("sequential", "own") else RATIFY for rule in RULES_OF_INSTANCES}


def asked_by(policy, *, memory):
    """A policy as the engine asks for it: by histories, or without memory by what is seen."""
    return policy if memory else (lambda seen: policy(((None, seen),) if seen is not None else ()))


@pytest.mark.parametrize(
    ("rule", "memory"), [*((rule, True) for rule in RULES_OF_INSTANCES), ("count", False), ("exists", False)]
)
@given(data=st.data(), caring=CARING, discount=discounts, seed=seeds)
def test_causal_regrets(rule, memory, data, caring, discount, seed):
    drawn, horizon = data.draw(OF_RULE[rule])
    policy = make_policy(seed, drawn.kernels[0].actions, memory=memory)
    deciding = Deciding(drawn, policy, caring, discount, horizon, memory=memory)
    options = {"caring": caring, "discount": discount, "horizon": horizon, "memory": memory}
    ours = ratifiable(drawn.mixture(), asked_by(policy, memory=memory), "causal", rule, **options)
    assert ours.regrets.keys() == deciding.situations()
    for situation in deciding.situations():
        assert (ours.regrets[situation], ours.preferred[situation]) == deciding.causal(situation, rule)
    assert ours.regret == max(ours.regrets.values())
    assert ours.regret == 0 or ours.regrets[ours.where] == ours.regret
    assert bool(ours) == (ours.regret == 0)


def mixes(actions, steps=3):
    """Every distribution whose probabilities are multiples of 1/steps."""
    for parts in product(range(steps + 1), repeat=len(actions)):
        if sum(parts) == steps:
            yield {action: Fraction(part, steps) for action, part in zip(actions, parts, strict=True) if part}


@pytest.mark.parametrize("rule", RULES_OF_INSTANCES)
@given(data=st.data(), caring=CARING, discount=discounts, seed=seeds, memory=st.booleans())
@settings(max_examples=12, deadline=None)
def test_evidential_regrets(rule, data, caring, discount, seed, memory):
    """The regret is what the preferred chances gain, and no chances of a grid gain more."""
    drawn, horizon = data.draw(OF_RULE[rule])
    memory = memory or rule in ("sequential", "own")
    policy = make_policy(seed, drawn.kernels[0].actions, memory=memory)
    deciding = Deciding(drawn, policy, caring, discount, horizon, memory=memory)
    asked = asked_by(policy, memory=memory)
    ours = ratifiable(
        drawn.mixture(), asked, "evidential", rule, caring=caring, discount=discount, horizon=horizon, memory=memory
    )
    assert ours.regrets.keys() == deciding.situations()
    for situation in sorted(deciding.situations(), key=str)[:4]:
        present = dict(asked(situation))
        value = deciding.evidential(situation, rule, present)
        preferred = {action: Fraction(float(chance)) for action, chance in ours.preferred[situation].items()}
        total = sum(preferred.values())
        preferred = {action: chance / total for action, chance in preferred.items()}
        gained = deciding.evidential(situation, rule, preferred) - value
        regret = float(ours.regrets[situation])
        assert float(gained) == pytest.approx(regret, abs=1e-6)
        for chances in mixes(deciding.actions):
            assert float(deciding.evidential(situation, rule, chances) - value) <= regret + 1e-6
