"""Draw a sample of mutations with a seed: nobody chooses them."""

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import parso
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

PACKAGES = ("multislot", "considerate", "extenv", "scenarios")
WITHOUT_ARGUMENTS = {name: get_operator(name)() for name in operator_names() if not get_operator(name).arguments()}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PAGES = {
    "multislot/drawing/": "drawing",
    "multislot/exact/maps/map_drawing.py": "drawing",
    "multislot/zoo/rendering.py": "drawing",
    "considerate/craftworld/drawing.py": "drawing",
    "extenv/measuring/plots.py": "drawing",
    "scenarios/anthropics/pictures.py": "drawing",
    "scenarios/lab/printing.py": "printing",
    "scenarios/report/": "page",
    "scenarios/explore/building.py": "page",
    "scenarios/profile/card.py": "page",
    "scenarios/vega/": "page",
}
"""Modules that only draw, print or make pages, and which: counted apart. So are functions that draw on axes, or that
an experiment calls `figures`."""
SPANS = (*FUNCTIONS, ast.AnnAssign, ast.arg)


@dataclass(frozen=True)
class Mutant:
    """A mutation: the n-th place of a module that an operator of cosmic-ray can change."""

    module: str
    operator: str
    occurrence: int
    line: int
    column: int

    @property
    def name(self) -> str:
        """The short name of the operator and where it changes the module."""
        return f"{self.module}:{self.line}:{self.column} {self.operator.removeprefix('core/')}"

    def mutate(self, source: str) -> str | None:
        """The mutated source, unless it does not compile or compiles to the same code."""
        changed = mutate_code(source, WITHOUT_ARGUMENTS[self.operator], self.occurrence)
        try:
            same = ast.dump(ast.parse(changed)) == ast.dump(ast.parse(source))
            compile(changed, self.module, "exec")
        except SyntaxError:
            return None
        return None if same else changed


def kind_of(module: str, line: int, source: str) -> str:
    """What a line is for: "drawing", "printing", "page", or "code"."""
    for prefix, kind in PAGES.items():
        if module.startswith(prefix):
            return kind
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, FUNCTIONS)]
    around = [node for node in functions if node.lineno <= line <= (node.end_lineno or 0)]
    names = {node.id for function in around for node in ast.walk(function) if isinstance(node, ast.Name)}
    arguments = {node.arg for function in around for node in ast.walk(function) if isinstance(node, ast.arg)}
    draws = {"axes", "figure", "Axes"} & (names | arguments) or any(function.name == "figures" for function in around)
    return "drawing" if draws else "code"


def nodes_below(node: Any) -> Iterator[Any]:
    """All nodes of a tree of parso, in the order in which cosmic-ray counts them."""
    yield node
    for child in getattr(node, "children", ()):
        yield from nodes_below(child)


def annotation_spans(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations stand: a mutated one fails at import or never, which would show nothing about tests."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, SPANS)]
    found = [getattr(node, "annotation", None) or getattr(node, "returns", None) for node in nodes]
    spans = [(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset) for node in found if node]
    return [((first, column), (last or first, end or 0)) for first, column, last, end in spans]


def all_mutants(root: Path, module: str) -> Iterator[Mutant]:
    """Every mutation that cosmic-ray makes in a module, annotations apart."""
    source = (root / module).read_text(encoding="utf-8")
    spans, counts = annotation_spans(source), defaultdict[str, int](int)
    for node in nodes_below(parso.parse(source)):
        if node.type in ("name", "string", "newline", "endmarker") or getattr(node, "value", "") in tuple("(),.:[]{}="):
            continue
        for name, operator in WITHOUT_ARGUMENTS.items():
            for start, _ in operator.mutation_positions(node):
                counts[name] += 1
                if not any(first <= start < last for first, last in spans):
                    yield Mutant(module, name, counts[name] - 1, *start)


def draw_sample(root: Path, size: int, seed: int) -> list[Mutant]:
    """A random order of all mutations: the first of each module, then the first of the rest."""
    modules = sorted(str(path.relative_to(root)) for package in PACKAGES for path in (root / package).rglob("*.py"))
    order = [mutant for module in modules for mutant in all_mutants(root, module)]
    random.Random(seed).shuffle(order)
    firsts, rest, seen = [], [], set[str]()
    for mutant in order:
        if mutant.module not in seen and mutant.mutate((root / mutant.module).read_text(encoding="utf-8")):
            seen.add(mutant.module)
            firsts.append(mutant)
        elif mutant.module in seen:
            rest.append(mutant)
    for mutant in rest:
        if len(firsts) >= size:
            break
        if mutant.mutate((root / mutant.module).read_text(encoding="utf-8")):
            firsts.append(mutant)
    return firsts[:size]
