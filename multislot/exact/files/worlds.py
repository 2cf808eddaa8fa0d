"""Worlds in TOML files. A file is checked and its arithmetic is computed; nothing in it is executed.

``load_kernel("branch-line.toml", left=2)`` returns a kernel; docs/files.md has the format. The worlds of the package
are such files, in the folder ``worlds``. Only the standard library is needed, so that the module loads in a
browser.

The simplest questions about identity come with the package: `stay`, `teleport`, `copy` and `copy_delete`. The closed
forms of their values are in `scenarios.identity.offer`.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property, wraps
from importlib.resources import files
from inspect import signature
from math import inf
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeAlias

from multislot.checks import checked_instance, known_name, number, whole
from multislot.errors import SettingError, UnknownNameError, UnknownParameterError, show_value
from multislot.exact.files.affine import NotLinearError, is_moving
from multislot.exact.files.arithmetic import Arithmetic, Template
from multislot.exact.files.forms import (
    DELETED,
    Becomes,
    Each,
    Outcome,
    Parameter,
    State,
    WorldForm,
    check_form,
    read_form,
    start_entry,
)
from multislot.exact.files.reading import Document, FileError
from multislot.exact.kernel import PROBABILITY_TOLERANCE, Arrival, Kernel, Number, exact
from multislot.exact.kernel import Outcome as KernelOutcome
from multislot.exact.planning import CopySetsError

MOST_OUTCOMES = 10_000
"""The largest number of values of a range, and of copies of an agent in all outcomes of an action."""
MOST_WORK = 200_000
"""The largest number of characters of arithmetic that are computed to read a file, or for the outcomes of an action."""
MOST_PASSED = 32
LARGEST = 10**200
"""The largest reward: the worth of larger ones could be too large for a float."""
Values: TypeAlias = Mapping[str, Number]
Place: TypeAlias = tuple[int, Hashable]
"""A slot and a hidden state."""
Parameters = ParamSpec("Parameters")


class Lasting(NamedTuple):
    """The hidden state in a state that ends: its name, and how many steps it lasts, this one included."""

    name: str
    left: int


class Chance(NamedTuple):
    """One outcome of a state and action: its probability, and the names that are bound in it."""

    probability: Number
    entry: str
    outcome: Outcome
    bound: Values


STAYS = Chance(Fraction(1), "", Outcome("", [Becomes()]), {})
"""The outcome of an action that the file does not mention."""


@dataclass
class Work:
    """The characters of arithmetic that a file may still have computed, and the copies that it may still make."""

    characters: int = MOST_WORK
    copies: int = MOST_OUTCOMES


@dataclass(frozen=True, eq=False)
class FileKernel:
    """The kernel of a file, for given values of its parameters.

    Attributes:
        document: the text of the file, and what it holds.
        form: its entries.
        actions: the actions, in order; ties between them go to the first.
        values: the value of every parameter.
        start: the hidden state of each slot that holds an agent at t = 0.
    """

    document: Document = field(repr=False)
    form: WorldForm = field(repr=False)
    actions: tuple[str, ...]
    values: Values
    start: Mapping[int, Hashable] = field(init=False)
    _rules: dict[tuple[str, Hashable], tuple[Chance, ...]] = field(default_factory=dict, init=False, repr=False)
    _work: Work = field(default_factory=Work, init=False, repr=False)  # for all probabilities

    def __post_init__(self) -> None:
        checked_instance("document", self.document, Document)
        checked_instance("form", self.form, WorldForm)
        for state in self._states:
            self._entered(state)
            for action in self.actions:
                self._chances(state, action)
        object.__setattr__(self, "start", self._place_agents())
        work = Work()
        for start in self.start.items():
            for action in self.actions:
                self._outcomes(*start, action, work)

    @property
    def name(self) -> str:
        """The name of the world."""
        return self.form.name

    @cached_property
    def after(self) -> tuple[tuple[str, str], ...]:
        """The (action, observation) pairs before the question; the first action where the file names none."""
        history: list[tuple[str, str]] = []
        places = list(self.start.items())
        for index, (action, seen) in enumerate(self.form.after):
            deciding = [state_name(state) for _, state in places if self.decides(state)]
            if not action and deciding:
                problem = f"got no action, and actions differ in state {deciding[0]!r}; write both, as in"
                raise self.document.error(f"after.{index}", f'{problem} ["{self.actions[0]}", "{seen}"]')
            history.append((action or self.actions[0], seen))
            came = next_places(self, places, history[-1][0], seen)
            if not came:
                outcomes = [self.outcomes(*place, history[-1][0]) for place in places]
                known = {to.observation for listed in outcomes for _, arrivals in listed for to in arrivals.values()}
                raise self.document.unknown(f"after.{index}", "observation at this step", seen, known)
            places = came
        return tuple(history)

    def explain(self, error: CopySetsError) -> FileError:
        """The error of two agents that come into one slot, in the words of the file."""
        *agents, target, step = checked_instance("error", error, CopySetsError).args
        agents.sort(key=lambda agent: agent[0][0] == target)  # first who comes from another slot
        (slot, state), action = agents[0]
        chances = self._chances(state_name(state), action)
        entry = next(one.entry for one in chances if target in self._arrivals(slot, state, one, Work()))
        who = [f"{state_name(state)!r} (slot {slot}, action {action!r})" for (slot, state), action in agents]
        return self.document.error(
            f"{entry}.becomes",
            f"at step {step} the agents in {' and '.join(who)} both come into slot {target}. What one agent does "
            "changes only itself, so list here only what becomes of it, in slots where nobody else is or comes, such "
            'as slot = "2 * slot"; agents that change each other are written in Python',
        )

    def decides(self, state: Hashable) -> bool:
        """Whether the actions differ in a hidden state: an outcome names one."""
        return any(outcome.action for _, outcome in self._listed.get(state_name(state), ()))

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters by name."""
        return self.form.parameters

    def _place_agents(self) -> Mapping[int, Hashable]:
        places: dict[int, Hashable] = {}
        for index, start in enumerate(self.form.start):
            entry = start_entry(self.document, index)
            slot = self._whole(f"{entry}.slot", start.slot, self.values, 1)
            entered = self._entered(start.state)
            if slot in places or entered is None:
                raise self.document.error(entry, "expected each agent in a slot of its own, and in a state that lasts")
            places[slot] = entered
        return places

    def outcomes(self, slot: int, state: Hashable, action: Hashable) -> list[KernelOutcome]:
        """The possible outcomes for the agent in `slot`; UnknownNameError if there is no such state."""
        if not isinstance(state, str | Lasting) or state_name(state) not in self._states:
            raise UnknownNameError(
                f"state of {self.name}", state if isinstance(state, str) else show_value(state), self._states
            )
        return self._outcomes(slot, state, action, Work())

    def _outcomes(self, slot: int, state: Hashable, action: Hashable, work: Work) -> list[KernelOutcome]:
        chances = self._chances(state_name(state), action)
        return [(chance.probability, self._arrivals(slot, state, chance, work)) for chance in chances]

    def at(self, /, **parameters: Number) -> "FileKernel":
        """Return the kernel with some parameters changed."""
        for name in parameters:
            known_name(f"parameter of {self.name}", name, self.parameters)
        changed = {name: _checked(name, self.parameters[name], value) for name, value in parameters.items()}
        return replace(self, values={**self.values, **changed})

    @cached_property
    def _states(self) -> dict[str, State]:
        """All states, including those without a table of their own."""
        form = self.form
        return {**{outcome.state: State() for outcome in form.outcomes}, **form.states}

    def _chances(self, state: str, action: Hashable) -> tuple[Chance, ...]:
        """The outcomes of a state and action with their probabilities."""
        key = state, action
        if key not in self._rules:
            known_name(f"action of {self.name}", action, self.actions)
            listed = self._listed[state]
            own = [(entry, outcome) for entry, outcome in listed if outcome.action == action]
            self._spend(self._work, "outcomes")
            chances: list[Chance] = []
            for entry, outcome in own or [(entry, outcome) for entry, outcome in listed if not outcome.action]:
                for bound in self._each(f"{entry}.each", outcome.each, self.values):
                    self._spend(self._work, entry, outcome.probability)
                    probability = self._number(f"{entry}.probability", outcome.probability, bound)
                    chances.append(Chance(probability, entry, outcome, bound))
            self._check_sum(chances, state, action)
            self._rules[key] = tuple(chances) or (STAYS,)
        return self._rules[key]

    @cached_property
    def _listed(self) -> Mapping[str, list[tuple[str, Outcome]]]:
        listed: dict[str, list[tuple[str, Outcome]]] = {state: [] for state in self._states}
        for index, outcome in enumerate(self.form.outcomes):
            listed[outcome.state].append((f"outcomes.{index}", outcome))
        return listed

    def _check_sum(self, chances: Sequence[Chance], state: str, action: Hashable) -> None:
        if not chances:
            return
        if any(is_moving(chance.probability) for chance in chances):
            raise NotLinearError("a probability moves")
        total = sum((chance.probability for chance in chances), Fraction())
        slack = PROBABILITY_TOLERANCE if isinstance(total, float) else 0
        for chance in chances:
            if not 0 <= chance.probability <= 1 + slack:
                got = f"got {show_value(chance.outcome.probability.text)}, which is {chance.probability}"
                raise self.document.error(f"{chance.entry}.probability", f"{got}; expected a probability from 0 to 1")
        if not -slack <= total - 1 <= slack:
            raise self.document.error(
                f"{chances[-1].entry}.probability",
                f"the probabilities of state {state!r} and action {action!r} sum to {total}; expected a sum of 1"
                + f': add what else can happen, such as becomes = [{{ state = "{state}" }}]' * (total < 1),
            )

    def _each(self, entry: str, each: Each | None, values: Values) -> Iterator[Values]:
        """Yield the values with each number of a range bound to its name; without a range yield them once."""
        if each is None:
            yield values
            return
        first, last = (self._whole(entry, end, values, -inf) for end in (each.first, each.last))
        if last - first >= MOST_OUTCOMES:
            raise self.document.error(entry, f"got {last - first + 1} numbers; expected at most {MOST_OUTCOMES}")
        for k in range(first, last + 1):
            yield {**values, each.name: Fraction(k)}

    def _spend(self, work: Work, entry: str, *written: Arithmetic | Template | None, copies: int = 0) -> None:
        """Count what an entry computes next; raise FileError if it exceeds the limits."""
        work.characters -= 1 + sum(part.size for part in written if part is not None)
        work.copies -= copies
        if min(work.characters, work.copies) < 0:
            raise self.document.error(
                entry,
                f"this asks for too much; expected at most {MOST_OUTCOMES} copies and {MOST_WORK} characters of "
                "arithmetic to be computed at a time: give shorter ranges, or fewer states and actions",
            )

    def _arrivals(self, slot: int, state: Hashable, chance: Chance, work: Work) -> dict[int, Arrival]:
        arrived: dict[int, Arrival] = {}
        values = {**self.values, **chance.bound, "slot": slot}
        copies = (
            (chance.entry and f"{chance.entry}.becomes.{index}", becomes, bound)
            for index, becomes in enumerate(chance.outcome.becomes)
            for bound in self._each(f"{chance.entry}.becomes.{index}.each", becomes.each, values)
        )
        for entry, becomes, bound in copies:
            self._spend(work, entry, becomes.slot, copies=1)
            target = self._whole(f"{entry}.slot", becomes.slot, bound, 1)
            entered = self._entered(becomes.state) if becomes.state else self._next(state)
            if entered is None:
                continue
            if target in arrived:
                raise self.document.error(
                    entry,
                    f"slot {target} gets two copies; expected one at most, so name another slot (Orseau 2014, Def. 3)",
                )
            name, its_values = state_name(entered), {**bound, "slot": Fraction(target)}
            sees: Template | None = becomes.sees or self._states[name].sees
            pays: Arithmetic = becomes.pays or self._states[name].pays
            self._spend(work, entry, sees, pays)
            observation = sees.text(its_values) if sees else name
            where = f"{entry}.pays" if becomes.pays else f"states.{name}.pays"
            reward = self._number(where, pays, its_values)
            if isinstance(reward, Fraction) and abs(reward.numerator) > LARGEST * reward.denominator:
                raise self.document.error(where, "got a reward beyond 10^200; expected a smaller one")
            arrived[target] = Arrival(entered, observation, reward)
        return arrived

    def _entered(self, name: str) -> Hashable:
        """The hidden state on arrival in a state; None if the copy is deleted."""
        passed: list[str] = []
        while name != DELETED:
            state = self._states[name]
            if state.lasts is None:
                return name
            steps = self._whole(f"states.{name}.lasts", state.lasts, self.values, 0)
            if steps:
                return Lasting(name, steps)
            if name in passed:
                raise self.document.error(
                    f"states.{name}.then", f"states that last no step lead to each other: {passed}"
                )
            if len(passed) == MOST_PASSED:
                raise self.document.error(
                    f"states.{name}.lasts", f"got more than {MOST_PASSED} states in a row that last no step"
                )
            passed.append(name)
            name = state.then
        return None

    def _next(self, state: Hashable) -> Hashable:
        if not isinstance(state, Lasting):
            return state
        return state._replace(left=state.left - 1) if state.left > 1 else self._entered(self._states[state.name].then)

    def _whole(self, entry: str, written: Arithmetic, values: Values, least: float) -> int:
        result = self._number(entry, written, values)
        if is_moving(result):
            raise NotLinearError("a whole number moves")
        if result != int(result) or result < least:
            expected = "a whole number" if least == -inf else f"a whole number of at least {least}"
            raise self.document.error(entry, f"got {show_value(written.text)}, which is {result}; expected {expected}")
        return int(result)

    def _number(self, entry: str, written: Arithmetic, values: Values) -> Number:
        try:
            return written.value(values)
        except SettingError as error:
            raise self.document.error(entry, str(error)) from None


def find_kernel(path: str | Path = "branch-line", **parameters: Number) -> FileKernel:
    """Return the kernel of a TOML file, or of a world that comes with the package; raises as `load_kernel` does.

    Args:
        path: the file, or the name of the world.
        parameters: values that replace the file's defaults.
    """
    file = Path(path)
    if (file.suffix or file.exists()) and not (file.is_dir() and str(path) in world_names()):
        return load_kernel(file, **parameters)
    return world_named(str(path), **parameters)


def load_kernel(path: str | Path, **parameters: Number) -> FileKernel:
    """Return the kernel of a TOML file.

    Args:
        path: the file.
        parameters: values that replace the file's defaults.

    Raises:
        FileError: something in the file is wrong; says in which line and entry.
    """
    return _kernel(Document.load(path), parameters)


def parse_kernel(text: str, **parameters: Number) -> FileKernel:
    """Return the kernel of the text of a TOML file; otherwise like `load_kernel`."""
    return _kernel(Document.parse(text), parameters)


def world_named(name: str, **parameters: Number) -> FileKernel:
    """Return one of the worlds that come with the package; otherwise like `load_kernel`."""
    known_name("world", checked_instance("name", name, str), world_names())
    return _packaged(name).at(**parameters)


@cache
def world_names() -> tuple[str, ...]:
    """Return the names of the worlds that come with the package."""
    folder = files("multislot.exact") / "worlds"
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))


@cache
def _packaged(name: str) -> FileKernel:
    return parse_kernel(world_text(name))


def world_text(name: str) -> str:
    """The file of a world that comes with the package."""
    return (files("multislot.exact") / "worlds" / f"{name}.toml").read_text(encoding="utf-8")


def _kernel(document: Document, parameters: Mapping[str, Number]) -> FileKernel:
    form = read_form(document)
    actions = check_form(document, form)
    defaults = {}
    for name, parameter in form.parameters.items():
        try:
            defaults[name] = _checked(name, parameter, parameter.default)
        except SettingError as error:
            raise document.error(f"parameters.{name}", str(error)) from None
    return FileKernel(document, form, actions, defaults).at(**parameters)


def _checked(name: str, parameter: Parameter, value: Number) -> Number:
    if is_moving(value):
        if parameter.whole:
            raise NotLinearError(f"{name} is a whole number")
        return value
    least = -inf if parameter.least is None else parameter.least
    most = inf if parameter.most is None else parameter.most
    if parameter.whole:
        return Fraction(whole(name, value, least, most))
    return exact(number(name, value, least, most), name)


def next_places(kernel: Kernel, places: Iterable[Place], action: Hashable, seen: Hashable = None) -> list[Place]:
    """List where an agent can be that took an action in one of some places; only where it sees `seen`, if given."""
    came = [pair for place in places for _, arrivals in kernel.outcomes(*place, action) for pair in arrivals.items()]
    return list(dict.fromkeys((slot, to.state) for slot, to in came if seen is None or to.observation == seen))


def state_name(state: Hashable) -> str:
    """The name in the file of a hidden state."""
    return state.name if isinstance(state, Lasting) else state if isinstance(state, str) else show_value(state)


def _name_parameters(make: Callable[Parameters, FileKernel]) -> Callable[Parameters, FileKernel]:
    """The same function, with an error that names the nearest parameter if one is misspelled."""
    known = signature(make).parameters

    @wraps(make)
    def call(*arguments: Parameters.args, **parameters: Parameters.kwargs) -> FileKernel:
        for name in parameters:
            if name not in known:
                raise UnknownParameterError(f"{make.__name__}()", name, known)
        return make(*arguments, **parameters)

    return call


@_name_parameters
def stay(r_s: Number = 1) -> FileKernel:
    """Return the world in which all that can be done is to stay, for ``r_s`` a step."""
    return world_named("stay", r_s=r_s)


@_name_parameters
def teleport(r_s: Number = 1, r_2: Number = 2) -> FileKernel:
    """Return cut and paste: pressing moves the agent to slot 2, which pays ``r_2`` a step; staying pays ``r_s``.

    The button works once, at the first step; from then on no action changes anything.
    """
    return world_named("teleport", r_s=r_s, r_2=r_2)


@_name_parameters
def copy(r_s: Number = 1, r_1: Number = 1, r_2: Number = 2, b: int = 0) -> FileKernel:
    """Return copy and paste: pressing copies the agent to slots 1 and 2.

    The button works once, at the first step; from then on no action changes anything.

    Args:
        r_s: what each step pays if one stays.
        r_1: what each step pays on slot 1, once the copies have parted.
        r_2: what each step pays on slot 2, once the copies have parted.
        b: for how many steps both see the same and are paid nothing.
    """
    return world_named("copy", r_s=r_s, r_1=r_1, r_2=r_2, b=b)


@_name_parameters
def copy_delete(r_s: Number = 1, r_b: Number = 1, r_2: Number = 2, d: int = 1) -> FileKernel:
    """Return copy, paste and delete: pressing copies the agent to slots 1 and 2, and slot 1 is deleted later.

    The button works once, at the first step; from then on no action changes anything.

    Args:
        r_s: what each step pays if one stays.
        r_b: what each step pays both copies while both live.
        r_2: what each step pays on slot 2 afterwards.
        d: for how many steps both live, at least 1.
    """
    return world_named("copy-delete", r_s=r_s, r_b=r_b, r_2=r_2, d=d)
