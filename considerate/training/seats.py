"""Several unmodified Stable-Baselines3 models in one PettingZoo environment: whose turn it is, and what each sees.

Each learner runs its own ``learn()`` in a greenlet of its own, so that one runs at any time. A learner's environment,
`Seats`, hands its actions over and waits until it is asked again. The learner that acts last steps the world. So
results depend on seeds only. The global generators (Python's, NumPy's and PyTorch's) are exchanged when the learner
changes; with a single learner nothing is exchanged, and its numbers are those of the algorithm alone.

A row of `Seats` is a place for an agent. An agent that dies ends an episode there, and the place is free for the next
one. A learner with several rows acts when at least one of them is due: with two learners in two worlds, each could wait
for the other if it waited for all of its rows. The other rows are *padded*: their actions are discarded, `Padded` and
`PaddedReplay` keep them out of every update, and `Seats.hold` keeps them out of memories. A reward that arrives in a
later step, because others act in between, belongs to the row's last action.

Greenlets, and not threads: a switch takes 0.6 µs instead of 11 µs, and both draw the same numbers in the same order
(``benchmarks/train_together.py``). An error or Ctrl-C in a learner ends all with its own traceback, and nobody waits
for a lock.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from copy import copy, deepcopy
from inspect import signature
from typing import Any

import gymnasium
import numpy as np
import torch
from greenlet import GreenletExit, greenlet
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import DictReplayBuffer, ReplayBuffer, RolloutBuffer
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import DummyVecEnv, VecTransposeImage

from considerate.training.evaluation import OWN_RETURN, check_spaces
from considerate.training.views import EMPTY_EPISODES, mask_of
from considerate.wrappers import ORIGINAL, reward_of
from multislot.checks import refusal
from multislot.errors import SettingError

_legacy: Any = np.random  # NumPy's stubs do not list how its global generator is exchanged
ONE = gymnasium.spaces.Discrete(1)
LONELY_EPISODES = 100
"""When all other learners have ended, a learner without an agent is waited for during so many episodes."""
MEMORY = {"hidden_states_pi", "cell_states_pi", "hidden_states_vf", "cell_states_vf"}
COLUMNS = {"observations", "actions", "values", "log_probs", "action_masks", "episode_starts", "advantages", "returns"}
"""What updates need of each step, besides the memory of a recurrent policy; some buffers have no masks."""


class Generators:
    """The present states of the global generators, and whether PyTorch computes gradients, to go on with later.

    Reading the state of Python's generator takes longer than all else, and hardly any learner uses it. So one word is
    drawn instead. If it is the first one after the state that was entered, nothing was drawn (of 2³² learners that did
    draw, one is missed). Otherwise the state is read, and goes back by one word. If a second normal number is kept in
    the state, the state is always read, because using that number draws no word.

    Args:
        entered: the states that were entered last; None if that is not known. Then NumPy's second normal number is
            kept, too, which only a copy of its state has.
    """

    def __init__(self, entered: "Generators | None" = None) -> None:
        self.numpy = _legacy.get_bit_generator()
        self.copy = _legacy.get_state(legacy=False) if entered is None else {}
        self.torch, self.has_gradients = torch.get_rng_state(), torch.is_grad_enabled()
        self.python: Any = random.getstate() if entered is None else entered.python
        self.word = random.getrandbits(32)
        if entered is not None and (self.word != entered.word or entered.python[-1] is not None):
            version, (*words, place), normal = random.getstate()
            self.python = version, (*words, place - 1), normal

    def enter(self) -> None:
        """Go on with these states."""
        random.setstate(self.python)
        _legacy.set_bit_generator(self.numpy)  # a pointer: copying the state would take longer than all else
        if self.copy.get("has_gauss"):
            _legacy.set_state(self.copy)
        torch.set_rng_state(self.torch)
        torch.set_grad_enabled(self.has_gradients)


class Row(gymnasium.Env[Any, Any]):
    """A place for an agent in one environment.

    Attributes:
        agent: who is there; None if it is free.
        due: whether the agent has to act.
        open: whether the result of its last action is still to come.
        length: how often the agent has acted in its episode.
        mask: which actions the agent may take; None if its environment has no masks.
    """

    def __init__(self, seats: "Seats", play: "Play", observation_space: Any, action_space: Any) -> None:
        self.seats, self.play = seats, play
        self.observation_space, self.action_space = observation_space, action_space
        self.due = self.open = False
        self.agent: Any = None
        self.observation: Any = None
        self.mask: Any = None
        self._result: tuple[Any, float, bool, bool, dict[str, Any]] | None = None
        self._paid = self._own = self._total = 0.0
        self.length = 0

    def hear(
        self, agent: Any, observation: Any, reward: float, terminated: bool, truncated: bool, info: Mapping[str, Any]
    ) -> None:
        """Keep the result of the agent's last action, if there is one; unless it has ended, it has to act again."""
        is_over = terminated or truncated
        self._paid, self._own = self._paid + reward_of(agent, reward), self._own + float(info.get(ORIGINAL, reward))
        if self.open:
            self.open, self._total = False, self._total + self._paid
            if is_over:
                observation = deepcopy(observation)  # the next episode may overwrite it
                info = {**info, OWN_RETURN: self._own, "episode": {"r": self._total, "l": self.length}}
            self._result = observation, self._paid, terminated, truncated, dict(info)
            self._paid = 0.0
        if is_over:
            self.agent, self._paid, self._own, self._total, self.length = None, 0.0, 0.0, 0.0, 0
        else:
            self.agent, self.observation, self.due, self.seats.is_due = agent, observation, True, True
            self.mask = mask_of(observation, info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What has happened since the last step; the action was handed over before."""
        result, self._result = self._result, None
        return result or (self.observation, 0.0, False, False, {})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """The present observation; environments have seeds of their own, which no learner changes."""
        return self.observation, {}

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of the agent's actions."""
        return np.asarray(self.mask, np.bool_)

    def get_wrapper_attr(self, name: str) -> Any:
        """An attribute of the row or of its environment; masks are one only where there are any."""
        if name == "action_masks" and self.mask is None:
            raise AttributeError(name)
        return getattr(self if hasattr(self, name) else self.play.env, name)


class Play:
    """One environment that is played, episode after episode; the agents that have to act, and their actions.

    Args:
        env: AEC or Parallel.
        seed: of the first reset, which fixes all later ones.
        find_row: finds the row of an agent that enters.

    Attributes:
        steps: steps of this episode for which all learners that have not ended have waited for an agent.
        episodes: episodes that have begun since they wait.
    """

    def __init__(self, env: object, seed: int, find_row: Callable[["Play", Any], Row]) -> None:
        if not isinstance(env, AECEnv | ParallelEnv):
            raise refusal("env", env, "a PettingZoo AECEnv or ParallelEnv")
        self.env: Any = env
        self._seed: int | None = seed
        self._find_row, self._is_aec = find_row, isinstance(env, AECEnv)
        self.rows: dict[Any, Row] = {}
        self.actions: dict[Any, Any] = {}
        self.steps = self.episodes = 0

    def begin(self) -> None:
        """Begin an episode."""
        for agent, row in self.rows.items():  # an environment that never told the end of this agent
            row.hear(agent, row.observation, 0.0, False, True, {})
        self.rows, self.steps, self.episodes = {}, 0, self.episodes + 1
        for _ in range(EMPTY_EPISODES):
            started = self.env.reset(seed=self._seed)
            self._seed = None
            if self._is_aec:
                self._take_turns()
            else:
                for agent in self.env.agents:
                    self._tell(agent, started[0][agent], 0.0, False, False, started[1].get(agent, {}))
            if self.rows:
                return
        raise SettingError(f"no agent acted in {EMPTY_EPISODES} episodes of {self.env}; nobody can learn there")

    def advance(self) -> None:
        """Step the environment with the actions, if every agent that has to act has its action."""
        if len(self.actions) != (1 if self._is_aec else len(self.rows)):
            return
        actions, self.actions = self.actions, {}
        if self._is_aec:
            self.env.step(actions[self.env.agent_selection])
            self._take_turns()
        else:
            actions = {agent: actions[agent] for agent in self.env.agents if agent in actions}  # whoever acted first
            observations, rewards, terminations, truncations, infos = self.env.step(actions)
            present = self.env.agents
            for agent in dict.fromkeys([*actions, *present]):
                seen = observations[agent] if agent in observations else self.rows[agent].observation
                cut = truncations.get(agent) or agent not in present
                self._tell(agent, seen, rewards.get(agent, 0.0), terminations.get(agent), cut, infos.get(agent, {}))
        if not self.env.agents:
            self.begin()

    def _take_turns(self) -> None:
        """Pass over the agents that have ended, to the next one that has to act."""
        while self.env.agents:
            agent = self.env.agent_selection
            self._tell(agent, *self.env.last())
            if agent in self.rows:
                return
            self.env.step(None)

    def _tell(self, agent: Any, observation: Any, reward: float, ended: Any, cut: Any, info: Mapping[str, Any]) -> None:
        """Tell an agent what it sees and gets; one that is not here yet enters, one that has ended leaves."""
        if agent not in self.rows and not (ended or cut):
            self.rows[agent] = self._find_row(self, agent)
        if agent in self.rows:
            self.rows[agent].hear(agent, observation, reward, bool(ended), bool(cut and not ended), info)
            if ended or cut:
                del self.rows[agent]


class Seats(DummyVecEnv):
    """What one learner sees: a row for each of its agents in each environment.

    Args:
        hall: where the learners take turns.
        name: of the learner.
        agents: those that it may play; they need the same spaces.
        width: the largest number of them that live at once in an environment.

    Attributes:
        is_due: whether the learner has to act; it runs only then.
        acted: which rows have acted in the last step.
        may_wait: whether a row may be padded. A single row is not, nor is that of an agent alone in its environment.
        takes_padding: whether the model learns nothing from padded rows (`leave_padding_out`).
        learn: runs the model's own ``learn()``.
        generators: the states of the global generators while another learner runs.
    """

    model: BaseAlgorithm
    generators: Generators
    learn: Callable[[], object]
    player: greenlet

    def __init__(self, hall: "Hall", name: str, agents: Sequence[Any], width: int) -> None:
        self.hall, self.name = hall, name
        self.takes_padding = self.is_due = self.has_ended = False
        env = hall.plays[0].env
        spaces = [(env.observation_space(agent), env.action_space(agent)) for agent in agents]
        for agent, other in zip(agents, spaces, strict=True):
            if other != spaces[0]:
                raise refusal("learner_of", name, "agents with the same spaces for one learner", f"{agent!r} differs")
        check_spaces(*spaces[0])
        own = deepcopy(spaces[0])  # agents may share a space, whose samples then depend on others
        self.rows = [Row(self, play, *own) for play in hall.plays for _ in range(width)]
        self.acted = [False] * len(self.rows)
        has_company = any(len(play.env.possible_agents) > 1 for play in hall.plays)
        self.may_wait = width > 1 or (len(hall.plays) > 1 and has_company)
        rows = iter(self.rows)
        super().__init__([lambda: next(rows)] * len(self.rows))

    def set_model(self, make: Callable[["Seats", int], BaseAlgorithm], seed: int) -> None:
        """Make the model; its global generators start from the seed, too, and the present ones stay as they are."""
        before = Generators()
        _legacy.set_bit_generator(np.random.MT19937())
        set_random_seed(seed)
        self.action_space.seed(seed)  # a model that a function makes may have no seed of its own
        try:
            self.model = make(self, seed)
        finally:
            self.generators = Generators()
            before.enter()

    def reset(self) -> Any:
        """Show what the agents see; rows that have had no agent yet show what another one sees, and its mask."""
        self.hall.check_open()
        if not self.has_ended and any(row.length for row in self.rows):  # as ARS does with several rows
            raise SettingError(
                f"learner {self.name!r} resets its environment within an episode, which must go on as others may play "
                "in it, too; give it one agent and one world"
            )
        first = next(row for row in self.rows if row.due)
        for row in self.rows:
            if row.observation is None:
                row.observation, row.mask = first.observation, first.mask
        return super().reset()

    def step_wait(self) -> Any:
        """Act, and wait until a row is due again. Only rows that act count as steps of the learner."""
        self.hall.check_open()
        self.acted = [row.due for row in self.rows]
        for row, action in zip(self.rows, self.actions, strict=True):
            if row.due:
                row.play.actions[row.agent] = action
                row.due, row.open, row.length = False, True, row.length + 1
        padded = self.acted.count(False)
        if padded and not self.takes_padding:
            raise SettingError(
                f"learner {self.name!r} has {self.num_envs} rows, and its agents do not act at the same times; that "
                "needs one of the library's own rollout buffers, or its ReplayBuffer with n_steps=1 and without "
                "optimize_memory_usage, and no wrappers around the environment that the learner's function gets"
            )
        self.is_due = False
        following = self.hall.find_next(self)
        if following is not self:
            self.generators = Generators(self.generators)
            following.player.switch()
            self.generators.enter()
        if not self.has_ended:  # only now, as the wait may end the training
            self.model.num_timesteps -= padded
        return super().step_wait()

    def hold(self, before: Sequence[Any], after: Sequence[Any], starts: Any) -> None:
        """Let rows that do not act keep a recurrent policy's memory.

        Args:
            before: hidden and cell states, [layers, rows, width] each.
            after: the same after the step of all rows; it is changed.
            starts: [rows], whether an episode begins.
        """
        for number, row in enumerate(self.rows):
            if not row.due:
                for old, new in zip(before, after, strict=True):
                    new[:, number] = old[:, number] * (1 - starts[number])

    def play_on(self) -> None:
        """Learn, and act on with the last weights, without learning, until all have ended."""
        self.generators.enter()
        self.learn()
        self.has_ended = True
        if all(seats.has_ended for seats in self.hall.seats.values()):
            return
        env: Any = self.model.get_env()  # with the wrappers that the learner's function added
        if (normalization := self.model.get_vec_normalize_env()) is not None:
            normalization.training = False
        state: Any = None
        starts = np.ones(self.num_envs, np.bool_)
        observations = env.reset()
        masked = "action_masks" in signature(self.model.predict).parameters
        while True:
            masks = {"action_masks": np.stack(self.env_method("action_masks"))} if masked else {}
            actions, new = self.model.predict(observations, state, starts, deterministic=False, **masks)
            if new is not None:  # at first all episodes begin, so that no memory of before counts
                self.hold(new if state is None else state, new, starts)
            state = new
            observations, _, starts, _ = env.step(actions)


class Hall:
    """Where learners take turns.

    Args:
        envs: the environments.
        seeds: of the first reset of each.
        learner_of: from an agent to its learner.
        patience: when all others have ended, learners without an agent are waited for in every environment for
            `LONELY_EPISODES` complete episodes, or for so many steps within an episode.
    """

    def __init__(
        self, envs: Sequence[object], seeds: Sequence[int], learner_of: Callable[[Any], str], patience: int
    ) -> None:
        self.plays = [Play(env, seed, self._find_row) for env, seed in zip(envs, seeds, strict=True)]
        self.learner_of, self.patience = learner_of, patience
        self.seats: dict[str, Seats] = {}
        self._is_over = False

    def check_open(self) -> None:
        """Refuse to go on after `run`, when nobody plays the other agents."""
        if self._is_over:
            raise SettingError(
                "the world of train_together is over; to see the models play, use play_together; to train them on, "
                "call train_together with a directory, and again with more steps"
            )

    def _find_row(self, play: Play, agent: Any) -> Row:
        name = self.learner_of(agent)
        row = next((row for row in self.seats[name].rows if row.play is play and row.agent is None), None)
        if row is None:
            raise SettingError(f"more agents of learner {name!r} live at once than it has rows; give it more rows")
        return row

    def run(self) -> None:
        """Let all learn; an error of any learner ends all."""
        caller = Generators()
        for seats in self.seats.values():
            seats.player = greenlet(seats.play_on)
        try:
            for play in self.plays:
                play.begin()
            self.find_next().player.switch()
        finally:
            for seats in self.seats.values():
                seats.player.throw()
                seats.acted = [True] * seats.num_envs  # whoever uses the model later has no padded rows
                for row in seats.rows:
                    row.due, row.open = True, False
            self._is_over = True
            caller.enter()

    def find_next(self, *running: Seats) -> Seats:
        """The learner that acts next, the running one first, as a change takes time; worlds are stepped meanwhile."""
        while True:
            for seats in (*running, *self.seats.values()):
                if seats.is_due:
                    return seats
            self._check_waiting()
            for play in self.plays:
                play.advance()

    def _check_waiting(self) -> None:
        """End the training if all that have not ended wait for an agent for too long."""
        lives = any(row.agent is not None for seats in self.seats.values() if not seats.has_ended for row in seats.rows)
        for play in self.plays:
            play.steps, play.episodes = (0, 0) if lives else (play.steps + 1, play.episodes)
        if all(play.steps > self.patience or play.episodes > LONELY_EPISODES for play in self.plays):
            raise GreenletExit


class Padded(RolloutBuffer):
    """A rollout buffer that leaves padded rows out; without them its numbers are those of Stable-Baselines3.

    A step whose result is still to come at the end of a rollout is the row's first one in the next rollout, at place 0.
    The next update learns it, although the policy has changed since. The ratio of PPO corrects for this; A2C has none.

    Args:
        fresh: a buffer without steps, whose place is taken.
        seats: the environment that says which rows have acted.

    Attributes:
        unfinished: by row, the place of such a step.
        firsts: of the real steps alone, the first of each row; sequences of a recurrent policy begin there.
    """

    firsts: NDArray[np.intp]

    def __init__(self, fresh: Any, seats: Seats) -> None:
        vars(self).update(vars(fresh))
        self.seats, self.unfinished = seats, dict[int, int]()
        self.buffer_size += 1
        if "hidden_state_shape" in vars(self):
            self.hidden_state_shape = self.buffer_size, *fresh.hidden_state_shape[1:]
        self.reset()

    def reset(self) -> None:
        """Begin a rollout."""
        old = {name: self._column(name) for name in (COLUMNS | MEMORY) & vars(self).keys()}
        super().reset()
        self.real = np.zeros((self.buffer_size, self.n_envs), np.bool_)
        self.pos = 1
        for row, step in self.unfinished.items():
            self.real[0, row] = True
            for name, column in old.items():
                now = self._column(name)
                for key in now if isinstance(now, dict) else [...]:  # observations may be dictionaries
                    now[key][0, row] = column[key][step, row]
        self.unfinished = {}

    def add(self, *arguments: Any, **settings: Any) -> None:
        """Add a step of all rows."""
        self.real[self.pos] = self.seats.acted
        super().add(*arguments, **settings)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: NDArray[Any]) -> None:
        """Let the buffer of Stable-Baselines3 compute the advantages along the real steps of each row."""
        ends = np.vstack([self.episode_starts[1:], np.asarray(dones, np.float32)[None]])
        values = last_values.detach().cpu().flatten()
        for number, row in enumerate(self.seats.rows):
            steps, value = np.flatnonzero(self.real[:, number]), values[number]
            if len(steps):
                over = np.maximum.reduceat(ends[:, number], steps)
                self.episode_starts[steps[1:], number] = over[:-1]
            if row.open and len(steps):  # the result of its last action is still to come: this update does not learn it
                self.unfinished[number], self.real[steps[-1], number] = steps[-1], False
                value = torch.tensor(self.values[steps[-1], number])
                steps, over = steps[:-1], over[:-1]
            if len(steps):
                lone = RolloutBuffer(len(steps), ONE, ONE, "cpu", self.gae_lambda, self.gamma)
                lone.rewards[:, 0] = np.add.reduceat(self.rewards[:, number], steps)
                lone.values[:, 0], lone.episode_starts[1:, 0] = self.values[steps, number], over[:-1]
                lone.compute_returns_and_advantage(value, over[-1:])
                self.advantages[steps, number] = lone.advantages[:, 0]
        self.returns = self.advantages + self.values

    def get(self, batch_size: int | None = None) -> Any:
        """Yield batches of real steps, in random order, as a buffer that holds only them does."""
        rows, steps = np.nonzero(self.real.T)
        needs_two = bool({"action_masks", *MEMORY} & vars(self).keys())  # these divide by the deviation of a batch
        if len(rows) <= needs_two:
            raise SettingError(
                f"learner {self.seats.name!r} knows the result of {len(rows) or 'no'} action after "
                f"{self.buffer_size - 1} steps, as its agents take turns; give it n_steps of more than "
                f"{self.n_envs + needs_two}"
            )
        while needs_two and batch_size and len(rows) % batch_size == 1:
            batch_size += 1
        lone, firsts = copy(self), np.flatnonzero(np.diff(rows, prepend=-1))
        vars(lone).update(buffer_size=len(rows), n_envs=1, full=True, generator_ready=False, firsts=firsts)
        for name in (COLUMNS | MEMORY) & vars(self).keys():
            column = _pick(self._column(name), (steps[:, None], rows[:, None]))
            setattr(lone, name, column.swapaxes(1, 2) if name in MEMORY else column)
        yield from super(Padded, lone).get(batch_size)

    def _get_samples(self, places: Any, *changes: Any) -> Any:
        for change in changes:  # a recurrent buffer tells where a row begins
            change[self.firsts] = 1.0
        return super()._get_samples(places, *changes)

    def _column(self, name: str) -> Any:
        """What the buffer has of each step and row, [steps, rows, ...]."""
        column = getattr(self, name)
        return column.swapaxes(1, 2) if name in MEMORY else column


class PaddedReplay(ReplayBuffer):
    """A replay buffer of transitions that are complete; padded rows are left out. Arguments as of `Padded`."""

    def __init__(self, fresh: Any, seats: Seats) -> None:
        self.seats, self.started = seats, list[Any]([None] * seats.num_envs)
        size, ends = fresh.buffer_size * fresh.n_envs, fresh.handle_timeout_termination
        super().__init__(size, fresh.observation_space, fresh.action_space, fresh.device, 1, False, ends)

    def add(self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: Any) -> None:
        """Add the transitions that are complete."""
        for number, row in enumerate(self.seats.rows):
            part = slice(number, number + 1)
            if self.seats.acted[number]:
                self.started[number] = deepcopy((_pick(obs, part), action[part]))
            began = self.started[number]
            if began is not None and (done[number] or not row.open):
                super().add(began[0], _pick(next_obs, part), began[1], reward[part], done[part], infos[part])
                self.started[number] = None
        model: Any = self.seats.model
        if not self.size():  # no transition is complete, so there is nothing to learn from yet
            model.learning_starts = max(model.learning_starts, model.num_timesteps)


def leave_padding_out(model: Any, own: Seats) -> bool:
    """Let a new model learn nothing from padded rows; return whether that is possible."""
    env = model.get_env()
    if (env.venv if isinstance(env, VecTransposeImage) else env) is not own:
        return False  # its wrappers may count or stack what rows show while they wait
    name = "rollout_buffer" if hasattr(model, "rollout_buffer") else "replay_buffer"
    kind = type(getattr(model, name, None))
    is_known = kind in (ReplayBuffer, DictReplayBuffer) and not model.optimize_memory_usage
    is_rollout = issubclass(kind, RolloutBuffer) and kind.__module__.startswith(("stable_baselines3.", "sb3_contrib."))
    if not (is_known or is_rollout):
        return False
    padded = type(f"Padded{kind.__name__}", (Padded if is_rollout else PaddedReplay, kind), {})
    setattr(model, name, padded(getattr(model, name), own))
    if hasattr(model.policy, "lstm_actor"):
        model.policy.register_forward_hook(
            lambda _, given, found: own.hold((*given[1].pi, *given[1].vf), (*found[3].pi, *found[3].vf), given[2])
        )
    return True


def _pick(batch: Any, rows: Any) -> Any:
    """Some rows of an array, or of each array of observations that are dictionaries."""
    return {key: part[rows] for key, part in batch.items()} if isinstance(batch, dict) else batch[rows]
