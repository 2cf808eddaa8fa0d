"""Tabular models side by side: likelihoods to learn from, and transitions to plan in all of them at once."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import block_diag, coo_array, csr_array, vstack

from multislot.bayes.arrays import Floats
from multislot.bayes.memory import SETTINGS, Memory
from multislot.bayes.models import PerceptKey, TabularModel, percept_of


class ModelStack:
    """K tabular models of one size, side by side, for planning in all of them at once.

    Args:
        models: K tabular models with the same states and actions.

    Attributes:
        rewards: [K, S, A], expected.
    """

    def __init__(self, models: Sequence[TabularModel]) -> None:
        self.models = tuple(models)
        self.n_states, self.n_actions = models[0].n_states, models[0].n_actions
        self.rewards = np.array([model.rewards for model in models])
        self._best: Memory[Floats] = Memory(SETTINGS)

    def rows_of(self, indices: Sequence[int]) -> csr_array:
        """Return the transition rows of some models, one under the other, sparse [n·S·A, S]."""
        return csr_array(vstack([self.models[k].rows for k in indices], format="csr"))

    def ahead(self, model: int, state: int, values: Floats) -> Floats:
        """Return [A], the expected value of the next state in one model."""
        first = state * self.n_actions
        expected: Floats = self.models[model].rows[first : first + self.n_actions] @ values
        return expected

    def best_action_values(self, discount: float, horizon: int) -> Floats:
        """Return [K, S, A], the best normalised values of each model alone; they are kept."""

        def backed_up() -> Floats:
            rows = csr_array(block_diag([model.rows for model in self.models], format="csr"))
            action_values = np.zeros(self.rewards.shape)
            for _ in range(horizon):
                ahead = (rows @ action_values.max(axis=2).ravel()).reshape(self.rewards.shape)
                action_values = (1 - discount) * self.rewards + discount * ahead
            return action_values

        return self._best.once((discount, horizon), backed_up)


class LikelihoodTables:
    """Transition and reward probabilities of K tabular models, one sparse row of K numbers an event.

    Args:
        models: K tabular models with the same states and actions.
    """

    def __init__(self, models: Sequence[TabularModel]) -> None:
        self.n_states, self.n_actions = models[0].n_states, models[0].n_actions
        self.n_models = len(models)
        keys = sorted({percept_of(0, value)[1] for model in models for value in model.reward_values.tolist()})
        self.reward_index = {key: index for index, key in enumerate(keys)}
        self.transitions = _side_by_side([model.rows for model in models])
        over_all_rewards = []
        for model in models:
            rows = coo_array(model.reward_rows)
            column = np.array([self.reward_index[percept_of(0, value)[1]] for value in model.reward_values.tolist()])
            shape = (rows.shape[0], len(self.reward_index))
            over_all_rewards.append(csr_array((rows.data, (rows.row, column[rows.col])), shape=shape))
        self.rewards = _side_by_side(over_all_rewards)

    def likelihood(self, state: int, action: int, percept: PerceptKey) -> Floats:
        """Return [K], the probability that each model gives to a percept."""
        row = state * self.n_actions + action
        reward = self.reward_index.get(percept[1])
        if reward is None or not 0 <= percept[0] < self.n_states:
            return np.zeros(self.n_models)
        arrival = _dense_row(self.transitions, row * self.n_states + percept[0])
        return arrival * _dense_row(self.rewards, row * len(self.reward_index) + reward)


def tabular_of_one_size(models: Sequence[object]) -> list[TabularModel]:
    """Return the models if all are tabular and of one size, else an empty list."""
    tabular = [model for model in models if isinstance(model, TabularModel)]
    alike = len(tabular) == len(models) and len({(model.n_states, model.n_actions) for model in tabular}) == 1
    return tabular if alike else []


def _side_by_side(matrices: Sequence[csr_array]) -> csr_array:
    """Return K sparse [N, M] matrices as one sparse [N·M, K]."""
    parts = [coo_array(matrix) for matrix in matrices]
    width = parts[0].shape[1]
    rows = np.concatenate([part.row.astype(np.int64) * width + part.col for part in parts])
    columns = np.repeat(np.arange(len(parts)), [part.nnz for part in parts])
    shape = (parts[0].shape[0] * width, len(parts))
    return csr_array((np.concatenate([part.data for part in parts]), (rows, columns)), shape=shape)


def _dense_row(matrix: csr_array, row: int) -> Floats:
    """Return one sparse row, dense."""
    first, last = matrix.indptr[row], matrix.indptr[row + 1]
    dense = np.zeros(matrix.shape[1])
    dense[matrix.indices[first:last]] = matrix.data[first:last]
    return dense
