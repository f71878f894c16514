"""A Ray cluster of whole nodes on one machine, as Ray's own tests have it."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from consilience.errors import MissingExtraError

NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_log_monitor": False}
HEAD = {"include_dashboard": False, "no_monitor": True}
PORTS = (
    "metrics_agent_port",
    "metrics_export_port",
    "dashboard_agent_listen_port",
    "runtime_env_agent_port",
)
"""Were they not given, a node would wait for them, but not long on a busy machine."""
PATIENCE = {
    "RAY_raylet_start_wait_time_s": "600",
    "RAY_gcs_server_port_wait_time_s": "600",
    "RAY_agent_register_timeout_ms": "600000",
    "RAY_worker_register_timeout_seconds": "600",
    "RAY_health_check_initial_delay_ms": "120000",
    "RAY_health_check_timeout_ms": "60000",
    "RAY_usage_stats_enabled": "0",
}
"""Ray's own limits suppose an idle machine; on a busy one its nodes give up while starting."""


@contextmanager
def local_cluster(nodes: int = 2) -> Iterator[Any]:
    """Start a cluster of *nodes* nodes of one core each on this machine; end it in the end."""
    for name, value in PATIENCE.items():
        os.environ.setdefault(name, value)
    try:
        utilities = import_module("ray.cluster_utils")
    except ImportError as error:
        raise MissingExtraError("ray", "ray") from error
    cluster = utilities.Cluster(initialize_head=True, head_node_args={**node(), **HEAD})
    try:
        for _ in range(nodes - 1):
            cluster.add_node(**node())
        yield cluster
    finally:
        cluster.shutdown()


def node() -> dict[str, Any]:
    """Describe a node, with ports that are free now."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.socket()) for _ in PORTS]
        for each in taken:
            each.bind(("127.0.0.1", 0))
        numbers = [each.getsockname()[1] for each in taken]
    return {**NODE, **dict(zip(PORTS, numbers, strict=True))}
