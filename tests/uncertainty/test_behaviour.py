import pytest

from consilience.errors import SandboxError, UsageError
from consilience.sandbox import Outcome
from consilience.sandbox.pool import ForkServer
from consilience.uncertainty.behaviour import Behavioural
from consilience.values import Value

SQUARE = "def f(x):\n    return x * x"
POWER = "def f(x):\n    return x ** 2"
DOUBLE = "def f(x):\n    return 2 * x"
RAISES = "def f(x):\n    raise ValueError(x)"


@pytest.fixture(scope="module")
def sandbox():
    with ForkServer(workers=1) as server:
        yield server


def test_samples_that_do_the_same_share_a_class(sandbox):
    measure = Behavioural(sandbox, "f", [(2,), (3,)])
    assert measure.partition([SQUARE, DOUBLE, POWER, RAISES, RAISES]).labels == (0, 1, 0, 2, 2)


def test_an_input_that_tells_nothing_apart_joins_the_classes(sandbox):
    assert Behavioural(sandbox, "f", [(2,)]).partition([SQUARE, DOUBLE]).labels == (0, 0)


def test_the_mean_confidence_is_that_of_the_votes(sandbox):
    measure = Behavioural(sandbox, "f", [(2,), (3,)])
    found = measure.confidence([SQUARE, POWER, DOUBLE, RAISES])
    assert found.value == pytest.approx((3 / 4 + 2 / 4) / 2)
    assert found.samples == pytest.approx((5 / 8, 5 / 8, 4 / 8, 1 / 4))


class Faulty:
    """A sandbox that fails on every input but the first."""

    level = "strict"

    def __init__(self, good):
        self.good = good

    def run(self, programs, entry_point, inputs, limits=None):
        fine = Outcome("ok", Value.of(1))
        broken = Outcome("infrastructure")
        return [
            [fine if i < self.good else broken for i in range(len(inputs))] for _ in programs
        ]


def test_a_fault_of_the_sandbox_is_never_a_difference():
    measure = Behavioural(Faulty(1), "f", [(1,), (2,)])
    found = measure.partition(["a", "b"])
    assert found.labels == (0, 0)
    assert "1 inputs left out" in found.notes[0]
    assert measure.confidence(["a", "b"]).value == 1.0


def test_a_sandbox_that_fails_everywhere_is_an_error():
    with pytest.raises(SandboxError):
        Behavioural(Faulty(0), "f", [(1,)]).partition(["a"])


def test_without_inputs_there_is_no_behaviour():
    with pytest.raises(UsageError):
        Behavioural(Faulty(0), "f", []).partition(["a"])
