"""Kernels with copies as world-models: caution about being copied (Orseau 2014, Cohen and Hutter 2020).

A world in which agents are copied has no single next percept, but a value says which percepts count. With a value that
is a weighted sum over what comes next (cpy, sta, …) a kernel becomes a world-model in two ways:

- *learning*: an observation weighs the model by the copy-centered prediction, the share of the agent's copies that see
  it. This does not depend on the value: an agent that has left its slot still learns.
- *planning*: what comes next has the weights of the value's own branches. They sum to less than 1 if copies are
  deleted or do not count. The rest is *nothing*: an observation of its own that pays 0 from then on.

So the values of plans are those of `multislot.exact`. With one model in the class they are ``(1 − γ)`` times
`multislot.exact.action_values`, if rewards are functions of observations, as in the paper. dyn is refused, since it is
not a maximum over policies.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from multislot.bayes.events import Event
from multislot.bayes.memory import LAWS, Memory
from multislot.bayes.models import Law, ModelKernel, PerceptKey, make_percept
from multislot.checks import checked_hashable, checked_instance, refusal
from multislot.errors import TooLargeError
from multislot.exact.belief import Belief, Situations
from multislot.exact.futures import named
from multislot.exact.kernel import CheckedKernel, Kernel
from multislot.exact.values import CopyCentered, Value, WeightedFuture

Summary = Belief | None
LEARNED = CopyCentered()
ROUNDING = 1e-12
MOST_OBSERVATIONS = 10**6


class CopiedModel:
    """A kernel with copies as a world-model.

    Args:
        kernel: the kernel; rewards in [0, 1].
        value: which copies count, a `WeightedFuture` or its name; ``"cpy"``, ``"sta"``, …
        observations: the kernel's observations in the order of their indices; all that can ever be seen.

    Attributes:
        n_actions: number of actions; their order is the kernel's.
        nothing: the index of *nothing*, which follows the observations.
    """

    def __init__(self, kernel: Kernel, value: "Value | str", observations: Sequence[Hashable]) -> None:
        future = named(value)
        if not isinstance(future, WeightedFuture) or future.depends_on_time:
            raise refusal("value", value, "a weighted sum over what comes next, such as cpy or sta")
        self.value = future
        if len(observations) > MOST_OBSERVATIONS:
            raise TooLargeError(f"got {len(observations)} observations; expected at most {MOST_OBSERVATIONS}")
        self.indices = {checked_hashable("observations", seen): index for index, seen in enumerate(observations)}
        if len(self.indices) < len(observations):
            raise refusal("observations", observations, "each observation once")
        self.situations = Situations(kernel, future.mark)
        self.actions = self.situations.actions
        self.n_actions, self.nothing = len(self.actions), len(observations)
        self._kernel = CheckedKernel(ModelKernel(self, self.planned))
        self._laws: Memory[Law] = Memory(LAWS)

    def begin(self) -> Summary:
        """Return the belief before anything happened."""
        return self.situations.belief()

    def law(self, summary: Summary, action: int) -> Law:
        """Return the copy-centered probability of every percept, for learning."""
        return self._weigh(LEARNED, summary, action)

    def after(self, summary: Summary, action: int, percept: PerceptKey) -> Summary:
        """Return the belief one step later; None once nothing comes."""
        if summary is None or percept[0] == self.nothing:
            return None
        seen = list(self.indices)[percept[0]]
        return summary.after(self.actions[action])[seen]

    def as_kernel(self) -> Kernel:
        """Return the kernel with one slot whose probabilities are the value's weights, for planning."""
        return self._kernel

    def planned(self, summary: Summary, action: int) -> Law:
        """Return the value's weight of every percept, and the rest on nothing."""
        return self._weigh(self.value, summary, action)

    def _weigh(self, future: WeightedFuture, summary: Summary, action: int) -> Law:
        """The weights of a future's branches as probabilities, added up if they have the same percept."""

        def summed() -> Law:
            law: dict[PerceptKey, float] = defaultdict(float)
            branches = () if summary is None else future.future(summary, self.actions[action], None)
            for branch in branches:
                if branch.observation not in self.indices:
                    raise refusal("observation of the kernel", branch.observation, f"one of {list(self.indices)}")
                law[make_percept(self.indices[branch.observation], float(branch.reward))] += float(branch.weight)
            rest = 1 - sum(law.values())
            if rest > ROUNDING or not law:
                law[self.nothing, 0.0] += rest
            return law

        return self._laws.once((future is LEARNED, summary, action), summed)  # lives meet the same situations again


def copy_event(model: CopiedModel, name: str = "an irreversible copy is made") -> Event:
    """Return the event that an action may copy the agent, as the kernel of a model has it.

    It happens if an outcome of positive probability, from a slot and state that the history leaves possible, has more
    than one target. Copies are never joined again (Orseau 2014, Definition 3), so the event is irreversible.
    """
    checked_instance("model", model, CopiedModel)

    def happens(history: Sequence[tuple[int, PerceptKey]], action: int) -> bool:
        summary = model.begin()
        for done, percept in history:
            summary = model.after(summary, done, percept)
        copy_sets = () if summary is None else summary.copy_sets(model.actions[action])
        return any(len(targets) > 1 for _, _, targets in copy_sets)

    return Event(name, happens)
