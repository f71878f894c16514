import threading

import pytest

from consilience.errors import (
    MissingExtraError,
    ModelNotFoundError,
    ModelUnavailableError,
    WeightsError,
)
from consilience.models import Sampling, llama, weights
from consilience.models.local import LocalModel
from consilience.models.refusal import TooLongError


def test_a_missing_extra_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xllamacpp", None)
    with pytest.raises(MissingExtraError) as caught:
        LocalModel()
    assert "consilience[local]" in caught.value.hint


class TestWithoutWeights:
    @pytest.fixture(autouse=True)
    def _library(self):
        pytest.importorskip("xllamacpp", reason="the extra [local] is not installed")

    def test_waiting_threads_sleep_unless_told_otherwise(self, monkeypatch):
        monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
        llama.require()
        assert __import__("os").environ["OMP_WAIT_POLICY"] == "PASSIVE"

    def test_absent_weights_say_how_to_get_them(self, monkeypatch, tmp_path):
        monkeypatch.setenv("CONSILIENCE_CACHE", str(tmp_path))
        with pytest.raises(WeightsError) as caught:
            LocalModel()
        assert f"consilience models pull {weights.DEFAULT_CODER}" in caught.value.hint

    @pytest.mark.parametrize("name", ["nosuch", "all-minilm-l6-v2", "/no/such.gguf"])
    def test_what_is_neither_a_coder_nor_a_file_is_not_found(self, name):
        with pytest.raises(ModelNotFoundError) as caught:
            LocalModel(name)
        assert weights.DEFAULT_CODER in caught.value.hint

    def test_a_file_that_is_no_model_is_a_weights_error_at_the_first_request(self, tmp_path):
        file = tmp_path / "own.gguf"
        file.write_bytes(b"GGUF" + bytes(100))
        with LocalModel(file) as model, pytest.raises(WeightsError, match="cannot load"):
            model.complete("p")

    def test_two_files_of_one_name_are_two_models(self, tmp_path):
        names = set()
        for content in (b"a", b"b"):
            (tmp_path / "own.gguf").write_bytes(content)
            names.add(LocalModel(tmp_path / "own.gguf").name)
        assert len(names) == 2
        assert all(name.startswith("own@") for name in names)


@pytest.fixture(scope="module")
def model():
    pytest.importorskip("xllamacpp", reason="the extra [local] is not installed")
    if weights.status(weights.DEFAULT_CODER).state != "present":
        pytest.skip(f"no weights: run `consilience models pull {weights.DEFAULT_CODER}`")
    with LocalModel(slots=4, context=512) as opened:
        yield opened


@pytest.mark.live
class TestLive:
    def test_n_samples_differ_are_counted_each_and_obey_the_limit(self, model):
        replies = model.complete("Tell a story.", n=3, sampling=Sampling(max_tokens=8), seed=1)
        assert len({reply.text for reply in replies}) == 3
        assert [reply.usage.completion_tokens for reply in replies] == [8, 8, 8]
        assert [reply.usage.prompt_tokens > 0 for reply in replies] == [True, False, False]
        assert all(reply.truncated and not reply.logprobs for reply in replies)

    def test_the_same_seed_gives_the_same_text_and_another_seed_another(self, model):
        ask = lambda seed: [  # noqa: E731
            r.text
            for r in model.complete(
                "Invent a name.", n=2, sampling=Sampling(max_tokens=8), seed=seed
            )
        ]
        assert ask(1) == ask(1) != ask(2)

    def test_more_samples_than_slots_come_in_several_requests(self, model):
        sampling = Sampling(max_tokens=4)
        batches = list(model.batches("Say a number.", n=6, sampling=sampling, seed=3))
        assert [len(batch) for batch in batches] == [4, 2]

    def test_a_stop_sequence_ends_the_text_before_it(self, model):
        sampling = Sampling(temperature=0.0, max_tokens=40, stop=("4",))
        (reply,) = model.complete("Count from 1 to 9, digits only.", sampling=sampling)
        assert "3" in reply.text
        assert "4" not in reply.text
        assert reply.finish_reason == "stop"

    def test_log_probabilities_are_given_when_asked_for(self, model):
        (reply,) = model.complete("Hi", sampling=Sampling(max_tokens=2, logprobs=3))
        assert [len(token.top) for token in reply.logprobs] == [3, 3]

    def test_a_prompt_beyond_the_context_is_a_clear_error(self, model):
        with pytest.raises(TooLongError, match="context size"):
            model.complete("word " * 2000, n=2)

    def test_nothing_is_written_to_stdout_or_stderr(self, model, capfd):
        model.complete("Hi", sampling=Sampling(max_tokens=1))
        assert capfd.readouterr() == ("", "")

    def test_closing_breaks_off_what_is_on_its_way(self):
        model = LocalModel(slots=2, context=2048)
        failed = []

        def ask() -> None:
            try:
                # Many, since the model may well be done with one or two before it is closed.
                model.complete(
                    "Write a very long story.", n=20, sampling=Sampling(max_tokens=1500)
                )
            except ModelUnavailableError as error:
                failed.append(error)

        thread = threading.Thread(target=ask)
        model.complete("Hi", sampling=Sampling(max_tokens=1))
        thread.start()
        thread.join(1.0)
        model.close()
        thread.join(5.0)
        assert not thread.is_alive()
        assert "closed" in str(failed[0])
        with pytest.raises(ModelUnavailableError, match="closed"):
            model.complete("Hi")
