import networkx as nx
import pytest
from hypothesis import given

from multislot import HistoryAgent, VectorHistoryAgent, run
from multislot.errors import SettingError
from tests.multislot.engine.test_protocol import last_plus_length, last_plus_length_many, scripts
from tests.multislot.worlds import Doubling, Scripted


@given(scripts())
def test_the_copy_graph_is_a_forest_and_its_paths_are_the_slot_histories(scripted):
    script, ended = scripted
    trace = run(Scripted(script, ended=ended), {1: HistoryAgent(last_plus_length)}, len(script))
    graph = trace.lineage.graph
    assert nx.is_directed_acyclic_graph(graph)
    assert all(degree <= 1 for _, degree in graph.in_degree())
    assert set(graph.edges) == {
        ((step, source), (step + 1, target))
        for step, copies in enumerate(script[: trace.steps])
        for source, targets in copies.items()
        for target in targets
    }
    for step in range(trace.steps + 1):
        for slot in trace.occupied(step):
            slots = tuple(slot for _, slot in [*trace.lineage.ancestors(slot, step), (step, slot)])
            assert slots == trace.slot_history(slot, step)
            assert set(trace.lineage.ancestors(slot, step)) == nx.ancestors(graph, (step, slot))


def fresh(*made_by):
    return HistoryAgent(last_plus_length)


def test_text_shows_lines_of_descent_with_time_downwards():
    stay = {1: (1,), 2: (2,)}
    world = Scripted([{1: (1, 2)}, stay, stay, {1: (3,), 2: (2,)}, {2: (2,)}])
    trace = run(world, {1: HistoryAgent(last_plus_length)}, 5)
    assert trace.lineage.text() == "\n".join(
        [
            "  step  1 2 3",
            "     0  A · ·",
            "     1  A B ·  1→1,2",
            "     ⋮  2 steps in which everybody stays",
            "     4  · B A  1→3",
            "     5  · B ·  3 leaves",
        ]
    )


def test_text_is_readable_at_64_slots_and_says_when_there_are_too_many():
    trace = run(Doubling(), {1: VectorHistoryAgent(last_plus_length_many)}, 7)
    six = run(Doubling(), {1: VectorHistoryAgent(last_plus_length_many)}, 6)
    lines = six.lineage.text().splitlines()
    assert max(len(line) for line in lines) < 160
    assert len(lines) == 9
    assert "and 26 more" in lines[-1]
    assert lines[0] == "  slot           " + "".join(str(slot // 10) for slot in range(10, 65))
    assert lines[1] == "  step  " + "".join(str(slot % 10) for slot in range(1, 65))
    assert lines[2].index("A") == 8
    assert not any("note" in line for line in lines)
    with pytest.raises(SettingError, match=r"got slots=128; expected at most 64 for text; use plot\(\)"):
        trace.lineage.text()


def test_text_says_when_lines_of_descent_share_letters():
    world = Scripted([{1: range(1, 18)}, *[{1: range(1, 18)}] * 4])
    lines = run(world, {1: HistoryAgent(last_plus_length)}, 5).lineage.text().splitlines()
    assert lines[0] == "  slot" + " " * 20 + "1 1 1 1 1 1 1 1"
    assert lines[1] == "  step  1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7"
    assert lines[-1] == "  note  81 lines of descent share 64 letters"


def test_simulated_agents_are_shown():
    world = Scripted([{1: (1,)}])
    world.receive = lambda slots: slots.spawn(fresh(), 2, simulated=True)
    trace = run(world, {1: fresh}, 1)
    assert trace.lineage.text().splitlines()[1] == "     0  A ?  simulated in 2"
    assert trace.lineage.graph.nodes[(0, 2)] == {"simulated": True}


@pytest.mark.parametrize("steps", [2, 6])
def test_the_plot_draws_every_copy_instance_with_time_downwards(steps):
    trace = run(Doubling(), {1: VectorHistoryAgent(last_plus_length_many)}, steps)
    axes = trace.lineage.plot()
    bottom, top = axes.get_ylim()
    assert bottom > top
    assert len(axes.collections[0].get_segments()) == trace.lineage.graph.number_of_edges()
    colours = {tuple(colour) for colour in axes.collections[0].get_colors()}
    assert len(colours) == 2 ** (steps)
    segments = list(zip(axes.collections[0].get_segments(), axes.collections[0].get_linewidths(), strict=True))
    stays = {width for (above, below), width in segments if above[0] == below[0]}
    moves = {width for (above, below), width in segments if above[0] != below[0]}
    assert (min(stays) > max(moves)) == (steps == 6)


def test_the_plot_tells_deletions_from_endings_and_names_every_line():
    """Slot 1 forks; its copy in 2 is deleted after a step, and in 3 one gets its last percept."""
    script = [{1: (1, 2, 3)}, {1: (1,), 3: (3,)}, {1: (1,)}]
    axes = run(Scripted(script, ended={2: (3,)}), {1: HistoryAgent(last_plus_length)}, 3).lineage.plot()
    marks = {line.get_label(): line.get_xydata().tolist() for line in axes.lines if line.get_linestyle() == "None"}
    assert marks == {"deleted": [[1.0, 1.5]], "ended": [[2.0, 2.0]]}
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["deleted", "ended"]
    letters = {text.get_text(): text.xy for text in axes.texts}
    assert letters == {"A": (0, 3.0), "B": (1, 1.5), "C": (2, 2.0)}
