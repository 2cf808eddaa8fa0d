"""Several unmodified Stable-Baselines3 models in one PettingZoo environment: whose turn it is, and what each sees.

Each learner runs its own ``learn()`` in a thread of its own. Only one thread runs at any time. A learner's environment,
`Seats`, hands its actions over and waits until it is asked again. The learner that acts last steps the world. So
results depend on seeds only. The global generators (Python's, NumPy's and PyTorch's) are exchanged when the learner
changes; with a single learner nothing is exchanged, and its numbers are those of the algorithm alone.

A row of `Seats` is a place for an agent. An agent that dies ends an episode there, and the place is free for the next
one. A learner with several rows acts when at least one of them is due. The other rows are *padded*: their actions are
discarded, and `Padded` and `PaddedReplay` keep them out of every update. A reward that arrives in a later step, because
others act in between, belongs to the row's last action.

Threads, and not greenlets: in a benchmark of switches alone, a greenlet takes 0.5 µs and a thread 25 µs. But PyTorch's
settings such as ``no_grad`` belong to a thread, so that one greenlet could leave its own to another; and a debugger
shows each thread with its own stack.
"""

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from gymnasium.vector.utils import concatenate, create_empty_array
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import DictReplayBuffer, DictRolloutBuffer, ReplayBuffer, RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from considerate.training.evaluation import OWN_RETURN
from considerate.wrappers import ORIGINAL
from multislot.checks import refusal
from multislot.errors import SettingError
from multislot.zoo.infos import ACTION_MASK

_legacy: Any = np.random  # NumPy's stubs do not list how its global generator is exchanged
EMPTY_EPISODES = 1000
"""So many episodes in a row in which no agent acts are an error."""


Over = threading.Event


class Stop(BaseException):
    """Ends the ``learn()`` of a learner whose training is over."""


class Generators:
    """The states of the global generators while a learner does not run."""

    def __init__(self, seed: int) -> None:
        self.python = random.Random(seed).getstate()
        self.numpy: Any = np.random.MT19937(seed)
        self.torch = torch.Generator().manual_seed(seed).get_state()
        self.cuda: list[torch.Tensor] = []

    def enter(self) -> None:
        """Make these the states of the global generators."""
        random.setstate(self.python)
        _legacy.set_bit_generator(self.numpy)  # a pointer: copying its state would take 300 µs
        torch.set_rng_state(self.torch)
        if self.cuda:
            torch.cuda.set_rng_state_all(self.cuda)

    def leave(self) -> None:
        """Keep the states of the global generators."""
        self.python, self.numpy = random.getstate(), _legacy.get_bit_generator()
        self.torch = torch.get_rng_state()
        self.cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []  # type: ignore[no-untyped-call]


@dataclass
class Row:
    """A place for an agent in one environment, and what has happened there since the learner's last step."""

    play: "Play"
    agent: Any = None
    observation: Any = None
    info: Mapping[str, Any] = field(default_factory=dict)
    due: bool = False
    open: bool = False
    reward: float = 0.0
    own: float = 0.0
    result: dict[str, Any] = field(default_factory=dict)
    done: bool = False

    def ask(self, agent: Any, observation: Any, info: Mapping[str, Any]) -> None:
        """An agent has to act."""
        self.agent, self.observation, self.info, self.due = agent, deepcopy(observation), info, True

    def answer(
        self, reward: float, observation: Any, terminated: bool, truncated: bool, info: Mapping[str, Any]
    ) -> None:
        """An action of the agent has its result."""
        self.open = False
        self.reward += float(reward)
        self.own += float(info.get(ORIGINAL, reward))
        self.result = dict(info)
        if terminated or truncated:
            self.agent, self.done, self.observation = None, True, deepcopy(observation)
            cut = bool(truncated and not terminated)
            last = {"terminal_observation": self.observation, "TimeLimit.truncated": cut, OWN_RETURN: self.own}
            self.result |= last
            self.own = 0.0

    def take(self) -> tuple[float, bool, dict[str, Any]]:
        """Return reward, end and info since the last step, and start again."""
        taken = self.reward, self.done, self.result
        self.reward, self.done, self.result = 0.0, False, {}
        return taken


class Play:
    """One environment that is played, episode after episode; the agents that have to act, and their actions.

    Args:
        env: AEC or Parallel.
        seed: of the first reset, which fixes all later ones.
        row_of: finds the row of an agent that enters.
    """

    def __init__(self, env: Any, seed: int, row_of: Callable[["Play", Any], Row]) -> None:
        self.env, self._seed, self._row_of = env, seed, row_of
        self.rows: dict[Any, Row] = {}
        self.actions: dict[Any, Any] = {}
        self.episodes = 0
        self._is_aec = isinstance(env, AECEnv)

    def begin(self) -> None:
        """Begin an episode."""
        for row in self.rows.values():  # an environment that never told the end of this agent
            if row.open:
                row.answer(0.0, row.observation, False, True, {})
        self.rows = {}
        for _ in range(EMPTY_EPISODES):
            started = self.env.reset(seed=self._seed if self.episodes == 0 else None)
            self.episodes += 1
            if self._is_aec and self._take_turns():
                return
            if not self._is_aec and self.env.agents:
                observations, infos = started
                for agent in self.env.agents:
                    self._ask(agent, observations[agent], infos.get(agent, {}))
                return
        raise SettingError(f"no agent acted in {EMPTY_EPISODES} episodes of {self.env}; nobody can learn there")

    @property
    def is_ready(self) -> bool:
        """Whether every agent that has to act has its action."""
        return not any(row.due for row in self.rows.values())

    def advance(self) -> None:
        """Step the environment with the actions."""
        actions, self.actions = self.actions, {}
        if self._is_aec:
            self.env.step(actions[self.env.agent_selection])
            if not self._take_turns():
                self.begin()
            return
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        present = set(self.env.agents)
        for agent in actions:
            row = self.rows[agent]
            ended, cut = bool(terminations.get(agent)), bool(truncations.get(agent))
            cut = cut or not (ended or agent in present)
            observation = observations.get(agent, row.observation) if agent in observations else row.observation
            row.answer(rewards.get(agent, 0.0), observation, ended, cut, infos.get(agent, {}))
            if ended or cut:
                del self.rows[agent]
        if not present:
            self.begin()
        for agent in self.env.agents if present else ():
            self._ask(agent, observations[agent], infos.get(agent, {}))

    def _take_turns(self) -> bool:
        """Pass over the agents that have ended, to the next one that has to act; False if the episode is over."""
        while self.env.agents:
            agent = self.env.agent_selection
            observation, reward, terminated, truncated, info = self.env.last()
            if agent in self.rows and self.rows[agent].open:
                self.rows[agent].answer(reward, observation, terminated, truncated, info)
            if not (terminated or truncated):
                self._ask(agent, observation, info)
                return True
            self.rows.pop(agent, None)
            self.env.step(None)
        return False

    def _ask(self, agent: Any, observation: Any, info: Mapping[str, Any]) -> None:
        if agent not in self.rows:
            self.rows[agent] = self._row_of(self, agent)
        self.rows[agent].ask(agent, observation, info)


class Seats(VecEnv):
    """What one learner sees: a row for each of its agents in each environment.

    Args:
        hall: where the learners take turns.
        name: of the learner.
        agents: those that it may play; they need the same spaces.
        width: the largest number of them that live at once in an environment.
    """

    def __init__(self, hall: "Hall", name: str, agents: Sequence[Any], width: int) -> None:
        self.hall, self.name, self.agents = hall, name, agents
        self.rows = [Row(play) for play in hall.plays for _ in range(width)]
        self.takes_padding = False
        self.gate = threading.Lock()
        self.gate.acquire()
        env = hall.plays[0].env
        self.env = env
        spaces = [(env.observation_space(agent), env.action_space(agent)) for agent in agents]
        for agent, other in zip(agents, spaces, strict=True):
            if other != spaces[0]:
                raise refusal("learner_of", name, "agents with the same spaces for one learner", f"{agent!r} differs")
        # Agents may share a space, whose samples then depend on others.
        super().__init__(len(self.rows), *deepcopy(spaces[0]))
        self.acted = np.zeros(self.num_envs, np.bool_)
        blank = create_empty_array(self.observation_space, 1, np.zeros)
        for row in self.rows:
            row.observation = _first(blank)

    @property
    def is_due(self) -> bool:
        """Whether the learner has to act."""
        return any(row.due for row in self.rows)

    @property
    def is_alive(self) -> bool:
        """Whether one of its agents lives."""
        return any(row.agent is not None for row in self.rows)

    def reset(self) -> Any:
        """Wait for the next life of an agent; environments are reset when their episodes are over."""
        if not self.is_due:
            self.hall.wait(self)
        return self._observations()

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions of all rows."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Act, and wait until a row is due again."""
        for number, (row, action) in enumerate(zip(self.rows, self._actions, strict=True)):
            self.acted[number] = row.due
            if row.due:
                row.play.actions[row.agent] = action
                row.due, row.open = False, True
        if not (self.takes_padding or self.acted.all()):
            raise SettingError(
                f"learner {self.name!r} has {self.num_envs} rows, and agents are not born and do not die at the same "
                "time; that needs an algorithm with a rollout_buffer_class or replay_buffer_class of its own choice, "
                "A2C, PPO, DQN, SAC, TD3 or DDPG, as a Learner"
            )
        self.hall.wait(self)
        rewards, dones, infos = zip(*(row.take() for row in self.rows), strict=True)
        return self._observations(), np.array(rewards, np.float32), np.array(dones, np.bool_), list(infos)

    def _observations(self) -> Any:
        space = self.observation_space
        out: Any = create_empty_array(space, self.num_envs, np.zeros)
        return concatenate(space, [row.observation for row in self.rows], out)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Environments have seeds of their own, which no learner changes."""
        return [None] * self.num_envs

    def action_masks(self) -> list[NDArray[np.bool_]]:
        """The mask of each row's actions, from its info or its observation."""
        masks = [_mask_of(row) for row in self.rows]
        return [np.ones_like(next(m for m in masks if m is not None)) if mask is None else mask for mask in masks]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the environment, for each row."""
        rows = [self.rows[index] for index in self._get_indices(indices)]
        if attr_name == "action_masks":
            if all(_mask_of(row) is None for row in self.rows):
                raise AttributeError(attr_name)
            return [self.action_masks] * len(rows)
        if attr_name == "render_mode":
            return [getattr(self.env, "render_mode", None)] * len(rows)
        return [getattr(row.play.env, attr_name) for row in rows]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the environments."""
        for index in self._get_indices(indices):
            setattr(self.rows[index].play.env, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of the environment of each row."""
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[index] for index in self._get_indices(indices)]
        methods = self.get_attr(method_name, indices)
        return [method(*method_args, **method_kwargs) for method in methods]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No row is in a wrapper of Gymnasium."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[Any]:
        """The rendering of each row's environment."""
        return [row.play.env.render() for row in self.rows]

    def close(self) -> None:
        """Do nothing: the environments belong to all learners."""

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (self.name,)  # a model is stored with the arguments of its buffer, of which this is one


def _first(batch: Any) -> Any:
    """The first item of a batch of observations."""
    if isinstance(batch, dict):
        return {key: _first(part) for key, part in batch.items()}
    return tuple(map(_first, batch)) if isinstance(batch, tuple) else batch[0]


def _mask_of(row: Row) -> NDArray[np.bool_] | None:
    """The mask of a row's actions: of its info, as here, or of its observation, as in PettingZoo's classic games."""
    seen = row.observation if isinstance(row.observation, dict) else {}
    mask = row.info.get(ACTION_MASK, seen.get(ACTION_MASK))
    return None if mask is None else np.asarray(mask, np.bool_)


@dataclass
class Work:
    """What one learner does in its thread.

    Attributes:
        seats: its environment.
        model: the model that learns.
        generators: the states of the global generators while another learner runs.
        learn: runs the model's own ``learn()``.
    """

    seats: Seats
    model: BaseAlgorithm
    generators: Generators
    learn: Callable[[], object]

    def act_on(self) -> None:
        """Act with the last weights, without learning, until all have ended."""
        state, starts = None, np.ones(self.seats.num_envs, np.bool_)
        observations = self.seats.reset()
        env = self.model.get_vec_normalize_env()
        while True:
            seen = observations if env is None else env.normalize_obs(observations)
            masks = {"action_masks": np.stack(self.seats.action_masks())} if _uses_masks(self.model) else {}
            actions, state = self.model.predict(seen, state, starts, deterministic=False, **masks)
            observations, _, starts, _ = self.seats.step(actions)


def _uses_masks(model: BaseAlgorithm) -> bool:
    return type(model).__name__ == "MaskablePPO"


class Hall:
    """Where learners take turns.

    Args:
        envs: the environments.
        seeds: of the first reset of each.
        learner_of: from an agent to its learner.
        patience: steps of the environments for which a learner without an agent is waited for when all others have
            ended.
    """

    def __init__(
        self, envs: Sequence[Any], seeds: Sequence[int], learner_of: Callable[[Any], str], patience: int
    ) -> None:
        self.plays = [Play(env, seed, self._find_row) for env, seed in zip(envs, seeds, strict=True)]
        self.learner_of, self.patience = learner_of, patience
        self.seats: dict[str, Seats] = {}
        self.work: dict[str, Work] = {}
        self.ended: set[str] = set()
        self.error: BaseException | None = None
        self._stopping, self._over = False, Over()
        self._waited, self._episodes = 0, [0] * len(envs)

    def _find_row(self, play: Play, agent: Any) -> Row:
        name = self.learner_of(agent)
        row = next((row for row in self.seats[name].rows if row.play is play and row.agent is None), None)
        if row is None:
            raise SettingError(f"more agents of learner {name!r} live at once than it has rows; give it more rows")
        return row

    def run(self, threads: int) -> None:
        """Let all learn; raise the error of the one that failed.

        Args:
            threads: of PyTorch.
        """
        before, state = _legacy.get_bit_generator(), np.random.get_state()  # noqa: NPY002
        caller = Generators(0)
        caller.leave()
        workers = [
            threading.Thread(target=self._live, args=(name, threads), name=f"learner {name}", daemon=True)
            for name in self.work
        ]
        try:
            for play in self.plays:
                play.begin()
            for worker in workers:
                worker.start()
            self._open(self._next())
            while not self._over.wait(timeout=0.5):  # a bounded wait can be interrupted on every system
                pass
        finally:
            self._stopping = True
            for worker, work in zip(workers, self.work.values(), strict=True):
                self._open(work.seats)
                if worker.is_alive():
                    worker.join()
            caller.enter()
            _legacy.set_bit_generator(before)
            np.random.set_state(state)  # noqa: NPY002  # with the number that a normal draw has left over
        if self.error is not None:
            raise self.error

    def wait(self, seats: Seats) -> None:
        """Let others act until one of the seats' rows is due."""
        if self._stopping:
            raise Stop
        following = self._next()
        if following is not seats:
            work = self.work[seats.name]
            work.generators.leave()
            self._open(following)
            self._pause(work)

    def _pause(self, work: Work) -> None:
        work.seats.gate.acquire()
        if self._stopping:
            raise Stop
        work.generators.enter()

    def _open(self, seats: Seats) -> None:
        with suppress(RuntimeError):  # it is open already
            seats.gate.release()

    def _next(self) -> Seats:
        """The learner that acts next, in the order of learners; the environments are stepped until there is one."""
        while True:
            for seats in self.seats.values():
                if seats.is_due:
                    return seats
            self._check_waiting()
            for play in self.plays:
                if play.is_ready:
                    play.advance()

    def _check_waiting(self) -> None:
        """End the training if all that have not ended wait in vain for an agent: for a whole episode, or too long."""
        if not self.ended or any(self.seats[name].is_alive for name in self.seats if name not in self.ended):
            self._waited, self._episodes = 0, [play.episodes for play in self.plays]
            return
        self._waited += 1
        whole = all(play.episodes > before + 1 for play, before in zip(self.plays, self._episodes, strict=True))
        if whole or self._waited > self.patience:
            raise Stop

    def _live(self, name: str, threads: int) -> None:
        """Learn, then act on; in a thread of its own."""
        work = self.work[name]
        torch.set_num_threads(threads)  # which belongs to a thread
        try:
            self._pause(work)
            work.learn()
            self.ended.add(name)
            if len(self.ended) < len(self.work):
                work.act_on()
        except Stop:
            pass
        except BaseException as error:
            self.error = self.error or error
        finally:
            self._over.set()


class Padded(RolloutBuffer):
    """A rollout buffer that leaves padded rows out; without them it is that of Stable-Baselines3.

    Args:
        arguments: of the buffer.
        seats: the environment that says which rows have acted.
        settings: of the buffer.
    """

    def __init__(self, *arguments: Any, seats: Seats, **settings: Any) -> None:
        self.seats = seats
        super().__init__(*arguments, **settings)

    def reset(self) -> None:
        """Begin a rollout."""
        super().reset()
        self.real = np.zeros((self.buffer_size, self.n_envs), np.bool_)

    def add(self, *arguments: Any, **settings: Any) -> None:
        """Add a step of all rows."""
        self.real[self.pos] = self.seats.acted
        super().add(*arguments, **settings)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: NDArray[Any]) -> None:
        """Compute advantages along the real steps of each row."""
        if self.real.all():
            super().compute_returns_and_advantage(last_values, dones)
            return
        ended = np.vstack([self.episode_starts[1:], np.asarray(dones, np.float32)[None]]).astype(bool)
        for number, row in enumerate(self.seats.rows):
            value, advantage = float(last_values.flatten()[number]), 0.0
            if row.open and self.real[:, number].any():  # its result is still to come: no update learns from it
                last = np.flatnonzero(self.real[:, number])[-1]
                self.real[last, number] = False
                value, ended[last:, number] = float(self.values[last, number]), False
            reward, over = 0.0, False
            for step in reversed(range(self.buffer_size)):
                reward += float(self.rewards[step, number])
                over = over or bool(ended[step, number])
                if self.real[step, number]:
                    ahead = 0.0 if over else 1.0
                    delta = reward + self.gamma * value * ahead - float(self.values[step, number])
                    advantage = delta + self.gamma * self.gae_lambda * ahead * advantage
                    self.advantages[step, number] = advantage
                    value, reward, over = float(self.values[step, number]), 0.0, False
        self.returns = self.advantages + self.values

    def get(self, batch_size: int | None = None) -> Any:
        """Yield batches of real steps, in random order."""
        if self.real.all():
            yield from super().get(batch_size)
            return
        real = np.flatnonzero(self.real.swapaxes(0, 1).reshape(-1))
        next(iter(super().get(None)))  # flattens the arrays
        order = np.random.permutation(real)  # noqa: NPY002  # as Stable-Baselines3 draws
        size = batch_size or len(order)
        for start in range(0, len(order), size):
            yield self._get_samples(order[start : start + size])


class PaddedDict(Padded, DictRolloutBuffer):
    """The same for observations that are dictionaries."""


class PaddedReplay(ReplayBuffer):
    """A replay buffer of transitions that are complete; padded rows are left out. Arguments as for `Padded`."""

    def __init__(self, *arguments: Any, seats: Seats, n_envs: int = 1, **settings: Any) -> None:
        self.seats = seats
        self.started: list[tuple[Any, Any] | None] = [None] * n_envs
        super().__init__(*arguments, **settings, n_envs=1)  # type: ignore[misc]

    def add(self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: Any) -> None:
        """Add the transitions that are complete."""
        for number, row in enumerate(self.seats.rows):
            if self.seats.acted[number]:
                self.started[number] = deepcopy((_part(obs, number), action[number : number + 1]))
            began = self.started[number]
            if began is not None and (done[number] or not row.open):
                part = slice(number, number + 1)
                following = _part(next_obs, number)
                super().add(began[0], following, began[1], reward[part], done[part], infos[part])
                self.started[number] = None


class PaddedDictReplay(PaddedReplay, DictReplayBuffer):
    """The same for observations that are dictionaries."""


def _part(batch: Any, number: int) -> Any:
    if isinstance(batch, dict):
        return {key: part[number : number + 1] for key, part in batch.items()}
    return batch[number : number + 1]


class CountRows(BaseCallback):
    """Counts only the rows that acted as steps of the learner."""

    def __init__(self, seats: Seats) -> None:
        super().__init__()
        self.seats = seats

    def _on_step(self) -> bool:
        padded = self.seats.num_envs - int(self.seats.acted.sum())
        self.model.num_timesteps -= padded
        self.num_timesteps = self.model.num_timesteps
        return True


def convert(env: object) -> Any:
    """Return a PettingZoo environment as it is; raise an error for anything else."""
    if not isinstance(env, AECEnv | ParallelEnv):
        raise refusal("env", env, "a PettingZoo AECEnv or ParallelEnv")
    return env
