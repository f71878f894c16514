"""What is right where a task brings a module of unittest classes: ClassEval's truth.

For scoring only: no judge sees it. A program is right when every test of the task's classes
passes beside it, in the sandbox, with a scratch folder to write into.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from consilience.errors import SandboxError
from consilience.sandbox import Limits, Outcome
from consilience.sandbox.pool import Care, ForkServer
from consilience.task import Target, Task

LIMITS = Limits(cpu_seconds=4.0, wall_seconds=15.0, memory_mb=1024, total_seconds=40.0)
"""Of all tests of a task together; references take less than a tenth of a second."""
SCRATCH_MB = 16

# The sandbox refuses locks on files and changes of mode, neither of which harms in a folder of
# one's own: databases are opened without locks, and a file whose mode forbids it is not opened
# for writing.
_ALLOWANCES = """
def _allow():
    import builtins, io, os, sqlite3
    connect, plain, locked = sqlite3.connect, builtins.open, set()
    def unlocked(database, *args, **kwargs):
        name = os.fspath(database)
        if name == ":memory:" or kwargs.get("uri"):
            return connect(database, *args, **kwargs)
        return connect(f"file:{name}?vfs=unix-none", *args, uri=True, **kwargs)
    def chmod(path, mode, **_):
        (locked.discard if mode & 0o200 else locked.add)(os.path.abspath(path))
    def careful(file, mode="r", *args, **kwargs):
        if not isinstance(file, int) and set(mode) & set("wax+"):
            if os.path.abspath(file) in locked and os.path.exists(file):
                raise PermissionError(13, "Permission denied", file)
        return plain(file, mode, *args, **kwargs)
    sqlite3.connect, os.chmod, builtins.open, io.open = unlocked, chmod, careful, careful
_allow()
del _allow
"""

# The tests are a module of their own: what they import must not change what the program sees.
# They get the names of the skeleton's imports, as they do in the file that ClassEval makes.
_HARNESS = """

def verdict():
    import os, sys, types, unittest
    own, (context, name, tests, classes) = globals(), {parts!r}
    module = types.ModuleType("tests")
    sys.modules["tests"] = module
    vars(module).update((k, v) for k, v in own.items() if not k.startswith("__"))
    exec(context, vars(module))
    setattr(module, name, own[name])
    exec(tests, vars(module))
    os.chdir("/tmp")
    loader = unittest.defaultTestLoader
    classes = classes or [
        k for k, v in vars(module).items()
        if isinstance(v, type) and issubclass(v, unittest.TestCase) and v.__module__ == "tests"
    ]
    suite = unittest.TestSuite(
        loader.loadTestsFromTestCase(vars(module)[each]) for each in classes
    )
    result = unittest.TestResult()
    suite.run(result)
    failed = [case.id() for case, _ in result.failures]
    broken = [case.id() for case, _ in result.errors]
    return (result.testsRun, failed, broken)
"""


@dataclass(frozen=True, slots=True)
class Truth:
    """Whether a program is right, by the tests of its task."""

    right: bool
    why: str
    """Empty where it is right; else what failed, in a few words, without any of the text."""

    @property
    def broken(self) -> bool:
        """Tell a program that no test could be run on from one that failed some."""
        return not self.right and not self.why.startswith("failed")


def has_tests(task: Task) -> bool:
    """Tell whether *task* brings tests of that kind."""
    return "unittest" in task.metadata.get("test", "")


def measure(task: Task, programs: Sequence[str], sandbox: ForkServer) -> list[Truth]:
    """Run the tests of *task* beside each of *programs*."""
    target = Target("verdict", _ALLOWANCES + task.context)
    whole = [program + harness(task) for program in programs]
    ran = sandbox.execute(whole, target, [()], LIMITS, Care(scratch_mb=SCRATCH_MB))
    return [told(execution.outcomes[0]) for execution in ran]


def harness(task: Task) -> str:
    """Write the function that runs the tests of *task* and tells what came of them."""
    names = task.metadata.get("test_classes", "")
    classes = [name for name in names.split(",") if name]
    parts = (task.context, task.entry_point, task.metadata["test"], classes)
    return _HARNESS.format(parts=parts)


def told(outcome: Outcome) -> Truth:
    """Read what the tests said; a program that does not load or never ends is not right.

    Raises:
        SandboxError: the sandbox failed, so that nothing is known of the program.
    """
    if outcome.status == "infrastructure":
        message = f"Tests could not be run: {outcome.message}"
        raise SandboxError(message)
    if not outcome.ok or outcome.value is None:
        return Truth(False, f"{outcome.status} {outcome.error or ''}".strip())
    count, failed, broken = outcome.value.python()
    if not count:
        return Truth(False, "no test ran")
    bad = len({*failed, *broken})
    return Truth(not bad, f"failed {bad} of {count}" if bad else "")
