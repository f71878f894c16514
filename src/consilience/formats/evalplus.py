"""HumanEval+ and MBPP+ in EvalPlus's files: typed inputs, tolerances, special comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from consilience.code import examples
from consilience.formats.jsonl import Row
from consilience.task import Reference, Task

Convert = Callable[[Any], Any]


def read_task(row: Row) -> Task:
    """Read one task."""
    task_id = row.text("task_id")
    prompt = row.text("prompt")
    entry_point = row.text("entry_point")
    base, plus = (_inputs(row, task_id, name) for name in ("base_input", "plus_input"))
    solution = row.text("canonical_solution", "")
    if not task_id.startswith("Mbpp/"):  # HumanEval's solutions are bodies
        solution = prompt + solution
    reference = Reference(
        solution=solution,
        inputs=(*base, *plus),
        base_count=len(base),
        tolerance=_tolerance(row),
        checker=_CHECKERS.get((task_id.partition("/")[0], entry_point), "equal"),
    )
    metadata = {
        name: row.fields[name]
        for name in ("contract", "test", "assertion")
        if isinstance(row.fields.get(name), str)
    }
    return Task(
        task_id, prompt, entry_point, examples(prompt, entry_point), reference, metadata
    )


def _tolerance(row: Row) -> float:
    found = row.fields.get("atol", 0)
    if isinstance(found, bool) or not isinstance(found, int | float) or found < 0:
        raise row.fault("atol", "is not a number of at least 0")
    return float(found)


_CHECKERS = {
    ("HumanEval", "find_zero"): "polynomial_root",
    **dict.fromkeys(
        [
            ("Mbpp", name)
            for name in (
                "similar_elements",
                "find_char_long",
                "common_in_nested_lists",
                "extract_singly",
                "larg_nnum",
                "intersection_array",
                "find_dissimilar",
                "Diff",
            )
        ],
        "same_members",
    ),
    ("Mbpp", "check_str"): "not_none",
    ("Mbpp", "text_match_three"): "not_none",
    ("Mbpp", "text_starta_endb"): "not_none",
    ("Mbpp", "surface_Area"): "pyramid_surface",
    ("Mbpp", "digit_distance_nums"): "digit_distance",
    ("Mbpp", "sum_div"): "zero_or_equal",
    ("Mbpp", "are_equivalent"): "any_verdict",
}


# --- inputs: JSON has no tuples, sets or complex numbers; MBPP+ needs them, task by task


def _inputs(row: Row, task_id: str, name: str) -> list[tuple[Any, ...]]:
    converters = _ARGUMENTS.get(task_id, ())
    inputs = []
    for i, args in enumerate(row.items(name)):
        if not isinstance(args, list):
            raise row.fault(name, f"has no list of arguments at {i}")
        try:
            inputs.append(_convert_all(converters, args))
        except (TypeError, ValueError, AttributeError) as error:
            raise row.fault(name, f"cannot be read at {i} ({error})") from None
    return inputs


def _convert_all(converters: tuple[Convert, ...], args: list[Any]) -> tuple[Any, ...]:
    if not converters:
        return tuple(args)
    # The last converter serves all further arguments.
    last = len(converters) - 1
    return tuple(converters[min(i, last)](argument) for i, argument in enumerate(args))


def _keep(item: Any) -> Any:
    return item


def _tuple(item: Any) -> Any:
    return tuple(item) if isinstance(item, list) else item


def _list_of(convert: Convert) -> Convert:
    return lambda items: [convert(item) for item in items]


def _tuple_of(convert: Convert) -> Convert:
    return lambda items: tuple(convert(item) for item in items)


def _dict_of(convert: Convert) -> Convert:
    return lambda items: {key: convert(item) for key, item in items.items()}


def _deep_tuple(item: Any) -> Any:
    return tuple(map(_deep_tuple, item)) if isinstance(item, list) else item


def _set_or_dict(item: Any) -> Any:
    # An empty pair of braces is a dict, in MBPP as in Python.
    return set(item) if item else {}


def _by_number(numbers: str, *converters: Convert) -> dict[str, tuple[Convert, ...]]:
    return {f"Mbpp/{number}": converters for number in numbers.split()}


_ARGUMENTS: dict[str, tuple[Convert, ...]] = {
    **_by_number(
        "2 116 132 143 222 261 273 394 399 421 424 429 470 560 579 596 616 630 726 740 744 809",
        _tuple,
    ),
    **_by_number("63 64 70 94 120 237 272 299 400 409 417 438 473 614 780", _list_of(_tuple)),
    **_by_number("75 413 444 753", _list_of(_tuple), _keep),
    **_by_number("106 750", _keep, _tuple),
    **_by_number("250 307 405 446 617 720 763 808", _tuple, _keep),
    **_by_number("259 401 445", _tuple_of(_tuple)),
    **_by_number("278", _tuple_of(_tuple)),
    **_by_number("580 615 791", _deep_tuple),
    **_by_number("722", _dict_of(_tuple), _keep),
    **_by_number("115", _list_of(_set_or_dict)),
    **_by_number("124", float, complex),
    **_by_number("252", complex),
}
