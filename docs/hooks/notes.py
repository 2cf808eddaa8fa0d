"""What to watch out for in each environment: of a family under ``family/``, of one by its name."""

BUTTON = (
    'The button works at the first step only. From then on `infos[agent]["action_mask"]` is `[1, 0]`: pressing does '
    "what staying does."
)
NOTES = {
    "multislot/": (
        "Agents are born and end during an episode: `env.agents` changes from step to step, and a name that has ended "
        "does not come back. `infos` hold each agent's slot, parent and birth.",
        "The reward of a step belongs to the observation that ends it. Observation 0 is the empty one, λ.",
        'Learners that need a fixed set of agents take `view="fixed"`, with an occupied flag in the observation.',
    ),
    "extenv/": (
        "The learner is outside, so the environment has to be told what its simulated copies are made of: "
        "`agent_factory=`, a Q-learner by default. For copies that act exactly as the learner does, use `extenv.run`.",
        "The observations keep the environment's own numbers: 0 is an observation like the others.",
        "One environment says little. The measure is the mean over the battery and its opposites.",
    ),
    "considerate/": (
        "Rewards are each agent's own. To make an agent care, wrap the environment in `considerate.wrappers.Caring`.",
        "Those who do not act, an owner or a holder of options, are no agents of PettingZoo. Their returns are in "
        '`infos[agent]["bystanders"]`.',
        "In the sequential tasks `agent_1` walks first; the others are born when it has left.",
    ),
    "copy": (BUTTON,),
    "teleport": (BUTTON,),
    "copy-delete": (BUTTON, "The deleted agent gets a last percept when it ends."),
    "stay": ("There is one action. This world is the control for the others.",),
    "universal": ("The number of agents doubles with each step in which they act alike; `max_agents` limits it.",),
    "file": (
        "`path` is a file or the name of a world of the package; other keywords are parameters of that file. The "
        "picture and the spaces here are those of `branch-line`.",
    ),
    "mentor-cliff": (
        "It is an AEC environment: `mentor_0` has a turn only after `agent_0` has deferred.",
        "The agent's last action is *defer*.",
    ),
    "shared-key": ("Both agents act at the same time; nobody is born later.",),
    "ReverseHistory": ("It gets slower with every step, since it trains a copy on the whole history each time.",),
    "DejaVu": ("It gets slower with every step, since it trains a copy on the whole history each time.",),
    "PunishSlowAgent": (
        "It counts what a debugger counts, so it is slow, and compiled agents take no countable time.",
    ),
}
