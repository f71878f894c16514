"""Run the cases on test inputs against `consilience.inputs` and what follows from them."""

from __future__ import annotations

from typing import Any

from consilience.code import read_literal, signature
from consilience.inputs import seeds
from consilience.sandbox.pool import ForkServer
from consilience.values import identity
from consilience.votes import count_votes


def inputs(case: dict[str, Any], expected: dict[str, Any]) -> None:
    """Keep, drop or label the inputs of a reply or of a list of expressions."""
    text = case["llm_text"] if "llm_text" in case else "\n".join(case["candidates"])
    entry_point = case["entry_point"]
    header = case.get("prompt")
    parsed = seeds.parse(text, signature(header, entry_point) if header else None, entry_point)
    kept = [identity.key(args) for args in parsed.kept]
    either = _keys(expected.get("either", []))
    if "kept" in expected:
        assert [k for k in kept if k not in either] == _keys(expected["kept"])
    if "dropped" in expected:
        assert not set(_keys(expected["dropped"])) & set(kept)
        assert len(parsed.dropped) >= len(expected["dropped"])
    if "programs" in case:
        _labels(case, expected, parsed.kept)


def _labels(case: dict[str, Any], expected: dict[str, Any], kept: tuple[Any, ...]) -> None:
    with ForkServer(workers=1) as sandbox:
        rows = sandbox.run(case["programs"], case["entry_point"], kept)
    winners = [count_votes(column).winner for column in zip(*rows, strict=True)]
    found = {
        identity.key(args): winner.python()
        for args, winner in zip(kept, winners, strict=True)
        if winner is not None
    }
    without = {identity.key(args) for args in kept} - set(found)
    wanted = expected.get("expected_outputs", {})
    assert found == {_key(args): read_literal(value) for args, value in wanted.items()}
    assert without == set(_keys(expected.get("without_output", [])))


def _keys(expressions: list[str]) -> list[str]:
    return [_key(expression) for expression in expressions]


def _key(expression: str) -> str:
    return identity.key(read_literal(expression))


ADAPTERS = {"inputs": inputs}
