"""A Q-learner that is never compiled, for environments that count the interpreter's steps."""

from multislot.agents.tabular import QLearner


class InterpretedQLearner(QLearner):
    """Acts and learns exactly as `QLearner`, in lines that a debugger can step through."""

    def act(self, observation: int) -> int:
        """Return the greedy or the exploring action; the stream decides for the present learning step."""
        # `QLearner` refuses an unknown observation; a line of its own would be one more step that is counted.
        start = observation * self.n_actions if 0 <= observation < self.n_observations else super().act(observation)
        values = [self.values[start + action] for action in range(self.n_actions)]
        if not any(values) or self.stream.at(self.counter) > self.greedy:
            return int(self.stream.at(self.counter + 1) * float(self.n_actions))
        return values.index(max(values))
