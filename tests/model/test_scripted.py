"""Scripts, and the models that play them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.model.scripts import opened, script
from underspec.errors import UsageError
from underspec.model.ledger import Ledger
from underspec.model.scripted import Cursor, Heard, parse_script

pytest.importorskip("inspect_ai")


def texts(toml: str, *heard: Heard) -> list[str]:
    cursor = Cursor(parse_script(toml))
    return [cursor.next(each)[0].text for each in heard]


def test_turns_come_in_order() -> None:
    assert texts('[[turn]]\ntext = "a"\n[[turn]]\ntext = "b"', Heard(["x"]), Heard(["y"])) == ["a", "b"]


def test_a_script_that_has_ended_says_so() -> None:
    with pytest.raises(UsageError, match="no turn for this call"):
        texts('[[turn]]\ntext = "a"', Heard(["x"]), Heard(["y"]))


def test_a_turn_answers_only_what_it_is_for() -> None:
    toml = """
    [[turn]]
    when = {no_tools = true}
    text = "title"
    repeat = true
    [[turn]]
    when = {last = "exit code 0"}
    text = "done"
    [[turn]]
    when = {tool = "Bash", results = 0}
    text = "begin"
    [[turn]]
    when = {anywhere = "system words"}
    text = "system"
    """
    heard = [
        Heard(["build it"], ["Bash"]),
        Heard(["name this"], []),
        Heard(["build it", "ran: exit code 0"], ["Bash"], 1),
        Heard(["name that"], []),
        Heard(["system words", "hello"], ["Read"], 3),
    ]
    assert texts(toml, *heard) == ["begin", "title", "done", "title", "system"]


def test_lines_of_json_are_a_script_too() -> None:
    script = parse_script('{"text": "a"}\n\n{"text": "b", "stop": "max_tokens"}\n', jsonl=True)
    assert [(turn.text, turn.stop) for turn in script.turn] == [("a", None), ("b", "max_tokens")]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("no toml", ""),
        ("", "turn"),
        ('[[turn]]\nspeech = "a"', "speech"),
        ("[[turn]]\nfault = {status = 200}", "fault"),
        ("[[turn]]\nusage = {input = -1}", "usage"),
    ],
)
def test_a_wrong_script_is_named_with_the_place(text: str, where: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_script(text, origin="my.toml")
    assert caught.value.file == "my.toml"
    assert where in (caught.value.where or "")


def test_everything_that_a_turn_says_arrives(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        {
            "text": "I look",
            "reasoning": "let me see",
            "calls": [{"name": "look", "arguments": {"at": "x"}}],
            "usage": {"input": 7, "output": 5, "cache_read": 3, "cache_write": 2, "reasoning": 4},
        },
        {"text": "no", "stop": "content_filter"},
        {"text": "long", "stop": "max_tokens"},
    )

    async def main() -> None:
        ledger = Ledger.in_memory()
        model = opened(path, ledger=ledger)
        output = await model.generate("go")
        assert output.stop_reason == "tool_calls"
        assert output.message.text == "I look"
        assert output.message.content[0].reasoning == "let me see"
        [call] = output.message.tool_calls
        assert (call.function, call.arguments, call.id) == ("look", {"at": "x"}, "call_1")
        usage = output.usage
        assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (7, 5, 17)
        assert (usage.input_tokens_cache_read, usage.input_tokens_cache_write, usage.reasoning_tokens) == (3, 2, 4)
        assert (await model.generate("go")).stop_reason == "content_filter"
        assert (await model.generate("go")).stop_reason == "max_tokens"
        assert [call.outcome for call in ledger.calls] == ["ok", "refused", "ok"]

    asyncio.run(main())


def test_usage_that_is_not_given_is_reckoned_from_the_texts(tmp_path: Path) -> None:
    path = script(tmp_path, {"text": "12345"}, {"text": "x"}, usage={"input": 99})

    async def main() -> None:
        model = opened(path)
        first = await model.generate("hello")
        assert (first.usage.input_tokens, first.usage.output_tokens) == (99, 2)

    asyncio.run(main())


def test_each_opened_model_reads_from_the_beginning_also_at_once(tmp_path: Path) -> None:
    path = script(tmp_path, *({"text": str(number), "delay": 0.001} for number in range(5)))

    async def one() -> list[str]:
        model = opened(path)
        return [(await model.generate("go")).completion for _ in range(5)]

    async def main() -> None:
        for said in await asyncio.gather(*(one() for _ in range(8))):
            assert said == ["0", "1", "2", "3", "4"]

    asyncio.run(main())


def test_a_tool_is_found_by_part_of_its_name(tmp_path: Path) -> None:
    from inspect_ai.tool import ToolInfo

    path = script(tmp_path, {"calls": [{"name": "ask", "like": True, "arguments": {"question": "why?"}}]})

    async def main() -> None:
        tool = ToolInfo(name="mcp__stakeholder__ask_user", description="asks")
        output = await opened(path).generate("go", tools=[tool])
        assert output.message.tool_calls[0].function == "mcp__stakeholder__ask_user"

    asyncio.run(main())
