"""What views say about each agent in ``infos``; those of the fixed view are numbers, for learning libraries."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from multislot.engine.world import World

if TYPE_CHECKING:
    from multislot.zoo.episode import Occupant

ACTION_MASK = "action_mask"
"""Under this key ``infos`` say which actions do something of their own: an int8 array of shape [n_actions]."""

BOOTSTRAP = "bootstrap"
"""Under this key ``infos`` say whether the value of what follows counts for the agent that acted; 0 if it has left.

In the fixed view a slot may be filled again, so that a slot's next observation may be another agent's.
"""

FINAL = "final_obs"
"""Under this key infos of vectors have the last observation of an episode that is over, as in Gymnasium."""

FINAL_INFO = "final_info"
"""Under this key infos of vectors have the last infos of an episode that is over, as in Gymnasium."""

Mask: TypeAlias = npt.NDArray[np.int8]


def action_mask(world: World, slot: int | None) -> Mask:
    """Return the mask of an agent that acts in `slot`; of the first action alone if the slot is empty (None).

    An action is masked if it does exactly what an earlier one does. At least one action is not.
    """
    mask = np.zeros(world.n_actions, dtype=np.int8)
    distinct = (0,) if slot is None else world.distinct_actions(slot)
    if distinct is None:
        mask.fill(1)
    else:
        for action in distinct:
            mask[action] = 1
    return mask


def in_numbers(
    slot: int, occupant: "Occupant | None", parent: int | None, mask: Mask, *, deleted: bool, ended: bool
) -> dict[str, Any]:
    """Return the infos of a slot in numbers: the same keys, types and shapes at every step; a missing value is 0."""
    return {
        "slot": slot,
        "occupied": occupant is not None,
        "has_parent": parent is not None,
        "parent": parent or 0,
        "birth_step": 0 if occupant is None else occupant.birth_step,
        "deleted": deleted,
        "ended": ended,
        BOOTSTRAP: not (deleted or ended),
        ACTION_MASK: mask,
    }


def was_born(info: Mapping[str, Any], step: int) -> bool:
    """Return whether the agent of these infos, of either view, was born at a step."""
    return bool(info.get("occupied", True) and info["birth_step"] == step)


def parent_name(info: Mapping[str, Any]) -> str | None:
    """Return the name of the parent in these infos, of either view; None without one."""
    if "has_parent" in info:
        return f"slot_{info['parent']}" if info["has_parent"] else None
    name: str | None = info["parent"]
    return name
