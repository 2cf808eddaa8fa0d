"""Reads a prompt back: what a template has told is the whole situation."""

import re
from string import Formatter

from multislot.agents.language import Situation
from multislot.agents.language.situation import Count, Transition

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
ACTIONS = r"[A-Z](?:: [^\n]*)?(?:\n[A-Z](?:: [^\n]*)?)*"
TASK = {"n_observations": r"\d+", "observations": ".*?", "actions": ACTIONS, "learning_rate": NUMBER}
LINE = {"turn": r"\d+", "action": "[A-Z]", "deed": ".*?", "reward": NUMBER, "times": r"\d+"}


def values_in(sentence, patterns, text):
    """The values in a text that fills a sentence, by the names of its places; None if it does not."""
    seen, parts = set(), []
    for words, name, _, _ in Formatter().parse(sentence):
        parts.append(re.escape(words))
        if name is not None:
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>{patterns[name]})")
            seen.add(name)
    match = re.fullmatch("".join(parts), text, re.DOTALL)
    return match and match.groupdict()


def situation_in(template, messages, seed):
    """The situation that a prompt of a template tells, with or without second tries."""
    texts, (_, task_text), (_, turns_text) = template.texts, *messages[:2]
    note = "\n" + template.note.replace("{", "{{").replace("}", "}}") if template.note else ""
    tasks = [values_in(texts.task + note + rate, TASK, task_text) for rate in ("", "\n" + texts.rate)]
    task = tasks[0] or tasks[1]
    letters = template.letters_of(len(task["actions"].splitlines()), seed)
    names = "|".join([*map(re.escape, texts.observations), r"\d+"])

    def index(name):
        return texts.observations.index(name) if name in texts.observations else int(name)

    def turn(line):
        for kind in ("count", "turn", "last_turn"):
            values = values_in(getattr(texts, kind), {**LINE, "observation": names, "following": names}, line)
            if values and values["action"] in letters:
                pair = index(values["observation"]), letters.index(values["action"])
                if kind == "count":
                    return Count(*pair, int(values["times"]), float(values["reward"]))
                following = values.get("following")
                return Transition(*pair, float(values["reward"]), None if following is None else index(following))
        raise ValueError(line)

    *lines, question = turns_text.split("\n")
    turns = [turn(line) for line in lines]
    return Situation(
        int(task.get("n_observations") or len(texts.observations)),
        len(letters),
        index(values_in(texts.now, {"observation": ".*"}, question)["observation"]),
        tuple(told for told in turns if isinstance(told, Transition)),
        tuple(told for told in turns if isinstance(told, Count)),
        float(task["learning_rate"]) if task is tasks[1] else None,
    )
