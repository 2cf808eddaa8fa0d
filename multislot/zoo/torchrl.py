"""Credit along the copy tree for TorchRL: a value estimator for rollouts of the fixed view. It imports TorchRL.

env = PettingZooWrapper(make("parallel", "multislot/copy-v1", view="fixed"))
estimate = LineageGAE(future="cpy", discount=0.99, gae_lambda=0.95, value_network=critic)
data = estimate(env.rollout(1000, break_when_any_done=False))
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tensordict import TensorDictBase  # type: ignore[import-untyped]
from torchrl.objectives.value.advantages import ValueEstimatorBase  # type: ignore[import-untyped]

from multislot.checks import checked_instance
from multislot.engine.credit import Array, CopyTree, lineage_advantages

if TYPE_CHECKING:
    from multislot.engine.credit import Future

__all__ = ["LineageGAE"]


class LineageGAE(ValueEstimatorBase):  # type: ignore[misc]  # TorchRL is not typed
    """Generalized advantages along the copy tree (`lineage_advantages`) of a rollout [T, N slots].

    It reads ``infos`` of the fixed view in numbers: who lives in a slot, since when, and copied from where. It writes
    ``advantage`` and ``value_target``, shape [T, N, 1], and ``learns``, shape [T, N], into the group. Rows that do not
    learn (empty slots, for ``sta`` also agents that have moved) have advantage 0 and their own value as target; leave
    them out of the loss by ``data[group][data[group, "learns"]]``.

    Args:
        future: whose rewards count, see `multislot.engine.credit`.
        discount: γ, which TorchRL calls ``gamma``.
        gae_lambda: λ of generalized advantage estimation, which TorchRL calls ``lmbda``.
        value_network: writes the values of a rollout; None if it has them already, at the root and in ``next``.
        group: the name of the group of agents, as `PettingZooWrapper` gives it.
    """

    def __init__(
        self, *, future: "Future", discount: float, gae_lambda: float, value_network: Any = None, group: str = "slot"
    ) -> None:
        super().__init__(value_network=value_network)
        self.future, self.discount, self.gae_lambda, self.group = future, discount, gae_lambda, group
        self.set_keys(
            advantage=(group, "advantage"),
            value_target=(group, "value_target"),
            value=(group, "state_value"),
            reward=(group, "reward"),
        )

    def forward(self, tensordict: TensorDictBase, *, params: Any = None, target_params: Any = None) -> TensorDictBase:
        """Write advantages, value targets and who learns into a rollout, and return it."""
        checked_instance("tensordict", tensordict, TensorDictBase)
        value = self.tensor_keys.value
        if self.value_network is not None:
            with torch.no_grad():
                self.value_network(tensordict)
                self.value_network(tensordict["next"])
        values = tensordict[value]
        here, after = _numbers(values), _numbers(tensordict["next", value])
        tree, all_values, shape = _copy_tree(tensordict, self.group, here, after)
        advantages = lineage_advantages(
            tree, all_values, future=self.future, discount=self.discount, gae_lambda=self.gae_lambda
        )[: shape[0] * shape[1]].reshape(*shape, 1)
        learns = torch.as_tensor(~np.isnan(advantages), device=values.device)
        advantage = torch.as_tensor(np.nan_to_num(advantages), dtype=values.dtype, device=values.device)
        tensordict.set(self.tensor_keys.advantage, advantage)
        tensordict.set(self.tensor_keys.value_target, advantage + values)
        tensordict.set((self.group, "learns"), learns[..., 0])
        return tensordict

    def value_estimate(self, input_data: TensorDictBase, *_: Any, **__: Any) -> torch.Tensor:
        """The value targets of a rollout, shape [T, N, 1]."""
        targets: torch.Tensor = self.forward(input_data)[self.tensor_keys.value_target]
        return targets


def _numbers(tensor: torch.Tensor) -> Array:
    return tensor.detach().cpu().numpy().astype(np.float64)[..., 0]


def _copy_tree(
    rollout: TensorDictBase, group: str, here: Array, after: Array
) -> tuple[CopyTree, Array, tuple[int, int]]:
    """The rows of a rollout: one for each step and slot, then one for each slot after a step that is not followed.

    One more row stands for the time before the rollout. Agents who had left the slot where they started by then are
    its copies, in other slots than its own.

    Returns:
        The tree of R rows, the value of each row, and [T, N].
    """

    def info(key: str, *place: str) -> Array:
        column: Array = rollout[(*place, group, "info", key)].cpu().numpy()
        return column

    steps, slots = here.shape
    done = rollout["next", "done"].cpu().numpy().reshape(steps, -1).any(axis=1)
    done[-1] = True
    rows = np.arange(steps * slots).reshape(steps, slots)
    last = rows.size + np.arange(done.sum() * slots).reshape(-1, slots)
    arrivals = np.empty_like(rows)
    arrivals[~done], arrivals[done] = rows[1:][~done[:-1]], last
    occupied, arrives = info("occupied") > 0, info("occupied", "next") > 0
    stays = occupied & (info("deleted", "next") == 0)
    is_copy = ~stays & (info("has_parent", "next") > 0)  # also one that ended on arrival
    sources = np.where(is_copy, info("parent", "next").astype(int) - 1, np.arange(slots))
    continued = stays | is_copy
    elsewhere = rows.size + last.size
    total = elsewhere + 1
    parents, rewards, acted = np.arange(total), np.zeros(total), np.zeros(total, dtype=bool)
    parents[arrivals[continued]] = np.take_along_axis(rows, sources, axis=1)[continued]
    has_moved = occupied[0] & (info("has_parent")[0] > 0) & (info("parent")[0] - 1 != np.arange(slots))
    parents[rows[0, has_moved]] = elsewhere
    rewards[arrivals] = rollout["next", group, "reward"].cpu().numpy().reshape(steps, slots)
    acted[rows], acted[elsewhere] = occupied, True
    values = np.concatenate([here.ravel(), np.zeros(last.size + 1)])
    truncated = rollout["next", group, "terminated"].cpu().numpy().reshape(steps, slots) == 0
    values[arrivals[done]] = (after * arrives * truncated)[done]
    values[rows] *= occupied
    own_slots = np.append(np.tile(np.arange(slots), elsewhere // slots), slots)
    return CopyTree(parents, rewards, own_slots, acted), values, (steps, slots)
