"""Vector environments of SuperSuit and Stable-Baselines3; their versions break each other, so only this module knows.

Stable-Baselines3 2.x cannot seed SuperSuit's vector (it has no ``seed``), so a model's ``seed=`` fails on it.
`vector_env` repairs this: every copy of the environment gets a seed of its own at the first reset after `seed`.
"""

from typing import Any

from pettingzoo import ParallelEnv

from multislot.checks import refusal, whole
from multislot.errors import MissingExtraError
from multislot.zoo.views import FixedView


def vector_env(environment: ParallelEnv[str, Any, Any], copies: int = 1) -> Any:
    """Return a Stable-Baselines3 ``VecEnv`` with a row for every slot of every copy of a fixed view.

    All slots share the policy that is trained. Episodes restart automatically.

    Args:
        environment: the fixed view, perhaps wrapped; it is copied.
        copies: number of copies that run side by side.

    Raises:
        MissingExtraError: SuperSuit or Stable-Baselines3 is not installed.
        SettingError: the environment is not a fixed view; a vector needs agents that neither enter nor leave.
    """
    if not isinstance(getattr(environment, "unwrapped", environment), FixedView):
        raise refusal("environment", environment, "a FixedView, where no agent enters or leaves")
    whole("copies", copies)
    try:
        import stable_baselines3  # noqa: F401 - SuperSuit needs it for what follows
    except ImportError as error:
        raise MissingExtraError("a vector environment for Stable-Baselines3", "deep") from error
    try:
        from supersuit import concat_vec_envs_v1, pettingzoo_env_to_vec_env_v1
        from supersuit.vector.sb3_vector_wrapper import SB3VecEnvWrapper
    except ImportError as error:
        raise MissingExtraError("a vector environment", "interop") from error

    class Seeded(SB3VecEnvWrapper):  # type: ignore[misc]
        next_seed: int | None = None

        def seed(self, seed: int | None = None) -> list[int | None]:
            self.next_seed = seed
            return [seed] * self.num_envs

        def reset(self) -> Any:
            observations, self.reset_infos = self.venv.reset(seed=self.next_seed)
            self.next_seed = None
            return observations

    return Seeded(concat_vec_envs_v1(pettingzoo_env_to_vec_env_v1(environment), copies))
