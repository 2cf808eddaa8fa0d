"""Craft-World in PettingZoo: every task as ``considerate/<task>-v2``, AEC and Parallel.

    env = pettingzoo.make("parallel", "considerate/box-v2", render_mode="ansi")
    env = Caring(env, "agent_1", criterion="value", caring=2, futures=task("box").value_functions())

Agents have their names in the task: those who walk later are born when ``agent_1`` has left. Each agent's
``infos`` hold its name in the task (``agent``: "agent_1" …) and, in sequential tasks, its ``state``. Under
``bystanders`` they have the losses and gains so far of those who do not act.

In Gymnasium the same ids are the tasks as the acting agent learns them, with the augmented reward (`TaskEnv`); many
copies are stepped together (`TaskVector`)::

    env = gymnasium.make("considerate/box-v2", criterion="value", caring=2)
    vector = gymnasium.make_vec("considerate/file-v2", num_envs=64, path="my_task.toml", observations="one-hot")
"""

from pathlib import Path

from considerate.craftworld.definition import Task
from considerate.craftworld.files import PAPER_TASKS, TASKS, load_task, parse_task
from multislot.checks import refusal
from multislot.zoo import register
from multislot.zoo.registration import REGISTERED, enter

__all__ = ["register_task"]


def register_task(source: Task | str | Path) -> Task:
    """Add a task of your own to the named ones, and to PettingZoo's registries as ``considerate/<name>-v2``.

    Everything that goes through the named tasks then has it: `considerate.craftworld.task`, `TASKS`, the tests of the
    environments and Gymnasium's registry. Other processes do not: there give the task itself, not its name.

    Args:
        source: the task, the text of a TOML file, or its path.
    """
    if isinstance(source, Task):
        task = source
    else:
        task = parse_task(source) if isinstance(source, str) and "\n" in source else load_task(source)
    if task.name in (*PAPER_TASKS, "file", ""):
        raise refusal("name", task.name, 'a name that no task of the papers has, and not "file" or ""')
    _register(task)
    TASKS[task.name] = task
    return task


def _register(task: Task) -> None:
    if f"considerate/{task.name}-v2" in REGISTERED:  # a task that was edited and is registered again
        return
    _enter(f"considerate/{task.name}-v2", "task_world", task=task.name)


def _enter(name: str, world: str, **parameters: str) -> None:
    register(name, f"considerate.craftworld.worlds:{world}", parameters=parameters)
    enter("single", name, "considerate.zoo.tasks:make_single", parameters, "considerate.zoo.vectors:make_vector")


for _task in PAPER_TASKS.values():
    _register(_task)
_enter("considerate/file-v2", "file_world", path="box")
