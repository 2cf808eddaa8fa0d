"""When does the reality check help, and who can fool it?

Alexander et al. 2021, sections 5 and 6. The paper argues with Example 3, which pays for ignoring rewards. Sooner or
later the copy's past is one that the agent cannot have had. The copy then freezes on its first action, and "the
environment's paradoxical behavior collapses": from then on it pays for that action and nothing else. The turn of the
collapse and what is paid before and after are shown run by run. The control is the agent without the check, whose
environment never collapses.

Section 6 describes an environment that punishes agents who freeze. There the check loses, in the environment and its
opposite together, so Conjecture 12 ("outperforms on average") depends on how environments are weighed: enough such
environments added to the battery turn its sign. The controls are the same environment with lessons that the copy could
have lived itself, where the check never freezes and changes nothing, and an agent that never changes.
"""

from dataclasses import dataclass
from itertools import accumulate
from math import ceil
from statistics import fmean
from typing import Annotated

from pydantic import Field

from extenv.battery import BATTERY
from extenv.catalogue.other_rewards import IgnoreRewards
from extenv.catalogue.thought_experiments import PunishRealityCheck
from extenv.environment import ExtendedEnvironment
from extenv.measuring.plots import Series, columns_of_bars, with_errors
from extenv.measuring.running import run
from extenv.reality_checks import reality_check
from multislot.drawing.showing import new_figure
from multislot.statistics import UNDECIDED
from scenarios.lab.cells import Axes, Figure, Figures, Result, Results, select
from scenarios.lab.table import Row, mean_row, plain_row, word_row
from scenarios.self_reflection import measuring
from scenarios.self_reflection.measuring import totals


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


def cells(settings: Settings) -> list[measuring.AgentCell]:
    size, first = (settings.steps, settings.seeds, (False, True)), settings.agents[:1]
    everybody = dict.fromkeys((*settings.agents, UNCHANGING))
    return [
        *measuring.agent_cells(everybody, *size, tuple(OBSERVERS)),
        *measuring.agent_cells(first, *size, (COLLAPSE, BATTERY_RUN)),
    ]


def run_cell(cell: measuring.AgentCell) -> Result:
    if cell.where == COLLAPSE:
        return collapse(cell)
    factory = measuring.agent_factory(cell.agent, cell.checked, "first")
    if cell.where == BATTERY_RUN:
        return {"mean": fmean(totals(factory, BATTERY, cell.steps, cell.seed).values()) / cell.steps}
    scores = [
        run(OBSERVERS[cell.where], factory, steps=cell.steps, seed=cell.seed, opposite=opposite).mean_reward
        for opposite in (False, True)
    ]
    return {"scores": scores, "mean": fmean(scores)}


def collapse(cell: measuring.AgentCell) -> Result:
    """When the copy freezes in Example 3, if it does, and what is paid for which action.

    "paid" are the rewards of the first turns. "first action only" is the share of the turns after the
    freezing at which exactly the first action is paid; without a reality check, of all turns.
    """
    factory = measuring.agent_factory(cell.agent)
    environment = IgnoreRewards()
    agent, observation = measuring.begin(environment, reality_check(factory) if cell.checked else factory, cell.seed)
    first, frozen_at, paid, as_first = agent.act(observation), None, [], []
    for turn in range(1, cell.steps + 1):
        if frozen_at is None and getattr(environment.simulated, "frozen", False):
            frozen_at = turn
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        paid.append(reward)
        if not cell.checked or frozen_at is not None:
            as_first.append((reward > 0) == (action == first))
    return {
        "frozen at": frozen_at,
        "paid": paid[:SHOWN],
        "before": fmean(paid[: frozen_at - 1]) if frozen_at and frozen_at > 1 else None,
        "after": fmean(paid[(frozen_at or 1) - 1 :]),
        "first action only": fmean(as_first) if as_first else None,
    }


def numbers(results: Results, part: str, agent: str, checked: bool, key: str) -> list[float]:
    """One number a seed; a seed without this number is left out."""
    cells = select(results, where=part, agent=agent, checked=checked)
    return [float(result[key]) for result in cells if result[key] is not None]


def table(settings: Settings, results: Results) -> list[Row]:
    return [
        *collapse_rows(settings, results),
        *(row for part in OBSERVERS for row in observer_rows(settings, results, part)),
        *battery_rows(settings, results),
    ]


def collapse_rows(settings: Settings, results: Results) -> list[Row]:
    """When Example 3 collapses, what is paid before and after, and that it does not without the check."""
    agent = settings.agents[0]
    common = f"{settings.steps} steps, {settings.seeds} seeds"
    rows = [
        mean_row(f"Example 3, {quantity}", measuring.label(agent, True), common, values)
        for quantity, key in (
            ("turn at which the copy is frozen", "frozen at"),
            ("reward a step before", "before"),
            ("reward a step after", "after"),
        )
        if (values := numbers(results, COLLAPSE, agent, True, key))
    ]
    unchecked = numbers(results, COLLAPSE, agent, False, "after")
    rows.append(mean_row("Example 3, reward a step", agent, common, unchecked))
    for checked in (True, False):
        shares = numbers(results, COLLAPSE, agent, checked, "first action only")
        word = UNDECIDED if not shares else ONLY_THE_FIRST if min(shares) == 1.0 else OTHERS
        condition, must = f"{measuring.label(agent, checked)}, {common}", ONLY_THE_FIRST if checked else OTHERS
        rows.append(word_row("Example 3 comes to pay", condition, word, must, COLLAPSES, control=not checked))
    return rows


def observer_rows(settings: Settings, results: Results, part: str) -> list[Row]:
    """What agents earn in an environment and its opposite, and whether the reality check loses there."""
    rows = []
    common = f"{part}, with the opposite, {settings.steps} steps, {settings.seeds} seeds"
    for agent in (*settings.agents, UNCHANGING):
        plain, checked = (numbers(results, part, agent, is_checked, "mean") for is_checked in (False, True))
        rows += [mean_row("reward a step", agent, common, plain)]
        rows += [mean_row("reward a step", measuring.label(agent, True), common, checked)]
        claimed = part == PUNISHED and agent != UNCHANGING
        word, must = (
            measuring.effect(measuring.differences(plain, checked)),
            measuring.LOSES if claimed else measuring.NOTHING,
        )
        source = "Alexander et al. 2021, section 6" if claimed else "Proposition 13, part 3: it never freezes"
        rows.append(word_row("the reality check", f"{agent}, {common}", word, must, source, control=not claimed))
    return rows


def battery_rows(settings: Settings, results: Results) -> list[Row]:
    """The gain over the battery, and how many punishing environments of equal weight turn its sign."""
    agent = settings.agents[0]
    common = f"{settings.steps} steps, {settings.seeds} seeds"
    gains = {
        part: measuring.differences(*(numbers(results, part, agent, checked, "mean") for checked in (False, True)))
        for part in (BATTERY_RUN, PUNISHED)
    }
    gain, loss = fmean(gains[BATTERY_RUN]) * len(BATTERY), -fmean(gains[PUNISHED])
    rows = [mean_row("gain of the reality check over the battery of 25", agent, common, gains[BATTERY_RUN])]
    if gain > 0 and loss > 0:
        rows.append(plain_row("punishing environments that turn the sign", agent, common, ceil(gain / loss)))
    return rows


def story(settings: Settings, results: Results) -> str:
    agent = settings.agents[0]
    turns = numbers(results, COLLAPSE, agent, True, "frozen at")
    before, after = (fmean(numbers(results, COLLAPSE, agent, checked, "after")) for checked in (False, True))
    when = f"between turn {min(turns):.0f} and {max(turns):.0f}" if turns else "in no run"
    return (
        f"In Example 3 the copy of {measuring.label(agent, True)} freezes {when}; from then on it earns {after:.2f} a "
        f"step, where {agent} without the check earns {before:.2f}."
    )


def figures(settings: Settings, results: Results) -> Figures:
    agents = (*settings.agents, UNCHANGING)
    axis = with_errors("reward a step", settings.seeds)
    bars = {
        part: columns_of_bars(
            agents,
            [
                Series.of(name, [numbers(results, part, agent, checked, "mean") for agent in agents])
                for name, checked in (("agent", False), ("its reality check", True))
            ],
            axis,
        )
        for part in OBSERVERS
    }
    return {"collapse": collapse_figure(settings, results), **bars}


def collapse_figure(settings: Settings, results: Results) -> Figure:
    """Two panels, without the check and with it: what each seed has earned in its first turns."""
    figure = new_figure(9.0, 4.4)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, checked in zip(panels, (False, True), strict=True):
        draw_lives(axes, results, checked)
        axes.set(title=measuring.label(settings.agents[0], checked), xlabel="turn")
        axes.axhline(0.0, color="black", linewidth=0.6)
    panels[0].set_ylabel(f"total reward in Example 3,\none line for each of {settings.seeds} seeds")
    panels[1].legend(*panels[1].get_legend_handles_labels(), loc="upper left")
    return figure


def draw_lives(axes: Axes, results: Results, checked: bool) -> None:
    """Draw the total reward of every seed, turn by turn; a dot marks where the copy is found frozen."""
    for number, life in enumerate(select(results, where=COLLAPSE, checked=checked)):
        totals = list(accumulate(life["paid"]))
        (line,) = axes.plot(range(1, len(totals) + 1), totals, linewidth=1.0, alpha=0.8)
        turn = life["frozen at"]
        if turn and turn <= len(totals):
            name = None if number else "the copy is frozen"
            axes.plot(turn, totals[turn - 1], "o", color=line.get_color(), markeredgecolor="black", label=name)
