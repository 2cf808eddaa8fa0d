"""Craft-World in PettingZoo: every task as ``considerate/<task>-v0``, AEC and Parallel.

In the sequential tasks the acting agent is there first; those who come later are born when it has left. In
``considerate/shared-key-v0`` two agents act at the same time. To make an agent considerate, wrap the environment in
`considerate.wrappers.Caring`.

    env = pettingzoo.make("parallel", "considerate/box-v0", view="dynamic", render_mode="ansi")
"""

from considerate.craftworld.files import TASKS
from multislot.zoo import register

AGENTS = {"doll": 6, "mail-room": 1}
"""How many walk in a task, where it is not two: the acting agent and one more."""


def _register() -> None:
    for name in TASKS:
        agents = AGENTS.get(name, 2)
        world = "SimultaneousWorld" if name == "shared-key" else "SequentialWorld"
        register(
            f"considerate/{name}-v0",
            f"considerate.craftworld.worlds:{world}",
            max_agents=agents,
            slots=agents,
            parameters={"task": name},
        )


_register()
