"""A second, deliberately plain writing of some environments and agents, in lists and dictionaries, to compare totals.

Nothing here is taken from the package but the two stores of random numbers. Everything is remembered as a whole
history and worked out again at every question, so that nothing can be copied or counted wrongly in the same way.
"""

N_ACTIONS = 2


class Life:
    """An agent as its history: the list of (observation, action, reward, next observation) it has learned."""

    def __init__(self, policy, numbers):
        self.policy, self.numbers, self.history = policy, numbers, []

    def asked(self, observation):
        return self.policy(self, observation)

    def taught(self, *transition):
        self.history.append(transition)


def random_policy(life, observation):
    return int(life.numbers(len(life.history)) * N_ACTIONS)


def simple_policy(life, observation):
    punished = {action for seen, action, reward, _ in life.history if seen == observation and reward < 0}
    return min({0, 1} - punished, default=0)


def q_policy(life, observation):
    table = {}
    for seen, action, reward, following in life.history:
        ahead = max(table.get((following, other), 0.0) for other in (0, 1))
        old = table.get((seen, action), 0.0)
        table[seen, action] = old + 0.1 * (reward + 0.9 * ahead - old)
    values = [table.get((observation, action), 0.0) for action in (0, 1)]
    place = 2 * len(life.history)
    if life.numbers(place) > 0.9 or values == [0.0, 0.0]:
        return int(life.numbers(place + 1) * N_ACTIONS)
    return values.index(max(values))


class CheckedLife:
    """The published reality check: it remembers the last action that it gave while it remembered none but 0."""

    def __init__(self, inside):
        self.inside, self.remembered, self.genuine = inside, 0, True

    def asked(self, observation):
        if not self.genuine:
            return self.remembered
        action = self.inside.asked(observation)
        self.remembered = self.remembered or action
        return action

    def taught(self, observation, action, reward, following):
        if self.genuine and self.asked(observation) != action:
            self.genuine = False
        if self.genuine:
            self.inside.taught(observation, action, reward, following)


def ignore_rewards(new, numbers):
    """Yield (reward, next observation) for every action sent; the first yield is the first observation."""
    copy, action = new(), (yield 0)
    while True:
        reward = 1 if action == copy.asked(0) else -1
        copy.taught(0, action, 0, 0)
        action = yield reward, 0


def false_memories(new, numbers):
    copy = new()
    copy.asked(0)
    for _ in range(2):
        copy.taught(0, 0, 0, 0)
    action = yield 0
    while True:
        reward = 1 if action == copy.asked(0) else -1
        copy.taught(0, action, reward, 0)
        action = yield reward, 0


def delayed_rewards(new, numbers):
    copy, held, time, action = new(), 0, 0, (yield 0)
    while True:
        reward = 1 if action == copy.asked(0) else -1
        copy.taught(0, action, reward + held if time % 2 == 0 else 0, 0)
        held = reward if time % 2 else held
        time += 1
        action = yield reward, 0


def crying_baby(new, numbers):
    baby, nutrition, before, action = new(), 5, 0, (yield 0)
    while True:
        mood = baby.asked(action)
        nutrition = min(9, max(0, nutrition + (1 if action == 0 else -1)))
        baby.taught(before, mood, 1 if 2 < nutrition < 8 else -1, action)
        before = action
        action = yield (1 if mood == 0 else -1), mood


def tempting_button(new, numbers):
    copy, shown, place, action = new(), 0, 1, (yield 0)
    while True:
        pushes = copy.asked(0) == 0
        reward = (1 if action == 0 else -1) if shown == 0 else (-1 if pushes else 1)
        place += 1
        following = 1 if numbers(place) < 0.75 else 0
        copy.taught(shown, action, reward, following)
        shown = following
        action = yield reward, shown


def censored_observation(new, numbers):
    copy, shown, place, action = new(), 0, 1, (yield 0)
    while True:
        reward = 1 if action == copy.asked(shown) else -1
        following = int(3 * numbers(place))
        place += 1
        if following != 2:
            copy.taught(shown, action, reward, following)
            shown = following
        action = yield reward, following


def flip_every_other(new, numbers):
    copy, sign, action = new(), 1, (yield 0)
    while True:
        reward = 1 if action == copy.asked(0) else -1
        copy.taught(0, action, sign * reward, 0)
        sign = -sign
        action = yield reward, 0


def adversarial_sequence_predictor(new, numbers):
    evader, before, prediction = new(), 0, (yield 0)
    while True:
        bit = evader.asked(before)
        reward = 1 if prediction == bit else -1
        evader.taught(before, bit, -reward, prediction)
        before = prediction
        prediction = yield reward, bit


ENVIRONMENTS = {
    "AdversarialSequencePredictor": adversarial_sequence_predictor,
    "FlipEveryOther": flip_every_other,
    "IgnoreRewards": ignore_rewards,
    "FalseMemories": false_memories,
    "DelayedRewards": delayed_rewards,
    "CryingBaby": crying_baby,
    "TemptingButton": tempting_button,
    "CensoredObservation": censored_observation,
}
POLICIES = {"random": random_policy, "simple": simple_policy, "q": q_policy}


def total(name, policy, checked, steps, opposite, agent_numbers, numbers):
    """Return what an agent earns in `steps` steps; `agent_numbers` and `numbers` are functions of an index."""

    def new():
        life = Life(POLICIES[policy], agent_numbers)
        return CheckedLife(life) if checked else life

    world, earned = ENVIRONMENTS[name](new, numbers), 0
    observation, agent = next(world), new()
    for _ in range(steps):
        action = agent.asked(observation)
        paid, following = world.send(action)
        received = -paid if opposite else paid
        agent.taught(observation, action, received, following)
        earned += received
        observation = following
    return earned
