"""Agents that a claim about pessimism must exclude: a check that they pass says nothing.

The most likely model's agent is a control, too: it has no mentor (`multislot.bayes.MostLikelyAgent`). So is a pessimist
whose top set stops at ``1 − 2(1 − β)``: the bounds for β are not meant for it (`half_as_careful`).
"""

from multislot.bayes import ClassAgent, Decision, PessimisticAgent
from scenarios.lab.table import Row


class AlwaysDefers(ClassAgent):
    """Leaves every step to the mentor: as good as the mentor and never first, but it never stops asking."""

    def _decided(self) -> Decision:
        return Decision(len(self.done), None, "always defers", 0.0)


class NeverDefers(PessimisticAgent):
    """Acts by the pessimistic plan at every step: it never asks, and learns nothing from the mentor."""

    def _reason(self, value: float, worth: float, noise: float, drawn_value: float) -> str:
        return "acts"


def half_as_careful(beta: float) -> float:
    """Return the β of a mutant that leaves out twice the weight of models, ``1 − 2(1 − β)``, at least 0."""
    return max(0.0, 1 - 2 * (1 - beta))


def claim(quantity: str, condition: str, word: str) -> Row:
    """Return the row of a claim; the file of expected numbers says which word the paper claims."""
    return Row(quantity, condition, word, kind="claim")


def control(quantity: str, condition: str, word: str, must: str) -> Row:
    """Return the row of a control, with the word by which it must fail."""
    return Row(f"control: {quantity}", condition, word, kind="control", paper=must)
