"""What is kept and what is forgotten."""

import copy
import pickle

from hypothesis import given
from hypothesis import strategies as st

from multislot.bayes.memory import Memory


@given(st.lists(st.integers(0, 6)), st.integers(1, 4))
def test_the_latest_questions_are_kept_and_every_answer_is_the_same(questions, size):
    memory, asked, latest = Memory[int](size), [], []
    for question in questions:
        before = len(asked)
        assert memory.once(question, lambda q=question: asked.append(q) or -q) == -question
        assert (len(asked) == before) == (question in latest)
        latest = [*(known for known in latest if known != question), question][-size:]
        assert len(memory) == len(latest)


def test_a_deep_copy_shares_and_a_pickled_one_knows_the_same():
    memory = Memory[str](2)
    memory.once("question", lambda: "answer")
    assert copy.deepcopy(memory) is memory
    assert pickle.loads(pickle.dumps(memory)).once("question", lambda: "another") == "answer"
