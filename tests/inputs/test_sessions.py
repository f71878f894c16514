"""Mutated sessions parse, use nothing before it is made, keep types, and show something."""

import ast
import os
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.inputs import steps as stepping
from consilience.inputs.sessions import mutate_sessions
from consilience.inputs.skeleton import skeleton
from consilience.task import Session

QUEUE = [
    Session(("q = Queue(3)", "q.put(5)", "q.put([1, 2])", "q.size")),
    Session(("p = Queue()", "p.put('a', front=True)", "p.get()")),
    Session(("r = Queue()", "r.put(1)", "other = Queue()", "r.join(other)", "other.size")),
]
BASKET = "weigh([Fruit('fig', 2), Fruit('plum', 30, ripe=True)], limit=1.5)"
COLOURS = (
    "from enum import Enum\nclass Colour(Enum):\n    RED = 1\n    BLUE = 2\n    GREEN = 3\n"
)


def names_first(session):
    return not stepping.undefined(session.steps, stepping.variables([session.steps]))


def calls(session, name):
    nodes = [n for step in session.steps for n in ast.walk(ast.parse(step))]
    return [
        n
        for n in nodes
        if isinstance(n, ast.Call) and ast.unparse(n.func).split(".")[-1] == name
    ]


literals = st.recursive(
    st.one_of(st.integers(-99, 99), st.booleans(), st.text("ab 1:-", max_size=6)),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=5,
)
step_texts = st.one_of(
    st.builds("s.push({!r})".format, literals),
    st.builds("s.push(Item({!r}, n={!r}))".format, literals, literals),
    st.builds("x = [Item({!r}), Item(2)]".format, literals),
    st.sampled_from(["s.pop()", "s.items", "s.count += 1", "[y for y in s.items]"]),
)
sessions = st.lists(step_texts, min_size=1, max_size=5).map(
    lambda steps: Session(("s = Stack()", *steps))
)


@settings(max_examples=30, deadline=None)
@given(st.lists(sessions, min_size=1, max_size=4), st.integers(0, 9))
def test_every_mutant_parses_is_new_and_makes_names_before_it_uses_them(pool, seed):
    made = mutate_sessions(pool, count=15, seed=seed)
    assert len({m.steps for m in made}) == len(made)
    for session in made:
        assert session not in pool
        assert len(session.steps) <= stepping.MAX_STEPS
        assert all(len(ast.parse(step).body) == 1 for step in session.steps)
        assert names_first(session)


@given(sessions)
def test_a_skeleton_filled_with_its_own_values_is_the_session(session):
    for formed in (False, True):
        dug = skeleton(session, formed=formed)
        filled = dug.fill(dug.values)
        assert [ast.dump(ast.parse(s)) for s in filled.steps] == [
            ast.dump(ast.parse(s)) for s in session.steps
        ]


def test_as_many_come_back_as_were_asked_for():
    assert len(mutate_sessions(QUEUE, count=60, seed=0)) == 60
    assert len(mutate_sessions([Session((BASKET,))], count=60, seed=0)) == 60


def test_literals_within_constructors_keep_their_types_and_names_stay():
    made = mutate_sessions([Session((BASKET,))], count=80, seed=1)
    fruits = [call for session in made for call in calls(session, "Fruit")]
    assert len({ast.unparse(fruit) for fruit in fruits}) > 40
    assert {type(fruit.args[0].value) for fruit in fruits} == {str}
    lengths = {len(calls(session, "Fruit")) for session in made}
    assert lengths > {1, 2, 3}  # elements of the list dropped and doubled


def test_dates_stay_on_the_calendar():
    pool = [Session(("age(date(2024, 2, 29), datetime(2024, 12, 31, 23, 59))",))]
    for session in mutate_sessions(pool, count=60, seed=2):
        for call in calls(session, "date"):
            __import__("datetime").date(*(argument.value for argument in call.args))
        for call in calls(session, "datetime"):
            __import__("datetime").datetime(*(argument.value for argument in call.args))


def test_texts_made_of_numbers_keep_their_form_half_of_the_time():
    made = mutate_sessions([Session(("minutes('09:30')",))], count=40, seed=3)
    texts = [calls(session, "minutes")[0].args[0].value for session in made]
    formed = [t for t in texts if t.count(":") == 1 and t.replace(":", "").isdigit()]
    assert len(formed) >= 10
    assert len(formed) < len(texts)


def test_members_of_an_enum_become_other_members():
    pool = [Session(("mix(Colour.RED, 2)",))]
    made = mutate_sessions(pool, count=40, seed=0, surroundings=COLOURS)
    members = {ast.unparse(calls(session, "mix")[0].args[0]) for session in made}
    assert members == {"Colour.RED", "Colour.BLUE", "Colour.GREEN"}


def test_sessions_on_one_class_are_spliced_and_observed():
    made = mutate_sessions(QUEUE, count=80, seed=4)
    assert any(calls(s, "get") and calls(s, "join") for s in made)
    assert any(s.steps[-1].endswith(".size") and calls(s, "get") for s in made)


def test_attributes_of_the_class_are_looked_at():
    source = (
        "class Queue:\n    def __init__(self):\n        self.held = []\n        self._x = 0\n"
    )
    made = mutate_sessions(QUEUE, count=40, seed=4, surroundings=source)
    steps = [step for s in made for step in s.steps]
    assert any(step.endswith(".held") for step in steps)
    assert not any("_x" in step for step in steps)


def test_what_a_call_was_given_is_looked_at_afterwards():
    made = mutate_sessions([Session(("a = [3, 1]", "reorder(a, 2)"))], count=20, seed=0)
    assert made
    assert all(not calls(s, "reorder") or s.steps[-1] == "a" for s in made)


def test_docstrings_that_share_their_setup_are_mended():
    pool = [Session(("q = Queue()", "q.put(1)")), Session(("q.get(4)",))]
    made = mutate_sessions(pool, count=30, seed=0)
    assert any(calls(s, "get") for s in made)
    assert all(names_first(s) for s in made)


def test_what_does_not_parse_is_passed_over():
    assert mutate_sessions([Session(("q = (",)), Session(())], count=5, seed=0) == []
    assert mutate_sessions([], count=5, seed=0) == []


def test_the_result_depends_on_the_seed_alone():
    program = (
        "from consilience.inputs.sessions import mutate_sessions\n"
        "from consilience.task import Session\n"
        f"pool = [{', '.join(map(repr, QUEUE))}]\n"
        "print(mutate_sessions(pool, count=40, seed=5))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in (1, 2)
    }
    assert len(texts) == 1
    assert mutate_sessions(QUEUE, count=20, seed=5) != mutate_sessions(QUEUE, count=20, seed=6)
