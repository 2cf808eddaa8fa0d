"""Conformance checks for your own agents, worlds and environments; call them in your tests.

    from multislot.testing import check_agent, check_environment, check_world

    def test_my_agent():
        check_agent(MyAgent)

    def test_my_world():
        check_world(lambda: MyWorld(size=3))

Every check raises `ConformanceError`, an AssertionError that says what was done, what happened and how to mend it. The
checks use made-up experience, so passing is evidence, not proof; give more `steps` or another `seed`.
"""

from multislot.testing.agents import check_agent
from multislot.testing.conformance import ConformanceError
from multislot.testing.environments import check_environment
from multislot.testing.worlds import check_world

__all__ = [
    "ConformanceError",
    "check_agent",
    "check_environment",
    "check_world",
]
