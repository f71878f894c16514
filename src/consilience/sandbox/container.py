"""Level `container`: the same worker, inside one Docker or Podman container a worker.

For machines where no wall of ours stands. The container keeps programs from the host's files
and network; the worker's own layers, as far as they hold inside, keep them from each other and
from the worker.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from consilience.errors import SandboxError

ENGINES = ("docker", "podman")
BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from inside import bridge; del sys.path[0]; "
    "bridge.main()"
)
MOUNT = "/consilience"
FLAGS = (
    *("--rm", "--interactive", "--network", "none", "--read-only", "--cap-drop", "ALL"),
    *("--security-opt", "no-new-privileges", "--pids-limit", "256", "--memory", "4g"),
    *("--user", "65534:65534", "--env", "LC_ALL=C.UTF-8"),
)


def command(image: str = "", *, hash_seed: int = 0) -> tuple[str, ...]:
    """Return the command that runs a worker in a container of *image*.

    Raises SandboxError where there is neither Docker nor Podman.
    """
    engine = next((found for name in ENGINES if (found := shutil.which(name))), None)
    if engine is None:
        raise SandboxError(
            "Level container needs Docker or Podman, and neither is on the path.",
            hint="Install one of them, or run on Linux, where level strict needs neither.",
        )
    image = image or f"python:{sys.version_info.major}.{sys.version_info.minor}-slim"
    inside = Path(__file__).with_name("inside")
    mount = ("--volume", f"{inside}:{MOUNT}/inside:ro", "--env", f"PYTHONHASHSEED={hash_seed}")
    return (engine, "run", *FLAGS, *mount, image, "python", *arguments(MOUNT))


def showing(command: Sequence[str], paths: Sequence[str]) -> tuple[str, ...]:
    """Return *command* with *paths* of this machine at their own places, read-only."""
    volumes = (word for path in paths for word in ("--volume", f"{path}:{path}:ro"))
    return (*command[:2], *volumes, *command[2:])


def arguments(folder: str) -> tuple[str, ...]:
    """Return what the interpreter in the container is given; *folder* holds `inside`."""
    return ("-S", "-s", "-P", "-B", "-X", "utf8", "-c", BOOT, folder)
