"""Craft-World: gridworlds with tools, keys, doors, dolls and kitchens (Alizadeh Alamdari et al. 2021, section 4)."""

from considerate.craftworld.definition import Holder, Owner, Task, Visitor
from considerate.craftworld.files import PAPER_TASKS, TASKS, load_task, parse_task, task
from considerate.craftworld.grid import Grid, parse_map
from considerate.craftworld.rules import Barrier, Change, Condition, State, Things

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
