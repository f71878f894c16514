"""The Hugging Face hub over plain HTTPS; heeds HF_ENDPOINT, HF_TOKEN and HF_HUB_OFFLINE."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from consilience.models.sources import File, Progress, SourceError, part
from consilience.models.sources.download import client, download


@dataclass(frozen=True, slots=True)
class Hub:
    """A repository of the hub that holds the files under their own names."""

    repository: str
    revision: str = "main"
    name: str = "hub"

    def fetch(self, files: Sequence[File], folder: Path, progress: Progress) -> None:
        """Download each file to its part."""
        if os.environ.get("HF_HUB_OFFLINE", "").lower() in {"1", "true", "yes", "on"}:
            message = "HF_HUB_OFFLINE is set."
            raise SourceError(message)
        host = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
        token = os.environ.get("HF_TOKEN")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        with client() as opened:
            for file in files:
                address = f"{host.rstrip('/')}/{self.repository}/resolve/{self.revision}"
                request = opened.build_request("GET", f"{address}/{file.name}", headers=headers)
                download(opened, request, part(folder, file, self), progress)
