"""A picture of an entropy: the tree of the samples, their classes, and entropy by radius."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

import jinja2

from consilience.errors import UsageError
from consilience.uncertainty import Edge, Entropy
from consilience.uncertainty.entropy import bits

# Okabe and Ito's colours: told apart by colour-blind readers, readable on white.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_GREY = "#8a8a8a"
_INK = {
    "paper": "#ffffff",
    "text": "#1a1a1a",
    "soft": "#4a4a4a",
    "rule": "#767676",
    "cut": "#b00020",
}
_WIDTH, _LEFT, _RIGHT, _ROW, _HEAD, _CURVE = 760, 160, 730, 20, 44, 120

_PAGE_INK = {key: f"var(--tree-{key}, {hue})" for key, hue in _INK.items()}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A sample in the picture."""

    y: float
    label: str
    colour: str


@dataclass(frozen=True, slots=True)
class Line:
    """A join in the picture."""

    path: str
    colour: str
    dashed: bool


def svg(entropy: Entropy, *, names: Sequence[str] = (), embedded: bool = False) -> str:
    """Draw *entropy* as SVG text.

    Samples join from left to right, where the radius reaches them. Joins within a class have
    its colour; those beyond the radius are grey and dashed. Samples are called by their number
    where no *names* are given. An *embedded* picture takes its inks from the page around it,
    from the variables --tree-paper, --tree-text, --tree-soft, --tree-rule and --tree-cut.

    Raises:
        UsageError: The measure has no distances, so there is no tree.
    """
    if not entropy.edges and len(entropy.classes) > 1 and not entropy.unparsable:
        message = f"The measure {entropy.measure!r} has no distances to draw."
        raise UsageError(message, hint="Draw a measure with a tree: fase, fase+structural.")
    widest = max([edge.weight for edge in entropy.edges] + [entropy.radius or 0.0]) or 1.0
    drawing = _Drawing(entropy, widest * 1.08, names)
    leaves, lines = drawing.leaves(), drawing.lines()
    top = _HEAD + _ROW * len(entropy.labels) + 24
    cut = None if entropy.radius is None else round(drawing.x(entropy.radius), 1)
    return _template().render(
        width=_WIDTH, height=top + _CURVE + 48, left=_LEFT, right=_RIGHT,
        top=top, base=top + _CURVE, title=_title(entropy),
        leaves=leaves, lines=lines, curve=drawing.curve(top), ticks=drawing.ticks(),
        cut=cut, cut_y=top - 8, radius=f"{entropy.radius or 0.0:.4f}",
        most=f"{drawing.most():.2f}",
        ink=_PAGE_INK if embedded else _INK,
    )  # fmt: skip


def entropy_by_radius(entropy: Entropy) -> list[tuple[float, float]]:
    """Return where the entropy in bits steps, and to what: (0, H of equal samples), ..."""
    labels = list(range(len(entropy.labels)))
    for index in entropy.unparsable:  # those of equal text stay together at every radius
        labels[index] = min(
            other
            for other in entropy.unparsable
            if entropy.labels[other] == entropy.labels[index]
        )
    steps: dict[float, float] = {0.0: bits(Counter(labels).values())}
    for edge in entropy.edges:
        old, new = labels[edge.second], labels[edge.first]
        labels = [new if label == old else label for label in labels]
        steps[edge.weight] = bits(Counter(labels).values())
    return sorted(steps.items())


def _title(entropy: Entropy) -> str:
    return (
        f"{entropy.measure}: {entropy.bits:.2f} bits, {entropy.normalised:.2f} of the largest; "
        f"{len(entropy.classes)} classes of {len(entropy.labels)} samples"
    )


def _template() -> jinja2.Template:
    source = resources.files("consilience.uncertainty").joinpath("picture.svg.j2")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(source.read_text(encoding="utf-8"))


@dataclass(slots=True)
class _Drawing:
    """Places samples so that no two joins cross."""

    entropy: Entropy
    span: float
    names: Sequence[str] = ()

    def x(self, radius: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * radius / self.span

    def leaves(self) -> list[Leaf]:
        broken = set(self.entropy.unparsable)
        return [
            Leaf(
                y,
                self._name(index) + (" (no Python)" if index in broken else ""),
                self._colour(index),
            )
            for index, y in self._places().items()
        ]

    def lines(self) -> list[Line]:
        """Draw each join as a bracket at its distance."""
        at = {index: (float(_LEFT), y) for index, y in self._places().items()}
        home = {index: index for index in at}
        lines = []
        for edge in self.entropy.edges:
            first, second = home[edge.first], home[edge.second]
            x = round(self.x(edge.weight), 1)
            (x1, y1), (x2, y2) = at[first], at[second]
            inside = self.entropy.labels[edge.first] == self.entropy.labels[edge.second]
            colour = self._colour(edge.first) if inside else _GREY
            lines.append(Line(f"M{x1} {y1}H{x}V{y2}H{x2}", colour, not inside))
            at[first] = (x, (y1 + y2) / 2)
            home = {index: first if each == second else each for index, each in home.items()}
        return lines

    def curve(self, top: float) -> str:
        """Draw the entropy as a step function."""
        most, base = self.most() or 1.0, top + _CURVE
        path, height = "", 0.0
        for radius, value in entropy_by_radius(self.entropy):
            x, y = round(self.x(radius), 1), round(base - _CURVE * value / most, 1)
            path += f"H{x}V{y}" if path else f"M{x} {y}"
            height = y
        return f"{path}H{_RIGHT}V{height}"

    def most(self) -> float:
        return max(value for _, value in entropy_by_radius(self.entropy))

    def ticks(self) -> list[dict[str, object]]:
        marks = [self.span * step / 4 for step in range(5)]
        return [{"x": round(self.x(mark), 1), "label": f"{mark:.3f}"} for mark in marks]

    def _name(self, index: int) -> str:
        return self.names[index] if self.names else f"sample {index}"

    def _colour(self, index: int) -> str:
        """Colour classes of two or more; a sample on its own is grey."""
        shared = [label for label, each in enumerate(self.entropy.classes) if each.members[1:]]
        label = self.entropy.labels[index]
        return _COLOURS[shared.index(label) % len(_COLOURS)] if label in shared else _GREY

    def _places(self) -> dict[int, float]:
        """Order samples as they join, so that each group is a run of neighbours."""
        groups = {index: [index] for index in range(len(self.entropy.labels))}
        for edge in self.entropy.edges:
            _merge(groups, edge)
        ordered = list({id(group): group for group in groups.values()}.values())
        flat = [index for group in ordered for index in group]
        return {index: float(_HEAD + _ROW * row) for row, index in enumerate(flat)}


def _merge(groups: dict[int, list[int]], edge: Edge) -> None:
    joined = groups[edge.first] + groups[edge.second]
    for index in joined:
        groups[index] = joined
