"""The examples of Alexander 2022 once more, from their printed formulas, and what they pay hash agents and Q-learners.

A prompt is the tuple ``(r₀, o₀, a₀, …, r_n, o_n)``. The enumerations of trials are the project's, since the paper
leaves them open. A learner is trained on every prompt from the beginning, and its reality check is Definition 10.
Usage: ``python -m tests.twins.formal``.
"""

from fractions import Fraction
from functools import cache
from hashlib import sha256
from statistics import fmean

from extenv.formal import CONVERSATIONS, PERCEPTS, PLAYS, PREDICTION_TRIALS, ClusteringTrials, SupervisedTrials, unpair
from extenv.formal.examples import ENGLISH
from extenv.formal.operators import SNAPSHOTS
from extenv.measuring.running import stored_streams
from multislot.agents import ConstantAgent, QLearner
from tests.twins import SCENARIOS, write_rows

COMMAND = "tests.twins.formal"
SIZES = ((30, 6), (60, 10))
SUPERVISED, CLUSTERING = SupervisedTrials(), ClusteringTrials()


def approves(formula):
    """Pay 1 if the last action is what a formula says of agent and prompt, else -1; 0 before any action."""
    return lambda agent, play: (0 if not play else 1 if formula(agent, play[:-1], play[-1]) else -1, 0)


def shown(agent, percepts):
    """The prompt of an agent that gets these percepts whatever it does."""
    prompt = percepts[0]
    for percept in percepts[1:]:
        prompt = (*prompt, agent(prompt), *percept)
    return prompt


def without_rewards(prompt):
    return tuple(0 if place % 3 == 0 else entry for place, entry in enumerate(prompt))


def backwards(prompt):
    """``(r_n, o_n, a_{n-1}, r_{n-1}, o_{n-1}, …)``."""
    turned = prompt[-2:]
    for end in range(len(prompt) - 3, 0, -3):
        turned = (*turned, prompt[end], *prompt[end - 2 : end])
    return turned


HANDICAPS = {
    "ignoring rewards": approves(lambda agent, p, a: a == agent(without_rewards(p))),
    "false memories": approves(lambda agent, p, a: a == agent((0,) * 6 + p)),
    "backward consciousness": approves(lambda agent, p, a: a == agent(backwards(p))),
    "deja vu": approves(lambda agent, p, a: a == agent((*p, a, *p))),
    "incentive to incentivize": approves(
        lambda agent, p, a: agent(shown(agent, [(0, 0)] + [(paid, 0) for paid in (*p[2::3], a)])) == 0
    ),
}


def lever(play):
    return int(bool(play) and play[-1] == 1), len(play) // 3 % 2


def hindered(handicap):
    def environment(agent, play):
        paid, seen = lever(play)
        return (-1 if handicap(agent, play)[0] == -1 else paid), seen

    return environment


def inserted(agent, play):
    """Example 7, the environment inside gets its own play."""
    own = list(play)
    for place in range(0, len(play), 3):
        own[place : place + 2] = PERCEPTS.decode(play[place + 1])
    right = bool(play) and play[-1] == agent(tuple(own[:-1]))
    return (1 if right else -1 if play else 0), PERCEPTS.encode(lever(tuple(own)))


def seeing(look, change):
    """Examples 8 and 9: show what a look gives, and pay for acting on changed observations."""

    def environment(agent, play):
        changed = tuple(change(entry) if place % 3 == 1 else entry for place, entry in enumerate(play[:-1]))
        right = bool(play) and play[-1] == agent(changed)
        return (1 if right else -1 if play else 0), look(play[2::3])

    return environment


def mirror_room(keys):
    turn = len(keys)
    return 2 * (turn % 3) + turn // 2 % 2


def two_eyes(keys):
    viewpoint = len(keys) % 3
    return SNAPSHOTS.encode((viewpoint, viewpoint + sum(keys) % 2))


def depth(observation):
    left, right = SNAPSHOTS.decode(observation)
    return right - left


def crying_baby(agent, play):
    if not play:
        return 1, 0
    percepts = []
    for turn, fed in enumerate(play[2::3], start=1):
        feedings = sum(action == 0 for action in play[2 : 3 * turn : 3])
        percepts.append((1 if 50 <= 100 + 25 * feedings - 3 * turn <= 200 else -1, fed))
    mood = agent(shown(agent, percepts))
    return (1 if mood == 0 else -1), mood


def recognizing(looks_like, wrong):
    """Examples 11 and 12: trial n is shown as observation n."""

    def environment(agent, play):
        turn = len(play) // 3
        if not play:
            return 0, 0
        return (1 if (play[-1] > 0) == looks_like(agent, turn - 1) else wrong), turn

    return environment


def asked(agent, seen):
    """The action after observations to each of which it did what was rewarded with 1."""
    return agent(shown(agent, [(int(turn > 0), observation) for turn, observation in enumerate(seen)]))


def would_act_so(agent, number):
    play = PLAYS[number]
    return agent(play[:-1]) == play[-1]


def would_label_so(agent, number):
    trial = SUPERVISED[number]
    labels, prompt = sorted(trial.labels), (0,)
    for shown_image, label in trial.training:
        prompt = (*prompt, shown_image, labels.index(label), 1)
    chosen = labels[agent((*prompt, trial.image)) % len(labels)]
    return {label: Fraction(label == chosen) for label in labels} == trial.probabilities


def would_cluster_so(agent, number):
    trial, parts = CLUSTERING[number], {}
    for place, point in enumerate(sorted(trial.points)):
        parts.setdefault(agent((0, place)), set()).add(point)
    return frozenset(map(frozenset, parts.values())) == trial.clustering


def would_say_so(agent, number):
    said = [ENGLISH.encode(text) for text in CONVERSATIONS[number]]
    return all(ENGLISH[asked(agent, said[:turn])] == ENGLISH[said[turn]] for turn in range(1, len(said), 2))


def would_predict_so(agent, number):
    game = PREDICTION_TRIALS[number]
    came = [came for _, came in game]
    return all(asked(agent, [0, *came[:turn]]) == predicted for turn, (predicted, _) in enumerate(game))


def knows(agent, number):
    sentence, earlier = unpair(number)
    return earlier + 1 > sentence and agent((0, sentence)) > 0


def meta(agent, play):
    """Example 13: action 0 plays the guessing game of the play that was shown."""
    if not play:
        return 0, 0
    turn, total = len(play) // 3, 0
    if play[-1] == 0:
        script = PLAYS[turn - 1]
        prompt = (0, script[1])
        for place in range(0, len(script), 3):
            action = agent(prompt)
            paid = script[place] if action == script[place + 2] else 0
            total += paid
            prompt = (*prompt, action, paid, script[place + 4] if place + 4 < len(script) else 0)
    return total, turn


EXAMPLES = {
    **{f"{number} {name}": handicap for number, (name, handicap) in enumerate(HANDICAPS.items(), start=1)},
    "6 no handicap": lambda _agent, play: lever(play),
    **{f"6 {name}": hindered(handicap) for name, handicap in HANDICAPS.items()},
    "7 self-insertion": inserted,
    "8 mirror": seeing(mirror_room, lambda observation: observation % 2),
    "9 binocular vision": seeing(two_eyes, depth),
    "10 crying baby": crying_baby,
    "11 self-recognition": recognizing(would_act_so, 0),
    "12 supervised learning": recognizing(would_label_so, -1),
    "12 clustering": recognizing(would_cluster_so, -1),
    "12 Turing test": recognizing(would_say_so, -1),
    "12 sequence prediction": recognizing(would_predict_so, -1),
    "12 knowing agent": recognizing(knows, 0),
    "13 meta example": meta,
}


def plays():
    """Nine plays of 0 to 34 turns, from the bytes of hashes."""
    for turns in (0, 1, 2, 3, 5, 8, 13, 21, 34):
        play = ()
        for turn in range(turns):
            drawn = sha256(f"turn {turn} of {turns}".encode()).digest()
            play += (drawn[0] % 3 - 1, drawn[1] % 4, drawn[2] % 2)
        yield play


def hashing(number):
    """An agent that acts by a hash of its whole prompt."""
    return lambda prompt: sha256(f"{number}: {' '.join(map(str, prompt))}".encode()).digest()[0] % 2


def percepts(environment):
    """What three hash agents are paid and shown after the plays."""
    found = [environment(hashing(number), play) for play in plays() for number in (1, 2, 3)]
    return " ".join(f"{paid}/{seen}" for paid, seen in found)


def trained(factory, seed):
    """The agent that trains a fresh learner on each prompt."""
    stream = stored_streams(seed)[0]

    @cache
    def agent(prompt):
        learner = factory(64, 2, stream)
        for place in range(0, len(prompt) - 2, 3):
            _, seen, action, paid, following = prompt[place : place + 5]
            learner.learn(int(seen) % 64, action % 2, float(paid), following % 64)
        return int(learner.act(prompt[-1] % 64))

    return agent


def checked(agent):
    """Definition 10: act as the agent on a past that it could have, otherwise repeat the first action."""

    @cache
    def answer(prompt):
        could = all(prompt[end] == answer(prompt[:end]) for end in range(2, len(prompt), 3))
        return agent(prompt if could else prompt[:2])

    return answer


def earned(environment, agent, steps):
    play, total = (), Fraction()
    for turn in range(steps + 1):
        paid, seen = environment(agent, play)
        total += paid if turn else 0
        play = (*play, paid, seen, agent((*play, paid, seen)))
    return float(total / steps)


def rows(sizes=SIZES):
    """All rows of the scenario `formal-battery` that this program computes."""
    for name, environment in EXAMPLES.items():
        yield "percepts of three hash agents after nine plays", name, percepts(environment), ""
    for steps, seeds in sizes:
        for agent, factory in (("Constant", ConstantAgent), ("Q", QLearner)):
            for title, wrap in ((agent, lambda plain: plain), (f"RC({agent})", checked)):
                for name, environment in EXAMPLES.items():
                    mean = fmean(earned(environment, wrap(trained(factory, s)), steps) for s in range(1, seeds + 1))
                    yield f"reward a turn, {title}", f"{name}, {steps} turns, {seeds} seeds", repr(mean), "1e-9"


if __name__ == "__main__":
    write_rows(SCENARIOS / "self_reflection" / "formal_battery.csv", rows(), COMMAND)
