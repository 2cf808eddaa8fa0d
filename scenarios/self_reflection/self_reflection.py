"""How self-reflective are Random, Constant, Simple, Q, DQN, A2C and PPO, and their reality checks?

Alexander et al. 2021, Table 2.
Reward per step over the battery of 25 extended environments and their opposites, 100,000 steps, five seeds (Alexander
et al. 2021, section 6). With the authors' store of random numbers seven cells come out as printed to four decimals.

The reality check of Simple is compared within chance: the released runs of Simple did not read the seeded stream of the
environments. Its score on the opposite of TemptingButton is bimodal, about -0.5 or +1 (on 41 % of 200 seeds), and that
of the Variation goes with it. So the measure of one seed has a standard deviation of 0.022, and a mean of five a
standard error of 0.010. Printed are 0.7146, ours are 0.7007: one standard error of a difference. (One released run is
missing, seed 2 in the opposite of NthRewardMultipliedByN; with the +99,998 that it must give, 0.7157 would be printed.)

The paper's ± is the sample deviation over the seeds divided by 5 instead of √5; the true standard error is this
table's uncertainty. After a break the same command continues: finished environments are not run again.

Deep agents are trained as in the released experiments, by the one-hot trainer, some 0.4 s a run: --full runs all
agents with ten seeds, the paper's five and five more, in about ten minutes on two cores. Their random numbers are those
of the released runs (one generator of NumPy and one of torch, which every newly made model sets back), and A2C and PPO
meet SelfRecognition as they met it there, where every claim counts as false. So most released totals of A2C and DQN
come out to the last digit. Where rounding decides, and for PPO, whose 320 updates a lot make it grow, they come out in
distribution. Every cell is compared with the authors' released totals both ways. The measure of deep agents is compared
within three true standard errors of a mean over as many seeds.
"""

from dataclasses import dataclass

from scenarios.lab.cells import Result
from scenarios.self_reflection.measuring import DEEP, TABLE_AGENTS, AgentCell, BatterySettings
from scenarios.self_reflection.table2 import figures as figures
from scenarios.self_reflection.table2 import story as story
from scenarios.self_reflection.table2 import table as table


@dataclass(frozen=True)
class Settings(BatterySettings):
    """Which agents are measured, how long and how often."""


QUICK = Settings(steps=500, seeds=2)
FULL = Settings(agents=(*TABLE_AGENTS, *DEEP), seeds=10)

MORAL = (
    "A reality check does not make every agent better. The learners gain by it in the mean of the battery: Q, and\n"
    "with --full DQN, A2C and PPO. Random and constant agents stay at 0, since every environment counts together\n"
    "with its opposite. Simple loses."
)


def cells(settings: Settings) -> list[AgentCell]:
    return settings.cells()


def run_cell(cell: AgentCell) -> Result:
    return cell.totals()
