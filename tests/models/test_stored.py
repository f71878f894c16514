import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.errors import BadReplyError, ModelError
from consilience.models import ChatModel, Ledger, Reply, Sampling, TokenLogprob, Usage
from consilience.models.ask import Ask
from consilience.models.scripted import ScriptedModel
from consilience.models.stored import KIND, StoredModel
from consilience.store import Store


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def echo() -> ScriptedModel:
    return ScriptedModel(lambda prompt, index: f"{prompt} {index}", name="m")


def texts(replies):
    return [reply.text for reply in replies]


class Plain:
    """A model that cannot begin at a later sample."""

    name = "plain"

    def __init__(self, give: int | None = None) -> None:
        self.seeds: list[int | None] = []
        self.give = give

    def complete(self, prompt, *, n=1, sampling=None, seed=None):
        self.seeds.append(seed)
        return [Reply(f"{seed}-{i}") for i in range(n if self.give is None else self.give)]


def test_what_is_in_the_store_is_not_asked_for_again(store):
    inner = echo()
    model: ChatModel = StoredModel(inner, store)
    first = model.complete("p", n=3)
    assert model.complete("p", n=3) == first
    assert inner.requests == [("p", 3, None)]


def test_only_the_missing_samples_are_asked_for_in_one_request(store):
    inner = echo()
    model = StoredModel(inner, store)
    model.complete("p", n=2)
    assert texts(model.complete("p", n=5)) == [f"p {i}" for i in range(5)]
    assert [n for _, n, _ in inner.requests] == [2, 3]
    assert texts(model.complete("p", n=1)) == ["p 0"]


def test_the_ledger_tells_paid_from_replayed_by_stage(store):
    ledger = Ledger()
    StoredModel(echo(), store).complete("p", n=2)
    model = StoredModel(echo(), store, ledger, "seeds")
    model.complete("p", n=1)
    model.at("votes").complete("p", n=3)
    assert ledger.paid == {"votes": Usage(1, 2, 1)}
    assert ledger.replayed == {"seeds": Usage(1, 2, 1), "votes": Usage(0, 2, 0)}


def test_a_reply_is_counted_once_a_run_but_all_that_is_paid_is_counted(store):
    model = StoredModel(ScriptedModel(["a", " ", " b"], name="m"), store)
    model.complete("p", n=2)
    model.complete("p", n=2)  # the empty reply was not kept, and is paid again
    model.complete("p", n=2, stage="other")
    assert model.ledger.paid == {"model": Usage(2, 2, 2)}
    assert model.ledger.replayed == {}


def test_a_run_that_dies_half_way_has_kept_what_came(store):
    class Dies(ScriptedModel):
        def batches(self, prompt, *, n=1, sampling=None, seed=None, first=0):
            yield self._answer(prompt, 2, seed, first)
            raise ModelError("out of credit")

    ledger = Ledger()
    with pytest.raises(ModelError):
        StoredModel(Dies(lambda p, i: f"{i}", name="m"), store, ledger).complete("p", n=5)
    assert ledger.total().completion_tokens == 2
    inner = ScriptedModel(lambda p, i: f"{i}", name="m")
    assert texts(StoredModel(inner, store).complete("p", n=5)) == list("01234")
    assert inner.requests == [("p", 3, None)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 8), min_size=1, max_size=6))
def test_a_sample_is_the_same_whenever_and_with_however_many_it_is_asked(
    tmp_path_factory, sizes
):
    with Store(tmp_path_factory.mktemp("s") / "store") as store:
        model = StoredModel(echo(), store)
        for n in sizes:
            assert texts(model.complete("p", n=n)) == [f"p {i}" for i in range(n)]
        assert store.info()[0].count == max(sizes)


def test_every_parameter_the_prompt_the_seed_and_the_model_tell_replies_apart():
    base = Ask("p", Sampling(0.8, 0.95, 512), 1)
    others = [
        Ask("p ", base.sampling, 1),
        Ask("p", base.sampling, 2),
        Ask("p", base.sampling, None),
        Ask("p", Sampling(0.2, 0.95, 512), 1),
        Ask("p", Sampling(None, 0.95, 512), 1),
        Ask("p", Sampling(0.0, 0.95, 512), 1),
        Ask("p", Sampling(0.8, 1.0, 512), 1),
        Ask("p", Sampling(0.8, 0.95, 64), 1),
        Ask("p", Sampling(0.8, 0.95, 512, ("\n\n",)), 1),
        Ask("p", Sampling(0.8, 0.95, 512, logprobs=1), 1),
    ]
    keys = [ask.key("m", 0) for ask in [base, *others]] + [base.key("m2", 0), base.key("m", 1)]
    assert len(set(keys)) == len(keys) == 13


def test_an_empty_reply_is_given_but_not_kept(store):
    inner = ScriptedModel(["a", "  \n", "c", "b"], name="m")
    model = StoredModel(inner, store)
    assert texts(model.complete("p", n=3)) == ["a", "  \n", "c"]
    assert texts(model.complete("p", n=3)) == ["a", "b", "c"]
    assert [n for _, n, _ in inner.requests] == [3, 1]


def test_a_reply_that_was_cut_off_is_kept_as_cut_off(store):
    cut = Reply("def f(", "length", Usage(1, 2, 1))
    StoredModel(ScriptedModel([cut], name="m"), store).complete("p")
    (again,) = StoredModel(ScriptedModel([], name="m"), store).complete("p")
    assert again == cut
    assert again.truncated


def test_a_damaged_entry_is_a_miss(store):
    model = StoredModel(echo(), store)
    model.complete("p")
    store.put(KIND, Ask("p", Sampling()).key("m", 0), b'{"text": ')
    assert texts(model.complete("p")) == ["p 0"]


def test_requests_that_are_alike_and_at_the_same_time_are_sent_once(store):
    started, release = threading.Event(), threading.Event()

    def slow(prompt: str, index: int) -> str:
        started.set()
        release.wait(10)
        return f"{index}"

    inner = ScriptedModel(slow, name="m")
    model = StoredModel(inner, store)
    got: list[list[str]] = []
    ask = lambda: got.append(texts(model.at("x").complete("p", n=2)))  # noqa: E731
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    started.wait(10)
    release.set()
    for thread in threads:
        thread.join()
    assert got == [["0", "1"]] * 4
    assert len(inner.requests) == 1


def test_a_model_that_cannot_begin_later_gets_another_seed_for_later_samples(store):
    inner = Plain()
    model = StoredModel(inner, store)
    model.complete("p", n=2, seed=7)
    assert len(set(texts(model.complete("p", n=4, seed=7)))) == 4
    assert inner.seeds[0] == 7 != inner.seeds[1]


def test_a_model_that_gives_too_few_is_an_error_and_nothing_is_lost(store):
    with pytest.raises(BadReplyError, match="1 samples where 3"):
        StoredModel(Plain(give=1), store).complete("p", n=3)
    assert store.info()[0].count == 1


def test_half_a_surrogate_pair_in_a_reply_is_replaced_and_the_reply_is_kept(store):
    cut = Reply("'\ud83d", logprobs=(TokenLogprob("\ud83d", -1.0, (("\ude00", -2.0),)),))
    joined = Reply("\ud83d\ude00")

    class Halving(Plain):
        def complete(self, prompt, *, n=1, sampling=None, seed=None):
            return [cut, joined][:n]

    model = StoredModel(Halving(), store)
    first = model.complete("p", n=2)
    assert texts(first) == ["'\ufffd", "\U0001f600"]
    assert first[0].logprobs == (TokenLogprob("\ufffd", -1.0, (("\ufffd", -2.0),)),)
    assert StoredModel(Halving(), store).complete("p", n=2) == first
