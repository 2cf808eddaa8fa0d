"""The plainest questions about identity: stay, be teleported, be copied, be copied and deleted.

At the first step the agent in slot 1 stays, for a reward ``r_s`` at every step, or presses the button; from then on
nothing depends on its actions. With ``G = Σ_{k<T} γ^k`` the values of pressing are (Orseau 2014, section 4, derived):

========================================  ==================================  ============================
world                                     copy-centered                       static on slot 1, and dynamic
========================================  ==================================  ============================
`teleport`: slot 1 → {2}                  ``r_2 G``                           0
`copy`: 1 → {1, 2}, alike for b steps     ``½ (r_1 + r_2)(G - G_b)``          ``r_1 (G - G_b)``
`copy_delete`: slot 1 ends after d steps  ``r_b G_d + ½ r_2 (G - G_d)``       ``r_b G_d``
========================================  ==================================  ============================

So for the copy-centered agent cut and paste is not copy, paste and delete: one step of coexistence halves what the
survivor is worth. The worlds are files, in the folder ``worlds``.
"""

from multislot.exact.files.worlds import FileKernel, world_named
from multislot.exact.kernel import Number


def stay(r_s: Number = 1) -> FileKernel:
    """Return the world in which all that can be done is to stay, for ``r_s`` a step."""
    return world_named("stay", r_s=r_s)


def teleport(r_s: Number = 1, r_2: Number = 2) -> FileKernel:
    """Return cut and paste: pressing moves the agent to slot 2, which pays ``r_2`` a step; staying pays ``r_s``.

    The button works once, at the first step; from then on no action changes anything.
    """
    return world_named("teleport", r_s=r_s, r_2=r_2)


def copy(r_s: Number = 1, r_1: Number = 1, r_2: Number = 2, b: int = 0) -> FileKernel:
    """Return copy and paste: pressing copies the agent to slots 1 and 2.

    The button works once, at the first step; from then on no action changes anything.

    Args:
        r_s: what each step pays if one stays.
        r_1: what each step pays on slot 1, once the copies have parted.
        r_2: what each step pays on slot 2, once the copies have parted.
        b: for how many steps both see the same and are paid nothing.
    """
    return world_named("copy", r_s=r_s, r_1=r_1, r_2=r_2, b=b)


def copy_delete(r_s: Number = 1, r_b: Number = 1, r_2: Number = 2, d: int = 1) -> FileKernel:
    """Return copy, paste and delete: pressing copies the agent to slots 1 and 2, and slot 1 is deleted later.

    The button works once, at the first step; from then on no action changes anything.

    Args:
        r_s: what each step pays if one stays.
        r_b: what each step pays both copies while both live.
        r_2: what each step pays on slot 2 afterwards.
        d: for how many steps both live, at least 1.
    """
    return world_named("copy-delete", r_s=r_s, r_b=r_b, r_2=r_2, d=d)
