"""Models that answer by a function of what they were told, behind the real tap, ledger and pool."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from underspec.grade.critic.critic import Critic, Subject
from underspec.grade.critic.reading import read_generated, read_golden
from underspec.grade.structure.languages import find_language
from underspec.model.ledger import Ledger
from underspec.model.models import open_model
from underspec.model.roles import Role
from underspec.model.spec import ModelSpec, make_spec
from underspec.prompts.critic import critic_prompts

Said = Callable[[list[str], str], Any]
"""From the texts of all messages and the endpoint's name to an answer: a text, a ModelOutput, or an exception."""

GOLDEN = {
    "adder/__init__.py": "from adder.core import add\n",
    "adder/core.py": "def add(first, second):\n    return first + second\n",
    "tests/test_core.py": "def test_nothing():\n    pass\n",
}
GENERATED = {
    "sums.py": "def total(numbers):\n    return sum(numbers)\n",
    "main.py": "import json, sys\nimport sums\nprint(sums.total(json.load(sys.stdin)))\n",
    "README.md": "# sums\n",
    "rcb_tests/test.sh": "python3 main.py\n",
}


class Status(Exception):
    """An HTTP error as a provider's library would raise it."""

    retry_after: float | None = None

    def __init__(self, status: int) -> None:
        super().__init__("CONTENT-OF-THE-PROMPT")
        self.status_code = status


def served(monkeypatch: pytest.MonkeyPatch, said: Said, *, endpoints: int = 1) -> ModelSpec:
    """The specification of a model that answers by ``said``."""
    from inspect_ai.model import ModelOutput
    from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI

    monkeypatch.setenv("CRITIC_KEY", "none")
    places = [{"base_url": f"http://127.0.0.1:9/{number}", "key_env": "CRITIC_KEY"} for number in range(endpoints)]

    async def generate(self: Any, input: Any, *_: Any) -> ModelOutput:
        answer = said([message.text for message in input], self.base_url.rsplit("/", 1)[1])
        if isinstance(answer, Exception):
            raise answer
        return ModelOutput.from_content("m", answer) if isinstance(answer, str) else answer

    monkeypatch.setattr(OpenAICompatibleAPI, "generate", generate)
    return make_spec("openai-api/local/m", endpoints=places, retries=1)


def critic_of(spec: ModelSpec, ledger: Ledger | None = None, **fields: Any) -> Critic:
    """A critic on that model."""
    model = open_model(spec, role=Role.CRITIC, phase="review", ledger=ledger)
    return Critic(model=model, name=spec.name, prompts=critic_prompts(), **fields)


def mark_in(text: str) -> str:
    """The mark that a prompt is given with."""
    found = re.match(r"The mark of this review is ([0-9a-f]{32})\.", text)
    assert found is not None
    return found[1]


def dimension_in(system: str) -> str:
    """Which of the three questions a prompt asks."""
    words = {"Likeness of behaviour": "semantic", "Likeness of the public interface": "api", "Quality of the": "design"}
    [found] = [name for start, name in words.items() if start in system]
    return found


def verdict(mark: str, score: Any, rationale: Any = "sums.total is add", **more: Any) -> str:
    """An answer as it should be, for a good score and rationale."""
    return json.dumps({"review": mark, "rationale": rationale, "score": score, **more})


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    """A tree of these files."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    root.mkdir(exist_ok=True)
    return root


def subject_of(
    folder: Path, generated: dict[str, str | bytes] | None = None, golden: dict[str, str | bytes] | None = None
) -> Subject:
    """Both trees, read from a folder."""
    python = find_language("python")
    assert python is not None
    return Subject(
        task="toy",
        deliverable=None,
        golden=read_golden(write(folder / "golden", golden if golden is not None else {**GOLDEN}), python),
        generated=read_generated(
            write(folder / "generated", generated if generated is not None else {**GENERATED}), python
        ),
        language="Python",
        generated_language="Python",
    )
