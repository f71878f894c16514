"""What a function's signature asks of a call: how many arguments, which, of what shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from consilience.inputs import shapes
from consilience.inputs.shapes import MisfitError, Shape

if TYPE_CHECKING:
    from consilience.code import Parameter, Signature


class Contract:
    """A signature, where there is one, and inputs known to be right.

    The known inputs only guide coercion and ambiguity (JSON has no tuples); they never refuse
    an input that differs from them.
    """

    def __init__(
        self, signature: Signature | None, known: Sequence[tuple[Any, ...]] = ()
    ) -> None:
        self._signature = signature
        self._parameters = positional(signature)
        self._annotated = [shapes.from_annotation(p.annotation) for p in self._parameters]
        self._learned = learned(known)

    def bind(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return positional arguments; without a signature keywords keep their written order.

        Raises:
            MisfitError: a keyword is unknown, given twice, or follows a left-out parameter.
        """
        if not keywords or self._signature is None:
            return (*args, *keywords.values())
        rest = dict(keywords)
        bound = list(args)
        for parameter in self._parameters[len(args) :]:
            if parameter.name not in rest:
                break
            bound.append(rest.pop(parameter.name))
        if rest:
            reason = f"no place for the keyword {next(iter(rest))}"
            raise MisfitError(reason)
        return tuple(bound)

    def names(self, keywords: Mapping[Any, Any]) -> bool:
        """Tell whether the keys are names of parameters, so that a dict stands for a call."""
        return bool(keywords) and set(keywords) <= {p.name for p in self._parameters}

    def admit(self, args: tuple[Any, ...], *, coerce: bool = False) -> tuple[Any, ...]:
        """Return *args* if they suit; with *coerce*, lists may become tuples or sets.

        Raises:
            MisfitError: wrong number of arguments, or wrong type of one.
        """
        self._count(len(args))
        admitted = list(args)
        for place, shape in enumerate(self._annotated[: len(args)]):
            try:
                admitted[place] = shapes.fit(args[place], shape, coerce=coerce)
            except MisfitError as error:
                name = self._parameters[place].name
                reason = f"{name}: {error}"
                raise MisfitError(reason) from None
        return tuple(admitted)

    def resemble(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Turn lists into tuples or sets where every known input has those; else leave them."""
        return tuple(
            _like(value, self._learned[place] if place < len(self._learned) else None)
            for place, value in enumerate(args)
        )

    def _count(self, found: int) -> None:
        if self._signature is None:
            if self._learned and found != len(self._learned):
                reason = f"{found} arguments in place of {len(self._learned)}"
                raise MisfitError(reason)
            return
        least, most = self._signature.arity
        if found < least or (most is not None and found > most):
            asked = (
                str(least) if least == most else f"{least} to {'any' if most is None else most}"
            )
            reason = f"{found} arguments in place of {asked}"
            raise MisfitError(reason)


def positional(signature: Signature | None) -> list[Parameter]:
    """Return the parameters that can be given by position."""
    if signature is None:
        return []
    return [p for p in signature.parameters if p.kind in {"positional", "either"}]


def learned(pool: Sequence[tuple[Any, ...]]) -> list[Shape]:
    """Learn one shape a position from all inputs of the commonest number of arguments."""
    if not pool:
        return []
    counts = [len(args) for args in pool]
    arity = max(sorted(set(counts)), key=counts.count)
    columns = zip(*(args for args in pool if len(args) == arity), strict=True)
    return [shapes.union(column) or Shape() for column in columns]


def _like(value: Any, shape: Shape | None) -> Any:
    if shape is None:
        return value
    try:
        return shapes.fit(value, shape, coerce=True)
    except MisfitError:
        return value
