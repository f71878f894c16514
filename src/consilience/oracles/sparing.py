"""The gate, for less: ask only what can still matter, and do no harm with the answer.

With its settings at their defaults it is the gate of CoTT. Each lever is off until asked for:
which inputs are paid for at all (`settle`), what is believed once the gate is open (`rule`,
`weight`), and what an answer for one input says about the others: programs written for it may
vote there (`reuse`), general programs that it contradicts may lose their vote (`witness`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol

from consilience.oracles import Oracle, Prediction, decide
from consilience.oracles.gate import Gate, choose, is_open, keep
from consilience.oracles.pooling import pool
from consilience.oracles.stakes import Stakes, risk, worth
from consilience.sandbox import Limits, Outcome, Sandbox
from consilience.settings import Settings
from consilience.task import Route, Target, TestInput
from consilience.values import Value
from consilience.voters import Voters, agrees
from consilience.votes import Votes, count_votes


class Lending(Oracle, Protocol):
    """An oracle that lends the programs it was given for other inputs."""

    def programs(self, *, apart_from: TestInput) -> list[str]:
        """Return what was written for all inputs but one."""
        ...


class Helpers:
    """Programs written for one input, run on others."""

    def __init__(
        self, oracle: Lending, target: Target, sandbox: Sandbox, settings: Settings
    ) -> None:
        self._oracle = oracle
        self._target = target
        self._sandbox = sandbox
        self._settings = settings

    def votes(self, item: TestInput) -> Votes:
        """Count what the programs that were written for other inputs say on *item*."""
        limits = Limits(cpu_seconds=self._settings.cpu_seconds)
        sources = self._oracle.programs(apart_from=item)
        voters = Voters(sources, self._target, self._sandbox, limits)
        [column] = voters.outcomes([item.probe])
        return count_votes(
            column, failures=self._settings.failures, exceptions=self._settings.exceptions
        )


class Voting(Oracle, Protocol):
    """An oracle whose votes, and what each program gave, can be had before it decides."""

    def votes(self, inputs: Sequence[TestInput]) -> list[Votes]:
        """Count the votes on each input."""
        ...

    def columns(self, inputs: Sequence[TestInput]) -> Sequence[Sequence[Outcome]]:
        """Return what each program did, a column an input."""
        ...


def gated(
    inductive: Voting,
    transductive: Lending,
    settings: Settings,
    stakes: Stakes | None = None,
    helpers: Helpers | None = None,
) -> Oracle:
    """Compose the two routes: as in CoTT, unless *settings* ask for less."""
    plain = settings.settle == "all" or stakes is None
    if plain and settings.rule == "paper" and not (settings.reuse or settings.witness):
        return Gate(inductive, transductive, settings.tau)
    return Sparing(inductive, transductive, settings, stakes, helpers)


class Sparing:
    """A gate that asks in rounds, what matters most first, until nothing can change."""

    def __init__(
        self,
        inductive: Voting,
        transductive: Oracle,
        settings: Settings,
        stakes: Stakes | None = None,
        helpers: Helpers | None = None,
    ) -> None:
        self._inductive = inductive
        self._transductive = transductive
        self._settings = settings
        self._stakes = stakes
        self._helpers = helpers if settings.reuse else None

    def predict(self, inputs: Sequence[TestInput]) -> list[Prediction]:
        """Predict each input; what cannot matter is left to induction, and says so."""
        counted = self._inductive.votes(inputs)
        case = _Case(inputs, counted, self._inductive.columns(inputs))
        case.made = {
            place: keep(votes)
            for place, votes in enumerate(counted)
            if not is_open(votes, self._settings.tau)
        }
        while chosen := self._next(case):
            self._ask(case, chosen)
            self._help(case)
        spared = {place: _spared(case.votes[place], self._why) for place in case.waiting}
        return [(case.made | spared)[place] for place in range(len(inputs))]

    def _next(self, case: _Case) -> list[int]:
        """Choose the inputs to ask for now; none where the rest cannot matter."""
        waiting = case.waiting
        settle, stakes = self._settings.settle, self._stakes
        if settle == "all" or stakes is None:
            return self._first(case, waiting)
        undecided = [
            stakes.open(case.inputs[place], case.votes[place], case.columns[place])
            for place in waiting
        ]
        if settle == "differ":
            divided = [p for p, one in zip(waiting, undecided, strict=True) if one.divides]
            return self._first(case, divided)
        scores = stakes.scores(case.inputs, case.made)
        if risk(scores, undecided, settle) <= self._settings.risk:
            return []
        worths = worth(scores, undecided, settle)
        ranked = sorted(zip(worths, waiting, strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [place for value, place in ranked if value > 0][: self._settings.at_once]

    def _first(self, case: _Case, places: Sequence[int]) -> list[int]:
        """Take all at once, unless an answer may spare others: then the most disputed ones."""
        if self._helpers is None and not self._settings.witness:
            return list(places)
        disputed = sorted(places, key=lambda place: (-case.votes[place].entropy(), place))
        return disputed[: self._settings.at_once]

    def _ask(self, case: _Case, chosen: Sequence[int]) -> None:
        """Have programs written for the chosen inputs, and decide them."""
        answers = self._transductive.predict([case.inputs[place] for place in chosen])
        for place, answer in zip(chosen, answers, strict=True):
            case.votes[place] = self._votes(case, place)
            case.made[place] = self._believed(case.votes[place], answer)
            if self._settings.witness and answer.votes.reaches(self._settings.tau):
                case.testify(place, answer.value)

    def _help(self, case: _Case) -> None:
        """Count again on what is still open, with what was learnt; it may close there."""
        if self._helpers is None and not self._settings.witness:
            return
        for place in case.waiting:
            case.votes[place] = self._votes(case, place)
            if not is_open(case.votes[place], self._settings.tau):
                route: Route = "inductive" if self._helpers is None else "pooled"
                case.made[place] = replace(keep(case.votes[place]), route=route)

    def _votes(self, case: _Case, place: int) -> Votes:
        """Count those who may vote, and the programs written for other inputs."""
        votes = case.counted[place]
        if len(case.trusted) < len(case.columns[place]):
            column = [case.columns[place][row] for row in case.trusted]
            votes = count_votes(
                column, failures=self._settings.failures, exceptions=self._settings.exceptions
            )
        if self._helpers is None:
            return votes
        return pool(votes, self._helpers.votes(case.inputs[place]), self._settings.reuse)

    def _believed(self, votes: Votes, answer: Prediction) -> Prediction:
        """Decide between the two routes by the rule that was chosen."""
        rule = self._settings.rule
        if rule == "supported" and answer.value is not None and _as_good(votes, answer.votes):
            why = "transduction is no better supported"
            return replace(keep(votes), reliable=False, reason=why)
        if rule == "pooled":
            both = pool(votes, answer.votes, self._settings.weight)
            if both.winner is not None:
                return Prediction(both.winner, "pooled", both, inductive=votes)
        return choose(votes, answer)

    @property
    def _why(self) -> str:
        return {
            "differ": "not paid for: the candidates agree on it",
            "order": "not paid for: the order of the candidates is settled without it",
            "top1": "not paid for: who leads is settled without it",
        }.get(self._settings.settle, "")


class _Case:
    """The inputs of one task, the votes on each, and what was decided so far."""

    def __init__(
        self,
        inputs: Sequence[TestInput],
        counted: Sequence[Votes],
        columns: Sequence[Sequence[Outcome]],
    ) -> None:
        self.inputs = inputs
        self.columns = columns
        self.counted = counted
        """Of the general programs alone."""
        self.votes = list(counted)
        """With those of the programs that were written for other inputs."""
        self.made: dict[int, Prediction] = {}
        self.trusted = list(range(len(columns[0]) if columns else 0))
        """The general programs that no witness contradicts."""

    def testify(self, place: int, label: Value | None) -> None:
        """Take the vote from programs that do not give *label*, unless none would be left."""
        if label is None:
            return
        kept = [row for row in self.trusted if agrees(self.columns[place][row], label)]
        self.trusted = kept or self.trusted

    @property
    def waiting(self) -> list[int]:
        """The places of the inputs that are not decided."""
        return [place for place in range(len(self.inputs)) if place not in self.made]


def _as_good(one: Votes, other: Votes) -> bool:
    """Tell whether *one* has a winner with no smaller a share than *other*'s."""
    return one.winner is not None and _share(one) >= _share(other)


def _share(votes: Votes) -> Fraction:
    return Fraction(votes.count, votes.total) if votes.total else Fraction(0)


def _spared(votes: Votes, why: str) -> Prediction:
    """Leave an input to the leader of induction, where it has one."""
    found = decide(votes, "inductive")
    reason = "; ".join(filter(None, (found.reason, why)))
    return replace(found, reliable=False, reason=reason, inductive=votes)
