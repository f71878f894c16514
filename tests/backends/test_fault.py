"""Every error of ours survives the way from one process to another."""

from __future__ import annotations

import pickle

import pytest

from consilience import errors
from consilience.backends.fault import Fault
from consilience.errors import ConsilienceError, MissingExtraError, SandboxError

OURS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type)
    and issubclass(kind, ConsilienceError)
    and kind is not MissingExtraError
]


@pytest.mark.parametrize("error", [MissingExtraError("ray", "ray"), *(k("so") for k in OURS)])
def test_an_error_keeps_class_sentence_hint_and_code(error: ConsilienceError):
    again = pickle.loads(pickle.dumps(Fault.of(error))).error()
    assert type(again) is type(error)
    assert (str(again), again.hint) == (str(error), error.hint)
    assert again.exit_code == error.exit_code


def test_the_place_is_told():
    found = Fault.of(SandboxError("No seccomp."), place="node a7").error()
    assert str(found) == "On node a7: No seccomp."
