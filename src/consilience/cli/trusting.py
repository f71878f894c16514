"""What `judge` is asked to be sure of, and the verb that fits trust to one's own verdicts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from consilience.cascade import Cascade
from consilience.cli import app
from consilience.cli.options import Engine
from consilience.errors import UsageError
from consilience.judge import Judge, Verdict
from consilience.models.scripted import ScriptedModel
from consilience.store import Store
from consilience.trust import RankBy, Stage
from consilience.trust.calibration import Calibration, load, shipped

UNJUDGED = 1
"""Exit code where nothing could be judged."""
BELOW = 3
"""Exit code where trust is below --fail-under."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Demand:
    """How sure to be, and how far to go for it."""

    level: float | None = None
    """Stop at the first stage where the best candidate is right with this probability; abstain
    where none reaches it."""
    until: Stage = "tests"
    """The last stage that may run: text, behaviour (neither asks a model), tests."""
    rank_by: RankBy | None = None
    """What ranks where tests are written: trust, all evidence (the tests, the task's examples,
    how far the candidates agree); tests, the tests alone, as CoTT does. Default: trust, with
    --preset paper the tests."""
    fail_under: float | None = None
    """Exit with code 3 where a winner is right with less than this probability, or unknown."""
    calibration: Path | None = None
    """Coefficients of your own, as `calibrate` writes them."""

    @contextmanager
    def open(self, engine: Engine, *, draws: bool) -> Iterator[Judge]:
        """Open a judge; with a model only where tests are wanted or candidates to be drawn."""
        for name, value in (("--level", self.level), ("--fail-under", self.fail_under)):
            if value is not None and not 0 <= value <= 1:
                message = f"{name} is a probability, and {value:g} is none."
                raise UsageError(message, hint="Give a number from 0 to 1, such as 0.9.")
        if draws or self.until == "tests":
            with engine.judge() as judging:
                yield judging
            return
        with engine.sandbox() as sandbox, Store(":memory:") as store:
            yield Judge(ScriptedModel(()), sandbox, store, engine.settings())

    def cascade(self, judging: Judge) -> Cascade:
        """Return the stages that are wanted; *judging* writes tests in the last one."""
        return Cascade(
            judging.sandbox,
            judging.settings,
            judging,
            self.level,
            self.until,
            self.rank_by,
            self._coefficients(),
        )

    def exit_code(self, verdicts: Sequence[Verdict]) -> int:
        """Return 3 where a verdict is not trusted as far as was asked, else 0.

        Where no task could be judged at all, that is a failure: 1.
        """
        if verdicts and not any(verdict.judged for verdict in verdicts):
            return UNJUDGED
        if self.fail_under is None:
            return 0
        low = [v for v in verdicts if v.confidence is None or v.confidence < self.fail_under]
        if low:
            told = f"trust is below {self.fail_under:g} in {len(low)} of {len(verdicts)} tasks"
            print(
                f"consilience: {told}: {', '.join(v.task.id for v in low[:5])}", file=sys.stderr
            )
        return BELOW if low else 0

    def _coefficients(self) -> Calibration:
        return shipped() if self.calibration is None else load(self.calibration)


@app.command(name="calibrate")
def calibrate_trust(
    labelled: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=("--output", "-o"))] = None,
) -> int:
    """Fit trust to verdicts whose candidates are known to be right or wrong.

    Parameters
    ----------
    labelled
        What `judge --json` printed, a line a task, with one field more: "right", a list with
        true, false or null for each candidate.
    output
        Where to write the coefficients, for `judge --calibration`. Default: stdout.
    """
    from consilience.bench import labelled as fitting  # noqa: PLC0415  # only when asked for

    found, notes = fitting.calibrate(fitting.read_labelled(labelled), str(labelled))
    for note in notes:
        print(note, file=sys.stderr)
    if output is None:
        sys.stdout.write(found.text())
    else:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(found.text(), encoding="utf-8")
        print(f"wrote {output}", file=sys.stderr)
    return 0
