"""Files of the field are read right, and a fault in one is named in one sentence."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from cases.support import shared

from consilience.code import assertions
from consilience.errors import InputError
from consilience.formats import load_candidates, load_tasks
from consilience.formats.jsonl import append_rows, dump_row, read_rows
from consilience.formats.samples import write_samples
from consilience.formats.scoring_verifiers import read_ranked
from consilience.task import Candidate, Task
from consilience.values import Value

ADD = "def add(a, b):\n    return a + b\n"
TASK = Task("T/1", 'def add(a, b):\n    """Add."""\n', "add")
OTHER = Task("T/20", 'def sub(a, b):\n    """Subtract."""\n', "sub")


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


# --- tasks


@pytest.mark.parametrize(
    ("name", "tasks", "inputs", "form"),
    [
        ("HumanEval.jsonl.gz", 164, 1082, "humaneval"),
        ("HumanEvalPlus.jsonl.gz", 164, 124_253, "evalplus"),
        ("MbppPlus.jsonl.gz", 378, 41_015, "evalplus"),
        ("mbpp_sanitized_427.jsonl.gz", 427, 1245, "mbpp"),
        ("BigCodeBench-Hard-148.jsonl.gz", 148, 0, "bigcodebench"),
    ],
)
def test_published_benchmarks_are_read(name: str, tasks: int, inputs: int, form: str) -> None:
    loaded = load_tasks(shared("data") / name)
    assert len(loaded) == tasks
    assert sum(len(task.reference.inputs) for task in loaded if task.reference) == inputs
    assert {task.metadata["format"] for task in loaded} == {form}
    assert {task.metadata["file"] for task in loaded} == {name}
    assert len({task.metadata["sha256"] for task in loaded}) == 1
    assert all(task.entry_point.isidentifier() for task in loaded)


# EvalPlus gives lists (or a complex number) where the assertion has tuples (or an integer);
# the contracts of the tasks allow both.
EITHER_TYPE = {"Mbpp/104", "Mbpp/140", "Mbpp/145", "Mbpp/252"}


def test_mbpp_inputs_have_the_types_that_their_assertions_have() -> None:
    """The files state the base inputs twice: as JSON, and typed, in assertions."""
    compared = 0
    for task in load_tasks(shared("data") / "MbppPlus.jsonl.gz"):
        assert task.reference is not None
        base = task.reference.inputs[: task.reference.base_count]
        stated = assertions(task.metadata["assertion"], task.entry_point)
        if len(stated) != len(base):
            continue
        for args, example in zip(base, stated, strict=True):
            if task.id not in EITHER_TYPE:
                assert _types(args) == _types(example.probe), task.id
                compared += 1
    assert compared > 1000


def _types(thing: Any) -> Any:
    kind = {bool: int, float: int}.get(type(thing), type(thing))
    if isinstance(thing, list | tuple):
        return kind.__name__, [_types(item) for item in thing]
    return kind.__name__


@pytest.mark.parametrize(
    ("task_id", "given", "typed"),
    [
        ("Mbpp/2", [[3, 4], [5]], ((3, 4), (5,))),
        ("Mbpp/63", [[[1, 2], [3, 4]]], ([(1, 2), (3, 4)],)),
        ("Mbpp/75", [[[6, 24]], 6], ([(6, 24)], 6)),
        ("Mbpp/106", [[5], [9, 10]], ([5], (9, 10))),
        ("Mbpp/115", [[[1, 2], []]], ([{1, 2}, {}],)),
        ("Mbpp/124", ["0", "1j"], (0.0, 1j)),
        ("Mbpp/252", ["(1+2j)"], (1 + 2j,)),
        ("Mbpp/252", [4], (4 + 0j,)),
        ("Mbpp/259", [[[1, 3]], [[6, 7]]], (((1, 3),), ((6, 7),))),
        ("Mbpp/278", [[1, [2, 3], "a"]], ((1, (2, 3), "a"),)),
        ("Mbpp/307", [["H", []], 1, 50], (("H", []), 1, 50)),
        ("Mbpp/580", [[4, [7, [1]]]], ((4, (7, (1,))),)),
        ("Mbpp/722", [{"a": [6.2, 70]}, 6.0], ({"a": (6.2, 70)}, 6.0)),
        ("Mbpp/750", [[5], [9]], ([5], (9,))),
        ("Mbpp/3", [[1, 2]], ([1, 2],)),
    ],
)
def test_typed_inputs_are_restored(
    tmp_path: Path, task_id: str, given: list[Any], typed: tuple[Any, ...]
) -> None:
    row = {"task_id": task_id, "prompt": "", "entry_point": "f", "plus_input": [given]}
    (task,) = load_tasks(write(tmp_path / "t.jsonl", row))
    assert task.reference is not None
    assert Value.of(task.reference.inputs[0]) == Value.of(typed)


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
def test_gzip_is_told_by_content(tmp_path: Path, suffix: str) -> None:
    row = {"task_id": "T/1", "prompt": TASK.prompt, "entry_point": "add"}
    path = tmp_path / f"t{suffix}"
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    (task,) = load_tasks(path)
    assert task.prompt == TASK.prompt
    assert task.reference is None


def test_a_python_file_is_a_task_without_its_body(tmp_path: Path) -> None:
    source = 'import math\n\nSTEP = 1\n\n\ndef root(x: float) -> float:\n    """Root.\n\n'
    source += '    >>> root(4)\n    2.0\n    """\n    return math.sqrt(x)\n'
    path = tmp_path / "root.py"
    path.write_text(source)
    (task,) = load_tasks(path)
    assert (task.id, task.entry_point) == ("root", "root")
    assert task.prompt == source.replace("    return math.sqrt(x)\n", "")
    assert task.examples[0].expected == 2.0


def test_of_several_functions_the_one_without_a_body_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "t.py"
    path.write_text(
        'def a():\n    """A."""\n    return 1\n\n\ndef b():\n    """B."""\n    ...\n'
    )
    assert load_tasks(path)[0].entry_point == "b"
    assert load_tasks(path, entry_point="a")[0].entry_point == "a"


def test_text_is_a_task_with_the_function_it_names(tmp_path: Path) -> None:
    path = tmp_path / "t.md"
    path.write_text("# Task\n\nWrite `twice(x)`.\n\ntwice(2) == 4\n")
    (task,) = load_tasks(path)
    assert (task.id, task.entry_point, len(task.examples)) == ("t", "twice", 1)
    path.write_text("Write a function.")
    assert load_tasks(path, entry_point="f")[0].entry_point == "f"


# --- candidates


def test_samples_are_read_in_every_form(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        {"task_id": "T/20", "solution": ADD.replace("add", "sub")},
        {"task_id": "T/1", "solution": ADD, "label": "mine"},
        {"task_id": "T/1", "completion": "    return a + b\n"},
        {"task_id": "T/1", "completion": f"Sure:\n```python\n{ADD}```"},
        {"task_id": "T/1", "solution": [ADD, f"```python\n{ADD}```"]},
        {"task_id": "T/1", "solution": ""},
        {"task_id": "T/1", "completion": "I cannot."},
        '{"task_id": "T/1", "solut',
    )
    found = load_candidates(path, [TASK, OTHER])
    assert list(found) == ["T/1", "T/20"]
    mine = found["T/1"]
    assert [c.index for c in mine] == list(range(7))
    assert mine[0] == Candidate("T/1", ADD, 0, "mine")
    assert mine[1].code.endswith("    return a + b\n")
    assert mine[1].code.startswith("def add")
    assert mine[2].code == mine[4].code == ADD
    assert mine[5].code == ""
    assert mine[6].code == TASK.prompt + "I cannot."


def test_a_program_stays_as_it_is_to_the_letter(tmp_path: Path) -> None:
    code = f"# mine\n{ADD}\nprint(add(1, 2))\n"
    path = write(tmp_path / "s.jsonl", {"task_id": "T/1", "solution": code})
    assert load_candidates(path, [TASK])["T/1"][0].code == code


def test_folders_and_files_are_read_in_natural_order(tmp_path: Path) -> None:
    folder = tmp_path / "all" / "T_1"
    folder.mkdir(parents=True)
    for name in ("10.py", "2.py", "0.py"):
        (folder / name).write_text(ADD)
    (tmp_path / "all" / "T_20").mkdir()
    (tmp_path / "all" / "T_20" / "0.py").write_text("def sub(a, b): return a - b")
    found = load_candidates(tmp_path / "all", [TASK, OTHER])
    assert [c.label for c in found["T/1"]] == ["0.py", "2.py", "10.py"]
    assert len(found["T/20"]) == 1
    assert len(load_candidates(folder, [TASK])["T/1"]) == 3
    assert load_candidates(folder / "2.py", [TASK])["T/1"][0].label == "2.py"
    assert len(load_candidates([folder / "2.py", folder / "0.py"], [TASK])["T/1"]) == 2


RANKED = {
    "task_id": "HumanEval/0",
    "prompt": TASK.prompt,
    "entry_point": "add",
    "canonical_solution": "    return a + b\n",
    "base_input": [[1, 2]],
    "plus_input": [[3, 4]],
    "all_solutions": [
        {
            "rank": 1,
            "average_test_score": 1.0,
            "solution": {"prompt": "", "canonical_solution": "    return a + b\n"},
        },
        {"rank": 2, "average_test_score": 0.5, "solution": {"canonical_solution": ADD}},
        {"rank": 3, "average_test_score": 0, "solution": ADD},
    ],
}


def test_ranked_candidates_of_scoring_verifiers_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", RANKED)
    tasks = load_tasks(path)
    candidates = load_candidates(path, tasks)["HumanEval/0"]
    assert [c.label for c in candidates] == ["rank 1", "rank 2", "rank 3"]
    assert candidates[0].code == TASK.prompt + "    return a + b\n"
    assert candidates[1].code == candidates[2].code == ADD
    (row,) = read_rows(path)
    assert [(r.rank, r.score) for r in read_ranked(row)] == [(1, 1.0), (2, 0.5), (3, 0.0)]


# --- faults


def fault(action: Any) -> str:
    with pytest.raises(InputError) as caught:
        action()
    assert caught.value.hint
    assert caught.value.exit_code == 2
    text = str(caught.value)
    assert "\n" not in text
    return f"{text} {caught.value.hint}"


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["{}", "{"], ["s.jsonl:1", '"task_id" is missing']),
        (
            ['{"task_id": "T/1"', '{"task_id": "T/1", "solution": ""}'],
            ["s.jsonl:1", "not JSON"],
        ),
        ([{"task_id": "T/1", "solution": ""}, "", "oops", "[]"], ["s.jsonl:3", "not JSON"]),
        (["[1]"], ["s.jsonl:1", "not a JSON object"]),
        ([{"task_id": "T/1"}], ["s.jsonl:1", '"solution" is missing', '"completion"']),
        ([{"task_id": "T/1", "solution": None}], ["s.jsonl:1", '"solution" is not text']),
        ([{"task_id": "T/2", "solution": ""}], ["s.jsonl:1", '"T/2"', "T/20", "T/1"]),
        ([{"task_id": ["T/2"], "solution": ""}], ["s.jsonl:1", '"task_id" is not text']),
        ([{**RANKED, "task_id": "T/1", "all_solutions": [3]}], ['"all_solutions"', "at 0"]),
    ],
)
def test_a_fault_in_samples_is_named_with_its_place(
    tmp_path: Path, rows: list[Any], told: list[str]
) -> None:
    path = write(tmp_path / "s.jsonl", *rows)
    text = fault(lambda: load_candidates(path, [TASK, OTHER]))
    for part in told:
        assert part in text


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"task_id": "T/1"}, ['"prompt" is missing']),
        ({"task_id": "T/1", "prompt": 3, "entry_point": "f"}, ['"prompt" is not text']),
        ({"prompt": "", "entry_point": "f"}, ['"task_id" is missing']),
        ({**RANKED, "plus_input": [3]}, ['"plus_input"', "at 0"]),
        (
            {**RANKED, "plus_input": "gASVCgAAAAAAAABLAYWULg=="},
            ['"plus_input"', "never decoded"],
        ),
        ({**RANKED, "atol": "x"}, ['"atol"']),
        ({**RANKED, "task_id": "Mbpp/252", "base_input": [["x"]]}, ['"base_input"', "at 0"]),
        ({"task_id": 1, "code": "x = 1", "test_list": ["assert f(1)"]}, ['"test_list"']),
    ],
)
def test_a_fault_in_tasks_is_named_with_its_place(
    tmp_path: Path, row: dict[str, Any], told: list[str]
) -> None:
    path = write(tmp_path / "t.jsonl", row)
    text = fault(lambda: load_tasks(path))
    for part in ["t.jsonl:1", *told]:
        assert part in text


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("a pickle was loaded",))


def test_files_that_are_no_text_are_refused_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(pickle.dumps(Bomb()))
    assert "pickle" in fault(lambda: load_tasks(path))
    path.write_bytes(b'{"task_id": "\xff"}')
    assert "not UTF-8" in fault(lambda: load_tasks(path))
    path.write_bytes(gzip.compress(b"{}" * 1000)[:30])
    assert "gzip" in fault(lambda: load_tasks(path))
    path.write_bytes(b"")
    assert "no task" in fault(lambda: load_tasks(path))
    assert "nosuch" in fault(lambda: load_tasks(tmp_path / "nosuch.jsonl"))
    assert fault(lambda: load_tasks(tmp_path))


def test_faults_of_own_task_files_say_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "t.py"
    path.write_text("def f(:\n")
    assert "does not parse" in fault(lambda: load_tasks(path))
    path.write_text("def f(x):\n    return x\n")
    assert "no function or class with a docstring" in fault(lambda: load_tasks(path))
    path.write_text('def f():\n    "F."\n\ndef g():\n    "G."\n')
    assert "f, g" in fault(lambda: load_tasks(path))
    assert "nothing called h" in fault(lambda: load_tasks(path, entry_point="h"))
    text = tmp_path / "t.txt"
    text.write_text("Write `a()` or `b()`.")
    assert "a, b" in fault(lambda: load_tasks(text))
    text.write_text("")
    assert "empty" in fault(lambda: load_tasks(text, entry_point="f"))


def test_a_task_twice_is_a_fault(tmp_path: Path) -> None:
    row = {"task_id": "T/1", "prompt": "", "entry_point": "f"}
    path = write(tmp_path / "t.jsonl", row, row)
    assert "repeats T/1" in fault(lambda: load_tasks(path))


def test_programs_need_to_know_their_task(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ADD)
    assert "2 tasks" in fault(lambda: load_candidates(tmp_path / "a.py", [TASK, OTHER]))
    (tmp_path / "X_9").mkdir()
    (tmp_path / "a.py").unlink()
    assert "X_9" in fault(lambda: load_candidates(tmp_path, [TASK, OTHER]))
    (tmp_path / "X_9").rmdir()
    assert "no Python file" in fault(lambda: load_candidates(tmp_path, [TASK, OTHER]))


# --- appending


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        (b"", []),
        (b'{"id": 1}\n', [1]),
        (b'{"id": 1}', [1]),
        (b'{"id": 1}\n{"id": 2', [1]),
        (b'{"id": 1}\n{"id": 2, "v": "' + b"x" * 200_000, [1]),
        (b'{"id": 2, "v": "', []),
        (b'{"id": 1}\n\xff\xfe', [1]),
        (b'{"id": 1}\n{"id": 3}', [1, 3]),
    ],
)
def test_appending_after_a_crash_costs_the_torn_line_only(
    tmp_path: Path, before: bytes, kept: list[int]
) -> None:
    path = tmp_path / "new" / "r.jsonl"
    path.parent.mkdir()
    path.write_bytes(before)
    append_rows(path, [{"id": 9}])
    append_rows(path, [{"id": 10}, {"id": 11}])
    assert [row.fields["id"] for row in read_rows(path)] == [*kept, 9, 10, 11]


def test_every_cut_of_a_file_can_be_appended_to(tmp_path: Path) -> None:
    whole = "".join(dump_row({"id": i, "v": "ä\ud800{}"}) + "\n" for i in range(3)).encode()
    path = tmp_path / "r.jsonl"
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        complete = len(list(read_rows(path, forgive_torn_end=True)))
        append_rows(path, [{"id": "new"}])
        ids = [row.fields["id"] for row in read_rows(path)]
        assert ids == [*range(complete), "new"]


def test_samples_written_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    candidates = [Candidate("T/1", ADD + "# ü\n", i, f"n{i}") for i in range(3)]
    write_samples(path, candidates[:1])
    write_samples(path, candidates[1:])
    assert load_candidates(path, [TASK])["T/1"] == tuple(candidates)


def test_numbers_that_json_has_not_are_refused_when_writing() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dump_row({"x": float("nan")})
