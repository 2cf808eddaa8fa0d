"""Craft-World: gridworlds with tools, keys, doors, dolls and kitchens (Alizadeh Alamdari et al. 2021, section 4)."""

from typing import TYPE_CHECKING

from considerate.craftworld.files import PAPER_TASKS, TASKS
from multislot.late import late_names

if TYPE_CHECKING:
    from considerate.craftworld.definition import Holder, Owner, Task, Visitor
    from considerate.craftworld.files import load_task, parse_task, task
    from considerate.craftworld.grid import Grid, parse_map
    from considerate.craftworld.rules import Barrier, Change, Condition, State, Things
else:
    __getattr__ = late_names(
        __name__,
        {
            "Barrier": "considerate.craftworld.rules",
            "Change": "considerate.craftworld.rules",
            "Condition": "considerate.craftworld.rules",
            "Grid": "considerate.craftworld.grid",
            "Holder": "considerate.craftworld.definition",
            "Owner": "considerate.craftworld.definition",
            "State": "considerate.craftworld.rules",
            "Task": "considerate.craftworld.definition",
            "Things": "considerate.craftworld.rules",
            "Visitor": "considerate.craftworld.definition",
            "load_task": "considerate.craftworld.files",
            "parse_map": "considerate.craftworld.grid",
            "parse_task": "considerate.craftworld.files",
            "task": "considerate.craftworld.files",
        },
    )

__all__ = [
    "PAPER_TASKS",
    "TASKS",
    "Barrier",
    "Change",
    "Condition",
    "Grid",
    "Holder",
    "Owner",
    "State",
    "Task",
    "Things",
    "Visitor",
    "load_task",
    "parse_map",
    "parse_task",
    "task",
]
