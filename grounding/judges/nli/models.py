"""Entailment models on this machine: found, held to their pin, loaded, asked.

torch and transformers are imported only where a model is loaded. Nothing is fetched here, no
code that comes with a model runs, and weights are read from safetensors alone: a worker that
downloads in the middle of a run, or runs what a folder holds, would be another judge each time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, Final

from grounding.digests import digest
from grounding.errors import Refused
from grounding.judges.nli.labels import Meaning, meanings
from grounding.rubrics.specs import NliSpec

NEEDED: Final = ("torch", "transformers")
_READ: Final = frozenset({".json", ".model", ".safetensors", ".txt"})
# More than every model's own length is what tokenizers say that have none.
_NO_LENGTH: Final = 1_000_000
PLACES: Final = 4
"""Decimals of a probability: the bits beyond them differ between processors."""


@dataclass(frozen=True)
class Found:
    """A model on this machine: where it lies, and what each of its outputs means."""

    name: str
    folder: Path
    revision: str
    meanings: tuple[Meaning, ...]


def find(spec: NliSpec, rubric: str) -> Found:
    """The model that ``spec`` names, as it is pinned there.

    Raises Refused where the packages or the model are not here, where its files are others than
    were pinned, and where its outputs mean something else than a judge needs.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise Refused(
            f"{rubric} needs {' and '.join(missing)}, not installed here: it is the extra nli"
        )
    if spec.revision.startswith("sha256:"):
        folder = _pinned_folder(Path(spec.model), spec.revision, rubric)
    else:
        folder = _fetched_before(spec.model, spec.revision, rubric)
    return Found(spec.model, folder, spec.revision, meanings(_config(folder, spec.model), rubric))


def digest_of(folder: Path) -> str:
    """Of everything in ``folder`` that loading reads: weights, configuration, tokenizer.

    Raises Refused where there is no such folder, or none with safetensors weights.
    """
    files = _files(folder)
    return _digest(tuple((path, *_stamp(path)) for path in files))


@lru_cache(maxsize=16)
def _digest(stamped: tuple[tuple[Path, int, int], ...]) -> str:
    # By size and time as well, so that files which change are read again.
    return digest({path.name: _sha256(path) for path, _, _ in stamped})


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise Refused(f"there is no folder {folder} with a model")
    files = sorted(path for path in folder.iterdir() if path.suffix in _READ and path.is_file())
    if not any(path.suffix == ".safetensors" for path in files):
        raise Refused(f"{folder} holds no weights as safetensors")
    return files


def _stamp(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pinned_folder(folder: Path, revision: str, rubric: str) -> Path:
    if digest_of(folder) != revision:
        raise Refused(
            f"{rubric} pins a model as {revision}, and the files in {folder} are others; "
            f"`python -m grounding.judges.nli {folder}` prints their digest"
        )
    return folder


def _fetched_before(model: str, revision: str, rubric: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(model, revision=revision, local_files_only=True))
    except (OSError, ValueError) as error:
        raise Refused(
            f"{rubric} names {model} at {revision}, which was not fetched to this machine "
            f"({type(error).__name__})"
        ) from None


def _config(folder: Path, model: str) -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{model} has no config.json that can be read: {error}") from None
    if not isinstance(config, dict):
        raise Refused(f"{model}: its config.json is not an object")
    return config


class Network:
    """A loaded model. One thread asks it at a time: tokenizers keep state while they work."""

    def __init__(self, tokenizer: Any, network: Any, longest: int) -> None:
        self._tokenizer = tokenizer
        self._network = network
        self.longest = longest
        """Tokens that it takes at once, those between and around its two texts included."""
        self.lock = Lock()

    def tokens(self, premise: str, claim: str) -> int:
        """How many tokens the pair is."""
        return len(self._tokenizer(premise, claim, verbose=False)["input_ids"])

    def probabilities(
        self, premises: Sequence[str], claim: str, batch: int
    ) -> list[tuple[float, ...]]:
        """Of each output, for ``claim`` beside each of ``premises``; rounded to `PLACES`.

        Batches hold one claim, so what it gets does not depend on its neighbours, and like
        lengths, so little of them is padding.
        """
        order = iter(sorted(range(len(premises)), key=lambda at: (len(premises[at]), at)))
        found: dict[int, tuple[float, ...]] = {}
        while places := list(islice(order, batch)):
            found |= zip(places, self._batch([premises[at] for at in places], claim), strict=True)
        return [found[at] for at in range(len(premises))]

    def _batch(self, premises: list[str], claim: str) -> list[tuple[float, ...]]:
        import torch

        encoded = self._tokenizer(
            premises, [claim] * len(premises), padding=True, truncation=False, return_tensors="pt"
        )
        with torch.inference_mode():
            shares = torch.softmax(self._network(**encoded).logits.double(), dim=-1)
        return [tuple(round(share, PLACES) for share in row) for row in shares.tolist()]


@lru_cache(maxsize=2)
def load(found: Found) -> Network:
    """The model in memory, once for a process. Raises Refused where it is not whole."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    kept = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(found.folder, **kept)
        network, told = AutoModelForSequenceClassification.from_pretrained(
            found.folder, **kept, use_safetensors=True, dtype="float32", output_loading_info=True
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        first_line = str(error).strip().split("\n")[0]
        raise Refused(f"{found.name} cannot be loaded: {first_line}") from None
    if told["missing_keys"] or told.get("mismatched_keys"):
        # transformers fills such weights in at random, and says so in a warning.
        raise Refused(f"{found.name} is not whole: it lacks weights for its classifier")
    return Network(tokenizer, network.eval(), _longest(tokenizer, network.config))


def _longest(tokenizer: Any, config: Any) -> int:
    """The least of what tokenizer and network take; a network without positions takes any."""
    positions = getattr(config, "max_position_embeddings", None)
    if positions and "roberta" in config.model_type:
        # Its first positions, up to that of padding, are no token's.
        positions -= config.pad_token_id + 1
    said = [tokenizer.model_max_length, positions]
    return min([int(one) for one in said if one and one < _NO_LENGTH], default=_NO_LENGTH)
