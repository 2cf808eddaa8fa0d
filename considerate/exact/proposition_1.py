"""Does an optimal policy of a decision process end? Proposition 1 says when it must; this covers the other cases.

Alizadeh Alamdari et al. 2021, Proposition 1: undiscounted, with rewards negative everywhere and some policy that ends,
every optimal policy ends. Without those conditions an agent may do best never to end, "to avoid being penalized for
what effect its actions have had on others". Staying in a set of states endlessly has a total reward that is a number
only if the rewards there average to zero. Such sets are looked for among the actions that lose nothing.
"""

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from multislot.errors import NeverEndingError
from multislot.mdp.chains import Flags, Floats, Integers
from multislot.mdp.solving import TabularMDP

SLACK = 1e-9


def checked_ending(process: TabularMDP) -> TabularMDP:
    """Refuse an undiscounted problem in which never ending is optimal from its start.

    Returns:
        A process with the same best policies from the start, in which every state can end. Where some step is free or
        pays, states from which no end can be reached get an exit that is worth less than any other path to an end.

    Raises:
        NeverEndingError: if never ending pays without bound, or pays more in total than any policy that ends.
    """
    if (process.rewards[process.available] < 0).all():
        return process
    # Less than the difference of any two paths to an end, each of which leaves a state at most once.
    trapped = -1.0 - 2.0 * process.n_states * float(np.abs(process.rewards[process.available]).max())
    exits = np.where(can_end(process), -np.inf, trapped)
    ended = with_exits(process, exits)
    values = ended.solve(1.0).values[:-1]
    staying = rewardless_stays(process, values)
    stayed = with_exits(process, np.where(staying, 0.0, exits)).solve(1.0).values[:-1]
    first = process.start > 0
    never, ending = (float(process.start[first] @ worth[first]) for worth in (stayed, values))
    if never > ending + SLACK * max(1.0, abs(ending)):
        raise NeverEndingError(
            f"undiscounted, never ending is optimal: it is worth {never:g} from the start, the best policy that ends "
            f"{ending:g}; Proposition 1 needs every reward to be negative before the end"
        )
    return ended


def can_end(process: TabularMDP) -> Flags:
    """Return [S], the states from which an end can be reached."""
    union = sum(process.transitions[1:], process.transitions[0])
    ending = process.terminal.copy()
    while True:
        grown = ending | (union @ ending.astype(float) > 0)
        if (grown == ending).all():
            return ending
        ending = grown


def with_exits(process: TabularMDP, exits: Floats) -> TabularMDP:
    """Return the process with one more action, which ends at once.

    Args:
        process: S states, A actions.
        exits: [S], what this end is worth; −∞ where it is not available. It leads to a state of its own, the last.
    """
    size = process.n_states
    wide = [_grown(matrix) for matrix in process.transitions]
    rows = np.flatnonzero(np.isfinite(exits) & ~process.terminal)
    leaving = coo_array((np.ones(len(rows)), (rows, np.full(len(rows), size))), (size + 1, size + 1))
    rewards = np.zeros((size + 1, process.n_actions + 1))
    rewards[:size, : process.n_actions] = process.rewards
    rewards[rows, process.n_actions] = exits[rows]
    return TabularMDP((*wide, csr_array(leaving)), rewards, np.append(process.start, 0.0))


def rewardless_stays(process: TabularMDP, values: Floats) -> Flags:
    """Return [S], the best state of each set where one can stay endlessly at a total that neither grows nor falls.

    Staying there from the best state on is worth at least 0 in the long run of totals: ``V(s) − V(s_n)``.
    """
    finite = np.isfinite(values)
    safe = np.where(finite, values, -1.0)
    ahead = process.action_values(safe, 1.0)
    keeps = process.available & (np.abs(ahead - safe[:, None]) <= SLACK * np.maximum(1.0, np.abs(safe[:, None])))
    keeps &= finite[:, None]
    best = np.zeros(process.n_states, dtype=bool)
    for members in _closed_sets(process, keeps):
        best[members[np.argmax(safe[members])]] = True
    return best


def _closed_sets(process: TabularMDP, keeps: Flags) -> list[Integers]:
    """Return the maximal sets of states that the kept actions connect and need never leave."""
    keeps = keeps.copy()
    while True:
        rows, columns = [], []
        for action, matrix in enumerate(process.transitions):
            entries = matrix.tocoo()
            kept = keeps[entries.coords[0], action]
            rows.append(entries.coords[0][kept])
            columns.append(entries.coords[1][kept])
        source, target = np.concatenate(rows), np.concatenate(columns)
        shape = (process.n_states, process.n_states)
        _, label = connected_components(coo_array((np.ones(len(source)), (source, target)), shape), connection="strong")
        narrowed = keeps.copy()
        for action, matrix in enumerate(process.transitions):
            entries = matrix.tocoo()
            crossing = label[entries.coords[0]] != label[entries.coords[1]]
            narrowed[entries.coords[0][crossing], action] = False
        if (narrowed == keeps).all():
            live = np.flatnonzero(keeps.any(axis=1))
            return [live[label[live] == number] for number in np.unique(label[live])]
        keeps = narrowed


def _grown(matrix: csr_array) -> csr_array:
    """Return a square matrix with one more empty row and column."""
    size = matrix.shape[0] + 1
    return csr_array((matrix.data, matrix.indices, np.append(matrix.indptr, matrix.indptr[-1])), shape=(size, size))
