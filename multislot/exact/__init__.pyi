from .agents import AIMU, AIXI
from .belief import Belief, Situations, slot_weights
from .copies.caring import (
    CopiesBracket,
    CopiesPlan,
    Lives,
    bracket_for_copies,
    plan_for_copies,
    worth_for_copies,
)
from .copies.caring_frontier import CaringFrontier, CaringPiece, frontier_for_copies
from .copies.memoryless import MemorylessPlan, best_memoryless, memoryless_worth
from .copies.ratifying import Ratification, ratifiable
from .files.worlds import (
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
from .futures import (
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
from .kernel import Arrival, Kernel
from .maps.map_results import DecisionMap
from .maps.mapping import decision_map
from .mixture import Mixture
from .mixture.weights import Branch, Particle, Place
from .planning import Plan, action_values
from .tree import DecisionTree, decision_tree
from .universal import UniversalKernel, UniversalWorld
from .values import (
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
from .world import Coding, KernelWorld

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
