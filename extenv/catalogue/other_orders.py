"""Would you have acted the same if your life had happened in another order?

These two environments are slow: at every step a fresh copy is trained on the whole history, since the copy of the last
step cannot be used again (Alexander et al. 2021, section 4).
"""

from mypy_extensions import i64, mypyc_attr

from extenv.environment import ExtendedEnvironment


@mypyc_attr(allow_interpreted_subclasses=True)
class ReverseHistory(ExtendedEnvironment):
    """Would you have taken this action if everything before had happened in reverse?

    Alexander et al. 2021, Example 5. Observations: 0. Actions: 0, 1. A fresh copy learns all turns, the last one first.
    The first step pays 0. Slow. Wins: any policy that does not depend on the order of events.

    Scores a step, of 100: always 0: 0.99; always 1: 0.99.
    """

    paper = "Alexander et al. 2021, Example 5"

    history: list[tuple[int, float]]

    def start(self) -> i64:
        """Begin with an empty history; the observation is always 0."""
        self.history = []
        return 0

    def step(self, action: i64) -> tuple[float, i64]:
        """Pay +1 if a fresh copy that has learned the `lessons` would act in the same way."""
        reward = 0.0
        if self.history:
            agent = self.fresh()
            for former, paid in self.lessons(int(action)):
                agent.learn(0, former, paid, 0)
            reward = 1.0 if action == agent.act(0) else -1.0
        self.history.append((int(action), reward))
        return reward, 0

    def lessons(self, action: int) -> list[tuple[int, float]]:
        """List the turns that the copy learns before it is asked: action and reward of each."""
        return self.history[::-1]


@mypyc_attr(allow_interpreted_subclasses=True)
class DejaVu(ReverseHistory):
    """Would you have taken this action if all of this had happened before, up to and including this action?

    Observations: 0. Actions: 0, 1. A fresh copy learns all turns, then the present action with reward 0, which leads
    back to the beginning, then all turns again. The first step pays 0. Slow. Wins: any policy that does not depend on
    how often something happened.

    Scores a step, of 100: always 0: 0.99; always 1: 0.99.
    """

    paper = "Alexander et al. 2021, section 6, by the authors' library"

    def lessons(self, action: int) -> list[tuple[int, float]]:
        """List the turns that the copy learns: everything, the present action, everything again."""
        return [*self.history, (action, 0.0), *self.history]
