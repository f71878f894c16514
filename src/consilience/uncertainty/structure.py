"""Equality and distance of samples as programs: their syntax, without running them."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from consilience.code.parsing import parse
from consilience.uncertainty import Partition
from consilience.uncertainty.clusters import numbered
from consilience.uncertainty.distance import Floats
from consilience.uncertainty.syntax import canonical, subtrees
from consilience.uncertainty.text import plain

Equality = Literal["renamed", "authors"]


@dataclass(frozen=True, slots=True)
class Structural:
    """Samples are equivalent when their syntax is.

    *renamed*: equal after renaming, without docstrings, annotations and imports; constants,
    callees and order count. *authors*: what the published FASE code does, for comparison: node
    types and their nesting alone, in any order, of a few kinds of statements.
    """

    equality: Equality = "renamed"
    name: str = "structural"

    def partition(self, samples: Sequence[str]) -> Partition:
        """Group samples of equal syntax; an unparsable one joins its equal texts only."""
        texts = [plain(text) for text in samples]
        keys = [_key(text, index, self.equality) for index, text in enumerate(texts)]
        broken = tuple(index for index, text in enumerate(texts) if canonical(text) is None)
        return Partition(self.name, numbered(keys), unparsable=broken)


def _key(text: str, index: int, equality: Equality) -> Hashable:
    if equality == "renamed":
        form = canonical(text)
        return ("text", text) if form is None else ("form", form)
    shape = published_shape(text)
    return ("alone", index) if shape is None else ("shape", shape)


_SIGNIFICANT = (
    ast.Import,
    ast.FunctionDef,
    ast.If,
    ast.ClassDef,
    ast.While,
    ast.For,
    ast.comprehension,
    ast.Return,
)


@lru_cache(maxsize=16_384)
def published_shape(source: str) -> tuple[bytes, ...] | None:
    """Return what must be equal for the published structural metric to be exactly 1.

    That metric matches significant subtrees by the Hungarian method on node types alone; it is
    1 exactly when the multisets of unordered subtree shapes agree. None where the metric never
    is 1, not even of a program with itself: no Python, or fewer than two significant nodes.
    """
    tree = parse(source)
    if tree is None:
        return None
    shapes: list[bytes] = []
    try:
        _shape(tree, shapes)
    except RecursionError:
        return None
    return tuple(sorted(shapes)) if len(shapes) >= 2 else None


def _shape(node: ast.AST, significant: list[bytes]) -> bytes:
    """Hash a node's type with its children's hashes, in any order."""
    inner = sorted(_shape(child, significant) for child in ast.iter_child_nodes(node))
    content = b"".join([type(node).__name__.encode(), b"(", *inner, b")"])
    shape = hashlib.blake2b(content, digest_size=16).digest()
    if isinstance(node, _SIGNIFICANT):
        significant.append(shape)
    return shape


def structural_distances(samples: Sequence[str]) -> Floats:
    """Return 1 - (shared parts over all parts) of the canonical syntax trees, in [0, 1].

    Equal texts are at 0 whether they parse or not; anything else that does not parse is at 1.
    """
    texts = [plain(text) for text in samples]
    parts = [None if subtrees(text) is None else Counter(subtrees(text)) for text in texts]
    distances = np.zeros((len(texts), len(texts)))
    for i in range(len(texts)):
        for j in range(i):
            apart = 0.0 if texts[i] == texts[j] else _apart(parts[i], parts[j])
            distances[i, j] = distances[j, i] = apart
    return distances


def _apart(first: Counter[str] | None, second: Counter[str] | None) -> float:
    if first is None or second is None:
        return 1.0
    union = (first | second).total()
    return 1.0 - (first & second).total() / union if union else 0.0
