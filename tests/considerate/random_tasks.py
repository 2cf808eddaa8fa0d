"""Random little tasks: a gift that costs, a lever that breaks a bridge, and two who come later."""

from hypothesis import assume
from hypothesis import strategies as st

from considerate.craftworld import parse_task
from multislot.exact.files.reading import FileError

TEMPLATE = """
name = "random"
impossible = -30
map = '''
{rows}

S  start
E  exit
G  gift
L  lever
B  bridge
T  other start
'''

[acting]
name = "agent_1"
start = "start"
follows = ["all", "acts"]

[[others]]
name = "agent_2"
kind = "visitor"
start = "start"
follows = ["all", "crosses"]

[[others]]
name = "agent_3"
kind = "visitor"
start = "other start"
follows = ["all", "crosses"]

[[rules.all]]
at = "exit"
ends = true

[[rules.acts]]
at = "lever"
sets = {{ lever = true }}

[[rules.acts]]
at = "gift"
by = "use"
needs = {{ gift = false }}
sets = {{ gift = true }}
cost = {cost}

[[rules.crosses]]
at = "bridge"
closed = true
needs = {{ lever = true }}

[[rules.crosses]]
at = ["gift", "other start"]
closed = true
needs = {{ gift = false }}

[handover]
public = ["lever", "gift"]
"""


@st.composite
def random_tasks(draw):
    width, height = draw(st.integers(3, 4)), draw(st.integers(3, 4))
    cells = [(x, y) for x in range(width) for y in range(height)]
    order = draw(st.permutations(cells))
    marks = dict(zip(order, "SEGLBT", strict=False))
    for cell in order[6 : 6 + draw(st.integers(0, 2))]:
        marks[cell] = "X"
    inner = ["X" + "".join(marks.get((x, y), ".") for x in range(width)) + "X" for y in range(height)]
    border = "X" * (width + 2)
    text = TEMPLATE.format(rows="\n".join([border, *inner, border]), cost=draw(st.integers(1, 6)))
    try:
        task = parse_task(text)
    except FileError as error:
        assume("can never finish" not in str(error))  # the walls may shut somebody in
        raise
    assume(task.end_states)
    return task
