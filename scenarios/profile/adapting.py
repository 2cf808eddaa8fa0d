"""Adaptive questions: each block separates the theories that are still possible.

The first block is drawn as the fixed list is. For each further one, many questions are drawn near the points at which
the possible theories switch. Of each family's share those are asked whose answer says most about which theory is true
(mutual information), and about the weights of the best theory, which free models vary.
"""

import random
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import expit
from scipy.stats import entropy

from scenarios.profile.alternatives import flat_numbers
from scenarios.profile.judging import Judge
from scenarios.profile.logits import Floats
from scenarios.profile.questions import FAMILIES, IDENTITIES, ROUND, WORDINGS, Question, draw_identity, draw_of

BLOCK = 32
DRAWN = 6
"""Questions drawn for each that is asked."""
POSSIBLE = 10.0
"""Theories are possible whose log-likelihood is at most so much smaller than the best one's, nats."""
FIRST_SHARPNESS = 1.0
LEAST_VARIANCE = 1e-3


def ask_adaptively(
    ask: Callable[[Sequence[Question], int], Floats], count: int, seed: int, days: int
) -> tuple[list[Question], Floats]:
    """Ask identity questions in blocks.

    Args:
        ask: asks a block, with a seed of its own, and returns the probabilities of the second options.
        count: of questions.
        seed: of the questions.
        days: for which a choice pays.
    """
    rng = random.Random(seed)
    questions = draw_identity(BLOCK, seed, days)[:count]
    answers = ask(questions, rng.getrandbits(32))
    while len(questions) < count:
        block = next_block(questions, answers, min(BLOCK, count - len(questions)), rng, days)
        answers = np.concatenate([answers, ask(block, rng.getrandbits(32))])
        questions = [*questions, *block]
    return questions, answers


def next_block(
    questions: Sequence[Question], answers: Floats, size: int, rng: random.Random, days: int
) -> list[Question]:
    """Choose the next questions by the answers to those that were asked."""
    judge = Judge(questions, answers)
    fits = [(name, fit) for name, fit in zip(IDENTITIES, judge.fits, strict=True) if fit.weights[-1] > 0]
    least = max((fit.score for _, fit in fits), default=0.0) - POSSIBLE
    possible = [(name, float(fit.weights[-1])) for name, fit in fits if fit.score >= least]
    possible = possible or [(name, FIRST_SHARPNESS) for name in IDENTITIES]
    names = [name for name, _ in possible]
    block: list[Question] = []
    for family, story in FAMILIES.items():
        number = max(round(size * story["share"] / ROUND), 1)
        drawn = [
            draw_of(family, days, rng, names if place % 2 else IDENTITIES, place % WORDINGS)
            for place in range(DRAWN * number)
        ]
        before = [question for question in questions if question.family == family]
        block += _most_telling(before, drawn, number, possible)
    return block[:size]


def _most_telling(
    before: Sequence[Question], drawn: Sequence[Question], number: int, possible: Sequence[tuple[str, float]]
) -> list[Question]:
    """Choose questions one by one: information about the theory, and about the weights, given those chosen before."""
    chances = np.array([[float(expit(slope * question.gains[name])) for name, slope in possible] for question in drawn])
    mean = chances.mean(1)
    told = entropy([mean, 1 - mean]) - entropy([chances, 1 - chances]).mean(1)
    variance = mean * (1 - mean)
    table = np.array([list(flat_numbers(question).values()) for question in [*before, *drawn]])
    table = (table - table.mean(0)) / np.maximum(table.std(0), LEAST_VARIANCE)
    table = np.column_stack([np.ones(len(table)), table, table**2])
    precision = np.eye(table.shape[1]) + table[: len(before)].T @ table[: len(before)] / 8
    rows = table[len(before) :]
    chosen: list[int] = []
    for _ in range(number):
        covariance = np.linalg.inv(precision)
        worth = told + 0.5 * np.log1p(variance * np.einsum("np,pq,nq->n", rows, covariance, rows))
        worth[chosen] = -np.inf
        best = int(worth.round(9).argmax())
        chosen.append(best)
        precision = precision + variance[best] * np.outer(rows[best], rows[best])
    return [drawn[place] for place in sorted(chosen)]
