"""Vectors without weights: hashed n-grams of tokens and of syntax, the same on every machine.

It sees words and shapes, not meaning: on real samples its within-task distances rank as
MiniLM's do with a correlation of about .8. For where nothing can be downloaded.
"""

from __future__ import annotations

import ast
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from consilience.code.parsing import parse

_TOKEN = re.compile(r"\w+|[^\w\s]")


class HashedEncoder:
    """Encode texts as signed, hashed counts of token 1-3-grams and of syntax chains."""

    def __init__(self, dimensions: int = 2048) -> None:
        self.dimensions = dimensions
        self.name = f"hashed/2/{dimensions}"

    def encode(self, sentences: list[str], /) -> npt.NDArray[np.float32]:
        """Return one unit vector for each text, (n, dimensions); zero for an empty text."""
        vectors = np.zeros((len(sentences), self.dimensions))
        for row, text in enumerate(sentences):
            for feature, count in Counter(_features(text)).items():
                code = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
                sign = 1.0 if code & 0x80000000 else -1.0
                vectors[row, code % self.dimensions] += sign * (1.0 + math.log(count))
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(length > 0, length, 1.0), dtype=np.float32)


def _features(text: str) -> Iterator[str]:
    tokens = _TOKEN.findall(text)
    for size in (1, 2, 3):
        for start in range(len(tokens) - size + 1):
            yield " ".join(tokens[start : start + size])
    tree = parse(text) if tokens else None
    if tree is not None:
        yield from _chains(tree)


def _chains(tree: ast.AST) -> Iterator[str]:
    """List the types of each node with its parent and grandparent.

    Without recursion: code may nest deeply.
    """
    pending: list[tuple[ast.AST, str, str]] = [(tree, "", "")]
    while pending:
        node, parent, grandparent = pending.pop()
        kind = type(node).__name__
        yield f"\0{parent}>{kind}"
        yield f"\0{grandparent}>{parent}>{kind}"
        pending += [(child, kind, parent) for child in ast.iter_child_nodes(node)]
