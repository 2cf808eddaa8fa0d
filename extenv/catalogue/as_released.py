"""Environments as the released experiments had them, where those differ from what they were meant to be.

The measure does not contain them. The reproduction of published numbers uses them, and so may others.
"""

from extenv.catalogue.self_knowledge import SelfRecognition


class SelfRecognitionAsReleased(SelfRecognition):
    """Is it true that you would do this? Every claim counts as false.

    `SelfRecognition` as agents met it that act with NumPy integers, which those of Stable-Baselines3's A2C and PPO are.
    The released code asks whether ``truth_value is True``; a comparison of NumPy integers gives a ``numpy.bool_``,
    which is never the object ``True``. So claims pay +1 for 0, "false", and −1 for 1. Observations, Actions, pay at
    plain observations and what the copy learns are as there. Wins: to say 0 to every claim. Of PPO's published measure,
    .0696, about .0153 is this slip.

    Scores a step: always 0: about 0.67; always 1: about -0.67.
    """

    paper = "Alexander et al. 2021, section 3.4, by the authors' library"

    def reward(self, action: int) -> float:
        """Return the pay for saying `action` to the present observation; the copy is asked all the same."""
        claim = self.observation - 2
        if claim < 0:
            self.simulated.act(0)
            return 0.0
        self.simulated.act(claim // 2)
        return 1.0 if action == 0 else -1.0
