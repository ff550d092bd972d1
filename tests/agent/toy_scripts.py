"""What a model says that builds the toy task: it asks, and writes the program that the answers ask for."""

from __future__ import annotations

from typing import Any

from tests.agent.scripts import shell, turn
from tests.run.toy_agents import _PROGRAM, _TEST_SH

QUESTION = "How is a whole mean printed, with a decimal point?"
ASK_CALL = {"name": "ask", "arguments": {"question": QUESTION}}

# Asks over HTTP with nothing but Python.
ASK_COMMAND = (
    'python3 -c \'import json, urllib.request as u; print(u.urlopen(u.Request("http://127.0.0.1:8077/ask", '
    f'json.dumps({{"question": "{QUESTION}"}}).encode())).read().decode())\''
)


def write_command(*, knows: bool) -> str:
    """Writes the whole deliverable by one shell command."""
    return (
        "mkdir -p rcb_tests && cat > rcb_tests/program.py <<'PROGRAM'\n"
        f"KNOWS = {knows}\n{_PROGRAM}\nPROGRAM\n"
        f"cat > rcb_tests/test.sh <<'SCRIPT'\n{_TEST_SH}SCRIPT\n"
    )


def builds(*, ask: dict[str, Any] | None = None, tool: str = "shell") -> list[dict[str, Any]]:
    """Turns: perhaps ``ask``, then write everything, then stop."""
    asking = [turn(text="I ask.", calls=[ask])] if ask else []
    return [*asking, shell(write_command(knows=ask is not None), tool=tool), turn(text="All is done.")]
