"""When does it help an agent to check whether its own past is possible, and which worlds can fool such an agent?

Alexander et al. 2021, sections 5 and 6. The paper argues with Example 3, which pays for ignoring rewards. Sooner or
later the copy's past is one that the agent cannot have had. The copy then freezes on its first action, and "the
environment's paradoxical behavior collapses": from then on it pays for that action and nothing else. The turn of the
collapse and what is paid before and after are shown run by run. The control is the agent without the check, whose
environment never collapses.

Section 6 describes an environment that punishes agents who freeze. There the check loses, in the environment and its
opposite together, so Conjecture 12 ("outperforms on average") depends on how environments are weighed: with enough such
environments in the battery the sign of the effect turns. The controls are the same environment with lessons that the
copy could have lived itself, where the check never freezes and changes nothing, and an agent that never changes.
"""

from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain
from math import ceil
from statistics import fmean
from typing import Annotated

from pydantic import Field

from extenv.battery import BATTERY
from extenv.catalogue.other_rewards import IgnoreRewards
from extenv.catalogue.thought_experiments import PunishRealityCheck
from extenv.environment import ExtendedEnvironment
from extenv.measuring.plots import with_errors
from multislot.drawing.showing import new_figure
from multislot.statistics import UNDECIDED
from scenarios.lab.cells import Axes, Figure, Figures, Result, Results, collect, select
from scenarios.lab.table import Row, mean_row, plain_row, word_row
from scenarios.self_reflection import measuring
from scenarios.self_reflection.measuring import both_totals, totals


@dataclass(frozen=True)
class Settings:
    """Which learners, how long and how often."""

    agents: measuring.AgentNames = ("Q", "Naive")
    steps: Annotated[int, Field(ge=100, description="steps a run")] = 10_000
    seeds: Annotated[int, Field(ge=1, description="independent runs, seeds 1 … n")] = 10


QUICK = Settings(steps=2_000, seeds=5)
FULL = Settings(steps=100_000, seeds=20)


COLLAPSE, BATTERY_RUN = "collapse", "battery"
PUNISHED, POSSIBLE = "punished for freezing", "lessons it could have lived"
UNCHANGING = "Constant"
SHOWN = 60
COLLAPSES = "Alexander et al. 2021, section 5: it collapses to 'reward action y1 and punish all others'"
ONLY_THE_FIRST, OTHERS = "its first action and no other", "other actions too"


class PossibleLessons(PunishRealityCheck):
    """The control: the copy is taught what it would do, so that a reality check finds its past genuine."""

    def lesson(self, answer: int) -> int:
        return answer


OBSERVERS: dict[str, type[ExtendedEnvironment]] = {PUNISHED: PunishRealityCheck, POSSIBLE: PossibleLessons}


MORAL = (
    "An agent with a reality check repeats one action after a past that it cannot have had. Repeating one action\n"
    "helps in worlds that show the agent's copies an impossible past, and harms in worlds that punish agents for it.\n"
    "Whether a reality check helps on average depends on how many worlds reward it and how many punish it."
)


def cells(settings: Settings) -> list[measuring.AgentCell]:
    size = settings.steps, settings.seeds
    everybody, first = dict.fromkeys((*settings.agents, UNCHANGING)), settings.agents[:1]
    return [
        *measuring.agent_cells(measuring.with_checks(everybody), *size, tuple(OBSERVERS), freeze="first"),
        *measuring.agent_cells(measuring.with_checks(first), *size, (COLLAPSE, BATTERY_RUN), freeze="first"),
    ]


def run_cell(cell: measuring.AgentCell) -> Result:
    if cell.where == COLLAPSE:
        return collapse(cell)
    factory = cell.factory()
    if cell.where == BATTERY_RUN:
        every = totals(factory, BATTERY, cell.steps, cell.seed).values()
        return {"mean": fmean(chain.from_iterable(every)) / cell.steps}
    both = both_totals(OBSERVERS[cell.where], factory, cell.steps, cell.seed)
    return {"mean": fmean(total / cell.steps for total in both)}


def collapse(cell: measuring.AgentCell) -> Result:
    """When the copy freezes in Example 3, if it does, and what is paid for which action.

    "paid" are the rewards of the first turns. "first action only" is the share of the turns after the
    freezing at which exactly the first action is paid; without a reality check, of all turns.
    """
    environment, turns, frozen_at = IgnoreRewards(), [], None
    for turn in measuring.live(environment, cell.factory(), cell.seed, cell.steps):
        turns.append(turn)
        if frozen_at is None and len(turns) < cell.steps and getattr(environment.simulated, "frozen", False):
            frozen_at = len(turns) + 1
    paid = [turn.reward for turn in turns]
    start = (frozen_at or 1) - 1
    as_first = [(turn.reward > 0) == (turn.action == turns[0].action) for turn in turns[start:]]
    never_freezes = cell.agent == measuring.strip_check(cell.agent)
    return {
        "frozen at": frozen_at,
        "paid": paid[:SHOWN],
        "before": fmean(paid[:start]) if frozen_at else None,
        "after": fmean(paid[start:]),
        "first action only": fmean(as_first) if frozen_at or never_freezes else None,
    }


def numbers(results: Results, part: str, agent: str, key: str) -> list[float]:
    """One number a seed; a seed without this number is left out."""
    return [float(number) for number in collect(results, key, where=part, agent=agent) if number is not None]


def table(settings: Settings, results: Results) -> list[Row]:
    return [
        *collapse_rows(settings, results),
        *(row for part in OBSERVERS for row in observer_rows(settings, results, part)),
        *battery_rows(settings, results),
    ]


def collapse_rows(settings: Settings, results: Results) -> list[Row]:
    """When Example 3 collapses, what is paid before and after, and that it does not without the check."""
    agent, checked = measuring.with_checks(settings.agents[:1])
    common = f"{settings.steps} steps, {settings.seeds} seeds"
    rows = [
        mean_row(f"Example 3, {quantity}", checked, common, values)
        for quantity, key in (
            ("turn at which the copy is frozen", "frozen at"),
            ("reward a step before", "before"),
            ("reward a step after", "after"),
        )
        if (values := numbers(results, COLLAPSE, checked, key))
    ]
    rows.append(mean_row("Example 3, reward a step", agent, common, numbers(results, COLLAPSE, agent, "after")))
    for name, must in ((checked, ONLY_THE_FIRST), (agent, OTHERS)):
        shares = numbers(results, COLLAPSE, name, "first action only")
        word = UNDECIDED if not shares else ONLY_THE_FIRST if min(shares) == 1.0 else OTHERS
        condition = f"{name}, {common}"
        rows.append(word_row("Example 3 comes to pay", condition, word, must, COLLAPSES, control=name == agent))
    return rows


def observer_rows(settings: Settings, results: Results, part: str) -> list[Row]:
    """What agents earn in an environment and its opposite, and whether the reality check loses there."""
    rows = []
    common = f"{part}, with the opposite, {settings.steps} steps, {settings.seeds} seeds"
    for agent in (*settings.agents, UNCHANGING):
        means = {name: numbers(results, part, name, "mean") for name in measuring.with_checks([agent])}
        rows += [mean_row("reward a step", name, common, values) for name, values in means.items()]
        claimed = part == PUNISHED and agent != UNCHANGING
        word = measuring.effect(measuring.differences(*means.values()))
        must = measuring.LOSES if claimed else measuring.NOTHING
        source = "Alexander et al. 2021, section 6" if claimed else "Proposition 13, part 3: it never freezes"
        rows.append(word_row("the reality check", f"{agent}, {common}", word, must, source, control=not claimed))
    return rows


def battery_rows(settings: Settings, results: Results) -> list[Row]:
    """The gain over the battery, and how many punishing environments of equal weight turn its sign."""
    agent = settings.agents[0]
    common = f"{settings.steps} steps, {settings.seeds} seeds"
    gains = {
        part: measuring.differences(*(numbers(results, part, name, "mean") for name in measuring.with_checks([agent])))
        for part in (BATTERY_RUN, PUNISHED)
    }
    gain, loss = fmean(gains[BATTERY_RUN]) * len(BATTERY), -fmean(gains[PUNISHED])
    rows = [mean_row("gain of the reality check over the battery of 25", agent, common, gains[BATTERY_RUN])]
    if gain > 0 and loss > 0:
        rows.append(plain_row("punishing environments that turn the sign", agent, common, ceil(gain / loss)))
    return rows


def story(settings: Settings, results: Results) -> str:
    agent, checked = measuring.with_checks(settings.agents[:1])
    turns = numbers(results, COLLAPSE, checked, "frozen at")
    before, after = (fmean(numbers(results, COLLAPSE, name, "after")) for name in (agent, checked))
    when = f"between turn {min(turns):.0f} and {max(turns):.0f}" if turns else "in no run"
    return (
        f"In Example 3 the copy of {checked} freezes {when}; from then on it earns {after:.2f} a "
        f"step, where {agent} without the check earns {before:.2f}."
    )


def figures(settings: Settings, results: Results) -> Figures:
    axis = with_errors("reward a step", settings.seeds)
    bars = {
        part: measuring.check_bars((*settings.agents, UNCHANGING), partial(numbers, results, part, key="mean"), axis)
        for part in OBSERVERS
    }
    return {"collapse": collapse_figure(settings, results), **bars}


def collapse_figure(settings: Settings, results: Results) -> Figure:
    """Two panels, without the check and with it: what each seed has earned in its first turns."""
    figure = new_figure(9.0, 4.4)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name in zip(panels, measuring.with_checks(settings.agents[:1]), strict=True):
        draw_lives(axes, results, name)
        axes.set(title=name, xlabel="turn")
        axes.axhline(0.0, color="black", linewidth=0.6)
    panels[0].set_ylabel(f"total reward in Example 3,\none line for each of {settings.seeds} seeds")
    panels[1].legend(*panels[1].get_legend_handles_labels(), loc="upper left")
    return figure


def draw_lives(axes: Axes, results: Results, agent: str) -> None:
    """Draw the total reward of every seed, turn by turn; a dot marks where the copy is found frozen."""
    for number, life in enumerate(select(results, where=COLLAPSE, agent=agent)):
        totals = list(accumulate(life["paid"]))
        (line,) = axes.plot(range(1, len(totals) + 1), totals, linewidth=1.0, alpha=0.8)
        turn = life["frozen at"]
        if turn and turn <= len(totals):
            name = None if number else "the copy is frozen"
            axes.plot(turn, totals[turn - 1], "o", color=line.get_color(), markeredgecolor="black", label=name)
