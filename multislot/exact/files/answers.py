"""Questions about the world of a file, and their answers, both in the terms of JSON.

``answer({"world": "copy", "parameters": {"r_2": "7/2"}})`` is what ``multislot solve --json`` prints and what the
explorer asks. It reads and writes nothing, except that worlds of the package are read by name, and needs only
the standard library. Numbers are texts, such as ``"9/10"``, so that they stay exact.

A request has the keys of `REQUEST`; a reply has ``world``, ``values``, ``verdict`` and whatever else was asked for, or
``error``. For a world whose agents forget, ``plan`` is the best plan.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import count, product
from typing import Any

from multislot.checks import checked_discount, checked_horizon, known_name, refusal, whole
from multislot.errors import MultislotError, SettingError, TooLargeError, UnknownNameError
from multislot.exact.belief import ImpossibleHistoryError
from multislot.exact.copies.caring import plan_for_copies
from multislot.exact.copies.later import LaterChoice
from multislot.exact.files.arithmetic import read_number
from multislot.exact.files.courses import Policy, Stage, copying_course
from multislot.exact.files.forgetful import FORGETFUL, Forgetful
from multislot.exact.files.verdicts import group_choices, list_alternatives, say_verdict
from multislot.exact.files.worlds import Place, next_places, parse_kernel, state_name, world_named
from multislot.exact.futures import VALUES, named, shown_values
from multislot.exact.kernel import Number, checked_history, checked_kernel
from multislot.exact.maps.map_results import DecisionMap
from multislot.exact.maps.mapping import CARING, HORIZON, MOST_POINTS, POINTS, SPANS, between, choose_axes, decision_map
from multislot.exact.planning import CopySetsError, Plan, check_copy_sets
from multislot.exact.tree import DecisionTree, decision_tree
from multislot.exact.values import ActionValues, SharesOfOutcomes, Value

REQUEST: Mapping[str, str] = {
    "world": "the name of a world that comes with the package",
    "file": "instead of it, the text of a file",
    "parameters": "values of parameters, by name",
    "discount": "γ; the file's by default",
    "horizon": "the number of steps; the file's by default",
    "values": "names of values; all by default",
    "caring": "a list of coefficients α, for the plans that are best for all copies",
    "history": "a list of [action, observation] pairs after which it is decided; the file's by default",
    "tree": 'the tree of decisions: {"value": name, "depth": steps}',
    "lineage": 'who is copied from whom: {"value": name, "first": the action after the history, "copying": whether, '
    "without one, an action that copies is taken, if the value's own copies nobody}, all optional",
    "map": 'a decision map: {"x": axis, "y": axis, "values": names, "caring": α}; an axis is a name, or {"name", '
    '"least", "most", "points"}; without axes two are chosen over which decisions change',
}
"""The keys of a request."""
MOST_NODES = 2_000
MOST_STEPS = 1_000
MOST_PLACES = 2**11
"""The largest number of pairs of slot and hidden state that a world may reach; a world with more is refused at once."""
MOST_COPIES = 200_000
"""The largest number of copies that all these places make together; a world with more is refused."""
MOST_ASKED = 64
"""The largest number of values and coefficients of caring together in a request."""
MOST_WORK = 2**13
"""The largest computation for a plan, see ``most`` of `multislot.exact.action_values`."""
LITTLE_WORK = 2**11
"""The same without a horizon, and after a refused plan, so that eleven refusals do not take eleven times as long."""
MOST_NAMED = 3
"""Slots, and states of a slot, that are named."""
LINEAGE = 5
"""Steps of a lineage if there is no horizon."""


def answer(request: Any) -> dict[str, Any]:
    """Return the reply to a request; a fault in the request becomes ``error``: a message, a line and an entry."""
    try:
        return Asked(request).reply()
    except MultislotError as error:
        where = {"line": getattr(error, "line", 0), "entry": getattr(error, "entry", "")}
        return {"error": {"message": str(error), **where}}


class Asked:
    """A request that is being answered."""

    def __init__(self, request: Any) -> None:
        self.request = check_keys("request", request, REQUEST)
        world, text = self.request.get("world"), self.request.get("file")
        if (world is None) == (text is None):
            raise refusal("request", list(self.request), "either 'world' or 'file'")
        kernel = world_named(str(world)) if text is None else parse_kernel(text)
        asked = check_keys("parameters", self.request.get("parameters", {}), kernel.parameters)
        values = {name: read_number(value, name) for name, value in asked.items()}
        self.kernel = kernel.at(**{name: int(n) if n.denominator == 1 else n for name, n in values.items()})
        form = self.kernel.form
        self.discount = read_number(self.request.get("discount", str(form.discount)), "discount")
        self.horizon = checked_horizon(self.request.get("horizon", form.horizon))
        checked_discount(self.discount, endless=self.horizon is None)
        self.history = self._past = checked_history(_list("history", self.request.get("history", form.after)))
        if self.horizon is not None:
            whole("horizon", self.horizon, 1, MOST_STEPS)
            whole("history and horizon together", len(self.history) + self.horizon, 1, MOST_STEPS)
        self._most = LITTLE_WORK if self.horizon is None else MOST_WORK
        self._check_growth()
        self.history = self._past if "history" in self.request else self.kernel.after
        try:
            check_copy_sets(checked_kernel(self.kernel), self._last_step, form.memory)
        except CopySetsError as error:
            raise self.kernel.explain(error) from None

    def _check_growth(self) -> None:
        steps = count() if self.horizon is None else range(len(self.history) + self.horizon)
        copies = 0
        self._entered: dict[Place, None] = {}
        self.places: dict[Place, None] = dict.fromkeys(self.kernel.start.items())
        new = self.places
        for step in steps:
            following = dict[Place, None]()
            for (slot, state), action in product(reversed(new), self.kernel.actions):  # who is far goes farther
                for _, arrivals in self.kernel.outcomes(slot, state, action):
                    copies += len(arrivals)
                    reached = dict.fromkeys((target, arrival.state) for target, arrival in arrivals.items())
                    self._entered |= reached
                    following |= {place: None for place in reached if place not in self.places}
                    if copies > MOST_COPIES or len(self.places) + len(following) > MOST_PLACES:
                        raise TooLargeError(
                            f"got a world that grows: more than {MOST_PLACES} slots and hidden states, or "
                            f"{MOST_COPIES} copies, can be reached within {step + 1} steps; give a smaller horizon or "
                            "fewer copies"
                        )
            if not following:
                return
            new = following
            self.places = self.places | new

    @cached_property
    def _chance_once(self) -> ActionValues | None:
        """What actions are worth by equal shares in each outcome; None if the copy-centered value says the same.

        If chance decides in which slots an agent goes on, the copy-centered value counts it twice (P_ij times ν).
        """
        choices = product(self.places, self.kernel.actions)
        if all(p in (0, 1) for place, action in choices for p, _ in self.kernel.outcomes(*place, action)):
            return None
        once, twice = (self.plan(value).values(self.history) for value in (SharesOfOutcomes(), "cpy"))
        return None if once == twice else once

    @cached_property
    def forgetful(self) -> Forgetful | None:
        """The one plan of a world without memory; None for other worlds."""
        if self.kernel.form.memory:
            return None
        seen = str(self.history[-1][1]) if self.history else None
        return Forgetful(self.kernel, self.discount, self._last_step, seen)

    def verdict(self, values: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return what the main values decide, as a sentence and in groups, and notes that explain it."""
        if self.forgetful is not None:
            return {"sentence": self.forgetful.sentence(), "groups": {}, "notes": []}
        slots = self._name_slots()
        short = {slot: who for slot, who in slots.items() if who.count("“") <= 2}  # a long list says little
        first = short.get(1, "")
        by_shares = values.get("cpy", {"error": ""})
        once = None if "error" in by_shares else self._chance_once
        sentence, groups = (say(values, once is not None, first) for say in (say_verdict, group_choices))
        others = [f"slot {slot} is {who}" for slot, who in slots.items() if f"slot {slot} ({who})" not in sentence]
        is_told = bool(others) and short == slots
        told = f"In this story {', '.join(others)}." * is_told, _say_twice(once, by_shares["optimal"]) if once else ""
        notes = *told, self._say_again(), self._say_idle()
        return {"sentence": sentence, "groups": groups, "notes": list(filter(None, notes))}

    def _name_slots(self) -> dict[int, str]:
        """Who comes into which slot, in the file's own words for the states; empty if the slots do not differ."""
        slots: dict[int, dict[str, None]] = {}
        for slot, state in self._entered or self.places:
            slots.setdefault(slot, {})[state_name(state)] = None
        shown = sorted(slots) if len(slots) <= MOST_NAMED else [min(slots)]
        return {slot: _list_names(slots[slot]) for slot in shown} if len(set(map(tuple, slots.values()))) > 1 else {}

    def _say_again(self) -> str:
        """That the agent chooses again in later steps, where that is so."""
        new, known, choices = list(self.kernel.start.items()), set[Hashable](), dict[str, None]()
        for action, seen in self.history:
            new = next_places(self.kernel, new, action, seen)
        left = MOST_PLACES if self.horizon is None else self.horizon - 1
        while new and left:
            arrived = [place for action in self.kernel.actions for place in next_places(self.kernel, new, action)]
            choices |= dict.fromkeys(state_name(state) for _, state in arrived if self.kernel.decides(state))
            new, left = [place for place in dict.fromkeys(arrived) if place not in known], left - 1
            known |= set(new)
        if not choices:
            return ""
        first = self.kernel.actions[0]
        again = f"The choice comes again in each later step that begins in {_list_names(choices)}"
        return f"{again}. So “{first}” stands for: {first} now, then always do what is best by that value."

    def _say_idle(self) -> str:
        """That an action has no outcome, where that is so; a file may leave out one."""
        acting = {outcome.action for outcome in self.kernel.form.outcomes}
        idle = [action for action in self.kernel.actions if acting and not acting & {action, ""}]
        return f"No outcome has the action {_list_names(idle)}, so this action changes nothing." if idle else ""

    def reply(self) -> dict[str, Any]:
        """Return everything that is asked for."""
        values = self.values()
        reply: dict[str, Any] = {"world": self.world(), "values": values, "verdict": self.verdict(values)}
        if self.forgetful is not None:
            reply["plan"] = self.forgetful.reply()
        parts: dict[str, Callable[[Any], Any]] = {
            "tree": lambda part: _tree(self.tree(part)),
            "lineage": self.lineage,
            "map": lambda part: (found := self.map(part)).as_json() | {"outlines": found.outlines()},
        }
        for name, write_part in parts.items():
            if name not in self.request:
                continue
            try:
                reply[name] = write_part(self.request[name])
            except MultislotError as error:
                if isinstance(error, SettingError | UnknownNameError):  # a fault of the request
                    raise
                reply[name] = {"error": str(error)}  # there is no such plan
        return reply

    def world(self) -> dict[str, Any]:
        """Return the texts, parameters and settings of the file."""
        form = self.kernel.form
        texts = {key: getattr(form, key) for key in ("name", "title", "story", "source", "question", "moral")}
        parameters = {
            name: {
                "value": str(self.kernel.values[name]),
                **{
                    key: None if getattr(parameter, key) is None else str(getattr(parameter, key))
                    for key in ("default", "least", "most")
                },
                "whole": parameter.whole,
                "meaning": parameter.meaning,
            }
            for name, parameter in self.kernel.parameters.items()
        }
        settings = {"discount": str(self.discount), "horizon": self.horizon, "memory": form.memory}
        after = [list(map(str, pair)) for pair in self.history]
        asked = f"Asked {self._say_past()}." if self._past else ""
        told = {"actions": list(self.kernel.actions), "after": after, "asked": asked}
        return {**texts, **told, "parameters": parameters, **settings}

    def _say_past(self) -> str:
        """What was chosen and seen before the question."""
        past = [f"choosing “{action}” and " * bool(action) + f"seeing “{seen}”" for action, seen in self._past]
        return f"after {', then '.join(past)}"

    def values(self) -> dict[str, dict[str, Any]]:
        """Return the decision of each value by name, or the reason why it cannot be computed."""
        if self.forgetful is not None:
            return self.forgetful.values()
        replies: dict[str, dict[str, Any]] = {}
        for name, work in self._works():
            try:
                worths = work()
            except ImpossibleHistoryError as error:
                seen = " or ".join(f"“{one}”" for one in error.possible or ()) or "nothing"
                problem = f"with these numbers the question {self._say_past()} is never asked"
                raise SettingError(f"{problem}: step {error.step} shows only {seen}") from None
            except MultislotError as error:
                replies[name] = {"error": str(error)}
                self._most = LITTLE_WORK if isinstance(error, TooLargeError) else self._most
                continue
            replies[name] = {
                "best": str(worths.best),
                "optimal": [str(action) for action in worths.optimal],
                "tied": len(worths.optimal) > 1,
                "actions": {str(action): str(worth) for action, worth in worths.items()},
            }
        reasons = [reply["error"] for reply in replies.values() if "error" in reply]
        if reasons and len(reasons) == len(replies):
            raise MultislotError(reasons[0])
        return replies

    def _works(self) -> Iterator[tuple[str, Callable[[], ActionValues]]]:
        asked = _list("values", self.request.get("values", list(VALUES)))
        coefficients = _list("caring", self.request.get("caring", []))
        whole("number of values and coefficients of caring", len(asked) + len(coefficients), 0, MOST_ASKED)
        for name in asked:
            named(name)  # an unknown name is an error of the request
            yield name, partial(lambda name: self.plan(name).values(self.history), name)
        for part in coefficients:
            caring = read_number(part, "caring")
            yield f"caring={caring}", partial(self.cared_for, caring)

    def plan(self, value: str | Value) -> Plan:
        """Return the plan of a value."""
        return Plan(self.kernel, named(value), self.discount, self._last_step, self._most)

    @property
    def _last_step(self) -> int | None:
        return None if self.horizon is None else len(self.history) + self.horizon

    def cared_for(self, caring: Number) -> ActionValues:
        """Return for each action now the worth, from the beginning, of the best plan for all copies that takes it."""
        self.plan("cpy").values(self.history)  # it refuses sooner a world that grows, and a history that nobody has
        kernel = LaterChoice(self.kernel, self.history) if self.history else self.kernel
        return plan_for_copies(kernel, caring=caring, discount=self.discount, horizon=self._last_step).action_values

    def _policy(self, value: str) -> Policy:
        """The policy of a value, or that of the one plan of agents that forget, which may toss a coin."""
        forgetful = self.forgetful
        if forgetful is not None:
            return lambda history: forgetful.chances_after(history[-1][1] if history else None)
        plan = self.plan(value)
        return lambda history: {plan.policy(history): 1}

    def _following(self, policy: Policy, now: Hashable) -> Policy:
        """A policy that leads to the history and takes the action `now` there; where that is None, its own choice."""

        def following(history: Any) -> Mapping[Hashable, Number]:
            done, past = len(history), tuple(history)
            if done < len(self.history) and past == self.history[:done]:
                return {self.history[done][0]: 1}
            return {now: 1} if now is not None and past == self.history else policy(history)

        return following

    def tree(self, part: Any) -> DecisionTree:
        """Return the tree of decisions of a value."""
        asked = check_keys("tree", part, ("value", "depth"))
        if self.forgetful is not None:
            raise MultislotError("an agent without memory has one plan, and no tree of decisions")
        depth = whole("depth", asked.get("depth", 3), 0)
        plan = self.plan(asked.get("value", "cpy"))
        return decision_tree(plan, depth, self.history)

    def lineage(self, part: Any) -> list[Stage]:
        """Return who is copied from whom on the likeliest run on which somebody is copied.

        A value decides; a first action may be given for where the question is asked.
        """
        asked = check_keys("lineage", part, ("value", "first", "copying"))
        value = asked.get("value", "cpy")
        first = asked.get("first")
        first = self.copying_action(value) if first is None and asked.get("copying") is True else first
        if first is not None and first not in self.kernel.actions:
            raise UnknownNameError("action", first, self.kernel.actions)
        steps = LINEAGE if self._last_step is None else self._last_step
        return copying_course(self.kernel, self._following(self._policy(value), first), steps)

    def copying_action(self, value: str) -> str | None:
        """The action after which somebody is copied, if nobody is by the plan itself; otherwise None."""
        try:
            for action in (None, *self.kernel.actions):
                course = self.lineage({"value": value, "first": action})
                if any(len(stage["agents"]) > len({agent["from"] for agent in stage["agents"]}) for stage in course):
                    return action
        except MultislotError:  # which the lineage of the plan says
            pass
        return None

    def axes(self) -> tuple[str, str]:
        """Names of two settings over which decisions change."""
        return choose_axes(self.kernel, values=self._mapped(shown_values()), **self._map_settings("1"))

    def _mapped(self, values: Sequence[str]) -> list[str]:
        return list(values) if self.kernel.form.memory else [FORGETFUL]

    def _map_settings(self, caring: Any) -> dict[str, Any]:
        return {
            "discount": self.discount,
            "horizon": self.horizon,
            "caring": read_number(caring, "caring"),
            "history": self.history,
            "most": self._most,
        }

    def map(self, part: Any) -> DecisionMap:
        """Return a decision map."""
        asked = check_keys("map", part, ("x", "y", "values", "caring", "points"))
        names = [axis.get("name") if isinstance(axis, Mapping) else axis for axis in map(asked.get, "xy")]
        if self.horizon is None and HORIZON not in names:
            raise SettingError("a map cannot compute an endless future; give a number, such as --horizon 50")
        usual = [CARING] if CARING in names else [*shown_values(), CARING]
        values = self._mapped(_list("values", asked.get("values", usual)))
        caring = asked.get("caring", (_list("caring", self.request.get("caring", [])) or ["1"])[0])
        settings = self._map_settings(caring)
        x, y = asked.get("x"), asked.get("y")
        if x is None and y is None:
            x, y = choose_axes(self.kernel, values=values, **settings)
        if x is None or y is None:
            raise refusal("map", asked, "two axes, 'x' and 'y', or neither")
        axes = {name: self._axis(axis, asked) for name, axis in (("x", x), ("y", y))}
        return decision_map(self.kernel, **axes, values=values, **settings)

    def _axis(self, part: Any, mapped: Mapping[str, Any]) -> Any:
        """An axis with its numbers; those of whole numbers are whole if nobody says how many points there are."""
        if isinstance(part, str):
            return part
        asked = check_keys("axis", part, ("name", "least", "most", "points"))
        if not {"name", "least", "most"} <= asked.keys():
            raise refusal("axis", asked, "a name, 'least' and 'most'")
        name, given = str(asked["name"]), asked.get("points", mapped.get("points"))
        least, most = (read_number(asked[end], end) for end in ("least", "most"))
        numbers = between(least, most, POINTS if given is None else whole("points", given, 2, MOST_POINTS))
        span = SPANS.get(name) or self.kernel.parameters.get(name)
        if given is None and span is not None and span.whole:
            return name, list(dict.fromkeys(k for k in map(round, numbers) if least <= k <= most))
        return name, numbers


def _tree(tree: DecisionTree) -> dict[str, Any]:
    if sum(1 for _ in tree.nodes()) > MOST_NODES:
        raise TooLargeError(f"got a tree of more than {MOST_NODES} histories; expected fewer: give a smaller depth")
    return {
        "slots": {str(slot): str(share) for slot, share in sorted(tree.slots.items())},
        "best": str(tree.best),
        "actions": {str(action): str(worth) for action, worth in tree.values.items()},
        "after": [
            {"action": str(action), "observation": str(seen), "tree": _tree(branch)}
            for (action, seen), branch in tree.branches.items()
        ],
    }


def check_keys(name: str, part: Any, known: Collection[str]) -> dict[str, Any]:
    """A part of a request as a dict, after a check that it is a mapping with known keys only."""
    if not isinstance(part, Mapping):
        raise refusal(name, part, "a table of names and values")
    for key in part:
        known_name(f"key of {name}", key, known)
    return dict(part)


def _say_twice(once: ActionValues, decided: Sequence[str]) -> str:
    """That chance counts twice, and what would be chosen if it counted once."""
    worths = ", ".join(f"“{action}” {float(worth):.4g}" for action, worth in once.items())
    best = [str(action) for action in once.optimal]
    choice = (
        "the choice is the same" if best == decided else f"{list_alternatives([f'“{one}”' for one in best])} is best"
    )
    return (
        "Chance twice: in the formula of the paper (cpy) the chance that a copy exists makes its share smaller, and "
        f"then counts again. If chance counts once, {choice}: {worths}."
    )


def _list_names(names: Collection[str]) -> str:
    shown = [f"“{name}”" for name in names][:MOST_NAMED]
    return list_alternatives([*shown, "another state"] if len(names) > MOST_NAMED else shown)


def _list(name: str, part: Any) -> list[Any]:
    if not isinstance(part, list | tuple):
        raise refusal(name, part, "a list")
    if len(part) > MOST_STEPS:
        raise refusal(name, part[:3], f"a list of at most {MOST_STEPS}, not {len(part)}")
    return list(part)
