"""Read model-written test inputs out of a reply: by syntax only, nothing is evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consilience.inputs import reply
from consilience.inputs.contract import Contract
from consilience.inputs.reply import Written
from consilience.inputs.shapes import MisfitError
from consilience.values import identity

if TYPE_CHECKING:
    from consilience.code import Signature

Args = tuple[Any, ...]

MAX_INPUTS = 1_000
"""Inputs taken from one reply."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The inputs of a reply, in order of appearance and each once."""

    kept: tuple[Args, ...]
    dropped: tuple[tuple[str, str], ...]
    """What became no input: its text and the reason."""


def parse(
    text: str,
    signature: Signature | None,
    entry_point: str,
    *,
    known: Sequence[Args] = (),
) -> Parsed:
    """Return the inputs that *text* proposes for *entry_point*.

    Understood are calls and asserts in any spelling (the expected side is ignored), bare
    tuples, one value a line, lists of argument lists, JSON, numbering, labels, fences.
    *known* inputs (the task's examples) tell tuples from lists where no annotation does.
    """
    contract = Contract(signature, known)
    written = reply.find(text, entry_point)
    alone = sum(item.args is None and not item.problem for item in written) == 1
    kept: dict[str, Args] = {}
    dropped: list[tuple[str, str]] = []
    for item in written:
        proposals, problems = _read(item, contract, alone=alone)
        dropped.extend(problems)
        for args in proposals:
            name = identity.key(args)
            if name in kept or len(kept) >= MAX_INPUTS:
                dropped.append((item.source, "repeated" if name in kept else "too many"))
            else:
                kept[name] = args
    return Parsed(tuple(kept.values()), tuple(dropped))


def _read(
    item: Written, contract: Contract, *, alone: bool
) -> tuple[list[Args], list[tuple[str, str]]]:
    if item.problem:
        return [], [(item.source, item.problem)]
    try:
        if item.args is not None:
            return _of_call(item, contract), []
        return _first_fitting(_readings(item.value, contract, batch=alone), contract), []
    except MisfitError as error:
        kept, dropped = _partly(item.value, contract)
        return (kept, dropped) if kept else ([], [(item.source, str(error))])


def _of_call(item: Written, contract: Contract) -> list[Args]:
    args = contract.bind(item.args or (), item.keywords)
    packed = len(args) == 1 and isinstance(args[0], tuple)
    return _first_fitting([[args], [args[0]]] if packed else [[args]], contract)


def _partly(value: Any, contract: Contract) -> tuple[list[Args], list[tuple[str, str]]]:
    """Save what can be read of a list of calls in which some are wrong."""
    kept: list[Args] = []
    dropped: list[tuple[str, str]] = []
    for item in value if isinstance(value, list) else ():
        try:
            kept.extend(_first_fitting(_readings_within(item, contract), contract))
        except MisfitError as error:
            dropped.append((repr(item)[:200], str(error)))
    return kept, dropped


def _readings(value: Any, contract: Contract, *, batch: bool) -> Iterator[list[Args]]:
    """Yield what a bare value may mean, likeliest first: `[[1, 2], 3]` has three readings."""
    if isinstance(value, dict):
        yield from _readings_of_dict(value, contract)
    if not isinstance(value, (list, tuple)):
        yield [(value,)]
        return
    singly: list[list[Args]] = [[(value,)], [tuple(value)]]
    if isinstance(value, tuple):
        yield from reversed(singly)
        return
    calls = _batch(value, contract)
    yield from [*calls, *singly] if batch else [*singly, *calls]


def _readings_of_dict(value: dict[Any, Any], contract: Contract) -> Iterator[list[Args]]:
    for name in ("args", "input", "inputs", "arguments", "kwargs"):
        if name in value and not contract.names(value):
            yield from _readings(value[name], contract, batch=name == "inputs")
    if contract.names(value):
        yield [contract.bind((), value)]


def _batch(values: list[Any], contract: Contract) -> list[list[Args]]:
    """Read each item as one call; there is no such reading where some item is none."""
    try:
        calls = [_first_fitting(_readings_within(v, contract), contract) for v in values]
    except MisfitError:
        return []
    return [[args for reading in calls for args in reading]] if calls else []


def _readings_within(value: Any, contract: Contract) -> Iterator[list[Args]]:
    if isinstance(value, list):  # within a list, a list is first of all a list of arguments
        yield [tuple(value)]
    yield from _readings(value, contract, batch=False)


def _first_fitting(readings: Iterable[list[Args]], contract: Contract) -> list[Args]:
    """Return the first reading of which every call is admitted, as written before coerced."""
    problem: MisfitError | None = None
    meanings = list(readings)
    for coerce in (False, True):
        for reading in meanings:
            try:
                return [contract.resemble(contract.admit(a, coerce=coerce)) for a in reading]
            except MisfitError as error:
                problem = problem or error
    raise problem or MisfitError("no input")
