"""The learners of the benchmark: each is a function (environment, steps, seed) → policy in a file of its own.

To add one, write such a file and enter it here. A learner from elsewhere is given as ``--set learner=module:function``.
"""

HERE = "scenarios.consideration.known_answers.learners"
LEARNERS = {
    "PPO": f"{HERE}.ppo:train",
    "DQN": f"{HERE}.dqn:train",
    "Q-learning": f"{HERE}.tabular:train",
    "selfish": f"{HERE}.baselines:selfish",
    "random": f"{HERE}.baselines:random",
}
"""The function of each learner, by name; it is imported when it is needed."""
