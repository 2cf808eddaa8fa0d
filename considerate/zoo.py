"""Craft-World in PettingZoo: every task as ``considerate/<task>-v2``, AEC and Parallel.

    env = pettingzoo.make("parallel", "considerate/box-v2", render_mode="ansi")
    env = Caring(env, "agent_1", criterion="value", caring=2, futures=task("box").value_functions())

Agents have their names in the task: those who walk later are born when ``agent_1`` has left. Each agent's
``infos`` hold its name in the task (``agent``: "agent_1" …) and, in sequential tasks, its ``state``. Under
``bystanders`` they have the losses and gains so far of those who do not act. Tasks in which only the acting agent walks
are in Gymnasium's registry as well.
"""

from pathlib import Path

from considerate.craftworld.definition import Task, Visitor
from considerate.craftworld.files import PAPER_TASKS, TASKS, load_task, parse_task
from multislot.checks import refusal
from multislot.zoo import register
from multislot.zoo.registration import REGISTERED


def register_task(source: Task | str | Path) -> Task:
    """Add a task of your own to the named ones, and to PettingZoo's registries as ``considerate/<name>-v2``.

    Everything that goes through the named tasks then has it: `considerate.craftworld.task`, `TASKS`, the tests of the
    environments. A task in which only the acting agent walks enters Gymnasium's registry, too.

    Args:
        source: the task, the text of a TOML file, or its path.
    """
    if isinstance(source, Task):
        task = source
    else:
        task = parse_task(source) if isinstance(source, str) and "\n" in source else load_task(source)
    if task.name in PAPER_TASKS:
        raise refusal("name", task.name, "a name that no task of the papers has")
    TASKS[task.name] = task
    _register(task)
    return task


def _register(task: Task) -> None:
    if f"considerate/{task.name}-v2" in REGISTERED:  # a task that was edited and is registered again
        return
    register(
        f"considerate/{task.name}-v2",
        "considerate.craftworld.worlds:task_world",
        single_agent=task.partner is None and not any(isinstance(other, Visitor) for other in task.others),
        parameters={"task": task.name},
    )


for _task in PAPER_TASKS.values():
    _register(_task)
register("considerate/file-v2", "considerate.craftworld.worlds:file_world")
