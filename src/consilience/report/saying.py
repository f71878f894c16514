"""Evidence in words: what a figure of trust means, and on what agreement a verdict rests."""

from __future__ import annotations

import math

from consilience.judge import Verdict
from consilience.trust import Contribution
from consilience.trust.evidence import classes_of
from consilience.uncertainty.clusters import numbered

_SAID = {
    "same text": "{of} the other samples are the same text",
    "same syntax": "{of} the other samples are the same program but for names",
    "same embedding": "{of} the other samples look alike to the encoder",
    "closeness": "it shares {share} of its syntax with another sample on average",
    "syntax entropy": "the samples are written in {many} different ways",
    "embedding entropy": "the samples look {spread} to the encoder",
    "examples passed": "it passes {of} the examples that the task states",
    "same behaviour": "{of} the other samples do the same on every input",
    "agreement": "on an input, {share} of the other samples give its output on average",
    "returns": "it returns something on {of} the inputs",
    "confidence": "on an input, the commonest output has {share} of the samples on average",
    "tests passed": "it passes {of} the synthesised tests, weighed by their confidence",
    "test confidence": "expected outputs have confidence {value:.2f} on average",
    "reliable tests": "{of} the tests have an expected output that a route was sure of",
}


def sentence(each: Contribution) -> str:
    """Say what a figure means; nothing where there is none, or it is a mere count."""
    if each.value is None or each.name not in _SAID:
        return ""
    return _SAID[each.name].format(
        value=each.value,
        of=amount(each.value),
        share=f"{100 * each.value:.0f} %",
        many="few" if each.value < 0.5 else "many",
        spread="much alike" if each.value < 0.5 else "different",
    )


def probability(chance: float) -> str:
    """Write a probability with two digits, never more than it is: .899 does not reach .9."""
    return f"{math.floor(100 * chance) / 100:.2f}"


def amount(share: float) -> str:
    """Write a share as people do: all of, none of, 40 % of."""
    return {0.0: "none of", 1.0: "all of"}.get(share, f"{100 * share:.0f} % of")


def deeds(verdict: Verdict) -> list[tuple[int | None, ...]]:
    """Number what each candidate did on every input: those of the tests, then the dropped."""
    more = classes_of(list(zip(*verdict.undecided, strict=True)), len(verdict.candidates))
    return [(*row, *rest) for row, rest in zip(verdict.matrix.classes, more, strict=True)]


def kinds(verdict: Verdict) -> tuple[int, ...]:
    """Tell which candidates do the same on every input; where nothing was run, are the same."""
    done = deeds(verdict)
    if any(done):
        # Programs that gave nothing back agree on nothing: each is a kind of its own.
        return numbered(
            row if any(deed is not None for deed in row) else place
            for place, row in enumerate(done)
        )
    return numbered(candidate.code for candidate in verdict.candidates)


def agreed(verdict: Verdict) -> str:
    """Say on what agreement of the candidates a verdict without tests of a model rests."""
    leaders = verdict.ranking.leaders
    chosen = leaders[0]
    name = verdict.candidates[chosen].label
    evidence = verdict.trust.evidence[chosen] if verdict.trust else {}
    passed = evidence.get("examples passed")
    told = [_company(verdict, chosen, name)]
    if passed is not None and verdict.suite.tests:
        told.append(f"{name} passes {amount(passed)} the examples that the task states.")
    if len(leaders) > 1:
        told.append(_alike(verdict))
    return " ".join(told)


def _alike(verdict: Verdict) -> str:
    """Say of several leaders whether it matters which of them one takes."""
    leaders, labels = verdict.ranking.leaders, kinds(verdict)
    more = "All" if len(leaders) == len(labels) else f"{len(leaders)}"
    alike = len({labels[place] for place in leaders}) == 1
    means = "any of them will do" if alike else "it cannot tell them apart, but they differ"
    return f"{more} candidates have the same evidence: {means}."


def likeliest(verdict: Verdict) -> str:
    """Say how many tests the likeliest candidate passes, and that more than they decides."""
    leaders, names = verdict.ranking.leaders, [c.label for c in verdict.candidates]
    passed = [verdict.matrix.passed(place) for place in range(len(names))]
    chosen, most = leaders[0], passed.index(max(passed))
    told = f"{names[chosen]} passes {passed[chosen]} of {len(verdict.suite.tests)} tests"
    if len(leaders) > 1:
        return f"{told}. {_alike(verdict)}"
    if passed[most] > passed[chosen]:
        likelier = f"by all evidence {names[chosen]} is likelier to be right"
        return f"{told} and {names[most]} {passed[most]}, but {likelier}."
    level = [place for place, count in enumerate(passed) if count == passed[chosen]]
    more = "as one other does" if len(level) == 2 else f"as {len(level) - 1} others do"
    labels = kinds(verdict)
    if len({labels[place] for place in level}) == 1:
        return f"{told}, {more}, with the same outputs on every input: any of them will do."
    return f"{told}, {more}; what else is known sets it apart."


def _company(verdict: Verdict, chosen: int, name: str) -> str:
    """Say how many other candidates are, or do, the same as the *chosen* one."""
    labels, done = kinds(verdict), deeds(verdict)
    seen = sum(any(deed is not None for deed in column) for column in zip(*done, strict=True))
    tried = len(done[chosen])
    others = len(labels) - 1
    like = sum(label == labels[chosen] for label in labels) - 1
    if not others:
        return f"{name} is the only candidate, so no other supports it."
    whom = {0: "none", others: "all"}.get(like, str(like))
    who = f"{whom} of the {others} others".capitalize()
    inputs = _inputs(seen, tried)
    if others == 1 and not like and tried:
        return f"The other one did not do what {name} did on {inputs}."
    if others == 1:
        who = "The other one" if like else "Not even the other one"
    if tried:
        return f"{who} did what {name} did on {inputs}."
    return f"{who} had the very text of {name}. Nothing was run."


def _inputs(seen: int, tried: int) -> str:
    """Name the inputs on which anything came back."""
    if seen == tried:
        return "the one input tried" if tried == 1 else f"all {tried} inputs tried"
    if seen == 1:
        return f"the one input, of {tried} tried, on which anything came back"
    return f"all {seen} inputs, of {tried} tried, on which anything came back"
