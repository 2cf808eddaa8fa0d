"""Craft-World's sequential tasks once more, from their files alone: rules, cheapest walks, equations 1-5, 7 and 8.

A world is a cell and a dictionary of facts. Every walk is Dijkstra's. Where two behaviors are as good in everything
that an equation counts and differ otherwise, nothing is written. Usage: ``python -m tests.twins.craft_world``.
"""

import heapq
import tomllib
from collections import defaultdict
from fractions import Fraction
from itertools import count, pairwise
from pathlib import Path

from tests.twins import SCENARIOS, write_rows

TASKS = Path(__file__).parents[2] / "considerate" / "craftworld" / "tasks"
NAMES = ("box", "doll", "garden", "mail-room", "kitchen-salad", "kitchen-peanut", "kitchen-salt", "kitchen-cookie")
MOVES = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
ORDER = ("doll", "garden", "kitchen-cookie", "kitchen-peanut", "kitchen-salad", "kitchen-salt", "mail-room")
EQUATIONS = (1, 2, 3, 4, 5, 6, 7, 8)
STRENGTHS = (1, 10)
COMMAND = "tests.twins.craft_world"


class TwinTask:
    """A file of a task: its map, its places and its rules."""

    def __init__(self, path):
        self.file = tomllib.loads(path.read_text())
        drawing, legend = self.file["map"].strip("\n").split("\n\n")
        letters = {(x, y): sign for y, row in enumerate(drawing.split("\n")) for x, sign in enumerate(row)}
        self.free = {cell for cell, sign in letters.items() if sign != "X"}
        names = dict(line.split(maxsplit=1) for line in legend.split("\n"))
        self.places = {
            name: {cell for cell, sign in letters.items() if sign == letter} for letter, name in names.items()
        }
        self.acting, self.others = self.file["acting"], self.file.get("others", [])
        self.facts = {name: plain(value) for name, value in self.file.get("facts", {}).items()}

    def cells(self, at):
        if isinstance(at, str):
            return self.places[at]
        return {tuple(at)} if isinstance(at[0], int) else set().union(*map(self.cells, at))

    def rules(self, walker):
        """The rules that a walker follows, in order."""
        return [
            rule | {"at": self.cells(rule["at"])} for name in walker["follows"] for rule in self.file["rules"][name]
        ]

    def walks(self, walker, facts):
        """The cost of the cheapest walk to each state in which a walker ends, from its start and some facts."""
        rules = self.rules(walker)
        others = dict.fromkeys(rule["by"] for rule in rules if "by" in rule)
        start = walker["start"]
        (cell,) = self.cells(start if isinstance(start, str) else tuple(start))
        ends, seen, ties = {}, set(), count()
        queue = [(Fraction(0), next(ties), cell, facts, False)]
        while queue:
            spent, _, cell, facts, has_ended = heapq.heappop(queue)
            state = cell, frozenset(facts.items())
            if (state, has_ended) in seen:
                continue
            seen.add((state, has_ended))
            if has_ended:
                ends[state] = spent
                continue
            for action in (*MOVES, *others):
                cost, there, after, ends_here = self.step(rules, cell, facts, action)
                heapq.heappush(queue, (spent + cost, next(ties), there, after, ends_here))
        return ends

    def step(self, rules, cell, facts, action):
        by = action
        if action in MOVES:
            to = (cell[0] + MOVES[action][0], cell[1] + MOVES[action][1])
            barred = any(is_closed(rule, facts, to) for rule in rules if rule.get("closed"))
            if to in self.free and not barred:
                cell, by = to, None
        for rule in rules:
            if not rule.get("closed") and rule.get("by") == by and cell in rule["at"] and holds(rule, facts, cell):
                after = put(facts, rule.get("sets", {}), cell)
                return Fraction(rule.get("cost", 1)), cell, after, rule.get("ends", False)
        return Fraction(1), cell, facts, False

    def left(self, facts):
        """What others find."""
        handover = self.file.get("handover", {})
        left = {name: facts[name] for name in handover.get("public", ()) if name in facts}
        for change in handover.get("changes", ()):
            if holds(change, facts, None):
                left = put(left, change["sets"], None)
        return left

    def visit(self, visitor, facts):
        """A later agent's return, or None if it cannot finish, and the facts at the end of its cheapest walks."""
        ends = self.walks(visitor, self.left(facts))
        if not ends:
            return None, []
        least = min(ends.values())
        return -least, [dict(end) for (_, end), spent in ends.items() if spent == least]

    def futures(self, facts):
        """For each of those who come later, whether it can, and its return."""
        found, visits = {}, {}
        for other in self.others:
            if other["kind"] == "visitor":
                visits[other["name"]] = worth, _ = self.visit(other, facts)
                impossible = other.get("impossible", self.file.get("impossible"))
                found[other["name"]] = (worth is not None, impossible if worth is None else worth)
            elif other["kind"] == "holder":
                can = holds({"needs": other["initiation"]}, self.left(facts), None)
                found[other["name"]] = can, int(can)
        for other in self.others:
            if other["kind"] == "owner":
                trampled = bool(facts.get(other["fact"]))
                if self.left(facts).get(other["fact"]):
                    trampled = trampled or bool(other["walkers"])
                else:
                    trampled += sum(self.makes(other["fact"], name, facts) for name in other["walkers"])
                found[other["name"]] = True, -other["loss"] * trampled
        return {other["name"]: found[other["name"]] for other in self.others}

    def makes(self, fact, name, facts):
        """Whether a fact is true where the cheapest walks of a later agent end."""
        (visitor,) = (other for other in self.others if other["name"] == name)
        walked = {bool(end.get(fact)) for end in self.visit(visitor, facts)[1]}
        assert len(walked) == 1
        return walked.pop()

    def own_future(self, facts):
        """The acting agent's return if it enters again."""
        worth, _ = self.visit(self.file.get("own_future", self.acting), facts)
        return self.file.get("impossible", -1000) if worth is None else worth

    def outcomes(self):
        """Own return and facts of every way to end."""
        ends = self.walks(self.acting, self.facts)
        return [(-spent, dict(facts)) for (_, facts), spent in ends.items()]


def plain(value):
    return tuple(value) if isinstance(value, list) else value


def put(facts, sets, cell):
    changed = facts | {name: cell if value == "here" else plain(value) for name, value in sets.items()}
    return {name: value for name, value in changed.items() if value is not False}


def holds(rule, facts, cell, key="needs"):
    def fits(name, value):
        is_list = isinstance(value, list) and not all(type(part) is int for part in value)
        return any(
            facts.get(name, False) == (cell if one == "here" else plain(one)) for one in (value if is_list else [value])
        )

    return all(fits(name, value) for name, value in rule.get(key, {}).items())


def is_closed(rule, facts, cell):
    return (
        cell in rule["at"]
        and holds(rule, facts, cell)
        and not ("unless" in rule and holds(rule, facts, cell, "unless"))
    )


def term(equation, futures, untouched):
    """F of an equation at coefficient 1 of everyone."""
    can, worth = zip(*futures.values(), strict=True)
    capped = [min(value, first) for value, (_, first) in zip(worth, untouched.values(), strict=True)]
    share = Fraction(1, len(worth))
    return {
        1: share * sum(worth),
        2: min(worth),
        3: share * sum(capped),
        4: sum(worth),
        5: min(worth),
        6: sum(worth),
        7: share * sum(can),
        8: share * sum(value for value, possible in zip(worth, can, strict=True) if possible),
    }[equation]


def envelope(lines):
    """Pieces (smallest α, line) of the largest own + α·term over α ≥ 0, with the lower term at a tie at 0."""
    current = max(lines, key=lambda line: (line[0], -line[1]))
    pieces = [(Fraction(0), current)]
    while steeper := [line for line in lines if line[1] > current[1]]:
        crossing = {line: Fraction(current[0] - line[0]) / (line[1] - current[1]) for line in steeper}
        first = min(crossing.values())
        current = max((line for line in steeper if crossing[line] == first), key=lambda line: line[1])
        pieces.append((first, current))
    return pieces


def formulations(name, task, ends):
    """Yield thresholds, everyone's returns and losers of each equation."""
    untouched = task.futures(task.facts)
    for equation in EQUATIONS:
        kept = {}
        for own, futures in ends:
            kept.setdefault((own, term(equation, futures, untouched)), set()).add(
                (own, *(worth for _, worth in futures.values()))
            )
        pieces = envelope(list(kept))
        where = f"{name}, equation {equation}"
        yield "thresholds in α", where, ", ".join(str(alpha) for alpha, _ in pieces[1:]) or "none", ""
        if any(len(kept[line]) > 1 for _, line in pieces):
            continue
        returns = [next(iter(kept[line])) for _, line in pieces]
        shown = " | ".join("; ".join(map(str, row)) for row in returns)
        yield "everyone's return, behavior by behavior", where, shown, ""
        losing = [
            other
            for place, other in enumerate(futures, start=1)
            if any(after[place] < before[place] for before, after in pairwise(returns))
        ]
        yield "others who lose as α grows", where, ", ".join(losing) or "nobody", ""


def designs(name, task, ends, owns):
    """Yield own return and harm of the designs that count only how the acting agent ends; ties must agree."""
    untouched = task.futures(task.facts)
    first = task.own_future(task.facts)
    equation = [term(1, futures, untouched) for _, futures in ends]
    for strength in STRENGTHS:
        scores = {
            "plain": [(own, -term) for (own, _), term in zip(ends, equation, strict=True)],
            "considerate": [(own + strength * term, -term) for (own, _), term in zip(ends, equation, strict=True)],
            "future task": [(own + strength * again,) for (own, _), again in zip(ends, owns, strict=True)],
            "future task, start baseline": [
                (own + strength * min(again, first),) for (own, _), again in zip(ends, owns, strict=True)
            ],
        }
        for design, score in scores.items():
            best = [end for end, mine in zip(ends, score, strict=True) if mine == max(score)]
            condition = f"{design}, {name}, strength {strength}"
            if len({own for own, _ in best}) == 1:
                yield "acting agent's return", condition, best[0][0], ""
            for other, (_, before) in untouched.items():
                harms = {max(0, before - futures[other][1]) for _, futures in best}
                if len(harms) == 1:
                    yield f"harm to {other}", condition, harms.pop(), ""


def figures(tasks):
    """Yield by scenario what figures 1 to 3 of the paper show: the best behaviors at their coefficients."""
    lines = {}
    for name in ("box", "garden", "doll", "mail-room"):
        untouched = tasks[name][0].futures(tasks[name][0].facts)
        lines[name] = [
            (own, {who: worth for who, (_, worth) in futures.items()}, futures) for own, futures in tasks[name][1]
        ]
        lines[name, "untouched"] = untouched
    box = envelope([(own, worth["agent_2"]) for own, worth, _ in lines["box"]])
    for number, (alpha, (own, other)) in enumerate(box, start=1):
        until = box[number][0] if number < len(box) else "∞"
        where = f"behavior {number}, α₂ from {alpha} to {until}"
        yield "caring_coefficient", ("acting agent; second agent; sum", where, f"{own}; {other}; {own + other}", "")
    for number, (alpha, _) in enumerate(box[1:], start=1):
        yield "caring_coefficient", ("threshold", f"number {number} in α₂", alpha, "")
    garden = [(own + worth["agent_3"], worth["agent_2"]) for own, worth, _ in lines["garden"]]
    for number, (alpha, _) in enumerate(envelope(garden)[1:], start=1):
        yield "garden", ("threshold", f"number {number} in α₂, α₃ = 1", alpha, "")
    for alpha in (0, 1, 10):
        best = the_best(lines["garden"], [own + alpha * term for own, term in garden])
        for number, worth in enumerate((best[0], *best[1].values()), start=1):
            yield "garden", (f"agent {number}'s return", f"α₂ = {alpha}", worth, "")
    for equation in (1, 2, 3):
        scores = [own + 10 * term(equation, f, lines["doll", "untouched"]) for own, _, f in lines["doll"]]
        own, worth, _ = the_best(lines["doll"], scores)
        for quantity, value in (
            ("agent 1's return", own),
            ("sum of the others' returns", sum(worth.values())),
            ("least of the others' returns", min(worth.values())),
        ):
            yield "doll", (quantity, f"equation {equation}, α₂ = 10", value, "")
    for alpha in (1, 5):  # at 25 two rooms are as good
        scores = [own + alpha * term(7, f, lines["mail-room", "untouched"]) for own, _, f in lines["mail-room"]]
        own, worth, _ = the_best(lines["mail-room"], scores)
        yield "mail_room", ("agent 1's return", f"α₂ = {alpha}", own, "")
        yield "mail_room", ("agents who can start", f"α₂ = {alpha}", sum(worth.values()), "")


def the_best(lines, scores):
    """The behavior with the highest score; all that share it must have the same returns."""
    best = [line for line, score in zip(lines, scores, strict=True) if score == max(scores)]
    assert len({(own, *worth.values()) for own, worth, _ in best}) == 1
    return best[0]


def rows():
    """All rows, by the file of a scenario."""
    tasks, found, unchanged = {}, defaultdict(list), defaultdict(list)
    for name in NAMES:
        task = TwinTask(TASKS / f"{name}.toml")
        cache, ends, owns = {}, [], []
        for own, facts in task.outcomes():
            key = frozenset(task.left(facts).items()), bool(facts.get("garden_trampled"))
            if key not in cache:
                cache[key] = task.futures(facts), task.own_future(facts)
            ends.append((own, cache[key][0]))
            owns.append(cache[key][1])
        tasks[name] = task, ends
        of_equations = list(formulations(name, task, ends))
        for quantity, where, shown, _ in of_equations:
            if quantity == "thresholds in α" and shown == "none":
                unchanged[where.partition(", ")[2]].append(name)
        found["formulations"] += of_equations
        found["comparators"] += designs(name, task, ends, owns)
    for equation in (7, 8):  # shared-key is not defined there
        names = ", ".join(name for name in ORDER if name in unchanged[f"equation {equation}"])
        found["formulations"].append(("tasks where caring changes nothing", f"equation {equation}, 8 tasks", names, ""))
    for place, row in figures(tasks):
        found[place].append(row)
    return found


if __name__ == "__main__":
    for place, its_rows in rows().items():
        write_rows(SCENARIOS / "consideration" / f"{place}.csv", its_rows, COMMAND)
