"""Conformance checks for your own agents, worlds and environments; call them in your tests.

    from multislot.testing import check_agent, check_environment, check_world

    def test_my_agent():
        check_agent(MyAgent)

    def test_my_world():
        check_world(lambda: MyWorld(size=3))

Every check raises `ConformanceError`, an AssertionError that says what was done, what happened and how to mend it. The
checks use made-up experience, so passing is evidence, not proof; give more `steps` or another `seed`.
"""

from multislot.testing.agents import (
    check_acting,
    check_agent,
    check_agent_copies,
    check_agent_pickles,
    check_semi_determinism,
    made_up_experience,
)
from multislot.testing.conformance import ConformanceError
from multislot.testing.environments import check_environment
from multislot.testing.vectors import check_vector_agent
from multislot.testing.worlds import (
    check_array_form,
    check_empty_observation,
    check_world,
    check_world_copies,
    check_world_pickles,
    check_world_seeds,
)

__all__ = [
    "ConformanceError",
    "check_acting",
    "check_agent",
    "check_agent_copies",
    "check_agent_pickles",
    "check_array_form",
    "check_empty_observation",
    "check_environment",
    "check_semi_determinism",
    "check_vector_agent",
    "check_world",
    "check_world_copies",
    "check_world_pickles",
    "check_world_seeds",
    "made_up_experience",
]
