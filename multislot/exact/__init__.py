"""Exact history-based worlds: kernels, beliefs about where one is, values, and plans on them (Orseau 2014)."""

import sys

from multislot.exact import futures
from multislot.exact.agents import AIMU, AIXI
from multislot.exact.belief import Belief, Situations, slot_weights
from multislot.exact.copies.caring import (
    CopiesBracket,
    CopiesPlan,
    Lives,
    bracket_for_copies,
    plan_for_copies,
    worth_for_copies,
)
from multislot.exact.copies.caring_frontier import CaringFrontier, CaringPiece, frontier_for_copies
from multislot.exact.copies.memoryless import MemorylessPlan, best_memoryless, memoryless_worth
from multislot.exact.copies.ratifying import Ratification, ratifiable
from multislot.exact.files.worlds import (
    FileKernel,
    copy,
    copy_delete,
    load_kernel,
    parse_kernel,
    stay,
    teleport,
    world_named,
    world_names,
)
from multislot.exact.futures import (
    ActedSequence,
    CommonAncestor,
    FirstCopy,
    KnownSlot,
    LeastRewarded,
    OneSlot,
    PrimeSlot,
    SameHistory,
    register_value,
)
from multislot.exact.kernel import Arrival, Kernel
from multislot.exact.maps.map_results import DecisionMap
from multislot.exact.maps.mapping import decision_map
from multislot.exact.mixture import Branch, Mixture, Particle, Place
from multislot.exact.planning import Plan, action_values
from multislot.exact.tree import DecisionTree, decision_tree
from multislot.exact.universal import UniversalKernel, UniversalWorld
from multislot.exact.values import (
    ActionValues,
    CopyCentered,
    DynamicSlotCentered,
    Marked,
    MarkedKernel,
    Planner,
    StaticSlotCentered,
    Value,
    WeightedFuture,
)
from multislot.exact.world import Coding, KernelWorld

# The documented path from before it moved: `from multislot.exact.names import named` still works.
sys.modules[f"{__name__}.names"] = futures

__all__ = [
    "AIMU",
    "AIXI",
    "ActedSequence",
    "ActionValues",
    "Arrival",
    "Belief",
    "Branch",
    "CaringFrontier",
    "CaringPiece",
    "Coding",
    "CommonAncestor",
    "CopiesBracket",
    "CopiesPlan",
    "CopyCentered",
    "DecisionMap",
    "DecisionTree",
    "DynamicSlotCentered",
    "FileKernel",
    "FirstCopy",
    "Kernel",
    "KernelWorld",
    "KnownSlot",
    "LeastRewarded",
    "Lives",
    "Marked",
    "MarkedKernel",
    "MemorylessPlan",
    "Mixture",
    "OneSlot",
    "Particle",
    "Place",
    "Plan",
    "Planner",
    "PrimeSlot",
    "Ratification",
    "SameHistory",
    "Situations",
    "StaticSlotCentered",
    "UniversalKernel",
    "UniversalWorld",
    "Value",
    "WeightedFuture",
    "action_values",
    "best_memoryless",
    "bracket_for_copies",
    "copy",
    "copy_delete",
    "decision_map",
    "decision_tree",
    "frontier_for_copies",
    "load_kernel",
    "memoryless_worth",
    "parse_kernel",
    "plan_for_copies",
    "ratifiable",
    "register_value",
    "slot_weights",
    "stay",
    "teleport",
    "world_named",
    "world_names",
    "worth_for_copies",
]
