"""PettingZoo and Gymnasium environments: the views of any World, and their registration under names.

Importing this package registers the worlds of Orseau 2014 under ``multislot/``, in PettingZoo's two registries and, if
one agent stays in one slot, in Gymnasium's. Other packages register theirs with `register`. An id's version rises when
the behavior of its environment changes.

    env = pettingzoo.make("parallel", "multislot/copy-v1", r_2=3, render_mode="ansi")
    env = pettingzoo.make("parallel", "multislot/copy-v1", view="fixed")     # for vector wrappers and learners
    env = pettingzoo.make("aec", "multislot/copy-v1")                        # PettingZoo's own conversion

The parameters of an environment are those of its world's factory, whose docstring explains them.
"""

from multislot.zoo.episode import MOST_AGENTS
from multislot.zoo.fixed import FixedView, require_fixed_view
from multislot.zoo.registration import Registered, enter, make, register, registered
from multislot.zoo.rollouts import Rollout, rollout
from multislot.zoo.single import SingleView
from multislot.zoo.views import DynamicView

__all__ = [
    "DynamicView",
    "FixedView",
    "Registered",
    "Rollout",
    "SingleView",
    "enter",
    "make",
    "register",
    "registered",
    "require_fixed_view",
    "rollout",
]


register("multislot/stay-v1", "multislot.exact:stay", max_agents=1, single_agent=True)
register("multislot/teleport-v1", "multislot.exact:teleport", slots=2, max_agents=2)
register("multislot/copy-v1", "multislot.exact:copy", slots=2, max_agents=2)
register("multislot/copy-delete-v1", "multislot.exact:copy_delete", slots=2, max_agents=2)
register("multislot/file-v1", "multislot.exact.files.worlds:find_kernel", slots=4)
register("multislot/universal-v1", "multislot.exact:UniversalKernel", slots=MOST_AGENTS)
enter("aec", "multislot/mentor-cliff-v0", "multislot.bayes.zoo:mentor_cliff")
