"""Who comes in: this machine's programs, and no web page; others with the token."""

from __future__ import annotations

import pytest

from consilience.errors import UsageError
from consilience.service.door import Door, check_exposure
from consilience.service.refusals import (
    ForeignError,
    MisdirectedError,
    ServiceError,
    UnauthorizedError,
)

TOKEN = "0123456789abcdef-token"


async def nothing(*_: object) -> None:
    """Stand for the application."""


OPEN = Door(nothing, None, frozenset({"localhost", "judge.example"}))
GUARDED = Door(nothing, TOKEN, frozenset({"localhost"}))


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1:8321", "localhost", "LOCALHOST:1", "[::1]:8321", "10.0.0.7", "judge.example."],
)
def test_addresses_and_known_names_are_let_in(host: str):
    OPEN.check("/v1/rank", {"host": host})


@pytest.mark.parametrize("host", ["", "evil.example", "localhost.evil.example:8321", "[::1"])
def test_a_name_that_is_not_ours_is_refused(host: str):
    if host == "[::1":  # malformed, but an address all the same
        OPEN.check("/", {"host": host})
        return
    with pytest.raises(MisdirectedError) as caught:
        OPEN.check("/", {"host": host})
    assert "--allow-host" in caught.value.hint


def test_pages_of_other_origins_are_refused():
    own = {"host": "localhost:8321", "origin": "http://localhost:8321"}
    OPEN.check("/v1/rank", own)
    for origin in ("http://evil.example", "null", "http://localhost:9999"):
        with pytest.raises(ForeignError):
            OPEN.check("/v1/rank", own | {"origin": origin})


def test_the_token_is_asked_for_where_work_is_told_of():
    told = {"host": "localhost"}
    GUARDED.check("/healthz", told)
    GUARDED.check("/v1/rank", told | {"authorization": f"Bearer {TOKEN}"})
    GUARDED.check("/v1/rank", told | {"authorization": f"bearer  {TOKEN} "})
    for header in (
        "",
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        f"Bearer {TOKEN}x",
        "Bearer \xfc",
    ):
        with pytest.raises(UnauthorizedError):
            GUARDED.check("/v1/jobs/1", told | {"authorization": header})


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
def test_on_this_machine_no_token_is_needed(host: str):
    check_exposure(host, None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.1.2.3", "judge.example"])
def test_open_to_others_a_token_is_needed_and_told_how_to_make(host: str):
    check_exposure(host, TOKEN)
    with pytest.raises(UsageError) as caught:
        check_exposure(host, None)
    assert "secrets.token_urlsafe" in caught.value.hint


def test_a_token_that_can_be_guessed_is_refused():
    with pytest.raises(UsageError, match="16"):
        check_exposure("127.0.0.1", "short")


def test_every_refusal_has_a_status_of_its_own():
    kinds = ServiceError.__subclasses__()
    assert len({kind.status for kind in kinds}) == len(kinds)
