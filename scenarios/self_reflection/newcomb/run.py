"""``newcomb``: what fixed policies and learners get in Example 7 of Alexander et al. 2021.

Money is paid in millions to learners, whose step sizes and networks are made for rewards of about 1; the table is in
units of money.
"""

from collections.abc import Sequence
from statistics import fmean

from extenv.battery import make
from multislot.statistics import mean_and_error, student, verdict
from scenarios.lab.table import Measured
from scenarios.self_reflection.measuring import AgentCell, agent_cells, begun, factory_of, fixed_policies
from scenarios.self_reflection.newcomb.settings import Settings

BLOCKS = 50
LAST = BLOCKS // 2
MILLION = 1_000_000
MOST_TURNS = 0.9
ONE_BOX, BOTH_BOXES = "one box", "both boxes, too often"
UNTAUGHT = "Random"
"""The control: an agent that learns nothing."""
FIXED = fixed_policies("always one box", "always both boxes")
Result = dict[str, object]
Results = Sequence[tuple[AgentCell, Result]]
MORAL = (
    "No theory of decision is needed to take one box. A learner that knows nothing of predictors is paid more\n"
    "when it takes one, and learns from what it is paid."
)


def cells(settings: Settings) -> list[AgentCell]:
    """Return a cell for each fixed policy, and for every learner and the control with every seed."""
    return [*agent_cells(FIXED, settings.steps, 1), *agent_cells(learners(settings), settings.steps, settings.seeds)]


def learners(settings: Settings) -> tuple[str, ...]:
    """Return the learners, and the agent that learns nothing."""
    return tuple(dict.fromkeys((*settings.agents, UNTAUGHT)))


def run_cell(cell: AgentCell) -> Result:
    """Return, for each of 50 parts of the run, money a turn and the share of turns on which one box is taken."""
    factory = factory_of(cell.agent, FIXED)
    environment = make("NewcombEnvironment" if cell.agent in FIXED else "NormalisedNewcombEnvironment")
    unit = 1 if cell.agent in FIXED else MILLION
    agent, observation = begun(environment, factory, cell.seed)
    money, one_box = [], []
    for _ in range(cell.steps):
        action = agent.act(observation)
        reward, following = environment.step(action)
        agent.learn(observation, action, reward, following)
        observation = following
        money.append(round(reward * unit))
        one_box.append(action == 0)
    parts = [slice(cell.steps * part // BLOCKS, cell.steps * (part + 1) // BLOCKS) for part in range(BLOCKS)]
    return {"money": [fmean(money[part]) for part in parts], "one box": [fmean(one_box[part]) for part in parts]}


def by_agent(results: Results, agent: str, key: str) -> list[list[float]]:
    """Return one series of 50 numbers a seed."""
    return [result[key] for cell, result in results if cell.agent == agent]  # type: ignore[misc]  # from JSON


def table(settings: Settings, results: Results) -> list[Measured]:
    """Return money a turn; for learners also one-boxing in the second half, and a verdict."""
    rows = [Measured("money a turn", agent, fmean(by_agent(results, agent, "money")[0])) for agent in FIXED]
    for agent in learners(settings):
        condition = f"{agent}, second half of {settings.steps} turns, {settings.seeds} seeds"
        for quantity, key in (("money a turn", "money"), ("share of turns with one box", "one box")):
            means = [fmean(series[LAST:]) for series in by_agent(results, agent, key)]
            rows.append(Measured(quantity, condition, *mean_and_error(means)))
        learned = f"{agent}, on over {MOST_TURNS:.0%} of the turns"
        taken, control = comes_to_take(means), agent == UNTAUGHT
        rows.append(
            Measured(
                "learners come to take",
                learned,
                taken,
                paper=BOTH_BOXES if control else ONE_BOX,
                kind="control" if control else "claim",
            )
        )
    return rows


def comes_to_take(shares: Sequence[float]) -> str:
    """Return what learners come to take, by their shares of turns with one box, a seed each; one decides nothing."""
    return verdict(student(shares), MOST_TURNS, BOTH_BOXES, ONE_BOX)
