"""Expressions by annotation: what a person would write for a parameter of that type.

Types are those of Python, of dates, decimals, numpy, and of the surroundings: enums, records
and classes, built by their constructors' own annotations.
"""

from __future__ import annotations

import ast
import random
import string
from collections.abc import Callable, Mapping, Sequence

from consilience.code.parsing import parse
from consilience.inputs.surroundings import Class, Surroundings
from consilience.inputs.surroundings import surroundings as read_surroundings

MAX_DEPTH = 4
"""Containers and constructors within each other; deeper ones are empty or None."""
GUESSES = ("int", "str", "list[int]", "float", "list[str]", "bool")
"""What a parameter without an annotation may be, likeliest first."""

_WORDS = ("a", "b", "abc", "hello", "Hello World", "x1", "test", "", "level", "A-b_c", "12")


def expression(annotation: str | None, surroundings: str, rng: random.Random) -> str:
    """Return source that makes a value of *annotation*; any likely value where it says nothing.

    *surroundings* is source that defines the types which Python does not.
    """
    return Expressions(read_surroundings(surroundings), rng).of(annotation)


class Expressions:
    """Draws expressions, with what is defined around."""

    def __init__(
        self,
        around: Surroundings,
        rng: random.Random,
        values: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Take *values*: expressions known by the name of a parameter or field."""
        self._around = around
        self._rng = rng
        self._values = values or {}
        self._depth = 0

    def of(self, annotation: str | None) -> str:
        """Return an expression of a type."""
        module = parse(annotation.strip()) if annotation else None
        node = module.body[0] if module is not None and module.body else None
        if not isinstance(node, ast.Expr):
            return self._any()
        self._depth += 1
        try:
            return self._read(node.value)
        finally:
            self._depth -= 1

    def _any(self) -> str:
        guess = GUESSES[min(int(self._rng.expovariate(0.7)), len(GUESSES) - 1)]
        return self.of(guess)

    def _read(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return self.of(node.value) if isinstance(node.value, str) else repr(node.value)
        if isinstance(node, ast.BinOp):
            return self._read(self._rng.choice([node.left, node.right]))
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        return self._named(ast.unparse(node), [])

    def _subscript(self, node: ast.Subscript) -> str:
        inside = node.slice
        parts = list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
        name = ast.unparse(node.value)
        last = name.split(".")[-1]
        if last == "Literal":
            return ast.unparse(self._rng.choice(parts))
        if last == "Union":
            return self._read(self._rng.choice(parts))
        if last == "Optional":
            return "None" if self._rng.random() < 0.2 else self._read(parts[0])
        if last in {"Annotated", "Final", "ClassVar", "Required", "NotRequired"}:
            return self._read(parts[0])
        return self._named(name, parts)

    def _named(self, name: str, parts: Sequence[ast.expr]) -> str:
        last = name.rsplit(".", maxsplit=1)[-1]
        if last in self._around.classes:
            return self._of_class(self._around.classes[last], name)
        if last in self._around.aliases and self._depth <= 2 * MAX_DEPTH:
            return self.of(self._around.aliases[last])
        rule = _RULES.get(last)
        return rule(self, self._spelled(name), parts) if rule else self._any()

    def _spelled(self, name: str) -> str:
        """Spell a class of the module `datetime` as the surroundings have it."""
        if name in _DATES and "datetime" in self._around.modules:
            return f"datetime.{name}"
        return name

    def _of_class(self, its: Class, name: str) -> str:
        if its.members:
            return f"{name}.{self._rng.choice(its.members)}"
        return self.built(its, name)

    def built(self, its: Class, name: str) -> str:
        """Return a call of a constructor."""
        arguments = []
        by_name = "TypedDict" in ast.unparse(its.node).split(":", 1)[0]
        for field in its.fields:
            if field.has_default and self._rng.random() < 0.5:
                by_name = True
                continue
            given = self.argument(field.name, field.annotation)
            arguments.append(f"{field.name}={given}" if by_name or field.by_name else given)
        return f"{name}({', '.join(arguments)})"

    def argument(self, name: str, annotation: str | None) -> str:
        """Return an expression for a parameter: a known one of that name, or by its type."""
        known = self._values.get(name, ())
        if known and self._rng.random() < (0.6 if _says_much(annotation) else 0.95):
            return self._rng.choice(known)
        if self._depth > MAX_DEPTH and annotation and "None" in annotation:
            return "None"
        return self.of(annotation)

    def integer(self, _name: str = "", _parts: Sequence[ast.expr] = ()) -> str:
        """Small ones mostly."""
        edges = [0, 1, 2, 3, -1, 10, 100]
        chance = self._rng.random()
        if chance < 0.4:
            return str(self._rng.choice(edges))
        return str(self._rng.randint(-20, 100) if chance < 0.6 else self._rng.randint(0, 12))

    def real(self, _name: str, _parts: Sequence[ast.expr]) -> str:
        """Short ones, some of them whole."""
        edges = [0.0, 1.0, -1.5, 0.5, 100.0]
        drawn = round(self._rng.uniform(-5, 50), self._rng.randint(0, 2))
        return repr(self._rng.choice(edges) if self._rng.random() < 0.4 else drawn)

    def text(self, _name: str = "", _parts: Sequence[ast.expr] = ()) -> str:
        """Words, texts of the surroundings, letters."""
        chance = self._rng.random()
        if chance < 0.35 and self._around.texts:
            return repr(self._rng.choice(self._around.texts))
        if chance < 0.7:
            return repr(self._rng.choice(_WORDS))
        letters = string.ascii_lowercase[:4] + string.ascii_uppercase[:2] + " 1"
        return repr("".join(self._rng.choices(letters, k=self._rng.randint(1, 8))))

    def boolean(self, _name: str, _parts: Sequence[ast.expr]) -> str:
        """Either."""
        return str(self._rng.random() < 0.5)

    def bytestring(self, _name: str, _parts: Sequence[ast.expr]) -> str:
        """A text as bytes."""
        return "b" + self.text()

    def number(self, name: str, parts: Sequence[ast.expr]) -> str:
        """An integer or a real one."""
        return self._rng.choice([self.integer, self.real])(name, parts)

    def complex_number(self, _name: str, _parts: Sequence[ast.expr]) -> str:
        """Both parts whole."""
        return f"complex({self._rng.randint(-5, 5)}, {self._rng.randint(-5, 5)})"

    def items(self, parts: Sequence[ast.expr], least: int = 0) -> list[str]:
        """Return expressions for the items of a container, some of them repeated."""
        size = 0 if self._depth > MAX_DEPTH else self._rng.choice([0, 1, 2, 3, 3, 4, 5, 7])
        guess = ast.Name(self._rng.choice(["int", "int", "str"]), ast.Load())
        item = parts[0] if parts else guess
        return [self.of(ast.unparse(item)) for _ in range(max(size, least))]

    def listed(self, _name: str, parts: Sequence[ast.expr]) -> str:
        """A list, which does for anything that is gone through."""
        return f"[{', '.join(self.items(parts))}]"

    def coupled(self, _name: str, parts: Sequence[ast.expr]) -> str:
        """A tuple of the places named, or of any length."""
        if not parts or ast.unparse(parts[-1]) == "...":
            items = self.items(parts[:1], least=2)
        else:
            items = [self.of(ast.unparse(part)) for part in parts]
        return f"({', '.join(items)}{',' * (len(items) == 1)})"

    def gathered(self, name: str, parts: Sequence[ast.expr]) -> str:
        """A set."""
        items = ", ".join(dict.fromkeys(self.items(parts)))
        made = f"{{{items}}}" if items else "set()"
        return f"frozenset({made})" if "rozen" in name else made

    def mapped(self, name: str, parts: Sequence[ast.expr]) -> str:
        """A dict; a Counter or defaultdict as such."""
        key, item = parts if len(parts) == 2 else (ast.Name("str"), ast.Name("int"))
        if "Counter" in name:
            key, item = (parts[0] if parts else ast.Name("str")), ast.Name("int")
        keys = dict.fromkeys(self.items([key]))
        made = ", ".join(f"{name}: {self.of(ast.unparse(item))}" for name in keys)
        return f"{name}({{{made}}})" if "Counter" in name else f"{{{made}}}"

    def dequeued(self, name: str, parts: Sequence[ast.expr]) -> str:
        """A deque of a list."""
        return f"{name.replace('Deque', 'deque')}({self.listed('', parts)})"

    def iterated(self, _name: str, parts: Sequence[ast.expr]) -> str:
        """An iterator over a list."""
        return f"iter({self.listed('', parts[:1])})"

    def called(self, _name: str, parts: Sequence[ast.expr]) -> str:
        """A small function."""
        given = parts[0].elts if parts and isinstance(parts[0], ast.List) else [ast.Name("int")]
        names = "xyzuvw"[: len(given)]
        returns = ast.unparse(parts[1]) if len(parts) > 1 else "int"
        bodies = _BODIES.get(returns, ()) if names else ()
        body = self._rng.choice(bodies) if bodies else self.of(returns)
        other = names[1] if len(names) > 1 else "1"
        first = names[:1] or "0"
        return f"lambda {', '.join(names)}: " + body.replace("A", first).replace("B", other)

    def day(self, name: str, _parts: Sequence[ast.expr]) -> str:
        """A day, near the ends of months and in leap years too."""
        month, day = self._rng.choice([
            (1, 1),
            (1, 31),
            (2, 28),
            (2, 29),
            (3, 1),
            (12, 31),
            (6, 15),
        ])
        year = 2024 if day == 29 else self._rng.choice([2023, 2024, 2024, 2025])
        if name.rsplit(".", maxsplit=1)[-1] == "date":
            return f"{name}({year}, {month}, {day})"
        hour, minute = self._rng.choice([0, 9, 12, 23]), self._rng.choice([0, 30, 59])
        return f"{name}({year}, {month}, {day}, {hour}, {minute})"

    def moment(self, name: str, _parts: Sequence[ast.expr]) -> str:
        """A time of the day."""
        return f"{name}({self._rng.choice([0, 9, 12, 23])}, {self._rng.choice([0, 30, 59])})"

    def duration(self, name: str, _parts: Sequence[ast.expr]) -> str:
        """Some days or hours."""
        unit = self._rng.choice(["days", "hours", "minutes"])
        return f"{name}({unit}={self._rng.choice([0, 1, 2, 7, 30, 90])})"

    def decimal(self, name: str, _parts: Sequence[ast.expr]) -> str:
        """With two places, as money has them."""
        whole, cents = (
            self._rng.choice([0, 1, 10, 19, 100]),
            self._rng.choice(["00", "05", "50", "99"]),
        )
        return f'{name}("{self._rng.choice(["", "", "", "-"])}{whole}.{cents}")'

    def fraction(self, name: str, _parts: Sequence[ast.expr]) -> str:
        """With a small denominator."""
        return f"{name}({self._rng.randint(-5, 9)}, {self._rng.randint(1, 7)})"

    def array(self, name: str, _parts: Sequence[ast.expr]) -> str:
        """An array of one or two dimensions."""
        module = name.split(".", maxsplit=1)[0] if "." in name else "np"
        size = self._rng.randint(1, 5)
        kind = self._rng.choice([self.integer, self.real])
        rows = 1 if self._rng.random() < 0.6 else self._rng.randint(1, 3)
        made = [f"[{', '.join(kind('', []) for _ in range(size))}]" for _ in range(rows)]
        return f"{module}.array({made[0] if rows == 1 else '[' + ', '.join(made) + ']'})"

    def path(self, name: str, _parts: Sequence[ast.expr]) -> str:
        """A path that need not be there."""
        paths = ["a.txt", "dir/b.csv", ".", "x.tar.gz"]
        return f'{name}("{self._rng.choice(paths)}")'


def _says_much(annotation: str | None) -> bool:
    """Tell whether a type says what to write: a bare `list` does not, nor does a text."""
    return bool(annotation) and annotation not in {
        "list",
        "dict",
        "tuple",
        "set",
        "str",
        "List",
    }


_Rule = Callable[[Expressions, str, Sequence[ast.expr]], str]

_DATES = frozenset({"date", "datetime", "time", "timedelta"})
_BODIES: dict[str, tuple[str, ...]] = {
    "int": ("A + B", "A * 2", "A", "-A"),
    "float": ("A * 0.5", "A + B"),
    "bool": ("A > B", "bool(A)", "not A"),
    "str": ("str(A)", "str(A) * 2"),
}
_RULES: dict[str, _Rule] = {
    "int": Expressions.integer,
    "float": Expressions.real,
    "str": Expressions.text,
    "bool": Expressions.boolean,
    "bytes": Expressions.bytestring,
    "complex": Expressions.complex_number,
    "None": lambda *_: "None",
    **dict.fromkeys(("Number", "Real"), Expressions.number),
    **dict.fromkeys(
        ("list", "List", "Sequence", "Iterable", "Collection", "MutableSequence"),
        Expressions.listed,
    ),
    **dict.fromkeys(("tuple", "Tuple"), Expressions.coupled),
    **dict.fromkeys(
        ("set", "Set", "frozenset", "FrozenSet", "AbstractSet"), Expressions.gathered
    ),
    **dict.fromkeys(
        ("dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "Counter"),
        Expressions.mapped,
    ),
    **dict.fromkeys(("deque", "Deque"), Expressions.dequeued),
    **dict.fromkeys(("Iterator", "Generator"), Expressions.iterated),
    "Callable": Expressions.called,
    **dict.fromkeys(("date", "datetime"), Expressions.day),
    "time": Expressions.moment,
    "timedelta": Expressions.duration,
    "Decimal": Expressions.decimal,
    "Fraction": Expressions.fraction,
    **dict.fromkeys(("ndarray", "NDArray", "ArrayLike"), Expressions.array),
    **dict.fromkeys(("Path", "PurePath"), Expressions.path),
}
