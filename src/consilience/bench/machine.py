"""What a record was made on: the facts a reader needs to judge its figures."""

from __future__ import annotations

import os
import platform
from typing import Any

import numpy

from consilience import __version__


def machine() -> dict[str, Any]:
    """Describe processor, cores, system, Python, numpy and Consilience."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "consilience": __version__,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123  # a kernel file
            names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or "unknown"
