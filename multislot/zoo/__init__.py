"""PettingZoo and Gymnasium environments: the views of any World, and their registration under names.

Importing this package registers the worlds of Orseau 2014 under ``multislot/``, in PettingZoo's two registries and, if
one agent stays in one slot, in Gymnasium's. Other packages register theirs with `register`. An id's version rises when
the behaviour of its environment changes.

    env = pettingzoo.make("parallel", "multislot/copy-v0", r_2=3, render_mode="ansi")
    env = pettingzoo.make("parallel", "multislot/copy-v0", view="fixed")     # for vector wrappers and learners
    env = pettingzoo.make("aec", "multislot/copy-v0")                        # PettingZoo's own conversion

The parameters of an environment are those of its world's factory, whose docstring explains them.
"""

from typing import TYPE_CHECKING

from multislot.late import late_names, when_imported
from multislot.zoo.limits import MOST_AGENTS
from multislot.zoo.registration import Registered, register

if TYPE_CHECKING:
    from multislot.zoo.rollouts import Rollout, rollout
    from multislot.zoo.single import SingleView
    from multislot.zoo.views import DynamicView, FixedView
else:
    __getattr__ = late_names(
        __name__,
        {
            "DynamicView": "multislot.zoo.views",
            "FixedView": "multislot.zoo.views",
            "Rollout": "multislot.zoo.rollouts",
            "SingleView": "multislot.zoo.single",
            "rollout": "multislot.zoo.rollouts",
        },
    )

__all__ = ["DynamicView", "FixedView", "Registered", "Rollout", "SingleView", "register", "rollout"]


def _register_mentor_cliff() -> None:
    import pettingzoo

    pettingzoo.register("aec", "multislot/mentor-cliff-v0", "multislot.bayes.zoo:mentor_cliff")


register("multislot/stay-v0", "multislot.exact:stay", max_agents=1, single_agent=True)
register("multislot/teleport-v0", "multislot.exact:teleport", slots=2, max_agents=2)
register("multislot/copy-v0", "multislot.exact:copy", slots=2, max_agents=2)
register("multislot/copy-delete-v0", "multislot.exact:copy_delete", slots=2, max_agents=2)
register("multislot/file-v0", "multislot.exact.files:find_kernel", slots=4)
register("multislot/universal-v0", "multislot.exact:UniversalKernel", slots=MOST_AGENTS)
when_imported("pettingzoo", _register_mentor_cliff)
