"""The repair of one program, round by round.

A round shows the model the best program so far with a few reliable tests that it fails, draws
repairs and judges them on the same suite. It ends where nothing is left to repair, where a
round brings nothing better, and where rounds or budget are used up.
"""

from __future__ import annotations

from dataclasses import replace

from consilience.code import normalise
from consilience.improve import STAGE, Attempt, Improvement, Plan, trusted
from consilience.improve.failures import lines
from consilience.improve.trial import Standing, compare, stand
from consilience.judge import Judge, weigh
from consilience.models import Ledger, Usage
from consilience.models.stored import StoredModel
from consilience.sampling import asking, code_sampling, read
from consilience.task import Candidate, Task, TestSuite

PLAN = Plan()


def improve(
    judge: Judge,
    task: Task,
    candidate: Candidate,
    *,
    plan: Plan = PLAN,
    suite: TestSuite | None = None,
) -> Improvement:
    """Repair *candidate* by the reliable tests that it fails, of *suite* or of one written now.

    The result never passes fewer reliable tests than *candidate*. Where it fails none of them,
    or none can be relied on, the model is asked for no repair.
    """
    ledger = Ledger(parent=judge.ledger)
    suite = judge.tests(task, ledger) if suite is None else suite
    model = StoredModel(judge.model, judge.store, ledger, STAGE)
    return _Workshop(judge, suite, plan, model).improve(candidate)


class _Workshop:
    def __init__(self, judge: Judge, suite: TestSuite, plan: Plan, model: StoredModel) -> None:
        self._judge, self._suite, self._plan, self._model = judge, suite, plan, model
        tau = judge.settings.tau if plan.tau is None else plan.tau
        self._trusted = trusted(suite, tau)
        self._attempts: list[Attempt] = []
        self._rounds = self._unread = 0

    def improve(self, original: Candidate) -> Improvement:
        [best] = stand(self._judge, self._suite, [original])
        reason = self._nothing_to_do(best)
        while not reason:
            self._rounds += 1
            better = self._round(best)
            best = better or best
            reason = self._why_stop(best) if better else _NOTHING.format(self._rounds)
        return self._result(original, best.candidate, reason)

    def _result(self, original: Candidate, best: Candidate, reason: str) -> Improvement:
        pair = [original] if best is original else [original, best]
        verdict = weigh(self._suite, pair, self._judge.sandbox, self._judge.settings)
        usage = self._model.ledger.by_stage()
        return Improvement(
            original=original,
            best=best,
            trusted=self._trusted,
            verdict=replace(verdict, model=self._judge.model.name, usage=usage),
            attempts=tuple(self._attempts),
            reason=reason,
            rounds=self._rounds,
            unread=self._unread,
        )

    def _nothing_to_do(self, original: Standing) -> str:
        """Say why not even a first round makes sense; empty where it does."""
        if not self._trusted:
            return "no test can be relied on"
        if not original.failing(self._trusted):
            return "the program fails no reliable test"
        return self._why_stop(original)

    def _why_stop(self, best: Standing) -> str:
        """Say why no further round is begun; empty where one is."""
        if not best.failing(self._trusted):
            return "every reliable test is passed"
        spent = self._model.ledger.by_stage().get(STAGE, Usage())
        cap = self._plan.tokens
        if cap is not None and spent.prompt_tokens + spent.completion_tokens >= cap:
            return f"the budget of {cap:,} tokens is used up"
        return "the rounds are used up" if self._rounds >= self._plan.rounds else ""

    def _round(self, best: Standing) -> Standing | None:
        """Draw repairs of *best*; return the one that is better than it, if any is."""
        number = self._rounds
        task_id = self._suite.task.id
        drawn = [
            Candidate(task_id, code, place, f"repair {number}.{place + 1}")
            for place, code in enumerate(self._draw(best))
            if code
        ]
        self._unread += self._plan.n - len(drawn)
        repairs = stand(self._judge, self._suite, drawn)
        attempts = compare(best, repairs, self._suite, self._trusted, number)
        self._attempts += attempts
        self._judge.progress(task_id, STAGE, number, self._plan.rounds)
        pairs = zip(attempts, repairs, strict=True)
        return next((repair for attempt, repair in pairs if attempt.taken), None)

    def _draw(self, best: Standing) -> list[str]:
        """Ask for repairs; a reply without a program is an empty text."""
        task, settings = self._suite.task, self._judge.settings
        failing = best.failing(self._trusted)
        prompt = asking(
            "repair",
            task,
            program=normalise(best.candidate.code).strip("\n"),
            failures="\n".join(lines(best, self._suite, failing, self._plan.shown)),
        )
        sampling = code_sampling(task, settings)
        replies = self._model.complete(
            prompt, n=self._plan.n, sampling=sampling, seed=settings.seed
        )
        return [found.code if found.status == "ok" else "" for found in read(task, replies)]


_NOTHING = "no repair of round {} passes more reliable tests"
