# type: ignore
# ruff: noqa
"""Runs inside the sandbox, under OpenHands' own Python: one conversation over the prompt on standard input."""

import os
import sys

from openhands.sdk import LLM, Agent, Conversation, Tool
from openhands.tools.file_editor import FileEditorTool
from openhands.tools.task_tracker import TaskTrackerTool
from openhands.tools.terminal import TerminalTool

llm = LLM(
    model="openai/underspec",
    base_url=os.environ["UNDERSPEC_BASE_URL"],
    api_key=os.environ["UNDERSPEC_KEY"],
    usage_id="builder",
)
tools = [Tool(name=tool.name) for tool in (TerminalTool, FileEditorTool, TaskTrackerTool)]
conversation = Conversation(agent=Agent(llm=llm, tools=tools), workspace="/workspace")
conversation.send_message(sys.stdin.read())
conversation.run()
