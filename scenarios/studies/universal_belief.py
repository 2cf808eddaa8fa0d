"""In the universal world some copy sees each history: how likely is this world for an agent that has seen t zeros?

Three worlds are equally likely (Orseau 2014, section 5). In the universal world every agent is copied at every step;
one copy observes 0 and the other 1. The second world always shows 0. The third is a fair coin. The paper says that the
universal world keeps a constant weight. But its equation (2), with the copy-centered value, needs a posterior by which
the universal world is as unlikely as the coin.

Equation (2) is also computed by brute force. `best_of_all_policies` does not use the engine: it describes each world by
the weight that a value gives to the next observation, and decides each history separately.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from multislot.exact import Arrival, Kernel, Mixture, Plan, UniversalKernel, action_values
from multislot.exact.kernel import Outcome
from scenarios.lab.cells import Result, Results, select_pairs
from scenarios.lab.experiment import Cell, ExactRows, exact_rows
from scenarios.lab.table import Row, claim_row, formula_row

PASS, BET = "pass", "bet"
WORLDS = ("universal", "always 0", "coin")
PRIOR = Fraction(1, len(WORLDS))
HALF = Fraction(1, 2)

Zeros: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Rule:
    """A posterior, and the value that follows it: only ``own`` depends on the value."""

    posterior: str
    value: str = "cpy"

    @property
    def name(self) -> str:
        value = "static" if self.value == "sta" else "copy-centered"
        return f"own, {value}" if self.posterior == "own" else self.posterior

    @property
    def keeps_the_weight(self) -> bool:
        """Whether section 5 holds by formula: the universal world is as likely as the one that always shows 0."""
        return self.posterior in ("count", "exists", "printed") or self.value == "sta"

    @property
    def coin_learns(self) -> bool:
        """Whether the coin loses weight to the world that always shows 0: prior weights never move."""
        return self.posterior != "printed"

    def universal_weight(self, steps: int) -> Fraction:
        """The weight of the universal world after so many zeros, by formula."""
        kept, coin = Fraction(1), HALF**steps if self.coin_learns else Fraction(1)
        universal = kept if self.keeps_the_weight else coin
        return universal / (universal + kept + coin)

    def coin_weight(self, steps: int) -> Fraction:
        """The weight of the coin after so many zeros, by formula."""
        learns = self.keeps_the_weight and self.coin_learns
        return self.universal_weight(steps) * (HALF**steps if learns else 1)

    def zero_next(self, steps: int) -> Fraction:
        """The chance that 0 comes next after so many zeros, by formula."""
        universal = 0 if self.value == "sta" else HALF * self.universal_weight(steps)
        return 1 - HALF * self.coin_weight(steps) - universal

    def bets(self, steps: int, stake: Fraction) -> bool:
        """Whether it bets after so many zeros, by formula."""
        return self.zero_next(steps) > stake / (1 + stake)

    def agrees_with_sequential(self, settings: "Settings") -> bool:
        """Whether it bets after the same numbers of zeros as `sequential`; after a 1 nobody knows more."""
        stake, sequential = settings.stake, Rule("sequential")
        return all(self.bets(zeros, stake) == sequential.bets(zeros, stake) for zeros in range(settings.bets))


RULES = (Rule("count"), Rule("exists"), Rule("sequential"), Rule("own"), Rule("own", "sta"), Rule("printed"))


@dataclass(frozen=True)
class Steady:
    """A world with one agent that is never copied; `ones` has the chance of observing 1, for each action."""

    ones: tuple[Fraction, Fraction]
    actions: Sequence[int] = range(2)
    start: Mapping[int, Hashable] = field(default_factory=lambda: {1: "there"})

    def outcomes(self, slot: int, state: Hashable, action: Any) -> Iterator[Outcome]:
        one = self.ones[action]
        for seen, chance in ((0, 1 - one), (1, one)):
            if chance:
                yield chance, {slot: Arrival(state, seen, seen)}


@dataclass(frozen=True)
class Betting:
    """A world of observations 0 and 1 in which the agent may bet on 0 at every step; a won bet pays 1."""

    world: Kernel
    stake: Fraction
    actions: Sequence[str] = (PASS, BET)

    @property
    def start(self) -> Mapping[int, Hashable]:
        return self.world.start

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> Iterator[Outcome]:
        for chance, arrivals in self.world.outcomes(slot, state, 0):
            pays = (1, -self.stake) if action == BET else (0, 0)
            bets = {
                slot: arrival._replace(reward=pays[int(str(arrival.observation))]) for slot, arrival in arrivals.items()
            }
            yield chance, bets


def betting_class(rule: Rule, stake: Fraction) -> Mixture:
    """The three worlds, equally likely, with a bet at every step."""
    zero = Fraction(0)
    worlds: tuple[Kernel, ...] = (UniversalKernel(), Steady((zero, zero)), Steady((HALF, HALF)))
    return Mixture([Betting(world, stake) for world in worlds], posterior=rule.posterior)


def betting_plan(rule: Rule, stake: Fraction, steps: int) -> Plan:
    """The plan of an agent that follows a rule, for so many steps."""
    return Plan(betting_class(rule, stake), rule.value, 1, steps)  # type: ignore[arg-type]


def worth_of_bet(seen: Zeros, value: str, stake: Fraction) -> Fraction:
    """What betting after a sequence of observations adds to ``Σ_ν w_ν V_ν^π``, the worth of a policy."""
    worth, ones = Fraction(), sum(seen)
    for world in WORLDS:
        zero = HALF if world == "coin" or (world, value) == ("universal", "cpy") else Fraction(1)
        reached = PRIOR * zero ** (len(seen) - ones) * (1 - zero) ** ones
        worth += reached * (zero - stake * (1 - zero))
    return worth


def histories(steps: int) -> list[Zeros]:
    """Every sequence of observations after which there is a bet to be made."""
    return [seen for length in range(steps) for seen in product((0, 1), repeat=length)]


def best_of_all_policies(value: str, stake: Fraction, steps: int) -> Fraction:
    """The largest worth in equation (2); it is a sum over histories, so each is decided by itself."""
    return sum((max(worth_of_bet(seen, value, stake), Fraction()) for seen in histories(steps)), Fraction())


def bets_of(plan: Plan, steps: int) -> dict[Zeros, bool]:
    """Whether a plan bets, after each sequence of observations, if it has followed itself until then."""
    bets: dict[Zeros, bool] = {}
    for seen in histories(steps):
        done = [BET if bets[seen[:index]] else PASS for index in range(len(seen))]
        bets[seen] = plan.policy(tuple(zip(done, seen, strict=True))) == BET
    return bets


@dataclass(frozen=True)
class Settings:
    """How long zeros are seen, and what is bet on the next one."""

    steps: Annotated[int, Field(ge=1, le=12, description="observations of 0")] = 8
    stake: Annotated[Fraction, Field(ge=0, description="price of a lost bet; a won bet pays 1")] = Fraction(3)
    bets: Annotated[int, Field(ge=1, le=4, description="bets, one at each step, in the comparison with equation 2")] = 3


FULL = Settings(steps=12, bets=4)


NEVER = "never"
SECTION = "Orseau 2014, section 5"
EQUATION = "Orseau 2014, equation 2"
VARIANTS = ("as printed", "footnote 3")
BIASED = {("footnote 3", "sta"), ("footnote 3", "dyn")}
LEANING = Steady((Fraction(3, 4), Fraction(1, 4)))
"""A world in which action 0 shows 1 more often than action 1 does."""
MORAL = (
    "For an agent that counts its copies in equal shares, section 5 of Orseau (2014) contradicts equation (2). By\n"
    "section 5 the universal world stays as likely as one that always shows 0, by equation (2) as likely as a fair\n"
    "coin. The paper's section 5 holds if it only matters whether, or how often, a history is seen in a world (the\n"
    "rules `exists` and `count`): after any number of zeros some copy in the universal world has seen them. An agent\n"
    "that believes by the rule `exists` or `count` never predicts 0 with more than 3/4. The paper's equation (2)\n"
    "holds if each observation counts as evidence (the rule `sequential`), because half of the copies in the\n"
    "universal world see 0. By the weights that the paper prints, no observation makes a fair coin less likely, so\n"
    "the agent never learns in which world it is. Section 5 and equation (2) both hold for an agent that believes and\n"
    "plans only for slot 1, which always sees 0."
)


NAMED = {rule.name: rule for rule in RULES}


def cells(settings: Settings) -> list[Cell]:
    return [*(Cell(settings, "rule", name) for name in NAMED), Cell(settings, "exact")]


def run_cell(cell: Cell) -> Result:
    if cell.part == "rule":
        return _rule(NAMED[cell.which], cell.settings)
    return ExactRows(lambda settings: _footnote_rows()).run_cell(cell)


def _rule(rule: Rule, settings: Settings) -> Result:
    """Weights after 0, 1, … zeros, the last prediction, and what the bets are worth in equation (2)."""
    situations = betting_plan(rule, settings.stake, settings.steps + 1).situations
    pasts = [((PASS, 0),) * number for number in range(settings.steps + 1)]
    bets = bets_of(betting_plan(rule, settings.stake, settings.bets), settings.bets)
    return {
        "weights": [situations.belief(past).worlds for past in pasts],
        # A bet that costs nothing is worth the weight of observing 0.
        "zero": _next_bet(rule, Fraction(0), pasts[-1])[BET],
        "bets": next((len(past) for past in pasts if _next_bet(rule, settings.stake, past).best == BET), NEVER),
        "worth": sum(worth_of_bet(seen, rule.value, settings.stake) for seen, is_bet in bets.items() if is_bet),
        "best": best_of_all_policies(rule.value, settings.stake, settings.bets),
    }


def _next_bet(rule: Rule, stake: Fraction, past: tuple[tuple[str, int], ...]) -> Any:
    """What passing and betting on the next observation are worth to the value."""
    return action_values(betting_class(rule, stake), rule.value, discount=1, horizon=1, history=past)


def table(settings: Settings, results: Results) -> list[Row]:
    rules = {NAMED[cell.which]: result for cell, result in select_pairs(results, part="rule")}
    return [
        *_weight_rows(settings, rules),
        *_statement_rows(settings, rules),
        *_conflict_rows(settings, rules),
        *exact_rows(results),
    ]


def _weight_rows(settings: Settings, rules: dict[Rule, Result]) -> Iterator[Row]:
    steps = settings.steps
    for rule, result in rules.items():
        name, zeros, universal = rule.name, f"{steps} zeros", rule.universal_weight(steps)
        ours, _, coin = map(Fraction, result["weights"][-1])
        yield formula_row("weight of the universal world", name, zeros, ours, universal, SECTION)
        yield formula_row("weight of the coin", name, zeros, coin, rule.coin_weight(steps), "chance ½ a step")
        zero = Fraction(result["zero"])
        yield formula_row("chance that 0 comes next", name, zeros, zero, rule.zero_next(steps))
        first = next((number for number in range(steps + 1) if rule.bets(number, settings.stake)), NEVER)
        common = f"L={settings.stake}, up to {zeros}"
        yield formula_row("zeros after which it bets", name, common, result["bets"], first)


def _statement_rows(settings: Settings, rules: dict[Rule, Result]) -> Iterator[Row]:
    """Yield the paper's statements under every rule: a claim where it must hold, a control where it must fail."""
    for rule, result in rules.items():
        zeros, bets = f"up to {settings.steps} zeros", f"{settings.bets} bets, L={settings.stake}"
        halves = {Fraction(coin) / Fraction(zero) for _, zero, coin in result["weights"]}
        # With a stake that no rule's prediction reaches, or that all do, the rules do the same.
        is_best = rule.posterior in ("sequential", "own") or rule.agrees_with_sequential(settings)
        keeps = "the universal world keeps its weight next to the one that always shows 0"
        best = "what the rule does is the maximum of equation 2"
        for quantity, where, holds, expected, source in (
            (keeps, zeros, section_5_holds(result), rule.keeps_the_weight, SECTION),
            ("the coin keeps its weight", zeros, len(halves) == 1, not rule.coin_learns, SECTION),
            (best, bets, equation_2_holds(result), is_best, EQUATION),
        ):
            condition = f"{rule.name}, {where}"
            yield claim_row(quantity, condition, holds, source, case=rule.name, control=not expected)
        yield formula_row("worth in equation 2", rule.name, bets, Fraction(result["worth"]), None)


def section_5_holds(result: Result) -> bool:
    """Whether the universal world was as likely as the one that always shows 0 after any number of zeros."""
    return all(Fraction(universal) == Fraction(zero) for universal, zero, _ in result["weights"])


def equation_2_holds(result: Result) -> bool:
    """Whether the policy that the rule follows is worth the maximum."""
    return Fraction(result["worth"]) == Fraction(result["best"])


def _conflict_rows(settings: Settings, rules: dict[Rule, Result]) -> Iterator[Row]:
    """Yield the rules under which both hold; the static value has one, which shows that the search finds it."""
    for value, expected in (("cpy", "none"), ("sta", "own, static")):
        both = [
            rule.name
            for rule, result in rules.items()
            if rule.value == value and section_5_holds(result) and equation_2_holds(result)
        ]
        condition = f"{'copy-centered' if value == 'cpy' else 'static'} value, L={settings.stake}"
        same = value == "cpy" and all(rule.agrees_with_sequential(settings) for rule in RULES if rule.value == "cpy")
        yield Row(
            "rules under which section 5 and equation 2 both hold",
            condition,
            ", ".join(both) or "none",
            paper="count, exists, printed" if same else expected,
            kind="claim" if value == "cpy" else "control",
            source="section 5 against equation 2" if value == "cpy" else "a rule that has both is found",
        )


def _footnote_rows() -> Iterator[Row]:
    """Yield how far a universal world that is as likely as another moves the choice between the actions."""
    for variant, value in product(VARIANTS, ("cpy", "sta", "dyn")):
        universal = UniversalKernel(exchange=variant == "footnote 3")
        mixed = action_values(Mixture([universal, LEANING]), value, discount=1, horizon=1)
        alone = action_values(LEANING, value, discount=1, horizon=1)
        moved = Fraction((mixed[1] - mixed[0]) - HALF * (alone[1] - alone[0]))
        biased, case = (variant, value) in BIASED, f"{variant}, {value}"
        common, source = "beside a world that prefers action 0", f"{SECTION} and footnote 3"
        yield formula_row("how far it moves the choice", case, common, moved, HALF if biased else 0, source)
        turned = mixed.best != alone.best
        yield claim_row("it turns the choice", f"{case}, {common}", turned, source, case=case, control=not biased)
