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
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import DictReplayBuffer, DictRolloutBuffer, ReplayBuffer, RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv

from considerate.training.evaluation import OWN_RETURN
from considerate.wrappers import ORIGINAL
from multislot.checks import refusal
from multislot.errors import SettingError
from multislot.zoo.infos import ACTION_MASK

_legacy: Any = np.random  # NumPy's stubs do not list how its global generator is exchanged
ONE = gymnasium.spaces.Discrete(1)
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


class Row(gymnasium.Env[Any, Any]):
    """A place for an agent in one environment, and what has happened there since the learner's last step."""

    def __init__(self, play: "Play", observation_space: Any, action_space: Any) -> None:
        self.play, self.observation_space, self.action_space = play, observation_space, action_space
        self.render_mode = getattr(play.env, "render_mode", None)
        self.agent: Any = None
        self.due = self.open = False
        self.mask: Any = None
        self.observation: Any = None
        self.last: Any = None
        self.own = 0.0
        self.reset_result()

    def reset_result(self) -> None:
        """Forget what has happened."""
        self.reward, self.terminated, self.truncated = 0.0, False, False
        self.info: dict[str, Any] = {}

    def ask(self, agent: Any, observation: Any, info: Mapping[str, Any]) -> None:
        """An agent has to act; a mask is in its info, as here, or its observation, as in PettingZoo's classic games."""
        self.agent, self.observation, self.due = agent, deepcopy(observation), True
        self.mask = info.get(ACTION_MASK, observation.get(ACTION_MASK) if isinstance(observation, dict) else None)

    def act(self, action: Any) -> None:
        """Hand an action over."""
        self.play.actions[self.agent] = action
        self.due, self.open = False, True

    def answer(
        self, reward: float, observation: Any, terminated: bool, truncated: bool, info: Mapping[str, Any]
    ) -> None:
        """An action of the agent has its result."""
        self.open = False
        self.reward += float(reward)
        self.own += float(info.get(ORIGINAL, reward))
        self.terminated, self.truncated, self.info = terminated, truncated, dict(info)
        if terminated or truncated:
            self.agent, self.observation, self.last = None, deepcopy(observation), deepcopy(observation)
            self.info[OWN_RETURN], self.own = self.own, 0.0

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What has happened since the last step; the action was handed over before."""
        over = self.terminated or self.truncated
        result = self.last if over else self.observation, self.reward, self.terminated, self.truncated, self.info
        self.reset_result()
        return result

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """The present observation; environments have seeds of their own, which no learner changes."""
        return self.observation, {}

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask of the agent's actions."""
        return np.asarray(self.mask, np.bool_)

    def render(self) -> Any:
        """Render the environment."""
        return self.play.env.render()

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
        row_of: finds the row of an agent that enters.
    """

    def __init__(self, env: object, seed: int, row_of: Callable[["Play", Any], Row]) -> None:
        if not isinstance(env, AECEnv | ParallelEnv):
            raise refusal("env", env, "a PettingZoo AECEnv or ParallelEnv")
        self.env: Any = env
        self._seed, self._row_of, self._is_aec = seed, row_of, isinstance(env, AECEnv)
        self.rows: dict[Any, Row] = {}
        self.actions: dict[Any, Any] = {}
        self.episodes = 0

    def begin(self) -> None:
        """Begin an episode."""
        for row in self.rows.values():  # an environment that never told the end of this agent
            if row.open:
                row.answer(0.0, row.observation, False, True, {})
        self.rows = {}
        for _ in range(EMPTY_EPISODES):
            started = self.env.reset(seed=self._seed if self.episodes == 0 else None)
            self.episodes += 1
            if self._take_turns() if self._is_aec else self.env.agents:
                if not self._is_aec:
                    self._ask_all(*started)
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
            ended = bool(terminations.get(agent))
            cut = not ended and (bool(truncations.get(agent)) or agent not in present)
            observation = observations.get(agent, row.observation)
            row.answer(rewards.get(agent, 0.0), observation, ended, cut, infos.get(agent, {}))
            if ended or cut:
                del self.rows[agent]
        if present:
            self._ask_all(observations, infos)
        else:
            self.begin()

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

    def _ask_all(self, observations: Mapping[Any, Any], infos: Mapping[Any, Any]) -> None:
        for agent in self.env.agents:
            self._ask(agent, observations[agent], infos.get(agent, {}))

    def _ask(self, agent: Any, observation: Any, info: Mapping[str, Any]) -> None:
        if agent not in self.rows:
            self.rows[agent] = self._row_of(self, agent)
        self.rows[agent].ask(agent, observation, info)


class Seats(DummyVecEnv):
    """What one learner sees: a row for each of its agents in each environment.

    Args:
        hall: where the learners take turns.
        name: of the learner.
        agents: those that it may play; they need the same spaces.
        width: the largest number of them that live at once in an environment.
    """

    def __init__(self, hall: "Hall", name: str, agents: Sequence[Any], width: int) -> None:
        self.hall, self.name, self.takes_padding = hall, name, False
        env = hall.plays[0].env
        spaces = [(env.observation_space(agent), env.action_space(agent)) for agent in agents]
        for agent, other in zip(agents, spaces, strict=True):
            if other != spaces[0]:
                raise refusal("learner_of", name, "agents with the same spaces for one learner", f"{agent!r} differs")
        own = deepcopy(spaces[0])  # agents may share a space, whose samples then depend on others
        self.rows = [Row(play, *own) for play in hall.plays for _ in range(width)]
        self.acted = np.zeros(len(self.rows), np.bool_)
        super().__init__([partial(_same, row) for row in self.rows])

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
        self._fill()
        return super().reset()

    def step_wait(self) -> Any:
        """Act, and wait until a row is due again."""
        self.acted = np.array([row.due for row in self.rows])
        for row, action in zip(self.rows, self.actions, strict=True):
            if row.due:
                row.act(action)
        if not (self.takes_padding or self.acted.all()):
            raise SettingError(
                f"learner {self.name!r} has {self.num_envs} rows, and agents are not born and do not die at the same "
                "time; that needs an algorithm with a rollout_buffer_class or replay_buffer_class of its own choice, "
                "A2C, PPO, DQN, SAC, TD3 or DDPG, as a Learner"
            )
        self.hall.wait(self)
        self._fill()
        return super().step_wait()

    def _fill(self) -> None:
        """Let rows that have had no agent yet show what another one sees."""
        seen = next(row.observation for row in self.rows if row.due)
        for row in self.rows:
            row.observation = seen if row.observation is None else row.observation

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (self.name,)  # a model is stored with the arguments of its buffer, of which this is one


def _same(row: Row) -> Row:
    return row


@dataclass
class Work:
    """What one learner does in its thread.

    Attributes:
        seats: its environment.
        model: the model that learns.
        generators: the states of the global generators while another learner runs.
        learn: runs the model's own ``learn()``.
        gate: is open when it is the learner's turn.
    """

    seats: Seats
    model: BaseAlgorithm
    generators: Generators
    learn: Callable[[], object]
    gate: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.gate.acquire()

    def act_on(self) -> None:
        """Act with the last weights, without learning, until all have ended."""
        state, starts = None, np.ones(self.seats.num_envs, np.bool_)
        observations: Any = self.seats.reset()
        normal = self.model.get_vec_normalize_env()
        masked = type(self.model).__name__ == "MaskablePPO"
        while True:
            seen = observations if normal is None else normal.normalize_obs(observations)
            masks = {"action_masks": np.stack(self.seats.env_method("action_masks"))} if masked else {}
            actions, state = self.model.predict(seen, state, starts, deterministic=False, **masks)
            observations, _, starts, _ = self.seats.step(actions)


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
        self, envs: Sequence[object], seeds: Sequence[int], learner_of: Callable[[Any], str], patience: int
    ) -> None:
        self.plays = [Play(env, seed, self._find_row) for env, seed in zip(envs, seeds, strict=True)]
        self.learner_of, self.patience = learner_of, patience
        self.work: dict[str, Work] = {}
        self.ended: set[str] = set()
        self.error: BaseException | None = None
        self._stopping, self._over = False, Over()
        self._waited, self._episodes = 0, [0] * len(envs)

    def _find_row(self, play: Play, agent: Any) -> Row:
        name = self.learner_of(agent)
        row = next((row for row in self.work[name].seats.rows if row.play is play and row.agent is None), None)
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
            self._next().gate.release()
            while not self._over.wait(timeout=0.5):  # a bounded wait can be interrupted on every system
                pass
        finally:
            self._stopping = True
            for worker, work in zip(workers, self.work.values(), strict=True):
                with suppress(RuntimeError):  # it is open already
                    work.gate.release()
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
        work, following = self.work[seats.name], self._next()
        if following is not work:
            work.generators.leave()
            following.gate.release()
            self._pause(work)

    def _pause(self, work: Work) -> None:
        work.gate.acquire()
        if self._stopping:
            raise Stop
        work.generators.enter()

    def _next(self) -> Work:
        """The learner that acts next, in the order of learners; the environments are stepped until there is one."""
        while True:
            for work in self.work.values():
                if work.seats.is_due:
                    return work
            self._check_waiting()
            for play in self.plays:
                if play.is_ready:
                    play.advance()

    def _check_waiting(self) -> None:
        """End the training if all that have not ended wait in vain for an agent: for a whole episode, or too long."""
        learning = [work for name, work in self.work.items() if name not in self.ended]
        if not self.ended or any(work.seats.is_alive for work in learning):
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

    plain: Any = RolloutBuffer

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
        """Let Stable-Baselines3 compute the advantages along the real steps of each row."""
        super().compute_returns_and_advantage(last_values, dones)
        if self.real.all():
            return
        ends = np.vstack([self.episode_starts[1:], np.asarray(dones, np.float32)[None]])
        values = last_values.detach().cpu().flatten()
        for number, row in enumerate(self.seats.rows):
            steps, value = np.flatnonzero(self.real[:, number]), values[number]
            if row.open and len(steps):  # the result of its last action is still to come: no update learns from it
                self.real[steps[-1], number] = False
                steps, value = steps[:-1], torch.tensor(self.values[steps[-1], number])
            if len(steps):
                over = np.maximum.reduceat(ends[:, number], steps)
                lone = RolloutBuffer(len(steps), ONE, ONE, "cpu", self.gae_lambda, self.gamma)
                lone.rewards[:, 0] = np.add.reduceat(self.rewards[:, number], steps)
                lone.values[:, 0], lone.episode_starts[1:, 0] = self.values[steps, number], over[:-1]
                lone.compute_returns_and_advantage(value, over[-1:])
                self.advantages[steps, number] = lone.advantages[:, 0]
        self.returns = self.advantages + self.values

    def get(self, batch_size: int | None = None) -> Any:
        """Yield batches of real steps, in random order, as a buffer without rows does that holds only them."""
        if self.real.all():
            yield from super().get(batch_size)
            return
        rows, steps = np.nonzero(self.real.T)
        lone = self.plain(len(rows), self.observation_space, self.action_space, self.device)
        lone.full = True
        for name in ("observations", "actions", "values", "log_probs", "advantages", "returns"):
            setattr(lone, name, _pick(getattr(self, name), (steps[:, None], rows[:, None])))
        yield from lone.get(batch_size)


class PaddedDict(Padded, DictRolloutBuffer):
    """The same for observations that are dictionaries."""

    plain = DictRolloutBuffer


class PaddedReplay(ReplayBuffer):
    """A replay buffer of transitions that are complete; padded rows are left out. Arguments as for `Padded`."""

    def __init__(self, *arguments: Any, seats: Seats, n_envs: int = 1, **settings: Any) -> None:
        self.seats = seats
        self.started: list[tuple[Any, Any] | None] = [None] * n_envs
        super().__init__(*arguments, **settings, n_envs=1)  # type: ignore[misc]

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


class PaddedDictReplay(PaddedReplay, DictReplayBuffer):
    """The same for observations that are dictionaries."""


def _pick(batch: Any, rows: Any) -> Any:
    """Some rows of an array, or of each array of observations that are dictionaries."""
    return {key: part[rows] for key, part in batch.items()} if isinstance(batch, dict) else batch[rows]


class CountRows(BaseCallback):
    """Counts only the rows that acted as steps of the learner."""

    def __init__(self, seats: Seats) -> None:
        super().__init__()
        self.seats = seats

    def _on_step(self) -> bool:
        self.model.num_timesteps -= self.seats.num_envs - int(self.seats.acted.sum())
        self.num_timesteps = self.model.num_timesteps
        return True
