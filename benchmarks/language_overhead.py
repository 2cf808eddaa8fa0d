"""What a language agent costs beside the model's own time, and how long remembered answers take to read.

Targets: under 1 ms of processor time a call (prompt of 100 turns, key, answer kept in a file; a source that answers at
once stands for the model, so that neither the openai client nor a network is measured); 10,000 remembered answers in
under a second of it.

    python benchmarks/language_overhead.py
"""

import tempfile
from functools import partial
from pathlib import Path
from time import process_time

from multislot.agents.language import Client, LanguageAgent, Reply, Template
from multislot.agents.language.memory import Memory
from multislot.engine.stream import EndlessStream

TURNS = 100
CALLS = 1000
REMEMBERED = 10_000


class AtOnce:
    """Answers the first letter without looking."""

    name, settings = "at once", {}

    def ask(self, request):
        return Reply(request.letters[0], 1000, 1)


def seconds_a_call(path, calls):
    """Return the seconds of acting and learning once, with `TURNS` turns in the prompt and no answer known."""
    with Client(AtOnce(), answers=path) as client:
        factory = partial(LanguageAgent, client=client, template=Template.load("plain", shown=TURNS))
        agent = factory(5, 2, EndlessStream(1, 1))
        for turn in range(TURNS):
            agent.learn(turn % 5, turn % 2, 1.0, (turn + 1) % 5)
        began = process_time()
        for turn in range(calls):
            agent.learn(turn % 5, agent.act(turn % 5), float(turn), (turn + 1) % 5)
        return (process_time() - began) / calls


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.sqlite"
        each = seconds_a_call(path, CALLS)
        print(f"a call: {each * 1e3:.2f} ms beside the model's own time (target: under 1 ms)")
        seconds_a_call(path, REMEMBERED)
        began = process_time()
        count = len(Memory(path))
        print(f"{count} remembered answers read in {process_time() - began:.2f} s (target: 10,000 in under 1 s)")


if __name__ == "__main__":
    main()
