"""Do the suites notice when the golden implementation is changed a little? Simple mutants, run in a sandbox.

Mutants are single tokens exchanged: comparisons, logic, arithmetic, numbers, truth values, negations. Which are tried
is decided by a hash of their place, so that the same golden code always gives the same ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from underspec.construct.coverage import Lines
from underspec.construct.golden_run import FOLDER, PLAIN, Key, inputs_of, lay_cases, run_once
from underspec.construct.sources_shown import source_paths
from underspec.construct.stage import Work
from underspec.grade.structure.languages import find_language
from underspec.sandbox.protocol import WORKSPACE, Limits
from underspec.task.layout import VENDORED_GOLDEN
from underspec.task.model import CaseFile

if TYPE_CHECKING:
    from tree_sitter import Node

LANGUAGES = ("python", "javascript")
NUMBER = 40
_LEAST_SECONDS = 10.0
_PATIENCE = 10
_SWAPS = {
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "==="},
    **{"and": "or", "or": "and", "&&": "||", "||": "&&", "not": "", "!": "", "is not": "is", "not in": "in"},
    **{"+": "-", "-": "+", "*": "+", "/": "*", "//": "*", "%": "+", "+=": "-=", "-=": "+="},
}
_WITHIN = frozenset(
    {"comparison_operator", "boolean_operator", "binary_operator", "augmented_assignment", "not_operator"}
    | {"binary_expression", "augmented_assignment_expression", "unary_expression"}
)
_WORDS = {"true": {"True": "False", "true": "false"}, "false": {"False": "True", "false": "true"}}
_NUMBERS = ("integer", "number")


@dataclass(frozen=True)
class Mutant:
    """One exchange: bytes ``start`` to ``end`` of a file become ``new``. ``line`` counts from 1."""

    path: str
    start: int
    end: int
    line: int
    old: str
    new: str

    def applied(self, data: bytes) -> bytes:
        """The file with it."""
        return data[: self.start] + self.new.encode() + data[self.end :]

    @property
    def order(self) -> str:
        """Where it comes among all."""
        return hashlib.sha256(f"{self.path}:{self.start}:{self.old}:{self.new}".encode()).hexdigest()


@dataclass(frozen=True)
class MutationCheck:
    """``possible`` mutants lie on lines that suites run; ``tried`` of them were run; ``survived`` went unnoticed."""

    possible: int
    tried: int
    survived: tuple[Mutant, ...]
    sound: bool = True

    @property
    def killed(self) -> int:
        """How many were noticed."""
        return self.tried - len(self.survived)

    @property
    def share(self) -> float:
        """Of those tried, how many were noticed."""
        return self.killed / self.tried if self.tried else 0.0


def can_mutate(language: str) -> bool:
    """Whether mutants of a language can be made."""
    found = find_language(language)
    return found is not None and found.key in LANGUAGES


def mutants_of(root: Path, language: str, lines: Lines | None) -> list[Mutant]:
    """Every mutant of a library's sources, in the order in which they are tried; only on ``lines`` where given."""
    found = [
        mutant
        for path in source_paths(root, language)
        for mutant in file_mutants(path, (root / path).read_bytes(), language)
        if lines is None or mutant.line in lines.get(path, frozenset())
    ]
    return sorted(found, key=lambda mutant: mutant.order)


def file_mutants(path: str, data: bytes, language: str) -> Iterator[Mutant]:
    """The mutants of one file. It is parsed, and nothing of it runs."""
    from tree_sitter import Parser
    from tree_sitter_language_pack import get_language

    known = find_language(language)
    if known is None or known.key not in LANGUAGES:
        return
    waiting = [Parser(get_language(known.key)).parse(data).root_node]  # type: ignore[arg-type]
    while waiting:
        node = waiting.pop()
        waiting.extend(reversed(node.children))
        if (swapped := _swap(node)) is not None:
            old = data[node.start_byte : node.end_byte].decode("utf-8", "replace")
            yield Mutant(path, node.start_byte, node.end_byte, node.start_point[0] + 1, old, swapped)


def _swap(node: Node) -> str | None:
    if node.child_count:
        return None
    text = (node.text or b"").decode("utf-8", "replace")
    if node.type in _WORDS:
        return _WORDS[node.type].get(text)
    if node.type in _NUMBERS:
        return str(int(text) + 1) if text.isdigit() and len(text) < 10 else None
    if node.parent is not None and node.parent.type in _WITHIN:
        return _SWAPS.get(node.type)
    return None


async def check_mutants(
    work: Work,
    tree: Path,
    golden: Path,
    suites: Mapping[str, CaseFile],
    language: str,
    lines: Lines | None,
    *,
    number: int,
    image: str,
) -> MutationCheck:
    """Run all cases on each of ``number`` mutants. ``tree`` is the composed golden tree.

    A mutant is noticed when an output is another, or missing, or does not come in time.

    Raises:
        SandboxError: the sandbox failed.
    """
    inputs = inputs_of(suites)
    expected: dict[Key, bytes] = {
        (stem, index): case.expected_output.encode("utf-8", "surrogatepass")
        for stem, file in suites.items()
        for index, case in enumerate(file.cases)
    }
    possible = mutants_of(golden, language, lines)
    survived: list[Mutant] = []
    lay_cases(tree, inputs)
    limits = Limits(memory=1024**3, processes=128)
    async with work.sandbox(image=image, lower=tree, limits=limits) as sandbox:
        env = PLAIN.environment()
        plain = await run_once(sandbox, WORKSPACE, inputs, env)
        if plain.outputs != expected:
            return MutationCheck(len(possible), 0, (), sound=False)
        seconds = max(_LEAST_SECONDS, _PATIENCE * plain.seconds)
        tried = possible[:number]
        for count, mutant in enumerate(tried, start=1):
            if count % 10 == 1:
                work.say(f"mutants of the golden implementation: {count} of {len(tried)}")
            place = f"{WORKSPACE}/{VENDORED_GOLDEN}/{mutant.path}"
            original = (golden / mutant.path).read_bytes()
            await sandbox.put(place, mutant.applied(original))
            await sandbox.exec(["rm", "-rf", f"rcb_tests/stdout/{FOLDER}"])
            run = await run_once(sandbox, WORKSPACE, inputs, env, seconds=seconds)
            if run.outputs == expected:
                survived.append(mutant)
            await sandbox.put(place, original)
    return MutationCheck(len(possible), len(tried), tuple(survived))
