"""Checkouts in the shape of the published data. Every word in them is made up here.

``make_checkout(tmp_path)`` writes one small alias, ``realcode@001``, whole: three levels, requests, scope, 2 public, 4
native and 2 enhanced cases. Change a part with ``files`` (path to text, bytes, JSON value, or None to leave it out).
``make_large_checkout`` writes hundreds of aliases of a size that real tasks have.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ALIAS = "realcode@001"
TASK = "realcode-001"
USER, REPO = "tinkerhut", "gaugewheel"
KEY = f"{USER}__{REPO}"
URL = f"https://github.com/{USER}/{REPO}"
HEADING = "## Product Requirement Document\n\n"
FOLDERS = {"L1": ("prd_json", "fuzzy_prds"), "L2": ("prd_json_medium", "fuzzy_prds_medium"),
           "L3": ("prd_json_easy", "fuzzy_prds_easy")}  # fmt: skip
SUBDIRS = {"public": "public_test_cases", "native": "test_cases", "enhanced": "enhanced_test_cases"}

PUBLIC: dict[str, dict[str, Any]] = {
    "feature1_turn": {
        "description": "Turns the wheel.",
        "cases": [{"input": {"action": "turn", "by": 2}, "expected_output": "at 2\n"}],
    },
    "feature2_read": {
        "description": "Reads the gauge.",
        "cases": [{"input": {"action": "read"}, "expected_output": "0 bar\n"}],
    },
}
NATIVE = {
    stem: {**file, "cases": [*file["cases"], {"input": {"more": stem}, "expected_output": f"{stem}\n"}]}
    for stem, file in PUBLIC.items()
}
ENHANCED = {
    "feature1_turn_edge": {
        "description": "Turns far.",
        "cases": [
            {"input": {"action": "turn", "by": 10**6}, "expected_output": "at 1000000\n"},
            {"input": {"action": "turn", "by": -1}, "expected_output": "error\n"},
        ],
    }
}
SUITES = {"public": PUBLIC, "native": NATIVE, "enhanced": ENHANCED}


def constraint(id_: str, triggers: Any, response: Any, **more: Any) -> dict[str, Any]:
    """One published record."""
    return {"constraint_id": id_, "trigger_keywords": triggers, "oracle_response": response, **more}


def case_record(stem: str, shown: str | None = None) -> dict[str, Any]:
    """The published record of one public case file."""
    text = json.dumps(PUBLIC[stem], indent=2) if shown is None else shown
    triggers = [f"test cases for {stem}", "test cases", "examples"]
    return constraint(f"TC_{stem}", triggers, f"Here are the public test cases for {stem}:\n{text}")


def level_records(level: str, *, with_cases: bool | None = None) -> list[dict[str, Any]]:
    """The records of a level; ids differ between levels."""
    shift = {"L1": 1, "L2": 4, "L3": 7}[level]
    made = [
        constraint(f"C00{shift}", ["turn too far", "limit", "end stop"], "A turn beyond the stop prints error."),
        constraint(f"C00{shift + 1}", ["unit", "pressure"], "Pressure is given in bar."),
        constraint("ARCH001", ["modules", "layout"], "Keep wheel and gauge in modules of their own."),
        constraint("HARNESS001", ["how is it run"], "bash rcb_tests/test.sh --cases-dir DIR"),
    ]
    if with_cases if with_cases is not None else level != "L3":
        made += [case_record(stem) for stem in PUBLIC]
    return made


def level_document(level: str, **changes: Any) -> dict[str, Any]:
    """One published record file. ``fuzzy_prd`` in ``changes`` replaces the request, other keys those of oracle_data."""
    request = changes.pop(
        "fuzzy_prd", f"# Wheel and gauge ({level})\n\nBuild something that turns and reads, the usual way.\n"
    )
    data = {
        "task_id": KEY,
        "golden_api_signature": "turn(by: int) -> str",
        "hidden_constraints": level_records(level),
        "context_pointers": [{"vague_reference": "the usual way", "actual_meaning": "clockwise"}],
        "fallback_response": "No preference there.",
        **changes,
    }
    return {"fuzzy_prd": request, "oracle_data": {name: value for name, value in data.items() if value is not ...}}


def alias_entry(number: int = 1, **changes: Any) -> dict[str, Any]:
    """One entry of repo_alias.json."""
    return {
        "key": KEY, "username": USER, "repo_name": REPO, "url": URL, "language": "Rust", "star_count": 12,
        "overall_score": 8.5, "completeness": 8, "effectiveness": 9, "reliability": 8, "efficiency": 9,
        "total_code_files": 4, "total_lines_of_code": 100 * number, "alias": f"realcode@{number:03}", **changes,
    }  # fmt: skip


SCOPE_YAML = f"""repos:
- repo_id: {USER}/{REPO}
  username: {USER}
  repo: {REPO}
  language: Rust
  scope: The wheel and the gauge.
  reviewed: yes
  in_scope:
    original: [src/on, '1.10']
    original_files: [lib.rs]
    generated:
    generated_files: []
  original_language: Rust
"""


def checkout_files() -> dict[str, Any]:
    """Every file of the small checkout by path."""
    files: dict[str, Any] = {"repo_alias.json": {ALIAS: alias_entry()}, "repos.yaml": SCOPE_YAML}
    for level, (records, requests) in FOLDERS.items():
        document = level_document(level)
        files[f"{records}/{ALIAS}.json"] = document
        files[f"{requests}/{ALIAS}/start.md"] = HEADING + document["fuzzy_prd"]
    for suite, cases in SUITES.items():
        for stem, file in cases.items():
            files[f"{case_folder(suite)}/{stem}.json"] = file
    return files


def case_folder(suite: str, key: str = KEY) -> str:
    """Where a suite lies in a checkout."""
    return f"rcb_tests_repos/{key}/rcb_tests/{SUBDIRS[suite]}"


def without_cases() -> dict[str, None]:
    """Changes that leave the case folders out."""
    return {path: None for path in checkout_files() if path.startswith("rcb_tests_repos/")}


def make_checkout(folder: Path, files: Mapping[str, Any] | None = None) -> Path:
    """Write the small checkout into ``folder/published`` and return that path."""
    root = folder / "published"
    for path, content in {**checkout_files(), **(files or {})}.items():
        if content is None:
            continue
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode() if isinstance(content, str) else None
        target.write_bytes(json.dumps(content, ensure_ascii=False, indent=2).encode() if data is None else data)
    return root


def another(number: int, **changes: Any) -> dict[str, Any]:
    """Files of one more alias without cases of its own folder, to be given with an entry in repo_alias.json."""
    alias = f"realcode@{number:03}"
    return {f"{records}/{alias}.json": level_document(level, **changes) for level, (records, _) in FOLDERS.items()}


# --- large checkouts ---

_SYLLABLES = re.findall("..", "bacedifoguhajekilomunapeqirosutavewixoyuza")
_WORDS = [one + two + three for one in _SYLLABLES for two in _SYLLABLES for three in ("", "n", "tosi")]
_LANGUAGES = (
    "C#", "C++", "Dart", "Go", "Java", "JavaScript", "Kotlin", "PHP", "Python", "Ruby", "Rust", "TypeScript",
)  # fmt: skip


def _words(dice: random.Random, count: int) -> str:
    return " ".join(dice.choices(_WORDS, k=count))


def _cases(dice: random.Random, count: int) -> list[dict[str, Any]]:
    return [
        {
            "input": {"action": _words(dice, 1), "text": _words(dice, 12), "numbers": dice.choices(range(9999), k=6)},
            "expected_output": _words(dice, 15) + "\n",
        }
        for _ in range(count)
    ]


def _suites(dice: random.Random) -> dict[str, dict[str, Any]]:
    features = [f"feature{number}_{_words(dice, 1)}" for number in range(1, dice.randint(5, 12))]
    public: dict[str, dict[str, Any]] = {
        name: {"description": _words(dice, 8), "cases": _cases(dice, 2)} for name in features
    }
    native = {name: {**file, "cases": file["cases"] + _cases(dice, 8)} for name, file in public.items()}
    enhanced = {
        f"{name}_{kind}": {"description": _words(dice, 8), "cases": _cases(dice, 8)}
        for name in features
        for kind in ("boundary", "logic", "stress")
    }
    return {"public": public, "native": native, "enhanced": enhanced}


def _large_level(dice: random.Random, level: str, public: dict[str, Any], key: str) -> dict[str, Any]:
    texts = [
        constraint(f"C{number:03}", [_words(dice, 3) for _ in range(6)], _words(dice, 40))
        for number in range(1, dice.randint(3, 20))
    ]
    cases = []
    for name, file in public.items():
        triggers = [f"test cases for {name}", "test cases for feature 1", *(_words(dice, 3) for _ in range(4))]
        response = f"Here are the public test cases for {name}:\n{json.dumps(file, indent=2)}"
        cases.append(constraint(f"TC_{name}", triggers, response))
    shown = "\n\n".join(f"```json\n{json.dumps(file, indent=2)}\n```" for file in public.values())
    easy = level == "L3"
    request = (
        f"# {_words(dice, 4)}\n\n" + "\n\n".join(_words(dice, 80) for _ in range(20)) + ("\n\n" + shown if easy else "")
    )
    document = level_document(
        level, fuzzy_prd=request, task_id=key, hidden_constraints=texts if easy else texts + cases,
        context_pointers=[{"vague_reference": _words(dice, 2), "actual_meaning": _words(dice, 9)} for _ in range(4)],
    )  # fmt: skip
    if easy:
        document["oracle_data"] |= {"_constraints": [_words(dice, 30)] * 5, "_plan": {"steps": [_words(dice, 20)] * 9}}
    return document


def make_large_checkout(folder: Path, tasks: int, *, seed: int = 1) -> Path:
    """Write ``tasks`` aliases of the size of real ones into ``folder/published``: about 350 cases, 20 KB a request."""
    root = folder / "published"
    dice = random.Random(seed)
    entries: dict[str, Any] = {}
    scopes: list[str] = []
    for number in range(1, tasks + 1):
        alias, user, repo = f"realcode@{number:03}", f"owner{number}", f"project{number}"
        key = f"{user}__{repo}"
        entries[alias] = alias_entry(
            number, key=key, username=user, repo_name=repo, url=f"https://github.com/{user}/{repo}",
            language=_LANGUAGES[number % 12],
        )  # fmt: skip
        if number % 5:
            scopes.append(SCOPE_YAML.removeprefix("repos:\n").replace(USER, user).replace(REPO, repo))
        suites = _suites(dice)
        files: dict[str, str] = {}
        for level, (records, requests) in FOLDERS.items():
            document = _large_level(dice, level, suites["public"], key)
            files[f"{records}/{alias}.json"] = json.dumps(document)
            files[f"{requests}/{alias}/start.md"] = HEADING + document["fuzzy_prd"]
        for suite, cases in suites.items():
            files |= {f"{case_folder(suite, key)}/{stem}.json": json.dumps(file) for stem, file in cases.items()}
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content)
    (root / "repo_alias.json").write_text(json.dumps(entries))
    (root / "repos.yaml").write_text("repos:\n" + "".join(scopes))
    return root
