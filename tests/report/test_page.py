"""The page of a verdict: every part is there, and nothing in it can do or hide anything."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from report.verdicts import CODES, HOSTILE, hostile, verdict, with_trust

from consilience.errors import InputError
from consilience.report.grid import grid, kind
from consilience.report.page import agreement, framed, run_page, verdict_page
from consilience.report.reading import shown
from consilience.report.run import summed
from consilience.report.strip import strip
from consilience.report.visible import LONGEST_LINE, LONGEST_TEXT, shortened, visible

HARMLESS = {"circle", "code", "line", "path", "rect", "svg", "text", "title", "g"}


class Tags(HTMLParser):
    """Collect what a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(page)
    return parser.seen


@pytest.fixture(scope="module")
def page() -> str:
    return verdict_page(shown(verdict()))


def test_every_part_of_a_verdict_is_on_its_page(page: str):
    for part in ("Ranking", "Who passed what", "What decided", "How sure the tests are",
                 "Do the candidates agree?", "Programs", "Cost"):  # fmt: skip
        assert part in page
    assert "Trust right.py" in page
    assert "find(-7, 2)" in page
    assert "others said <code>-3</code> (1)" in page
    assert "no program returned a value" in page
    assert "raise ValueError" in page


def test_a_mark_stands_for_every_kind_of_outcome(page: str):
    for mark in ("✓", "✗", "!", "■", "·"):
        assert f">{mark}</td>" in page


def test_the_picture_groups_tests_by_route_and_puts_doubtful_ones_last():
    found = grid(shown(verdict()))
    assert [c.letter + "?" * c.doubtful for c in found.columns] == [
        "G",
        "I",
        "I",
        "I?",
        "T",
        "T",
    ]
    assert [c.index for c in found.columns if c.begins] == [1, 3]
    assert next(line.label for line in found.lines) == "right.py"
    assert found.kinds == ("pass", "wrong", "raised", "stopped", "unrun")


def test_outcomes_of_an_older_verdict_are_read_off_what_was_got():
    data = verdict()
    data["tests"] = [{k: v for k, v in t.items() if k != "status"} for t in data["tests"]]
    last = shown(data).tests[-1]
    assert [kind(last, place) for place in range(4)] == ["pass", "wrong", "raised", "stopped"]


def test_dots_stand_at_their_confidence_and_high_stacks_are_counted():
    data = shown(verdict(tests=[verdict()["tests"][1]] * 30, deciding=[]))
    drawn = strip(data.tests, data.tau)
    assert drawn.lanes[0].more[0].count + len(drawn.lanes[0].dots) == 30
    assert drawn.tau is not None
    assert drawn.lanes[0].dots[0].x > drawn.tau


def test_there_is_no_gate_in_the_picture_where_none_was_asked():
    given = [verdict()["tests"][0]]
    assert strip(shown(verdict(tests=given, deciding=[])).tests, 0.8).tau is None


def test_a_tie_and_a_verdict_without_tests_say_so():
    tie = verdict(winner=None, deciding=[], reason="No winner: 2 candidates tie.")
    assert "No candidate can be told to be the best" in verdict_page(shown(tie))
    rows = [row | {"passed": 0, "tests": 0} for row in verdict()["ranking"]]
    none = verdict(winner=None, deciding=[], tests=[], ranking=rows, usage={}, model=None)
    page = verdict_page(shown(none))
    assert "Nothing is known" in page
    assert "No model was asked." in page


def test_a_verdict_without_programs_and_entropy_still_has_a_page():
    page = verdict_page(shown(verdict(candidates=[], entropy=None, prompt="")))
    assert "Do the candidates agree?" not in page
    assert 'id="programs"' not in page


def test_hostile_text_stays_text():
    page = verdict_page(shown(hostile()))
    names = {tag for tag, _ in tags(page)}
    assert not names & {"script", "img", "iframe", "object", "link", "form", "base"}
    assert not any(name.startswith("on") for _, held in tags(page) for name in held)
    assert page.count("<style>") == page.count("</style>") == 1
    assert "&lt;script&gt;" in page
    page.encode("utf-8")


def test_no_character_hides_or_turns_the_reading():
    page = verdict_page(shown(hostile()))
    for hidden in ("\x00", "\x1b", "\r", "\u202e", "\u2066", "\u200b", "\U000e0041"):
        assert hidden not in page
    for told in (r"\x00", r"\x1b", r"\x0d", r"\u202e", r"\u2066", r"\u200b", r"\ud800"):
        assert told in page


def test_text_without_end_is_cut_and_says_so():
    assert "the line has 200,001 characters" in shortened("x" * 200_001)
    assert "the whole has 300,000 characters" in shortened("y\n" * 150_000)
    assert len(shortened("x" * 10**6)) < 2 * LONGEST_LINE
    assert len(shortened("y\n" * 10**6)) < LONGEST_TEXT + 100
    assert len(verdict_page(shown(hostile()))) < 1_500_000


def test_letters_of_every_script_are_left_alone():
    text = "naïve Καλημέρα العربية עברית 日本語 👩\n\tx"
    assert visible(text) == text


def test_the_policy_allows_the_pages_own_style_and_nothing_else(page: str):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert not any("style" in held for _, held in tags(page))


def test_nothing_is_loaded_from_anywhere(page: str):
    for tag, held in tags(page):
        assert "src" not in held, tag
        if tag == "a":
            assert (held["href"] or "").startswith("#")


def test_every_link_leads_to_a_place_on_the_page(page: str):
    held = [each for _, each in tags(page)]
    places = {each["id"] for each in held if "id" in each}
    for each in held:
        if "href" in each:
            assert (each["href"] or "#")[1:] in places


def test_trust_stands_first_with_its_reasons_and_stages():
    page = verdict_page(shown(with_trust()))
    assert "right with probability <b>0.83</b>" in page
    assert "<b>against</b> none is the same" in page
    assert "most divided on" in page
    assert "Two programs to read side by side" in page
    assert "Note: few samples." in page
    assert "0.40" in page


def test_a_cascade_that_did_not_reach_its_level_abstains():
    found = with_trust()
    ahead = {"stage": "tests", "calls": 40, "prompt_tokens": 5_000, "completion_tokens": 4_000}
    found["course"] |= {"settled": False, "level": 0.95, "ahead": ahead}
    page = verdict_page(shown(found))
    assert "Abstain: no candidate reaches the trust asked for, 0.95" in page
    assert "tests, not run" in page
    assert "about 9,000" in page


def test_a_run_sums_up_and_holds_every_verdict():
    tie = verdict(task="floor/2", winner=None, deciding=[])
    run = summed([shown(verdict()), shown(tie)])
    assert (run.decided, run.tied, run.untested) == (1, 1, 0)
    assert run.tokens == 7_200
    page = run_page([shown(verdict()), shown(tie)], title="mine")
    assert "floor/1" in page
    assert "floor/2" in page
    ids = [held["id"] for _, held in tags(page) if "id" in held]
    assert len(ids) == len(set(ids))
    targets = {(held["href"] or "")[1:] for tag, held in tags(page) if tag == "a"}
    assert targets <= set(ids)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": "consilience.verdict/9"}, "its schema is"),
        ({"tests": 3}, "not a whole verdict"),
        ({"ranking": []}, "has 4 programs, but 0 places"),
        ({"deciding": [{"rival": "x", "index": 1, "tests": [99]}]}, "deciding test"),
        ({"winner": {"index": 9, "label": "x"}}, "winner or rival"),
        ({"candidates": [{"label": "x", "code": "y"}]}, "1 programs, but 4"),
        ({"ranking": [verdict()["ranking"][0]] * 4}, "each candidate once"),
        ({"tests": [verdict()["tests"][0] | {"got": ["1"]}]}, "one outcome a candidate"),
        ({"entropy": verdict()["entropy"] | {"labels": [0]}}, "entropy"),
        ({"trust": {"value": 1.0, "stage": "text", "probabilities": [1.0]}}, "probability"),
        ({"reasons": {"disputed": {"test": 99, "groups": [[0]]}}}, "reasons"),
        ({"reasons": {"disputed": {"dropped": 0, "groups": [[0]]}}}, "reasons"),
        ({"reasons": {"disputed": {"groups": [[0]]}}}, "reasons"),
        ({"dropped": [{"call": "f(1)", "reason": "tie", "got": ["1"]}]}, "dropped input"),
    ],
)
def test_a_verdict_that_does_not_fit_together_is_refused(change: dict[str, object], told: str):
    with pytest.raises(InputError, match=told):
        shown(verdict(**change), "v.json:1")


def test_the_agreement_of_one_program_is_not_measured():
    assert agreement(CODES[:1]) is None
    found = agreement(CODES)
    assert found is not None
    assert len(found.labels) == 4


def test_a_body_of_ones_own_stands_in_the_same_frame():
    page = framed("<b>", "<p>hello</p>", "p{color:red}")
    assert "<p>hello</p>" in page
    assert "p{color:red}</style>" in page
    assert "<title>&lt;b&gt;</title>" in page
    assert HOSTILE not in page
