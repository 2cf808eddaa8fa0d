"""The multi-slot interaction protocol (Orseau 2014, Def. 4): `run` a world with agents in its slots.

At each step every agent acts on its last observation. The world chooses the copy sets, and all copies happen in
parallel. The world sends a percept to every slot then occupied, and the agent there learns the transition that led to
it: a copy learns its arrival in its target slot. A deleted agent learns nothing.
"""

from collections.abc import Mapping
from functools import partial
from operator import index
from typing import TYPE_CHECKING

from multislot.checks import checked_callable, checked_parts, checked_seed, refusal, whole, wrong_type
from multislot.engine.agent import Agent, AgentFactory, VectorAgent
from multislot.engine.copy_sets import ENDLESS, checked_slot
from multislot.engine.forest import Recorder
from multislot.engine.sharing import check_sharing
from multislot.engine.slots import MOST_ALIVE, Slots, check_alive
from multislot.engine.trace import Trace
from multislot.engine.turn import CheckedTurn, Percept, settle, settle_start
from multislot.engine.world import Streams, World
from multislot.errors import MultislotError, NoAgentError, TooLargeError, WrongTypeError, bad_action, show_value

if TYPE_CHECKING:
    from multislot.engine.population import Population

Inhabitant = Agent | VectorAgent | AgentFactory
MOST_STEPS = 10**9
"""The largest number of steps; a trace of more rows would not fit into memory."""


def run(
    world: World,
    agents: Mapping[int, Inhabitant],
    steps: int,
    seed: int = 0,
    *,
    streams: Streams | None = None,
    check_sharing: bool = True,
    most: int = MOST_ALIVE,
) -> Trace:
    """Run the interaction protocol and return what happened.

    Args:
        world: the environment; the run starts it, and leaves it in its last state.
        agents: what lives in each slot at the start, or enters when the world spawns an agent there: an agent (it is
            trained in place), a factory (a fresh agent is made with the stream of its slot), or a `VectorAgent`, which
            may be in several slots.
        steps: the largest number of steps; a run ends early when no slot is occupied.
        seed: the world's randomness and, through the streams, the agents'.
        streams: ``(seed, founder slot) -> Stream`` for agents that factories make; by default the world's own.
        check_sharing: refuse a factory whose agents share what they learn (see `sharing`); False for agents that
            share on purpose.
        most: how many agents may be alive at once; it stops a world that doubles them at every step.

    The ``trace`` of every `MultislotError` during the run holds the finished steps.

    Raises:
        AgentError: agents of a factory share what they learn; nothing was run.
        TooLargeError: more than `most` agents would be alive, or the memory is not enough.
    """
    _check_settings(world, agents)
    steps, seed = whole("steps", steps, most=MOST_STEPS), checked_seed(seed)
    present = _RunState(world, agents, seed, streams or world.streams, whole("most", most))
    if check_sharing:
        present.check_factories()
    try:
        present.enter_start(world.start(seed))
        # A VectorAgent that lives in all slots, where no other agent may enter, is run in arrays.
        is_alone = len(present.populations) == 1 and not present.slots and not present.waiting
        vector = next(iter(present.populations.values())) if is_alone else None
        if vector is None:
            for _ in range(steps):
                if not present.observations:
                    break
                present.step()
        else:
            from multislot.engine.population import run_population

            run_population(world, vector, steps, present.recorder, present.slots, present.most)
    except MemoryError as error:
        alive = len(present.rows)
        remedy = f"give run() fewer steps, or most={alive}"
        large = TooLargeError(f"a step of {alive} agents needs more memory than there is; {remedy}")
        large.trace = present.trace() if present.recorder.started else None
        raise large from error
    except MultislotError as error:
        if present.recorder.started:
            error.trace = present.trace()
        raise
    return present.trace()


def _check_settings(world: World, agents: Mapping[int, Inhabitant]) -> None:
    if hasattr(world, "outcomes") and not isinstance(world, World):
        raise wrong_type("world", world, "a World", "this is a kernel: write multislot.exact.KernelWorld(kernel)")
    checked_parts("world", world, "start", "step")
    for name in ("n_observations", "n_actions"):
        whole(f"{type(world).__name__}.{name}", getattr(world, name, None), 1, ENDLESS)
    in_slots: object = agents
    if not isinstance(in_slots, Mapping):
        name = agents.__name__ if isinstance(agents, type) else "agent"
        raise WrongTypeError(
            f"got agents={show_value(agents)}; expected at least one agent and its slot; write {{1: {name}}}"
        )
    if not agents:
        raise refusal("agents", agents, "at least one agent and its slot, {1: agent}")
    for slot, inhabitant in agents.items():
        if not isinstance(inhabitant, Agent | VectorAgent):
            checked_callable(f"agents[{slot}]", inhabitant, "an agent, or a factory such as RandomAgent")


class _RunState:
    """The state of a run between two steps; agents of different kinds may live in different slots.

    Attributes:
        observations: the last observation in every occupied slot; its keys are the agent set.
        slots: the agents that act for one slot.
        populations: the agents that act for several slots.
        waiting: agents and factories for slots that are still empty.
        rows: the last recorded row of every slot, ascending; some agents may have ended since.
    """

    def __init__(self, world: World, agents: Mapping[int, Inhabitant], seed: int, streams: Streams, most: int) -> None:
        self.world, self.seed, self.streams, self.most = world, seed, streams, most
        self.waiting = {checked_slot(slot, 0): inhabitant for slot, inhabitant in agents.items()}
        self.observations: dict[int, int] = {}
        self.populations: "dict[int, Population]" = {}
        self.population_of: "dict[int, Population]" = {}
        self.recorder = Recorder()
        self.rows: dict[int, int] = {}
        self.now = 0
        self.slots = Slots({})
        world.receive(self.slots)

    def enter_start(self, percepts: Mapping[int, Percept]) -> None:
        received_by = settle_start(percepts, self.world.n_observations, self.slots.simulated)
        check_alive(len(received_by), self.most, 0)
        self.slots.check_newcomers({slot: a for slot, a in self.waiting.items() if isinstance(a, Agent)})
        individuals: dict[int, Agent] = {}
        rows_of: "dict[Population, list[int]]" = {}
        for slot in received_by:
            inhabitant = self._take_inhabitant(slot)
            if isinstance(inhabitant, VectorAgent):
                from multislot.engine.population import Population

                population = self.populations.setdefault(id(inhabitant), Population(inhabitant))
                rows_of.setdefault(population, []).append(slot)
                self.population_of[slot] = population
            else:
                individuals[slot] = inhabitant
        self.slots.check_newcomers(individuals)
        self.slots.enter(individuals)
        for population, rows in rows_of.items():
            population.enter(rows, [received_by[slot].observation for slot in rows])
        self._record(received_by, {})

    def trace(self) -> Trace:
        return Trace(**self.recorder.columns(), simulated=tuple(self.slots.births))

    def check_factories(self) -> None:
        """Raise AgentError if agents of a factory share what they learn; each factory is tried once."""
        factories = {id(maker): (slot, maker) for slot, maker in self.waiting.items() if not isinstance(maker, Agent)}
        for slot, maker in factories.values():
            if not isinstance(maker, VectorAgent):
                check_sharing(maker, partial(self.make, maker, slot), self.world.n_observations)

    def step(self) -> None:
        """Run one step of the protocol; on an error the slots are as before it."""
        self.now += 1
        now, observations = self.now, self.observations
        self.slots.step = now
        actions = self._ask_agents()
        turn = self.world.step(dict(sorted(actions.items())))  # in a new mapping, which the world may keep or change
        settled = settle(turn, observations, self.world.n_observations, now, self.slots.simulated)
        check_alive(len(settled.percepts), self.most, now)
        entering = self._make_entering(settled.spawned) if settled.spawned else None
        for slot in self.rows:
            self.recorder.action.append(actions.get(slot, 0))
        self._copy(settled, actions)
        if entering:
            self.slots.enter(entering)
        self._record(settled.percepts, settled.sources)
        for slot in settled.ended:
            self._leave(slot)

    def _ask_agents(self) -> dict[int, int]:
        n_actions, observations, actions = self.world.n_actions, self.observations, {}
        for slot, agent in self.slots.items():
            action = agent.act(observations[slot])
            try:
                action = index(action)
            except TypeError:
                raise bad_action(action, n_actions, slot, self.now) from None
            if not 0 <= action < n_actions:
                raise bad_action(action, n_actions, slot, self.now)
            actions[slot] = action
        for population in self.populations.values():
            answers = population.act(n_actions, self.now)
            actions.update(zip(population.slots.tolist(), answers.tolist(), strict=True))
        return actions

    def _copy(self, settled: CheckedTurn, actions: dict[int, int]) -> None:
        """Copy everyone in parallel, then let every copy learn its arrival."""
        sources, _, percepts, ended = settled
        observations, individuals = self.observations, sources
        if self.populations:
            individuals = {target: source for target, source in sources.items() if source in self.slots}
            before = self.population_of
            self.population_of = {target: before[source] for target, source in sources.items() if source in before}
            for population in self.populations.values():
                targets = sorted(target for target, owner in self.population_of.items() if owner is population)
                population.arrive(targets, sources, actions, percepts)
        agents = self.slots.apply(individuals)
        for target, source in individuals.items():
            percept = percepts[target]
            if target in ended:
                agents[target].learn_last(observations[source], actions[source], percept.reward)
            else:
                agents[target].learn(observations[source], actions[source], percept.reward, percept.observation)

    def _record(self, percepts: dict[int, Percept], sources: dict[int, int]) -> None:
        self.rows = self.recorder.record(percepts, sources, self.rows)
        self.observations = {slot: percept.observation for slot, percept in percepts.items()}

    def _take_inhabitant(self, slot: int) -> Agent | VectorAgent:
        if slot not in self.waiting:
            waiting = ", ".join(map(str, sorted(self.waiting))) or "none left"
            raise NoAgentError(
                "the world fills the slot but run() was given no agent for it",
                f"give run() an agent or a factory for slot {slot} (given: {waiting})",
                slot,
                self.now,
            )
        inhabitant = self.waiting[slot]
        if isinstance(inhabitant, Agent | VectorAgent):
            return self.waiting.pop(slot)  # type: ignore[return-value]
        return self.make(inhabitant, slot)

    def make(self, factory: AgentFactory, slot: int) -> Agent:
        agent = factory(self.world.n_observations, self.world.n_actions, self.streams(self.seed, slot))
        if not isinstance(agent, Agent | VectorAgent):
            raise refusal(f"agents[{slot}](…)", agent, "a multislot.Agent", "return one from the factory")
        return agent

    def _make_entering(self, slots: tuple[int, ...]) -> dict[int, Agent]:
        """The fresh agents for slots, checked before anything moves."""
        entering: dict[int, Agent] = {}
        for slot in slots:
            inhabitant = self._take_inhabitant(slot)
            if isinstance(inhabitant, VectorAgent):
                raise NoAgentError(
                    "a VectorAgent cannot enter during a run", "give run() an Agent or a factory", slot, self.now
                )
            entering[slot] = inhabitant
        self.slots.check_newcomers(entering)
        return entering

    def _leave(self, slot: int) -> None:
        del self.observations[slot]
        self.recorder.silent.append(self.rows[slot])
        if slot in self.population_of:
            self.population_of.pop(slot).drop((slot,))
        else:
            self.slots.delete(slot)
