"""A program is repaired by reliable failures only, and never made worse by them."""

from __future__ import annotations

from dataclasses import replace

from consilience.improve import Plan, reliable, trusted
from consilience.improve.workshop import improve
from consilience.report.improvement import record, summary, text
from consilience.task import Candidate, Example, Route, Task, TestCase, TestInput, TestSuite
from consilience.values import Value

TASK = Task(
    "floor",
    'def find(a: int, b: int) -> int:\n    """Return the quotient, rounded down."""\n',
    "find",
    (Example((7, 2), 3),),
)
RIGHT = "def find(a, b):\n    return a // b"
TRUNCATES = "def find(a, b):\n    return int(a / b)"
NEGATES = "def find(a, b):\n    return -(a // b)"
ROUNDS_UP = "def find(a, b):\n    return -(-a // b)"
CRASHES = "def find(a, b):\n    return a // c"


def case(args: tuple[int, int], expected: int, route: Route, votes: int = 9) -> TestCase:
    return TestCase(TestInput(args), Value.of(expected), route, votes / 10, votes, 10)


SUITE = TestSuite(
    TASK,
    (
        TestCase(TestInput((7, 2), "example"), Value.of(3), "given", 1.0),
        case((-7, 2), -4, "inductive"),
        case((9, -2), -5, "inductive", votes=8),
        case((8, 3), 99, "inductive", votes=7),  # wrong, and below tau
        case((1, 3), 98, "transductive", votes=10),  # wrong, and not induction
        replace(case((5, 3), 97, "inductive"), reliable=False),
    ),
)


def program(code: str) -> Candidate:
    return Candidate(TASK.id, code, 0, "mine.py")


def replies(*codes: str):
    """Give these programs, in order, then the last one for ever."""
    told = list(codes)
    return lambda _prompt, _index: (
        f"```python\n{told.pop(0) if len(told) > 1 else told[0]}\n```"
    )


def test_only_given_tests_and_confident_induction_are_trusted():
    assert trusted(SUITE, 0.8) == (0, 1, 2)
    assert trusted(SUITE, 0.7) == (0, 1, 2, 3)
    assert trusted(SUITE, 0.9) == (0, 1)
    lonely = replace(case((1, 1), 1, "inductive"), confidence=1.0, votes=1, total=1)
    assert not reliable(lonely, 0.8)


def test_a_wrong_program_is_repaired_and_the_changed_tests_are_named(judge):
    judging = judge(replies(NEGATES, RIGHT))
    found = improve(judging, TASK, program(TRUNCATES), suite=SUITE, plan=Plan(n=2))
    assert found.best.code.strip() == RIGHT
    assert (found.fixed, found.lost) == ((1, 2), ())
    assert (found.passed(0), found.passed(-1)) == (1, 3)
    assert found.reason == "every reliable test is passed"
    assert [attempt.taken for attempt in found.attempts] == [False, True]


def test_the_model_is_shown_the_program_and_the_reliable_failures_alone(judge):
    judging = judge(replies(RIGHT))
    improve(judging, TASK, program(CRASHES), suite=SUITE, plan=Plan(n=1))
    [prompt] = judging.model.prompts
    assert "return a // c" in prompt
    assert "- find(7, 2) should give 3, but raises NameError" in prompt
    assert "find(-7, 2) should give -4" in prompt
    assert not any(doubtful in prompt for doubtful in ("99", "98", "97"))


def test_a_repair_that_passes_no_more_is_not_taken(judge):
    judging = judge(replies(ROUNDS_UP))
    original = program(TRUNCATES)
    found = improve(judging, TASK, original, suite=SUITE, plan=Plan(n=3))
    assert found.best is original
    assert not found.improved
    assert found.reason == "no repair of round 1 passes more reliable tests"
    assert len(found.attempts) == 3


def test_what_the_task_states_is_never_traded_for_votes(judge):
    breaks_example = "def find(a, b):\n    return a // b if (a, b) != (7, 2) else 0"
    found = improve(
        judge(replies(breaks_example)), TASK, program(TRUNCATES), suite=SUITE, plan=Plan(n=1)
    )
    assert found.attempts[0].gain > 0
    assert not found.improved


def test_a_program_that_fails_nothing_reliable_costs_nothing(judge):
    judging = judge(replies(RIGHT))
    found = improve(judging, TASK, program(RIGHT), suite=SUITE)
    assert found.reason == "the program fails no reliable test"
    assert judging.model.prompts == []
    assert found.usage == {}


def test_without_a_reliable_test_it_abstains(judge):
    judging = judge(replies(RIGHT))
    doubtful = TestSuite(TASK, SUITE.tests[3:])
    found = improve(judging, TASK, program(NEGATES), suite=doubtful)
    assert found.reason == "no test can be relied on"
    assert judging.model.prompts == []
    assert "could not be" not in text(found)


def test_rounds_build_on_the_best_so_far(judge):
    half = "def find(a, b):\n    return a // b if b > 0 else 0"
    judging = judge(replies(half, RIGHT))
    found = improve(judging, TASK, program(NEGATES), suite=SUITE, plan=Plan(n=1))
    assert [attempt.round for attempt in found.attempts] == [1, 2]
    assert "a // b if b > 0" in judging.model.prompts[1]
    assert found.passed(-1) == 3


def test_rounds_and_budget_end_it_with_the_best_so_far(judge):
    half = "def find(a, b):\n    return a // b if b > 0 else 0"
    once = improve(
        judge(replies(half)), TASK, program(NEGATES), suite=SUITE, plan=Plan(rounds=1, n=1)
    )
    assert once.reason == "the rounds are used up"
    assert once.passed(-1) == 2
    poor = improve(
        judge(replies(half)), TASK, program(NEGATES), suite=SUITE, plan=Plan(n=1, tokens=1)
    )
    assert "budget of 1 tokens" in poor.reason
    assert poor.passed(-1) == 2


def test_replies_without_a_program_are_counted(judge):
    found = improve(
        judge(lambda *_: "I cannot."), TASK, program(NEGATES), suite=SUITE, plan=Plan(n=2)
    )
    assert found.unread == 2
    assert not found.improved
    assert "2 without a program" in text(found)


def test_a_second_run_pays_nothing_and_says_the_same(judge):
    judging = judge(replies(RIGHT))
    first = improve(judging, TASK, program(TRUNCATES), suite=SUITE)
    again = improve(judging, TASK, program(TRUNCATES), suite=SUITE)
    assert record(first) == record(again)
    assert len(judging.model.prompts) == 1


def test_the_suite_is_written_where_none_is_given(judge):
    def answer(prompt: str, _index: int) -> str:
        if "assert" in prompt:
            calls = [(10, -2), (9, 2), (-7, 2), (1, 3), (8, 3)]
            return "\n".join(f"assert find({a}, {b}) == 0" for a, b in calls)
        return f"```python\n{RIGHT}\n```"

    found = improve(judge(answer), TASK, program(TRUNCATES))
    assert found.improved
    assert {"inputs", "induction", "repair"} <= set(found.usage)


def test_the_report_says_what_was_tried_and_what_it_cost(judge):
    found = improve(
        judge(replies(NEGATES, RIGHT)), TASK, program(TRUNCATES), suite=SUITE, plan=Plan(n=2)
    )
    shown = text(found)
    assert "mine.py is repaired: it passes 3 of 3 reliable tests instead of 1." in shown
    assert "find(-7, 2) should be -4  [9 of 10 votes]" in shown
    assert "before: -3   now: -4" in shown
    assert "Tried 2 repairs in 1 round: 1 taken, 1 worse." in shown
    assert "repair" in shown
    assert summary(found) == "mine.py: 3 instead of 1 of 3 reliable tests"
