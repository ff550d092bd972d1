"""Do cases give the same bytes whatever surrounds them? Three runs, and where they differ, what the output depends on.

The first run is plain; the second and third vary everything at once: clock, time zone, locale, hash seed, place, home
folder and the order of the cases. Where an output differs, single changes are tried one at a time, so that the finding
names what it depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from underspec.construct.findings import GateFinding
from underspec.construct.golden_run import PLAIN, GoldenRun, Inputs, Key, Surroundings, run_golden
from underspec.construct.stage import Work
from underspec.construct.tools import clock_mounted
from underspec.grade.golden import difference
from underspec.grade.text import printable
from underspec.task.model import CaseFile

_EAST = {"TZ": "EAST-5:45"}
_GERMAN = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LANGUAGE": "de", "PYTHONUTF8": "1"}
_BARE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
_HOME = {"HOME": "/", "USER": "somebody", "TMPDIR": "/var/tmp"}

VARIED = (
    Surroundings(
        "varied",
        {**_EAST, **_GERMAN, **_HOME, "PYTHONHASHSEED": "1"},
        clock="+417d",
        elsewhere=True,
    ),
    Surroundings(
        "varied again",
        {"TZ": "WEST+9:30", **_BARE, "PYTHONHASHSEED": "4242"},
        clock="@2028-02-29 23:59:30",
        reverse=True,
    ),
)
# What one thing alone is varied, and what an output that follows it is called.
_ALONE: tuple[tuple[str, str, tuple[Surroundings, ...]], ...] = (
    (
        "time_dependent",
        "the clock",
        (Surroundings("clock", clock="+417d"), Surroundings("leap", clock="@2028-02-29 23:59:30")),
    ),
    ("timezone_dependent", "the time zone", (Surroundings("east", _EAST), Surroundings("west", {"TZ": "WEST+9:30"}))),
    ("locale_dependent", "the locale", (Surroundings("german", _GERMAN), Surroundings("bare", _BARE))),
    (
        "hash_order_dependent",
        "the order of hashes",
        tuple(Surroundings(f"hash {seed}", {"PYTHONHASHSEED": seed}) for seed in ("1", "2", "4242")),
    ),
    ("path_dependent", "where it lies, or whose it is", (Surroundings("place", _HOME, elsewhere=True),)),
    ("order_dependent", "the cases before it", (Surroundings("order", reverse=True),)),
)
_FROZEN = Surroundings("frozen", clock="2030-01-02 03:04:05")


@dataclass(frozen=True)
class Steadiness:
    """The plain run, and what is wrong with each case."""

    plain: GoldenRun
    findings: tuple[GateFinding, ...]
    clock_varied: bool


async def check_cases(
    work: Work, tree: Path, files: Mapping[str, CaseFile], suite: str, *, image: str = "host"
) -> Steadiness:
    """Run every case of a suite three times and compare with what it expects; says what outputs depend on.

    Raises:
        SandboxError: the sandbox failed, so nothing is known of the cases.
    """
    inputs = {stem: [case.input for case in file.cases] for stem, file in files.items()}
    work.say(f"{suite}: every case through the golden implementation, run 1 of 3")
    plain = await run_golden(work, tree, inputs, image=image)
    findings = expectation_findings(files, plain, suite)
    others = []
    for number, surroundings in enumerate(VARIED, start=2):
        work.say(f"{suite}: run {number} of 3, with other surroundings")
        others.append(await run_golden(work, tree, inputs, surroundings, image=image))
    shaky = sorted({key for other in others for key in differing(plain, other, inputs)})
    if shaky:
        work.say(f"{suite}: {len(shaky)} outputs differ; looking for what they depend on")
        findings += await _named(work, tree, _only(inputs, shaky), inputs, plain, others, shaky, suite, image)
    varied = clock_mounted() is not None
    if not varied:
        message = "the clock was not varied: no library that shifts it could be had"
        findings.append(
            GateFinding(
                kind="clock_not_varied",
                message=message,
                severity="warning",
                mend="install libfaketime (Debian: `apt install libfaketime`)",
            )
        )
    return Steadiness(plain, tuple(findings), varied)


def expectation_findings(files: Mapping[str, CaseFile], run: GoldenRun, suite: str) -> list[GateFinding]:
    """Cases whose output is missing, or other than what is expected."""
    findings: list[GateFinding] = []
    for stem, file in files.items():
        for index, case in enumerate(file.cases):
            actual = run.outputs.get((stem, index))
            expected = case.expected_output.encode("utf-8", "surrogatepass")
            if actual is None:
                kind, message = "missing_output", "the golden implementation leaves no output"
                evidence = f"{run.ended}; {run.stderr[-400:]}"
            elif actual != expected:
                kind, message = "case_fails", "the golden implementation gives another output"
                evidence = difference(expected, actual)
            else:
                continue
            findings.append(_finding(kind, message, suite, (stem, index), f"{printable(repr(case.input))}: {evidence}"))
    return findings


def differing(one: GoldenRun, other: GoldenRun, inputs: Inputs) -> set[Key]:
    """Cases whose outputs are not the same bytes in both."""
    keys = {(stem, index) for stem, values in inputs.items() for index in range(len(values))}
    return {key for key in keys if one.outputs.get(key) != other.outputs.get(key)}


async def _named(
    work: Work,
    tree: Path,
    few: Inputs,
    inputs: Inputs,
    plain: GoldenRun,
    others: Sequence[GoldenRun],
    shaky: Sequence[Key],
    suite: str,
    image: str,
) -> list[GateFinding]:
    """What each output depends on. All cases of the files concerned run, for order and leftovers may matter."""
    causes: dict[Key, list[tuple[str, str]]] = {key: [] for key in shaky}
    again = await run_golden(work, tree, inputs, PLAIN, image=image)
    unsteady = differing(plain, again, inputs) & set(shaky)
    if unsteady:
        frozen = [await run_golden(work, tree, few, _FROZEN, image=image) for _ in range(2)] if clock_mounted() else []
        still = differing(frozen[0], frozen[1], few) if frozen else unsteady
        for key in unsteady:
            random = key in still or not frozen
            causes[key].append(("random", "chance") if random else ("time_dependent", "the clock"))
    for kind, what, settings in _ALONE:
        left = [key for key in shaky if key not in unsteady]
        if not left:
            break
        for surroundings in settings:
            run = await run_golden(work, tree, inputs, surroundings, image=image)
            for key in differing(plain, run, inputs) & set(left):
                if (kind, what) not in causes[key]:
                    causes[key].append((kind, what))
    findings = []
    for key in shaky:
        other = next(run.outputs.get(key) for run in others if run.outputs.get(key) != plain.outputs.get(key))
        evidence = difference(plain.outputs.get(key) or b"", other)
        for kind, what in causes[key] or [("unsteady", "its surroundings, in a way that no single change shows")]:
            findings.append(_finding(kind, f"the output depends on {what}", suite, key, evidence))
    return findings


def _only(inputs: Inputs, keys: Iterable[Key]) -> Inputs:
    stems = {stem for stem, _ in keys}
    return {stem: values for stem, values in inputs.items() if stem in stems}


def _finding(kind: str, message: str, suite: str, key: Key, evidence: str) -> GateFinding:
    stem, index = key
    return GateFinding(
        kind=kind,
        message=message,
        file=f"{suite}/{stem}.json",
        where=f"$.cases[{index}]",
        evidence=evidence[:700],
        mend=_MENDS.get(kind, "make the dispatcher's answer depend on its input alone, or drop the case"),
    )


_MENDS = {
    "case_fails": "correct what is expected to what the golden implementation gives, or drop the case",
    "missing_output": "make the dispatcher answer this input, or drop the case",
    "hash_order_dependent": "let the dispatcher sort what has no order",
    "time_dependent": "give the time with the input, or drop the case",
    "random": "give the seed with the input, or drop the case",
}
