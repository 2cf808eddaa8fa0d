"""How do learners do in the example environments of Alexander (2022), taken together as one test?

Alexander 2022, Examples 1-5 and 7-13, exact functions of (agent, play). A practical learner is lifted: a copy is
trained on the prompt and then acts. "We conjecture that traditional RL agents would perform poorly in these extended
environments" (section 1). "Poorly" here means less than halfway between guessing and always being right. Controls: an
agent that never changes does well where the learner does poorly; where the learner does well, one that acts by a hash
of all its past does poorly.

The first paper's Conjecture 12 says that the reality check is an improvement on average. It is a large one in Example 1
and a loss in Backward Consciousness, with the mirror and with binocular vision: there the imagined past is nearly the
agent's own, so freezing only makes it act wrongly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated

from pydantic import Field

from extenv.formal import interact, rewards
from extenv.measuring.plots import rows_of_points, with_errors
from extenv.measuring.running import stored_streams
from multislot.statistics import student, verdict
from scenarios.lab.cells import Figures, Result, Results, collect
from scenarios.lab.table import Row, mean_row, word_row
from scenarios.self_reflection import measuring
from scenarios.self_reflection.formal_battery.examples import (
    EXAMPLES,
    HANDICAPS,
    HASHING,
    TOLD,
    UNHINDERED,
    formal_agent,
    percepts_of_hash_agents,
    tell_answers,
)


@dataclass(frozen=True)
class Settings:
    """Which learners, how long and how often."""

    agents: measuring.TabularNames = ("Constant", "Simple", "Naive", "Q")
    steps: Annotated[int, Field(ge=2, le=1000, description="turns a run")] = 60
    seeds: Annotated[int, Field(ge=1, description="independent streams of the learners, 1 … n")] = 10


QUICK = Settings(agents=("Constant", "Q"), steps=30, seeds=6)
FULL = Settings(steps=200, seeds=20)


LEARNER, UNCHANGING = "Q", "Constant"
POORLY, WELL = "poorly", "well"
CONJECTURE = "Alexander 2022, section 1: traditional agents would perform poorly"
HANDICAPPED = "Alexander 2022, Example 6: whoever violates it is punished and forfeits the reward"
ON_AVERAGE = "Alexander et al. 2021, Conjecture 12"
WELL_DONE = (
    "2 false memories",
    "3 backward consciousness",
    "4 deja vu",
    "7 self-insertion",
    "8 mirror",
    "9 binocular vision",
)
"""The examples in which the conjecture does not hold for a Q-learner: it does well there."""
LOST = ("3 backward consciousness", "8 mirror", "9 binocular vision")
"""The examples in which a Q-learner's reality check loses."""
CONTROLS = {
    UNCHANGING: ("1 ignoring rewards", "5 incentive to incentivize", "10 crying baby"),
    TOLD: tuple(name for name in EXAMPLES if name.startswith(("11 ", "12 "))),
    HASHING: WELL_DONE,
}
"""The agents that differ from the learner, and where. An agent that never changes does well where the learner does
poorly. Where an agent must recognize itself, one that knows the answers by heart does well. An agent that acts
differently after any other past does poorly where the learner does well."""


MORAL = (
    "A Q-learner does poorly in some of the paper's examples, as the paper conjectures, and well in others. What a\n"
    "Q-learner learns hardly depends on the order of its experiences, so it does well where only this order changes."
)


def cells(settings: Settings) -> list[measuring.AgentCell]:
    size = settings.steps, settings.seeds
    controls = (HASHING, TOLD) if LEARNER in settings.agents else ()
    return [
        *measuring.agent_cells(measuring.with_checks(settings.agents), *size, tuple(EXAMPLES)),
        *(cell for control in controls for cell in measuring.agent_cells([control], *size, where=CONTROLS[control])),
    ]


def run_cell(cell: measuring.AgentCell) -> Result:
    """The mean reward of a turn, exactly computed and then rounded; the first percept answers no action."""
    environment = EXAMPLES[cell.where].environment
    if cell.agent == TOLD:
        agent = tell_answers(environment, cell.steps)
    else:
        agent = formal_agent(cell.agent, stored_streams(cell.seed)[0])
    paid = rewards(interact(agent, environment, cell.steps + 1))[1:]
    return {"reward": float(sum(paid) / len(paid))}


def rewards_of(results: Results, example: str, agent: str) -> list[float]:
    """Reward a turn, one number a seed."""
    return [float(reward) for reward in collect(results, "reward", where=example, agent=agent)]


def gains_of(results: Results, example: str, agent: str) -> list[float]:
    """What the reality check gains a turn, one number a seed."""
    return measuring.differences(*(rewards_of(results, example, name) for name in measuring.with_checks([agent])))


def table(settings: Settings, results: Results) -> list[Row]:
    common = f"{settings.steps} turns, {settings.seeds} seeds"
    rows = [
        mean_row(f"reward a turn, {name}", example, common, rewards_of(results, example, name))
        for example in EXAMPLES
        for name in measuring.with_checks(settings.agents)
    ]
    after_plays = "percepts of three hash agents after nine plays"
    rows += [Row(after_plays, name, percepts_of_hash_agents(example.environment)) for name, example in EXAMPLES.items()]
    if LEARNER in settings.agents:
        rows += [poor_row(results, example, LEARNER, common) for example in EXAMPLES if bounded(example)]
        rows += [poor_row(results, example, agent, common) for agent in (HASHING, TOLD) for example in CONTROLS[agent]]
    if UNCHANGING in settings.agents:
        rows += [poor_row(results, example, UNCHANGING, common) for example in CONTROLS[UNCHANGING]]
    for agent in (LEARNER, UNCHANGING):
        if agent in settings.agents:
            rows += gain_rows(results, agent, common)
            rows += [handicap_row(results, name, agent, common) for name in HANDICAPS if name != UNHINDERED]
    return rows


def handicap_row(results: Results, example: str, agent: str, common: str) -> Row:
    """What a handicap does to the reward of Example 6's game: nothing, to an agent that never changes."""
    gains = measuring.differences(*(rewards_of(results, name, agent) for name in (UNHINDERED, example)))
    control = agent == UNCHANGING
    condition, must = f"{agent}, {example}, {common}", measuring.NOTHING if control else measuring.LOSES
    return word_row("under the handicap", condition, measuring.effect(gains), must, HANDICAPPED, control=control)


def bounded(example: str) -> bool:
    """Whether the rewards of an example are bounded, so that one can do poorly."""
    return EXAMPLES[example].right is not None


def poor_row(results: Results, example: str, agent: str, common: str) -> Row:
    """Whether an agent does poorly in an example: a claim for the learner, for others a control."""
    word = word_for(rewards_of(results, example, agent), EXAMPLES[example].halfway)
    does_well = agent in {UNCHANGING, TOLD} or (agent == LEARNER and example in WELL_DONE)
    must, control = WELL if does_well else POORLY, agent != LEARNER
    conjecture = POORLY if does_well and not control else None
    where = f"{agent}, {example}, {common}"
    return word_row("performs", where, word, must, CONJECTURE, control=control, conjecture=conjecture)


def word_for(earned: Sequence[float], halfway: float) -> str:
    """Whether a mean reward lies below halfway between guessing and being right; one seed decides nothing."""
    if len(set(earned)) == 1 and len(earned) > 1:
        return POORLY if earned[0] < halfway else WELL
    return verdict(student(earned), halfway, POORLY, WELL)


def gain_rows(results: Results, agent: str, common: str) -> list[Row]:
    """What the reality check gains on average and where it is expected to lose; nothing, if nothing changes."""
    by_example = [gains_of(results, example, agent) for example in EXAMPLES if bounded(example)]
    average = [fmean(gains) for gains in zip(*by_example, strict=True)]
    rows = [mean_row("gain of the reality check, all bounded examples", agent, common, average)]
    control = agent == UNCHANGING
    expected = {"on average": (average, measuring.GAINS)} | {
        example: (gains_of(results, example, agent), measuring.LOSES) for example in LOST
    }
    return rows + [
        word_row(
            "the reality check",
            f"{agent}, {where}, {common}",
            measuring.effect(gains),
            measuring.NOTHING if control else word,
            ON_AVERAGE + ("" if word == measuring.GAINS else ", about the average alone: here a part of it"),
            control=control,
        )
        for where, (gains, word) in expected.items()
    ]


def story(settings: Settings, results: Results) -> str:
    if LEARNER not in settings.agents:
        return ""
    well = [
        name
        for name in EXAMPLES
        if bounded(name) and fmean(rewards_of(results, name, LEARNER)) >= EXAMPLES[name].halfway
    ]
    backward = [fmean(rewards_of(results, LOST[0], name)) for name in measuring.with_checks([LEARNER])]
    return (
        f"A lifted Q-learner earns {backward[0]:.2f} a turn in Backward Consciousness and its reality check "
        f"{backward[1]:.2f}. It does well, against the conjecture, in: {', '.join(well) or 'no example'}."
    )


def figures(settings: Settings, results: Results) -> Figures:
    panels = {
        title: [
            (agent, [rewards_of(results, example, name.format(agent)) for example in EXAMPLES])
            for agent in settings.agents
        ]
        for title, name in (("agents", "{}"), ("their reality checks", "RC({})"))
    }
    return {"formal-battery": rows_of_points(list(EXAMPLES), panels, with_errors("reward a turn", settings.seeds))}
