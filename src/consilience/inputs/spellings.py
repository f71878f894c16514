"""One spelling for what statements write in TeX, in code, and in between.

`A_i`, `A_{i,j}` and `A[i]` are items of `A`; `|S|` and `nums.length` are sizes, written
`|S|` and `|nums|`; `rows[i].length` is `|rows0|`; `edges[i][1]`, a column, is `edgesColumn1`.
"""

from __future__ import annotations

import re

INDEX = re.compile(r"_(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\w+)|(?<=[A-Za-z])'+")
_BRACKETS = r"\([^()]*\)"
for _ in range(2):  # brackets within brackets
    _BRACKETS = rf"\((?:[^()]|{_BRACKETS})*\)"
_SPELLINGS = (
    (r"\\(?:leqslant|leq|le)(?![A-Za-z])|≤|&lt;=|=<", "<="),
    (r"\\(?:geqslant|geq|ge)(?![A-Za-z])|≥|&gt;=", ">="),
    (r"\\lt(?![A-Za-z])|&lt;", "<"),
    (r"\\gt(?![A-Za-z])|&gt;", ">"),
    (r"\\(?:neq|ne)(?![A-Za-z])|≠|!=", "!="),
    (r"\\(?:times|cdot)(?![A-Za-z])|×|·", "*"),  # noqa: RUF001
    (
        r"\\[dt]?frac\s*\{([^{}]*)\}\s*(?:\{([^{}]*)\}|(\d))",
        lambda m: f"({m[1]})/({m[2] or m[3]})",
    ),
    (r"[⌊⌋]|\\[lr]floor(?![A-Za-z])", lambda match: "()"[match[0] in {"⌋", "\\rfloor"}]),
    (r"\\[lr]brace(?![A-Za-z])", lambda match: "()"[match[0][1] == "r"]),
    (r"(?<=\d)\\[,;!](?=\d{3})", ""),
    (r"\\(?:mathrm|text|operatorname|mathit)\{([^}]*)\}", r"\1"),
    (r"\\(?:min|max)\b", lambda match: match[0][1:]),
    (r"\\[,;!: ]|\\(?:quad|left|right|displaystyle)\b|\$", " "),
    (r"\\[lc]?dots[cbmio]?(?![a-z])|…", "..."),
    (r"(?<=\d),(?=\d{3}\b)", ""),
    (r"\s*_\s*", "_"),
    (r"\\implies|\\Rightarrow", ";"),
    (r"\b(\w+)((?:\[\w+\])+)\.(?:length|size)\b", lambda m: f"|{m[1]}{'0' * m[2].count('[')}|"),
    (r"\b(\w+)\.(?:length|size)\b|\blen\((\w+)\)", lambda m: f"|{m[1] or m[2]}|"),
    (r"\b(\w+)\[(\d+)\](?!\[)(?!\.)", r"\1At\2"),
    (r"\b(\w+)\[\w+\]\[(\d)\]", lambda m: f"{m[1]}Column{m[2]}"),
    (r"\b(\w+)((?:\[\w+\])+)", r"\1_i"),
    (r"(?<=[\w)}|])[ \t]*([+*/^-])[ \t]*(?=[\w({|])", r"\1"),
    (
        rf"\b(min|max|floor)\s*({_BRACKETS})",
        lambda m: m[1] + re.sub(r"\s", "", m[2]),
    ),
    (
        r"\b(?:is|are)\s+(?:a\w* )?(?:positive |non-negative )?(?:integers? )?"
        r"(?:not greater than|at most|no more than|not exceeding)",
        "<=",
    ),
)


def plain(statement: str) -> str:
    """Write TeX as plain text."""
    for pattern, spelling in _SPELLINGS:
        statement = re.sub(pattern, spelling, statement)
    return statement


def base_name(symbol: str) -> str:
    """Leave the index of a name out: `A_{i,j}` is `A`."""
    return INDEX.sub("", symbol.replace("{,}", "")).strip("{} ")
