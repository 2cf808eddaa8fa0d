"""How self-reflective are seven agents, with and without a check that repeats one action after an impossible past?

Alexander et al. 2021, Table 2.
The measure is the reward per step over the battery of 25 extended environments and their opposites, with 100,000 steps
and five seeds (Alexander et al. 2021, section 6). With the authors' stored random numbers, seven cells of the table are
equal to the printed ones to four decimals. Our uncertainty is the true standard error. The paper's ± is the sample
deviation over the seeds divided by 5, not by √5.

For the reality check of Simple the difference is within chance. The released runs of Simple did not read the seeded
stream of the environments. On the opposite of TemptingButton its score is either about -0.5 or +1 (on 41 % of 200
seeds), and its score on the Variation is similar. So the measure of one seed has a standard deviation of 0.022, and a
mean of five a standard error of 0.010. The paper prints 0.7146, and we get 0.7007: this is one standard error of a
difference. (One released run is missing, seed 2 in the opposite of NthRewardMultipliedByN. With the +99,998 that it
must give, the paper would print 0.7157.)

Deep agents are trained by the one-hot trainer, as in the released experiments. With --full all agents run with ten
seeds, the paper's five and five more. A2C and PPO meet SelfRecognition as in the released runs, where every claim
counts as false. Most totals of DQN are equal to the released ones. If rounding decides an action, the totals differ,
but have the same distribution. The measure of deep agents must be within three true standard errors of a mean over as
many seeds.
"""

from dataclasses import dataclass

from extenv.measuring.comparison import compare
from extenv.measuring.plots import with_errors
from scenarios.lab.cells import Figures, Result, Results
from scenarios.self_reflection import measuring
from scenarios.self_reflection.self_reflection.table_2 import measure_agents, table  # noqa: F401 - for the registry
from scenarios.self_reflection.stored_totals import wins_and_losses


@dataclass(frozen=True)
class Settings(measuring.BatterySettings):
    """Which agents are measured, how long and how often."""


QUICK = Settings(steps=500, seeds=2)
FULL = Settings(agents=(*measuring.TABLE_AGENTS, *measuring.DEEP), seeds=10)

MORAL = (
    "To repeat one action after an impossible past (a reality check) does not help every agent. With a reality check,\n"
    "the Q-learner and, with --full, DQN, A2C and PPO have a higher mean reward, but the agent Simple has a lower\n"
    "one. Random and constant agents have a mean reward of 0, since each environment's opposite negates all rewards."
)


def cells(settings: Settings) -> list[measuring.AgentCell]:
    return settings.cells()


def run_cell(cell: measuring.AgentCell) -> Result:
    return cell.totals()


def story(settings: Settings, results: Results) -> str:
    """Say where reality checks win and lose, and why the printed measure of RC(Simple) agrees only within chance."""
    measurements = measure_agents(settings, results)
    pairs = [(measurements[agent], measurements[f"RC({agent})"]) for agent in settings.agents]
    lines = [f"{plain.agent}: {plain.mean:.4f}, reality check {checked.mean:.4f}" for plain, checked in pairs]
    if settings.seeds > 1:
        lines += [
            f"{checked.agent} against {plain.agent}, with opposites: {word} in {', '.join(names) or 'no environment'}"
            for plain, checked in pairs
            for word, names in wins_and_losses(compare(plain, checked)).items()
        ]
    if "Simple" in settings.agents:
        lines.append(
            "RC(Simple): the paper prints 0.7146, five seeds here give 0.7007. The measure of a seed has a deviation "
            "of 0.022, so that two means of five differ by as much (0.0139) about every third time."
        )
    return "\n".join(lines)


def figures(settings: Settings, results: Results) -> Figures:
    measurements = measure_agents(settings, results)
    axis = with_errors("self-reflection measure", settings.seeds)
    bars = measuring.check_bars(settings.agents, lambda name: list(measurements[name].by_seed.values()), axis)
    by_agent = {agent: measurements[agent].plot(measurements[f"RC({agent})"]) for agent in settings.agents}
    return {"measures": bars, **by_agent}
