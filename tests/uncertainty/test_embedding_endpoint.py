import json

import httpx2
import numpy as np
import pytest
import stamina

from consilience.errors import BadReplyError, ModelError
from consilience.uncertainty.embedding import embed
from consilience.uncertainty.embedding_endpoint import EmbeddingEndpoint

TOO_LONG = {"error": {"message": "the input length exceeds the context length"}}


class Server:
    """An embeddings server with a context of 40 characters, which answers back to front."""

    def __init__(self, context=40, index=True):
        self.context, self.index = context, index
        self.bodies = []

    def __call__(self, request):
        body = json.loads(request.content)
        self.bodies.append(body)
        if any(len(text) > self.context for text in body["input"]):
            return httpx2.Response(400, json=TOO_LONG)
        rows = [self.row(i, text) for i, text in enumerate(body["input"])]
        return httpx2.Response(200, json={"data": rows[::-1] if self.index else rows})

    def row(self, i, text):
        row = {"embedding": [float(len(text)), float(text.count("a")), 1.0]}
        return row | {"index": i} if self.index else row


def endpoint(server):
    return EmbeddingEndpoint(
        "m", base_url="http://test/v1", key="k", transport=httpx2.MockTransport(server)
    )


@pytest.mark.parametrize("index", [True, False])
def test_rows_are_paired_by_index_or_by_order_where_there_is_none(index):
    server = Server(index=index)
    vectors = endpoint(server).encode(["a", "bb", "ccc"])
    assert vectors.tolist() == [[1, 1, 1], [2, 0, 1], [3, 0, 1]]
    assert server.bodies == [
        {"model": "m", "input": ["a", "bb", "ccc"], "encoding_format": "float"}
    ]


def test_a_text_that_is_too_long_is_split_pooled_and_told_and_voids_nothing():
    server = Server()
    encoder = endpoint(server)
    long = "x" * 50 + "\n" + "a" * 50
    found = embed(["a", long, "b"], encoder)
    assert found.rows(["a", "b"]).tolist() == [[1, 1, 1], [1, 0, 1]]
    assert np.linalg.norm(found.vectors[long]) == pytest.approx(1.0)
    assert found.overflowing == {long}
    refused = [body["input"] for body in server.bodies if max(map(len, body["input"])) > 40]
    assert all(refused.count(each) == 1 for each in refused)


def test_what_is_refused_for_another_reason_is_an_error():
    def refuse(request):
        return httpx2.Response(400, json={"error": "no such dimension"})

    with pytest.raises(ModelError, match="dimension"):
        endpoint(refuse).encode(["a", "b"])


def test_a_text_that_never_fits_is_an_error():
    with pytest.raises(ModelError):
        endpoint(Server(context=-1)).encode(["abc" * 30])


def test_blank_texts_are_not_sent():
    server = Server()
    assert endpoint(server).encode(["", "a", " \n"]).tolist() == [
        [0, 0, 0],
        [1, 1, 1],
        [0, 0, 0],
    ]
    assert [body["input"] for body in server.bodies] == [["a"]]
    assert not endpoint(server).encode(["", ""]).any()


def test_large_batches_are_asked_in_parts():
    server = Server()
    assert len(endpoint(server).encode([str(i) for i in range(150)])) == 150
    assert [len(body["input"]) for body in server.bodies] == [64, 64, 22]


@pytest.mark.parametrize(
    "data",
    [
        [],
        [{"index": 0, "embedding": [1, float("inf")]}],
        [{"index": 0, "embedding": "abc"}],
        [{"index": 0}],
        {"a": 1},
    ],
)
def test_nonsense_is_an_error(data):
    def answer(request):
        text = json.dumps({"data": data}).replace("Infinity", "1e999")
        return httpx2.Response(200, content=text)

    stamina.set_testing(True, attempts=1)
    try:
        with pytest.raises(BadReplyError):
            endpoint(answer).encode(["a"])
    finally:
        stamina.set_testing(False)
