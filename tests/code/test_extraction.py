"""The program comes out of the reply, whatever surrounds it: one table a kind of fault."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.code import Extraction, extract, normalise

ADD = "def add(a, b):\n    return a + b\n"
HELPED = """\
import math
from functools import lru_cache

LIMIT = 10**9 + 7


@lru_cache(maxsize=None)
def fact(n):
    return 1 if n < 2 else n * fact(n - 1) % LIMIT


def choose(n, k):
    if k > n:
        return 0
    return fact(n) // (fact(k) * fact(n - k)) if n < 20 else math.comb(n, k)
"""
TRICKY = '''\
def show(rows):
    """Draw a table.

    ```
    show([1])
    ```
    """
    text = "```"
    for row in rows:
        text += f"""
~~~ {row}
"""
    return text + "```"
'''
METHOD = """\
class Solution:
    def add(self, a, b):
        return self.sum([a, b])

    def sum(self, xs):
        return sum(xs)
"""
PROGRAMS = {"add": ADD, "choose": HELPED, "show": TRICKY}

WRAPPERS = {
    "bare": "{code}",
    "fence": "```python\n{code}```\n",
    "fence without a language": "```\n{code}```",
    "upper case language": "```Python3\n{code}```",
    "fence with attributes": '```python title="a.py" {{.numberLines}}\n{code}```',
    "braces": "```{{python}}\n{code}```",
    "tildes": "~~~python\n{code}~~~\n",
    "four backticks": "````python\n{code}````\n",
    "unclosed": "Sure!\n\n```python\n{code}",
    "closing only": "{code}```\n",
    "closing only, then prose": "{code}```\nThat is all, I hope.\n",
    "prose before": "Here is the function you asked for.\n\n{code}",
    "prose after": "{code}\nThis works (I think): it takes arguments; returns the result.\n",
    "prose right behind": "{code}It's a simple function, isn't it?\n",
    "prose both": "Sure! Let's go:\n\n{code}\n**Explanation:** it's simple.\n- one\n- two\n",
    "headings": "# Answer\n\n## Code\n\n```python\n{code}```\n\n## Complexity\n\nO(1)\n",
    "blockquote": "> As asked:\n>\n> ```python\n{quoted}> ```\n",
    "list item": "1. First:\n\n   ```python\n{indented}   ```\n2. Second: nothing.\n",
    "tags": "<answer>\n{code}</answer>\n",
    "code tags": "<code>\n{code}</code>",
    "thoughts": "<think>\nNow: def nothing()?\n```python\ndef {name}(*a):\n    return 0\n"
    "```\n</think>\n{code}",
    "thoughts without opening": "I try.\ndef {name}(*a):\n    return 0\n</think>\n{code}",
    "channels": "<|channel|>analysis<|message|>def {name}(): pass<|end|>"
    "<|start|>assistant<|channel|>final<|message|>{code}",
    "end tokens": "{code}<|im_end|>\n<|endoftext|>",
    "sketch": "```\nfor each: do it\n```\nthen\n```python\n{code}```\n",
    "stub first": "```python\ndef {name}(*args):\n    ...\n```\nFull:\n```python\n{code}```\n",
    "stub last": "```python\n{code}```\nthe signature being\n```python\n"
    "def {name}(*args):\n    pass\n```\n",
    "shell first": "```bash\npip install nothing\n```\n\n```python\n{code}```\n",
    "output last": "```python\n{code}```\nOutput:\n```\n3\n[1, 2]\n```\n",
    "demonstration": "```python\n{code}\nprint({name}.__name__)\nfor i in range(3):\n"
    "    print(i, {name})\n```\n",
    "main guard": "```python\n{code}\nif __name__ == '__main__':\n    print({name})\n```\n",
    "tests": "{code}\n\nassert {name}\n\ndef test_it():\n    assert {name}() is None\n",
    "ansi": "\x1b[1mAnswer\x1b[0m\n```python\n\x1b[32m{code}\x1b[0m```\n",
    "byte order mark": "\ufeff{code}",
    "blank lines": "\n\n\n   \n{code}\n\n\n",
}


def wrap(wrapper: str, code: str, name: str) -> str:
    return wrapper.format(
        code=code,
        name=name,
        indented=textwrap.indent(code, "   "),
        quoted=textwrap.indent(code, "> ", lambda _: True),
    )


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_wrapping_gives_the_program_back(name: str, wrapper: str, ends: str) -> None:
    code = PROGRAMS[name]
    extraction = extract(wrap(wrapper, code, name).replace("\n", ends), name)
    assert extraction.status == "ok"
    assert normalise(extraction.code) == normalise(code)
    assert "\r" not in extraction.code


def names_of(extraction: Extraction) -> dict[str, Any]:
    """Load an extracted program of this file's own; no foreign text is ever run here."""
    space: dict[str, Any] = {}
    exec(extraction.code, space)
    return space


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        ("```python\ndef one(): return 1\n```\n```python\ndef f(): return one() + 1\n```", 2),
        ("```python\ndef f(): return one() + 1\n```\n```python\ndef one(): return 1\n```", 2),
        ("```python\nimport math\n```\n```python\ndef f(): return math.floor(2.5)\n```", 2),
        ("```python\nN = 2\n```\n```python\ndef f(): return N\n```\n```\nprint(f())\n```", 2),
        ("N = 1\nN += 1\ndef f(): return N\nN = N + 0", 2),
        ("table = []\nfor i in range(3):\n    table.append(i)\ndef f(): return table[2]", 2),
        ("cache = {}\ncache['a'] = 2\ndef f(): return cache['a']", 2),
        ("table = []\ndef fill(n):\n    for i in range(n):\n        table.append(i)\nfill(3)\n"
         "def f(): return table[2]", 2),
        ("N = 1\ndef init():\n    global N\n    N = 2\ninit()\ndef f(): return N", 2),
        ("def init():\n    global N\n    N = 2\ninit()\ndef f(): return N", 2),
        ("class A:\n    x = 1\nA.x = 2\ndef f(): return A.x", 2),
        ("import sys\nsys.setrecursionlimit(3000)\ndef f(): return 2", 2),
        ("def twice(g):\n    return lambda: 2 * g()\n@twice\ndef f(): return 1", 2),
        ("def g(): return 2\nf = g", 2),
        ("f = lambda: 2", 2),
        ("from math import *\ndef f(): return floor(2.5)", 2),
        ("try:\n    import nosuchmodule\nexcept ImportError:\n    nosuchmodule = 2\n"
         "def f(): return nosuchmodule", 2),
        ("if True:\n    def f(): return 2\nelse:\n    def f(): return 3", 2),
        ("def f(): return g()\ndef g(): return h()\ndef h(): return 2\nf()", 2),
        ("def f(): return globals()['g']()\ndef g(): return 2", 2),
        ("from __future__ import annotations\ndef f(x: Undefined = 2): return x", 2),
        ("def f(): return 1\ndef f(): return 2", 2),
        ("a = b = 1\ndef f():\n    global a\n    a += 1\n    return a", 2),
        ("import math; X = 2\ndef f(): return math.floor(X)", 2),
        ("class f:\n    def __new__(cls): return 2", 2),
    ],
)  # fmt: skip
def test_what_the_entry_point_needs_comes_along(reply: str, result: int) -> None:
    extraction = extract(reply, "f")
    assert extraction.status == "ok"
    assert names_of(extraction)["f"]() == result


@pytest.mark.parametrize(
    "junk",
    [
        "print(f(1))",
        "x = f(3)\nprint(x)",
        "n = 4\nfor i in range(n):\n    print(f(i))",
        "assert f(1) == 3",
        "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.fail()\n"
        "unittest.main()",
        "if __name__ == '__main__':\n    raise SystemExit(f(1))",
        "import nosuchmodule",
        "import doctest\ndoctest.testmod()",
        "answer = int(input('n: '))\nprint(f(answer))",
        "raise SystemExit",
        "with open('nosuchfile') as file:\n    print(file.read())",
        "def main():\n    print(f(1))\nmain()",
    ],
)
def test_demonstrations_and_tests_are_left_out_and_named(
    junk: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for reply in (
        f"def f(x):\n    return x\n\n{junk}\n",
        f"{junk}\n\ndef f(x):\n    return x\n",
    ):
        extraction = extract(reply, "f")
        assert names_of(extraction)["f"](7) == 7
        assert junk.partition("\n")[0] in extraction.left_out
    assert capsys.readouterr().out == ""


PROMPT = '''\
from typing import List

STEP = 5


def shift(x: int) -> int:
    """Add STEP."""
    return x + STEP


def f(xs: List[int]) -> int:
    """Sum of the shifted.

    >>> f([1])
    6
    """
'''
BODY = "    total = 0\n    for x in xs:\n        total += shift(x)\n    return total\n"


@pytest.mark.parametrize(
    "reply",
    [
        BODY,
        " " + BODY,
        BODY.lstrip(),
        textwrap.dedent(BODY),
        f"```python\n{BODY}```\n",
        f"The body:\n\n```\n{textwrap.dedent(BODY)}```\nDone.\n",
        BODY + "\n\nif __name__ == '__main__':\n    print(f([1]))\n",
        BODY + "\n\ndef g(x):\n    return f(\n",
        BODY + "\n\nThis sums the shifted numbers.\n",
        BODY.replace("\n", "\r\n"),
        BODY.replace("    ", "\t"),
        PROMPT + BODY,
        f"```python\n{PROMPT}{BODY}```",
        f"def f(xs: List[int]) -> int:\n{BODY}",
        f"def f(xs):\n{BODY.replace('    ', chr(9))}",
        f"```python\ndef f(xs):\n{BODY}```\nand\n```python\nprint(f([1]))\n```",
        "    return sum(shift(x) for x in xs)",
        "return sum(shift(x) for x in xs)",
        "    def g(x):\n        return shift(x)\n    return sum(map(g, xs))\n",
    ],
)
def test_a_body_alone_goes_on_from_the_prompt(reply: str) -> None:
    extraction = extract(reply, "f", PROMPT)
    assert extraction.status == "ok"
    assert names_of(extraction)["f"]([1, 2]) == 13


def test_a_body_that_only_changes_its_argument_is_one_too() -> None:
    prompt = 'def f(xs):\n    """Sort in place."""\n'
    extraction = extract("    xs.sort()\n", "f", prompt)
    space = names_of(extraction)
    numbers = [3, 1, 2]
    assert space["f"](numbers) is None
    assert numbers == [1, 2, 3]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n\n",
        "I am sorry, I cannot help.",
        "None",
        "Note: this is hard.",
        "```\n```",
        "```text\nno code here, I'm afraid\n```",
        "<think>\ndef f(x):\n    return x\n",
        "42",
        "The answer is `f(x)`.",
    ],
)
def test_a_reply_without_code_says_so(reply: str) -> None:
    for prompt in ("", PROMPT, "Write f."):
        assert extract(reply, "f", prompt).status == "no_code"


@pytest.mark.parametrize(
    "reply",
    [
        "def g(x):\n    return x\n",
        "```python\nclass A:\n    pass\n```",
        "import math\n",
        "def f(x):\n    y = x +\n",
        "print(f(1))",
        "```python\ndef solve(xs):\n    return sum(xs)\n```\n",
    ],
)
def test_code_without_the_entry_point_says_so(reply: str) -> None:
    for prompt in ("", PROMPT):
        extraction = extract(reply, "f", prompt)
        assert extraction.status == "no_entry_point"


def test_a_cut_off_function_is_no_answer_but_a_cut_off_tail_is_harmless() -> None:
    cut = extract("```python\ndef f(x):\n    y = x + 1\n    return (y +", "f")
    assert cut.status == "no_entry_point"
    assert cut.truncated
    assert "f is not whole" in cut.left_out
    tail = extract(ADD + "\n\ndef test_add():\n    assert add(1, 2) == (3", "add")
    assert tail.status == "ok"
    assert tail.truncated
    assert names_of(tail)["add"](1, 2) == 3
    assert extract(ADD, "add", truncated=True).truncated
    assert not extract(ADD, "add").truncated


def test_damage_behind_the_last_return_is_harmless() -> None:
    extraction = extract("def f(x):\n    return x\n    this is, what it does\n", "f")
    assert extraction.status == "ok"
    assert names_of(extraction)["f"](3) == 3


def test_the_last_of_several_whole_answers_counts() -> None:
    first, second = ADD.replace("a + b", "a - b"), ADD
    reply = (
        f"First try:\n```python\n{first}```\nWait, that subtracts.\n```python\n{second}```\n"
    )
    assert names_of(extract(reply, "add"))["add"](1, 2) == 3


def test_a_method_gets_a_fresh_instance_for_each_call() -> None:
    reply = "class Solution:\n    seen = 0\n    def f(self, x):\n"
    reply += "        self.seen += x\n        return self.seen\n"
    function = names_of(extract(reply, "f"))["f"]
    assert [function(2), function(2)] == [2, 2]
    extraction = extract(f"```python\n{METHOD}\nprint(Solution().add(1, 2))\n```", "add")
    assert names_of(extraction)["add"](1, 2) == 3


def test_short_and_odd_names_are_found_by_parsing_not_by_text() -> None:
    for name in ("f", "d", "if_", "π", "def_"):
        reply = f"# def {name}x():\ndef {name}(x):\n    '''def {name}(y)'''\n    return x\n"
        assert names_of(extract(reply, name))[name](5) == 5


@pytest.mark.parametrize("space", ["\xa0", "\u200b"])
def test_odd_blanks_are_mended_outside_strings_only(space: str) -> None:
    broken = f"def f(x):\n{space * 4 if space == chr(160) else '    ' + space}return x\n"
    assert names_of(extract(broken, "f"))["f"](1) == 1
    inside = "def f(x):\n    return '\xa0'\n"
    assert names_of(extract(inside, "f"))["f"](1) == "\xa0"


def test_a_transcript_of_the_interpreter_is_read() -> None:
    reply = ">>> def f(x):\n...     return x + 1\n...\n>>> f(1)\n2\n"
    assert names_of(extract(reply, "f"))["f"](1) == 2


def test_code_on_the_fence_line_is_read() -> None:
    for reply in (
        "Answer: ```python def f(x): return 2 * x```",
        "```def f(x): return 2 * x```",
        "```python def f(x): return 2 * x\n```",
        "```\ndef f(x):\n    return 2 * x```",
    ):
        assert names_of(extract(reply, "f"))["f"](4) == 8


def test_comments_stay_where_nothing_is_left_out() -> None:
    code = "# add two\ndef add(a, b):  # both\n    # sum\n    return a + b\n"
    assert extract(f"```python\n{code}```", "add").code == code


@pytest.mark.parametrize(
    "reply",
    [
        "```" * 3000, "`" * 10_000, "~~~\n" * 3000, "def f(" * 2000, "(" * 50_000, "\x00" * 10,
        "def f(x):\n" * 500, "'''" * 999, "<think>" * 1000, "</think>" * 1000, "if x:\n" * 300,
        "\x1b[" * 1000, "def f(x):\n" + "  return (\n" * 500, "@" * 1000, "> " * 5000,
        "\\\n" * 5000,
        "-" * 100_000 + "1", "[" * 1000 + "]" * 1000, "x = 1\n" * 5000, "for a, b\n" * 2000,
    ],
)  # fmt: skip
def test_hostile_replies_end_soon_and_quietly(reply: str) -> None:
    assert extract(reply, "f", PROMPT).status in {"ok", "no_code", "no_entry_point"}


@given(
    st.text(
        alphabet=st.sampled_from("def f(x):\n \t`~>#'\"\\return <think>[]()=:,@a1"),
        max_size=200,
    )
)
def test_no_text_makes_it_fail(reply: str) -> None:
    extraction = extract(reply, "f", PROMPT)
    again = extract(extraction.code, "f", PROMPT)
    if extraction.status == "ok":
        assert again.status == "ok"
        assert normalise(again.code) == normalise(extraction.code)


def test_half_a_surrogate_pair_does_not_cost_the_program():
    found = extract("def f(x):\n    return x  # \ud83d\n", "f")
    assert (found.status, found.code) == ("ok", "def f(x):\n    return x  # \ufffd\n")
