"""Types of parameters, where only the docstring or the name tells them."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from consilience.code.parsing import parse

_SPHINX = re.compile(
    r":param\s+(?:(?P<type>[\w\[\], .]+?)\s+)?(?P<name>\w+)\s*:\s*(?P<text>.*)"
)
_TYPE = re.compile(r":type\s+(?P<name>\w+)\s*:\s*(?P<text>.*)")
_GOOGLE = re.compile(r"^\s*(?P<name>\w+)\s*\((?P<text>[^)]*)\)\s*:", re.MULTILINE)
_NUMPY = re.compile(r"^\s*(?P<name>\w+)\s+:\s+(?P<text>.+)$", re.MULTILINE)
_WORD = re.compile(r"\b(?:int|str|string|list|dict|dictionary|float|tuple|bool|datetime)\b")
_OF = re.compile(r"(?:a |an )?(list|tuple|set|sequence|array)s? of (?:\w+ )??(\w+(?:\.\w+)?)$")


def documented(docstring: str, classes: Collection[str] = ()) -> dict[str, str]:
    """Return annotations by parameter, as far as *docstring* states types; *classes* are types.

    Understood are Sphinx (type before or behind the words), Google and NumPy.
    """
    found: dict[str, str] = {}
    for name, phrase in _phrases(docstring):
        annotation = _annotation(phrase, classes)
        if annotation:
            found.setdefault(name, annotation)
    return found


def _phrases(text: str) -> Iterator[tuple[str, str]]:
    for match in _TYPE.finditer(text):
        yield match["name"], match["text"]
    for match in _SPHINX.finditer(text):
        yield match["name"], match["type"] or ""
        parts = [part.strip(" .;") for part in re.split(r"[,;:(]| - ", match["text"])]
        yield from ((match["name"], part) for part in (parts[0], parts[-1]))
        # "a sentence str", "the datetime instance to convert"
        yield from ((match["name"], word) for word in _WORD.findall(match["text"]))
    for pattern in (_GOOGLE, _NUMPY):
        for match in pattern.finditer(text):
            yield match["name"], match["text"].split(", ")[0]


def _annotation(phrase: str, classes: Collection[str]) -> str:
    words = phrase.strip(" .`")
    if words in classes:
        return words
    plain = _WORDS.get(words.lower().removeprefix("a ").removeprefix("an ").rstrip("s"), "")
    holder = _OF.match(words.lower())
    if plain or holder is None:
        return plain or _as_written(words, classes)
    item = _annotation(holder[2], classes) or _annotation(holder[2].rstrip("s"), classes)
    outer = {"array": "list", "sequence": "list"}.get(holder[1], holder[1])
    many = f"{item}, ..." if outer == "tuple" else item
    return f"{outer}[{many}]" if item else outer


def _as_written(words: str, classes: Collection[str]) -> str:
    """Return *words* where they are an annotation as Python has them: `dict[str, int]`."""
    module = parse(words)
    if module is None or len(module.body) != 1 or not isinstance(module.body[0], ast.Expr):
        return ""
    node = module.body[0].value
    if isinstance(node, ast.Subscript | ast.BinOp):
        return words
    name = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
    return words if name.split(".")[-1] in _TYPES | set(classes) else ""


def by_name(name: str) -> str | None:
    """Guess the type of a parameter from how people name such."""
    for pattern, annotation in _NAMES:
        if pattern.fullmatch(name):
            return annotation
    return None


_TYPES = {"ndarray", "datetime", "date", "timedelta", "Decimal", "Fraction", "Path", "Callable"}
_WORDS = {
    "int": "int", "float": "float", "bool": "bool", "complex": "complex", "list": "list",
    "dict": "dict", "tuple": "tuple", "set": "set",
    "str": "str", "string": "str", "text": "str", "char": "str", "character": "str",
    "integer": "int", "number": "Number", "numeric": "Number", "double": "float",
    "boolean": "bool", "dictionary": "dict", "array": "list", "byte": "bytes",
    "function": "Callable", "callable": "Callable", "iterable": "list", "sequence": "list",
    "complex number": "complex", "integer number": "int", "dictionarie": "dict",
}  # fmt: skip
_NAMES = [
    (re.compile(pattern), annotation)
    for pattern, annotation in (
        (r"is_\w+|has_\w+|reverse|flag", "bool"),
        (r"matrix|grid|board|rows|edges|intervals|points", "list[list[int]]"),
        (r"words|names|strings|lines|tokens|strs", "list[str]"),
        (
            r"nums?\d?_?(list|array)?|numbers|arr\w*|lst\d?|values|items|data|xs|a_list",
            "list[int]",
        ),
        (
            r"s\d?|text\w*|string\w*|str\d?|word\d?|\w*name|title|message|pattern|sentence",
            "str",
        ),
        (r"\w*(price|amount|rate|balance|weight|salary|radius|width|height)", "Number"),
        (r"datetime|dt|date_time|timestamp|when", "datetime"),
        (r"date|day|birthday|due", "date"),
        (r"[nkmijxyabc]|\w*(count|index|size|num|number|id|age|year|start|end|limit)", "int"),
    )
]
