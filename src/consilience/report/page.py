"""A verdict, or a run of them, as one self-contained HTML file.

No script, no network, hostile text shown as text: everything that came from a program or a
model is escaped, its hidden characters are written out, and a policy in the page lets the
browser load nothing and apply no style but the page's own, which is named by its hash.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from consilience.judge import Verdict
from consilience.report.grid import MARKS, ROUTES, grid, kind
from consilience.report.reading import shown
from consilience.report.record import PRICE, record
from consilience.report.run import Run, summed
from consilience.report.saying import probability
from consilience.report.shapes import Rival, Shown, Test
from consilience.report.strip import strip, votes
from consilience.report.visible import shortened, visible
from consilience.uncertainty import Entropy
from consilience.uncertainty.picture import svg
from consilience.uncertainty.semantic import semantic_entropy

NAME = 18
"""Letters of a candidate's name in the picture of the tree."""


NOTHING = Markup("")


def page(verdict: Verdict, *, price: float = PRICE, entropy: Entropy | None = None) -> str:
    """Return the page of a verdict; with *entropy*, that of `agreement`, its tree as well."""
    return verdict_page(shown(record(verdict, price=price, entropy=entropy)))


def agreement(codes: Sequence[str]) -> Entropy | None:
    """Measure how far the texts of the candidates agree (FASE); None for fewer than two."""
    return semantic_entropy(codes) if len(codes) > 1 else None


def verdict_page(data: Shown) -> str:
    """Return the page of a verdict that was read back."""
    return _render("verdict.html.j2", title=f"{data.task}: verdict", view=_view(data))


def run_page(
    verdicts: Sequence[Shown], *, title: str = "Run", beside: Markup = NOTHING, style: str = ""
) -> str:
    """Return the page of several verdicts: their summary, then each of them.

    What stands *beside* them, such as the truth, comes in between, with more *style* for it.
    """
    found: Run = summed(verdicts)
    views = [_view(each) for each in verdicts]
    held = {"run": found, "views": views, "beside": beside, "more": style}
    return _render("run.html.j2", title=title, **held)


def framed(title: str, body: str, style: str = "") -> str:
    """Put a *body* that is markup already into the page's frame, with more *style*."""
    return _render("frame.html.j2", title=title, body=Markup(body), more=style)  # noqa: S704  # its makers escape


def _view(data: Shown) -> dict[str, Any]:
    """Prepare what the template shows of one verdict."""
    apart = [i for i, t in enumerate(data.tests) if {True, False} <= set(t.passed)]
    programs = [(each.label, shortened(each.code)) for each in data.candidates]
    return {
        "data": data,
        "grid": grid(data),
        "strip": strip(data.tests, data.tau),
        "tree": _tree(data),
        "bridge": shortened(data.entropy.bridge.diff)
        if data.entropy and data.entropy.bridge
        else "",
        "programs": programs,
        "prompt": shortened(data.prompt),
        "sides": _sides(data),
        "rivals": _nearest_first(data),
        "apart": apart,
        "same": [place for place in range(len(data.tests)) if place not in set(apart)],
        "tokens": max(
            (u.prompt_tokens + u.completion_tokens for u in data.usage.values()), default=0
        ),
    }


def _sides(data: Shown) -> str:
    """Write the difference of the two programs that are to be read side by side."""
    held = data.reasons.bridge if data.reasons else None
    return shortened("\n".join(held.diff)) if held else ""


def _nearest_first(data: Shown) -> list[Rival]:
    """Order the rivals as the ranking has them: who comes next best is asked about first."""
    order = [row.index for row in data.ranking]
    return sorted(data.deciding, key=lambda rival: order.index(rival.index))


def _tree(data: Shown) -> Markup | None:
    """Draw the tree of the candidates' texts, where it was measured."""
    if data.entropy is None or not data.entropy.edges:
        return None
    names = [visible(_cut(label)) for _, label in sorted(data.labels.items())]
    called = replace(data.entropy, measure=visible(data.entropy.measure))
    drawn = svg(called, names=names, embedded=True)
    return Markup(drawn)  # noqa: S704  # its own template escapes


def _cut(label: str) -> str:
    return label if len(label) <= NAME else label[: NAME - 1] + "…"


def outcomes(test: Test, labels: dict[int, str]) -> list[tuple[str, str, list[str]]]:
    """Group the candidates by what they gave on *test*: kind, output, names; passes first."""
    groups: dict[tuple[str, str], list[str]] = {}
    for place, label in labels.items():
        found = kind(test, place)
        groups.setdefault((found, test.got[place]), []).append(label)
    order = list(MARKS)
    return [
        (found, got, names)
        for (found, got), names in sorted(groups.items(), key=lambda g: order.index(g[0][0]))
    ]


def _render(name: str, **values: Any) -> str:
    environment = _environment()
    style = environment.get_template("style.css.j2").render() + values.pop("more", "")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    head = {"style": Markup(style), "policy": Markup(policy)}  # noqa: S704  # both are ours
    return environment.get_template(name).render(**head, **values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("consilience.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["probability"] = probability
    environment.globals |= {
        "MARKS": MARKS,
        "ROUTES": ROUTES,
        "outcomes": outcomes,
        "kind": kind,
        "votes": votes,
    }
    return environment


def _shown_text(value: Any) -> Any:
    """Write out what hides in any text that a template prints."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
