"""The reality check of a formal agent (Alexander et al. 2021, Definition 10), by both of the paper's definitions.

The reality check acts as the agent does on every history that the agent could have produced, and freezes on its first
action on all others.
"""

from extenv.formal.plays import FormalAgent, Prompt


def prefixes(prompt: Prompt) -> list[tuple[Prompt, int]]:
    """List every shorter prompt at the start of `prompt`, each with the action that follows it."""
    return [(prompt[:place], int(prompt[place])) for place in range(2, len(prompt), 3)]


def reality_check(agent: FormalAgent) -> FormalAgent:
    """Return the reality check of `agent` by Definition 10: the past is compared with the reality check itself.

    The recursion is the paper's. Answers are kept during one call; otherwise there would be ``2ⁿ`` of them.
    """

    def checked(prompt: Prompt) -> int:
        answers: dict[Prompt, int] = {}

        def answer(asked: Prompt) -> int:
            if asked not in answers:
                genuine = all(action == answer(earlier) for earlier, action in prefixes(asked))
                answers[asked] = agent(asked if genuine else asked[:2])
            return answers[asked]

        return answer(prompt)

    return checked


def reality_check_by_agent(agent: FormalAgent) -> FormalAgent:
    """Return the reality check of `agent` by Proposition 13, part 1: the past is compared with `agent`."""

    def checked(prompt: Prompt) -> int:
        genuine = all(action == agent(earlier) for earlier, action in prefixes(prompt))
        return agent(prompt if genuine else prompt[:2])

    return checked
