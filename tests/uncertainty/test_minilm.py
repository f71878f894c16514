"""MiniLM against the formulas, with small random weights; and the real one where it is here."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import WeightsError
from consilience.models import weights
from consilience.uncertainty.bert import _gelu
from consilience.uncertainty.blas import one_thread
from consilience.uncertainty.minilm import MiniLM
from consilience.uncertainty.safetensors import read_safetensors

WIDTH, HEADS, LAYERS = 24, 12, 2
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c", "d"]


def tensors():
    rng = np.random.default_rng(0)
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (512, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{i}" for i in range(LAYERS)):
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            shapes[f"{layer}.attention.{part}.weight"] = (WIDTH, WIDTH)
            shapes[f"{layer}.attention.{part}.bias"] = (WIDTH,)
        shapes[f"{layer}.intermediate.dense.weight"] = (4 * WIDTH, WIDTH)
        shapes[f"{layer}.intermediate.dense.bias"] = (4 * WIDTH,)
        shapes[f"{layer}.output.dense.weight"] = (WIDTH, 4 * WIDTH)
        shapes[f"{layer}.output.dense.bias"] = (WIDTH,)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    shapes |= {f"{norm}.{part}": (WIDTH,) for norm in norms for part in ("weight", "bias")}
    return {name: rng.normal(size=shape).astype("<f4") for name, shape in shapes.items()}


def write(folder, arrays, kind="F32"):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in arrays.items():
        offsets = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": offsets}
        data += array.tobytes()
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("weights"), tensors())


def straightforward(tokens):
    """Return the token vectors, in double precision and one head at a time."""
    t = {name: array.astype(float) for name, array in tensors().items()}

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        scaled = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * t[f"{name}.weight"] + t[f"{name}.bias"]

    def dense(x, name):
        return x @ t[f"{name}.weight"].T + t[f"{name}.bias"]

    x = t["embeddings.word_embeddings.weight"][tokens]
    x = x + t["embeddings.position_embeddings.weight"][: len(tokens)]
    x = norm(x + t["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{i}" for i in range(LAYERS)):
        q, k, v = (dense(x, f"{layer}.attention.self.{p}") for p in ("query", "key", "value"))
        size = WIDTH // HEADS
        heads = []
        for part in (slice(h * size, (h + 1) * size) for h in range(HEADS)):
            scores = np.exp(q[:, part] @ k[:, part].T / math.sqrt(size))
            heads.append(scores / scores.sum(-1, keepdims=True) @ v[:, part])
        mixed = dense(np.concatenate(heads, axis=1), f"{layer}.attention.output.dense")
        x = norm(x + mixed, f"{layer}.attention.output.LayerNorm")
        wide = dense(x, f"{layer}.intermediate.dense")
        wide = wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2
        x = norm(x + dense(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    return x


texts = st.lists(st.text("abcd ", max_size=12), min_size=1, max_size=5)


@given(texts)
def test_vectors_are_those_of_the_formulas_whatever_else_is_in_the_batch(folder, lines):
    found = MiniLM(folder, workers=2).encode(lines)
    for text, vector in zip(lines, found, strict=True):
        inside = [1 if len(word) > 1 else WORDS.index(word) for word in text.split()]
        mean = straightforward([2, *inside, 3]).mean(0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=2e-5)


def test_long_texts_are_pooled_or_cut_and_told(folder):
    text = "a b c d " * 150
    pooled, cut = MiniLM(folder), MiniLM(folder, overflow="truncate")
    assert pooled.windows(text) == 3
    assert pooled.windows("a " * 254) == 1
    a, b, c, d = (WORDS.index(letter) for letter in "abcd")
    whole = [a, b, c, d] * 150
    parts = [straightforward([2, *whole[i * 200 : (i + 1) * 200], 3]) for i in range(3)]
    mean = np.concatenate(parts).mean(0)
    np.testing.assert_allclose(pooled.encode([text])[0], mean / np.linalg.norm(mean), atol=2e-5)
    np.testing.assert_array_equal(cut.encode([text]), cut.encode(["a b c d " * 63 + "a b"]))
    assert pooled.name != cut.name


def test_nothing_in_gives_nothing_out(folder):
    assert MiniLM(folder).encode([]).shape == (0, WIDTH)


@given(st.lists(st.floats(-40, 40, width=32), min_size=1, max_size=40))
def test_gelu_is_exact_to_single_precision(values):
    x = np.array([values], dtype=np.float32)
    expected = [v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in values]
    _gelu(x)
    np.testing.assert_allclose(x[0], expected, atol=2e-6, rtol=2e-6)


def test_a_folder_without_weights_says_how_to_get_them(tmp_path):
    with pytest.raises(WeightsError) as caught:
        MiniLM(tmp_path)
    assert "pull" in caught.value.hint


@pytest.mark.parametrize("content", [b"", b"\0" * 7, b"\xff" * 40, b"\2" + b"\0" * 7 + b"{x"])
def test_a_broken_file_is_refused(tmp_path, content):
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(WeightsError):
        read_safetensors(tmp_path / "model.safetensors")


def test_a_file_that_was_cut_off_is_refused(folder, tmp_path):
    whole = (folder / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[:-10])
    with pytest.raises(WeightsError, match="cut off"):
        read_safetensors(tmp_path / "model.safetensors")


def test_quantised_and_foreign_weights_are_refused(tmp_path):
    halves = {"x": np.zeros(2, "<f2")}
    with pytest.raises(WeightsError, match="F32"):
        read_safetensors(write(tmp_path, halves, "F16") / "model.safetensors")
    with pytest.raises(WeightsError, match="no BERT"):
        MiniLM(write(tmp_path, {"x": np.zeros(2, "<f4")}))


def test_holding_the_threads_nests(folder):
    with one_thread() as outer, one_thread() as inner:
        assert outer == inner


def test_the_real_model_gives_the_cosines_of_its_model_card():
    if weights.status(weights.DEFAULT_ENCODER).state != "present":
        pytest.skip("MiniLM's weights are not on this machine")
    first, *others = MiniLM(weights.path(weights.DEFAULT_ENCODER)).encode([
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    ])  # fmt: skip
    assert [round(float(first @ other), 3) for other in others] == [0.695, 0.943, 0.257]
