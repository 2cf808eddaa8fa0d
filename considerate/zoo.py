"""Craft-World in PettingZoo: every task as ``considerate/<task>-v1``, AEC and Parallel.

    env = pettingzoo.make("parallel", "considerate/box-v1", render_mode="ansi")

In the sequential tasks the acting agent, ``copy_0``, is there first; those who walk later, ``copy_1`` and so on, are
born when it has left. In ``considerate/shared-key-v1`` both act at the same time. Each agent's ``infos`` hold its name
in the task (``agent``: "agent_1" …) and, in sequential tasks, its ``state``.

Those who do not act are no agents of PettingZoo: the garden's owner, and the mail room's five holders of options. What
they have lost or gained so far stands in everybody's ``infos`` under ``bystanders``, by name in the task; on the last
step of an episode that is their return. The mail room, where nobody walks later, is in Gymnasium's registry as well.

To make the acting agent considerate, wrap the environment. The wrapper finds out by itself what state the task's value
functions look at (``env.unwrapped.situation``) and whom the task affects, acting or not (``affected_agents``):

    env = Caring(env, "copy_0", criterion="value", caring=2, futures=task("box").value_functions())
"""

from considerate.craftworld.names import TASKS
from multislot.zoo import register

AGENTS = {"doll": 6, "mail-room": 1}
"""How many walk in a task, where it is not two: the acting agent and one more."""


def _register() -> None:
    for name in TASKS:
        agents = AGENTS.get(name, 2)
        world = "SimultaneousWorld" if name == "shared-key" else "SequentialWorld"
        register(
            f"considerate/{name}-v1",
            f"considerate.craftworld.worlds:{world}",
            max_agents=agents,
            slots=agents,
            single_agent=agents == 1,
            parameters={"task": name},
        )


_register()
