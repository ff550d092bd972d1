"""Claude Code (npm ``@anthropic-ai/claude-code``), without anybody at the keyboard, inside the sandbox."""

from __future__ import annotations

import json

from underspec.agent.bridge import KEY, Bridge, bridge_url, presented_name
from underspec.agent.launch import Launch, prompt_of
from underspec.agent.program import ProgramAgent
from underspec.agent.protocol import Assignment
from underspec.sandbox.images.agents.layer import AgentLayer

_WEB_TOOLS = ("WebSearch", "WebFetch")
_MCP_CONFIG = "/root/.underspec/mcp.json"


class ClaudeCodeAgent(ProgramAgent):
    """Reads the prompt on standard input, with all permissions that the sandbox leaves it."""

    name = "claude-code"
    speaks_mcp = True

    def launch(self, assignment: Assignment, layer: AgentLayer, bridge: Bridge) -> Launch:
        """See :class:`ProgramAgent`."""
        model = presented_name(assignment)
        argv = [layer.program, "--print", "--dangerously-skip-permissions", "--model", model]
        argv += ["--output-format", "stream-json", "--verbose"]
        files = {}
        if bridge.mcp:
            servers = {name: {"type": "http", "url": url} for name, url in bridge.mcp.items()}
            files[_MCP_CONFIG] = json.dumps({"mcpServers": servers}).encode()
            argv += ["--mcp-config", _MCP_CONFIG, "--strict-mcp-config"]
        if assignment.network != "open":
            argv += ["--disallowedTools", ",".join(_WEB_TOOLS)]
        env = {
            "ANTHROPIC_BASE_URL": bridge_url(),
            "ANTHROPIC_API_KEY": KEY,
            # Every size of model is the one that is measured.
            "ANTHROPIC_DEFAULT_OPUS_MODEL": model,
            "ANTHROPIC_DEFAULT_SONNET_MODEL": model,
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": model,
            "CLAUDE_CODE_SUBAGENT_MODEL": model,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            # Or the first call to the model may come before the tools are there.
            "MCP_CONNECTION_NONBLOCKING": "false",
            # All tools in sight from the first call: one that has to be searched for is not found.
            "ENABLE_TOOL_SEARCH": "false",
            # It refuses to skip permissions as root anywhere else.
            "IS_SANDBOX": "1",
            "HOME": "/root",
        }
        return Launch(tuple(argv), env, prompt_of(assignment).encode(), files)
