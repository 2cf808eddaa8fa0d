"""Try mutations inside functions in a process that has imported everything: only the code of functions is swapped."""

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType
from typing import TypeAlias

import pytest

from tests.mutants.contexts import import_packages
from tests.mutants.trying import Runner, try_twice

Trial: TypeAlias = tuple[str, str, str, Sequence[str], Callable[[str], None]]
"""Module, source, mutated source, tests, and what is done with the test that notices it."""
Swaps: TypeAlias = Sequence[tuple[FunctionType, CodeType, CodeType]]


def inner_codes(code: CodeType) -> list[CodeType]:
    """The functions, classes and comprehensions that a piece of code defines."""
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def changed_codes(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The pieces of code that differ, in themselves or in what they define."""
    if old == new:
        return
    yield old, new
    for first, second in zip(inner_codes(old), inner_codes(new), strict=False):
        yield from changed_codes(first, second)


def own_instructions(code: CodeType) -> tuple[object, ...]:
    """What a piece of code does itself, without what it defines."""
    constants = [repr(constant) for constant in code.co_consts if not isinstance(constant, CodeType)]
    return code.co_code, constants, code.co_names, code.co_varnames, len(code.co_consts)


def acts_at_import(original: str, mutated: str) -> bool:
    """Whether a mutation changes a module or a class, and not only what functions do."""
    pairs = changed_codes(compile(original, "", "exec"), compile(mutated, "", "exec"))
    return any(not old.co_flags & CO_OPTIMIZED and own_instructions(old) != own_instructions(new) for old, new in pairs)


class Swapper(Runner):
    """A plugin of pytest that collects all tests once, then tries each mutation in a forked process."""

    trials: Sequence[Trial] = ()
    root = Path()

    def pytest_sessionstart(self) -> None:
        import_packages()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        functions = defaultdict[tuple[str, str, int], list[FunctionType]](list)
        for value in gc.get_objects():
            if type(value) is FunctionType:  # a lazy object would import what isinstance asks for
                code = value.__code__
                functions[code.co_filename, code.co_qualname, code.co_firstlineno].append(value)
        gc.collect()
        gc.freeze()
        for module, original, mutated, tests, store in self.trials:
            path = str(self.root / module)
            pairs = list(changed_codes(compile(original, path, "exec"), compile(mutated, path, "exec")))
            swaps = [
                (function, before, after)
                for before, after in pairs
                for function in functions[path, before.co_qualname, before.co_firstlineno]
                if list(function.__code__.co_positions()) == list(before.co_positions())
                and function.__code__.co_freevars == before.co_freevars == after.co_freevars
            ]

            def run(source: str, tests: Sequence[str], mutated: str = mutated, swaps: Swaps = swaps) -> str:
                chosen = [items[test] for test in tests]
                return self.fork(lambda: (swap(swaps, source == mutated), self.run(session, chosen)), tests)

            if swaps:
                store(try_twice(run, original, mutated, [test for test in tests if test in items]))
        return True


def swap(swaps: Swaps, mutated: bool) -> None:
    """Give functions their mutated code, or, as a control, a fresh compilation of their own."""
    for function, before, after in swaps:
        function.__code__ = after if mutated else before
