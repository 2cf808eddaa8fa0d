"""Environments as in the released experiments, if these differ from the intended ones.

They are not part of the measure. The reproduction of published numbers uses them.
"""

from extenv.catalogue.self_knowledge import SelfRecognition


class SelfRecognitionAsReleased(SelfRecognition):
    """Is it true that you would do this? Every claim counts as false.

    This is `SelfRecognition` for agents whose actions are NumPy integers, such as Stable-Baselines3's A2C and PPO. The
    released code tests ``truth_value is True``. A comparison of NumPy integers gives a ``numpy.bool_``, which is never
    the object ``True``. So claims pay +1 for 0, "false", and −1 for 1. Observations, Actions, plain observations and
    the copy's lessons are the same. Wins: to say 0 to every claim. About .0153 of PPO's published measure, .0696, comes
    from this error.

    Scores a step: always 0: about 0.67; always 1: about -0.67.
    """

    paper = "Alexander et al. 2021, section 3.4, by the authors' library"

    def reward(self, action: int) -> float:
        """Return the reward for answering `action` to the present observation; the copy is still asked."""
        claim = self.observation - 2
        if claim < 0:
            self.simulated.act(0)
            return 0.0
        self.simulated.act(claim // 2)
        return 1.0 if action == 0 else -1.0
