"""Cases about entropies of samples, and about the embeddings they may rest on."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import httpx2
import numpy as np
import pytest
from cases.support import text_of

from consilience.uncertainty import Partition
from consilience.uncertainty.distance import cleaned
from consilience.uncertainty.embedding import embed
from consilience.uncertainty.embedding_endpoint import EmbeddingEndpoint
from consilience.uncertainty.entropy import bits, normalised, summarise
from consilience.uncertainty.fase import partition_of, trees
from consilience.uncertainty.radius import RULES, Rule
from consilience.uncertainty.space import space_of_distances
from consilience.uncertainty.structure import Structural, structural_distances
from consilience.uncertainty.text import Textual, text_distances
from consilience.uncertainty.tree import spanning_trees


def cluster_entropy(given: dict[str, Any], expected: dict[str, Any]) -> None:
    rule = Rule(fixed=True) if "eps" in given else RULES["consilience"]
    space = space_of_distances(given["distances"], rule)
    (tree,) = trees([space], rule)
    found = partition_of(space, tree, given.get("eps", 1.0) * tree.unit)
    check_labels(found, expected)
    if "mst_weights" in expected:
        whole = spanning_trees(cleaned(given["distances"])[None])
        assert whole.weights[0].tolist() == pytest.approx(expected["mst_weights"])


def cluster_entropy_adaptive(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert given["criterion"] == "kde_mode"
    for matrix in given["matrices"]:
        for rule in RULES.values():
            space = space_of_distances(matrix, rule)
            (tree,) = trees([space], rule)
            found = summary(partition_of(space, tree, tree.unit))
            assert math.isfinite(tree.unit) == math.isfinite(found.bits) == expected["finite"]


def entropy(given: dict[str, Any], expected: dict[str, Any]) -> None:
    found = [
        normalised([labels.count(label) for label in set(labels)]) for labels in given["labels"]
    ]
    assert found == pytest.approx(expected["entropy_norm"])
    of_probabilities = [bits(each) for each in given["probabilities"]]
    assert of_probabilities == pytest.approx(expected["entropy_of_probabilities"])
    assert expected["sign"] == "+"
    assert all(math.copysign(1, each) == 1 for each in [*found, *of_probabilities])


def ast_entropy(given: dict[str, Any], expected: dict[str, Any]) -> None:
    check_labels(Structural().partition(given["texts"]), expected)
    low, high = expected["distance_range"]
    distances = structural_distances(given["texts"])
    assert low <= distances.min()
    assert distances.max() <= high


def text_entropy(given: dict[str, Any], expected: dict[str, Any]) -> None:
    check_labels(Textual().partition(given["texts"]), expected)
    distances = text_distances(given["texts"])
    for first, second, distance in expected["distance"]:
        assert distances[first, second] == distance


def embedding(given: dict[str, Any], expected: dict[str, Any]) -> None:
    texts = [text_of(text) for text in given["texts"]]
    server = Server(given["server"], texts)
    encoder = EmbeddingEndpoint(
        "m", base_url="http://test/v1", transport=httpx2.MockTransport(server)
    )
    found = embed(texts, encoder)
    rows = found.rows(texts)
    if "vectors" in expected:
        assert rows.tolist() == expected["vectors"]
    for index in expected.get("vectors_for", ()):
        assert np.linalg.norm(rows[index]) > 0
        assert texts[index] not in found.overflowing
    if "long_text" in expected:
        assert found.overflowing == {max(texts, key=len)}
    if "retries_of_same_400" in expected:
        repeats = len(server.refused) - len(set(server.refused))
        assert repeats == expected["retries_of_same_400"]


class Server:
    """Answers as a case says: in turn, or by whether the batch holds the long text."""

    def __init__(self, answers: Sequence[dict[str, Any]], texts: Sequence[str]) -> None:
        self.answers = answers
        self.longest = max(map(len, texts))
        self.refused: list[bytes] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        asked = json.loads(request.content)["input"]
        long = any(len(text) == self.longest > 1000 for text in asked)
        answer = self.answers[0 if long or len(self.answers) == 1 else -1]
        if answer["status"] != 200:
            self.refused.append(request.content)
        rows = [{"index": i, "embedding": [1.0, len(text)]} for i, text in enumerate(asked)]
        return httpx2.Response(answer["status"], json=answer.get("body", {"data": rows}))


def check_labels(found: Partition, expected: dict[str, Any]) -> None:
    assert list(found.labels) == expected["labels"]
    assert summary(found).normalised == pytest.approx(expected["entropy_norm"])


def summary(found: Partition) -> Any:
    return summarise(found, [""] * len(found.labels))


ADAPTERS = {
    "cluster_entropy": cluster_entropy,
    "cluster_entropy_adaptive": cluster_entropy_adaptive,
    "entropy": entropy,
    "ast_entropy": ast_entropy,
    "text_entropy": text_entropy,
    "embed": embedding,
}
