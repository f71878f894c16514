import httpx2
import pytest
from model_server import Server, chat, error

from consilience.errors import (
    AuthenticationError,
    BadReplyError,
    ModelError,
    ModelNotFoundError,
    ModelUnavailableError,
    QuotaError,
    RateLimitError,
    UsageError,
)
from consilience.models import ChatModel, Sampling, Usage
from consilience.models.endpoint import Endpoint
from consilience.models.refusal import TooLongError

pytestmark = pytest.mark.usefixtures("no_waiting")
HOST = "http://model.test/v1"


def endpoint(server: Server, **options: object) -> Endpoint:
    return Endpoint("m", base_url=HOST, transport=server.transport, **options)


def texts(replies):
    return [reply.text for reply in replies]


def test_n_samples_come_from_one_request_and_the_prompt_is_counted_once():
    server = Server(chat("a", "b", "c"))
    model: ChatModel = endpoint(server)
    replies = model.complete("p", n=3)
    assert texts(replies) == ["a", "b", "c"]
    assert [r.usage for r in replies] == [Usage(10, 5, 1), Usage(0, 5, 0), Usage(0, 5, 0)]
    assert server.bodies[0]["n"] == 3
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "p"}]
    assert str(server.requests[0].url) == HOST + "/chat/completions"


def test_the_sampling_is_sent_and_what_was_left_to_the_server_is_not():
    server = Server(chat("a"), chat("a"))
    model = endpoint(server)
    model.complete("p", sampling=Sampling(0.2, 0.9, 64, ("\n\n",), 3), seed=1)
    model.complete("p", sampling=Sampling(temperature=None, top_p=None))
    sent = server.bodies[0]
    wanted = {"temperature": 0.2, "top_p": 0.9, "max_tokens": 64, "stop": ["\n\n"]}
    assert wanted.items() <= sent.items()
    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 3)
    assert isinstance(sent["seed"], int)
    assert set(server.bodies[1]) == {"model", "messages", "max_tokens"}


def test_a_server_that_ignores_n_is_noticed_remembered_and_made_up_for():
    server = Server(*[chat(text) for text in "abcde"])
    model = endpoint(server, workers=1)
    replies = model.complete("p", n=3)
    assert texts(replies) == ["a", "b", "c"]
    assert sum((r.usage for r in replies), Usage()) == Usage(30, 15, 3)
    model.complete("q", n=2)
    assert [body.get("n") for body in server.bodies] == [3, None, None, None, None]


def test_a_server_that_refuses_n_is_asked_for_less_and_not_for_more_again():
    def at_most_two(body):
        n = body.get("n", 1)
        return error(400, "n must be at most 2") if n > 2 else chat(*"xyz"[:n])

    server = Server(always=at_most_two)
    model = endpoint(server)
    assert texts(model.complete("p", n=5)) == ["x", "y", "x", "y", "x"]
    refused = [body["n"] for body in server.bodies if body.get("n", 1) > 2]
    model.complete("q", n=5)
    assert [body["n"] for body in server.bodies if body.get("n", 1) > 2] == refused == [5]


def test_a_request_that_is_wrong_for_another_reason_fails_with_what_the_server_says():
    server = Server(always=error(400, "temperature is out of range"))
    with pytest.raises(ModelError, match="temperature is out of range"):
        endpoint(server).complete("p", n=4)


def test_a_prompt_that_is_too_long_is_said_at_once():
    server = Server(error(400, "This model's maximum context length is 4096 tokens"))
    with pytest.raises(TooLongError) as caught:
        endpoint(server).complete("p", n=4)
    assert "context" in caught.value.hint


def test_samples_asked_one_by_one_have_seeds_of_their_own_that_repeat_with_the_run_s_seed():
    def by_seed(body):
        return chat(f"text {body['seed']}")

    runs = [Server(always=by_seed) for _ in range(3)]
    answers = [
        texts(endpoint(server).complete("p", n=4, seed=seed))
        for server, seed in zip(runs, [7, 7, 8], strict=True)
    ]
    assert answers[0] == answers[1]
    assert len({*answers[0], *answers[2]}) == 8


def test_a_sample_has_the_same_seed_however_the_samples_are_spread_over_requests():
    one = Server(always=lambda body: chat(str(body["seed"])))
    alone = texts(endpoint(one).complete("p", n=3, seed=1))
    later = list(endpoint(Server(always=chat("x", "y"))).batches("p", n=2, seed=1, first=1))
    assert len(later[0]) == 2
    shifted = Server(chat("x", "y"))
    list(endpoint(shifted).batches("p", n=2, seed=1, first=1))
    assert str(shifted.bodies[0]["seed"]) == alone[1]


def test_choices_are_put_in_order_of_their_index():
    answer = {
        "choices": [
            {"index": 1, "message": {"content": "b"}, "finish_reason": "length"},
            {"index": 0, "message": {"content": "a"}, "finish_reason": "stop"},
        ]
    }
    replies = endpoint(Server(httpx2.Response(200, json=answer))).complete("p", n=2)
    assert [(r.text, r.finish_reason, r.truncated) for r in replies] == [
        ("a", "stop", False),
        ("b", "length", True),
    ]


def test_a_choice_that_was_aborted_is_asked_for_again():
    answer = {
        "choices": [
            {"index": 0, "message": {"content": "half"}, "finish_reason": "error"},
            {"index": 1, "message": {"content": "b"}, "finish_reason": "stop"},
        ]
    }
    server = Server(httpx2.Response(200, json=answer), chat("c"))
    assert texts(endpoint(server).complete("p", n=2)) == ["b", "c"]


@pytest.mark.parametrize(
    "body",
    [
        {"choices": None, "error": {"message": "upstream overloaded", "code": 502}},
        {"choices": []},
        {"choices": [{"message": None}]},
        {"choices": ["?"]},
        {},
    ],
)
def test_an_answer_with_status_200_but_no_samples_is_asked_again(body):
    server = Server(httpx2.Response(200, json=body), chat("ok"))
    assert texts(endpoint(server).complete("p")) == ["ok"]


def test_an_answer_that_stays_senseless_is_given_up_after_three():
    server = Server(always=httpx2.Response(200, text="<html>hello</html>"))
    with pytest.raises(BadReplyError, match="not a JSON object"):
        endpoint(server).complete("p")
    assert len(server.bodies) == 3


def test_the_provider_s_message_of_a_lasting_error_with_status_200_is_kept():
    body = {"error": {"message": "upstream overloaded", "code": 502}}
    server = Server(always=httpx2.Response(200, json=body))
    with pytest.raises(ModelUnavailableError, match="upstream overloaded"):
        endpoint(server).complete("p")
    assert len(server.bodies) == 8


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": 7, "completion_tokens": None}, 3])
def test_missing_usage_is_estimated_and_says_so(usage):
    (reply,) = endpoint(Server(chat("x" * 35, usage=usage))).complete("p" * 7)
    assert reply.usage == Usage(2, 10, 1, estimated=True)


def test_an_empty_answer_is_a_sample_all_the_same():
    answer = {"choices": [{"message": {"content": None}, "finish_reason": None}]}
    (reply,) = endpoint(Server(httpx2.Response(200, json=answer))).complete("p")
    assert (reply.text, reply.finish_reason) == ("", "unknown")


def test_log_probabilities_are_read_and_correct_a_usage_of_the_first_choice_only():
    token = {
        "token": "a",
        "logprob": -0.5,
        "top_logprobs": [{"token": "b", "logprob": -1.0}],
    }
    answer = {
        "choices": [
            {"index": i, "message": {"content": "aaa"}, "logprobs": {"content": [token] * 3}}
            for i in range(2)
        ],
        "usage": {"prompt_tokens": 4, "completion_tokens": 3},
    }
    server = Server(httpx2.Response(200, json=answer))
    replies = endpoint(server).complete("p", n=2, sampling=Sampling(logprobs=1))
    assert [r.usage.completion_tokens for r in replies] == [3, 3]
    assert replies[0].logprobs[0].token == "a"
    assert replies[0].logprobs[0].top == (("b", -1.0),)


def test_content_in_parts_is_joined():
    content = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    answer = {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    assert texts(endpoint(Server(httpx2.Response(200, json=answer))).complete("p")) == ["ab"]


def test_a_server_that_wants_the_newer_name_of_the_limit_gets_it():
    def newer(body):
        if "max_tokens" in body:
            return error(400, "Unsupported 'max_tokens'. Use 'max_completion_tokens' instead.")
        return chat("a")

    server = Server(always=newer)
    model = endpoint(server)
    model.complete("p")
    model.complete("q")
    assert ["max_tokens" in body for body in server.bodies] == [True, False, False]


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_what_may_pass_is_waited_out(status):
    server = Server(error(status, "busy"), error(status, "busy"), chat("a"))
    assert texts(endpoint(server).complete("p")) == ["a"]


def test_a_rate_limit_that_stays_is_a_rate_limit_error():
    server = Server(always=error(429, "slow down"))
    with pytest.raises(RateLimitError, match="slow down"):
        endpoint(server).complete("p")
    assert len(server.bodies) == 8


def test_a_wait_of_hours_is_reported_not_slept():
    server = Server(error(429, "daily limit", retry_after="36000"))
    with pytest.raises(RateLimitError) as caught:
        endpoint(server).complete("p")
    assert "36000 s" in caught.value.hint


@pytest.mark.parametrize(
    ("status", "message"), [(429, "insufficient_quota"), (402, "pay"), (400, "credit balance")]
)
def test_no_credit_is_told_from_a_rate_limit_and_not_asked_twice(status, message):
    server = Server(error(status, message))
    with pytest.raises(QuotaError):
        endpoint(server).complete("p")


def test_a_lost_connection_is_made_again():
    server = Server(httpx2.ReadError("reset"), chat("a"))
    assert texts(endpoint(server).complete("p")) == ["a"]


def test_nothing_listening_is_given_up_soon_and_says_where():
    server = Server(always=httpx2.ConnectError("refused"))
    with pytest.raises(ModelUnavailableError, match=r"model\.test") as caught:
        endpoint(server).complete("p")
    assert len(server.bodies) == 4
    assert "--base-url" in caught.value.hint


@pytest.mark.parametrize("address", ["nonsense", "http://x:port", "ftp://x"])
def test_an_address_that_is_none_is_a_usage_error(address):
    with pytest.raises(UsageError, match="is not an address"):
        Endpoint("m", base_url=address).complete("p")


def test_an_unknown_model_is_named_with_what_the_server_offers():
    listing = httpx2.Response(200, json={"data": [{"id": "b"}, {"id": "a"}]})
    server = Server(error(404, "The model `m` does not exist"), listing)
    with pytest.raises(ModelNotFoundError) as caught:
        endpoint(server).complete("p")
    assert caught.value.hint == "It offers: a, b."
    assert str(server.requests[1].url) == HOST + "/models"


def test_an_unknown_model_is_named_where_the_server_does_not_list_any():
    server = Server(always=error(404, "model 'm' not found"))
    with pytest.raises(ModelNotFoundError):
        endpoint(server).complete("p")


def test_an_address_without_the_api_is_told_from_an_unknown_model():
    server = Server(httpx2.Response(404, text="nginx"))
    with pytest.raises(ModelUnavailableError) as caught:
        endpoint(server).complete("p")
    assert "/v1" in caught.value.hint


class TestKeys:
    def test_the_key_is_sent_and_shown_nowhere(self):
        server = Server(error(401, "wrong key sk-secret"))
        model = endpoint(server, key="sk-secret")
        with pytest.raises(AuthenticationError) as caught:
            model.complete("p")
        assert server.requests[0].headers["authorization"] == "Bearer sk-secret"
        assert "sk-secret" not in repr(model) + str(caught.value) + str(vars(model))

    def test_ours_comes_before_openai_s_and_the_argument_before_both(self, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "theirs")
        monkeypatch.setenv("CONSILIENCE_API_KEY", "ours")
        server = Server(always=chat("a"))
        endpoint(server).complete("p")
        endpoint(server, key="mine").complete("p")
        sent = [request.headers["authorization"] for request in server.requests]
        assert sent == ["Bearer ours", "Bearer mine"]

    def test_without_one_none_is_sent(self):
        server = Server(chat("a"))
        endpoint(server).complete("p")
        assert "authorization" not in server.requests[0].headers


def test_the_address_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.test/v1/")
    server = Server(chat("a"))
    Endpoint("m", transport=server.transport).complete("p")
    assert str(server.requests[0].url) == "http://elsewhere.test/v1/chat/completions"


def test_a_closed_endpoint_says_so():
    model = endpoint(Server())
    model.close()
    with pytest.raises(ModelUnavailableError, match="closed"):
        model.complete("p")
