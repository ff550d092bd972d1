"""What names the repository is taken out of texts, save where a case needs it; ordinary words are left and said."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.task.icae.check import imported, level, loaded, said
from tests.task.icae.synthetic import (
    ALIAS,
    KEY,
    REPO,
    URL,
    USER,
    alias_entry,
    case_folder,
    constraint,
    level_document,
    level_records,
)
from underspec.task import release
from underspec.task.icae.identity import MASK, Identity, Masking, full_names
from underspec.task.icae.notes import Notes
from underspec.task.icae.repositories import repository_of
from underspec.task.identity import may_hold, term_pattern
from underspec.task.load import load_task
from underspec.task.model import LEVELS
from underspec.task.validate import validate_task

L1 = f"prd_json/{ALIAS}.json"
PUBLIC = f"{case_folder('public')}/feature1_turn.json"
NATIVE = f"{case_folder('native')}/feature1_turn.json"

MASKED = {
    KEY: MASK,
    f"{USER}/{REPO}": MASK,
    URL: MASK,
    f"{URL}.git": f"{MASK}.git",
    f"{URL}/issues/7": f"{MASK}/issues/7",
    f"git@github.com:{USER}/{REPO}.git": f"git@github.com:{MASK}.git",
    f"import github.com/{USER}/{REPO}/v2": f"import {MASK}/v2",
    f"{USER.upper()}/{REPO.title()}": MASK,
    f"({KEY})": f"({MASK})",
}
LEFT = [REPO, USER, f"{USER}-{REPO}", f"{USER} {REPO}", f"x{USER}/{REPO}", f"{USER}/{REPO}s", f"{REPO.title()}Error"]


def telling(text: str) -> dict[str, Any]:
    """A level in which every text holds ``text``."""
    return level_document(
        "L1",
        fuzzy_prd=f"# Wheel\n\nSee {text} .\n",
        golden_api_signature=f"turn {text} ",
        fallback_response=f"Nothing, {text} .",
        hidden_constraints=[constraint("C001", [f"where is {text} "], f"At {text} .")],
        context_pointers=[{"vague_reference": f"the {text} ", "actual_meaning": f"is {text} "}],
    )


def texts(path: Path) -> list[str]:
    task = load_task(path)
    known = level(task, "L1")
    return [
        task.requests["L1"], known.signature or "", known.fallback, known.records[0].triggers[0],
        known.records[0].response, known.pointers[0].reference, known.pointers[0].meaning,
    ]  # fmt: skip


@pytest.mark.parametrize("text", MASKED)
def test_full_names_are_masked_in_every_text_and_it_is_said(tmp_path: Path, text: str) -> None:
    result = imported(tmp_path, {L1: telling(text), f"fuzzy_prds/{ALIAS}/start.md": None})
    assert all(f" {MASKED[text]} " in shown + " " for shown in texts(result.path))
    assert said(result.findings, "named the repository 1 times")  # the request
    assert said(result.findings, "named the repository 6 times")  # the records
    assert {finding.severity for finding in validate_task(result.path)} == {"warning"}


@pytest.mark.parametrize("text", LEFT)
def test_bare_words_are_left_as_published_and_said(tmp_path: Path, text: str) -> None:
    result = imported(tmp_path, {L1: telling(text)})
    assert all(f" {text} " in shown + " " for shown in texts(result.path))
    task = load_task(result.path)
    assert text in release.request_text(task, "L1")
    assert release.session_records(task, "L1")
    findings = said(result.findings, "a part of the golden library's name")
    words = {word for word in (USER, REPO) if re.search(rf"(?i)(?<![a-z]){word}(?!s)", text)}
    assert {re.findall(r"'(\w+)'", finding.message)[0] for finding in findings} == words
    assert {finding.file for finding in findings} == (
        {"hidden/records.json", "hidden/requests/L1.md"} if words else set()
    )
    assert {finding.severity for finding in validate_task(result.path)} == {"warning"}


def test_words_that_stand_in_many_places_are_said_once_a_file(tmp_path: Path) -> None:
    many = [constraint(f"C{number:03}", ["x"], f"{REPO} {REPO}") for number in range(40)]
    result = imported(tmp_path, {L1: level_document("L1", hidden_constraints=many)})
    (finding,) = said(result.findings, "80 times")
    assert (finding.file, finding.where) == ("hidden/records.json", "$.levels.L1.records[0].response")


@pytest.mark.parametrize(
    ("username", "repo"), [("json", "schema"), ("the", "usual"), ("C", "D"), ("a.b", "c-d"), ("data", "data")]
)
def test_a_repository_called_by_ordinary_words_is_usable(tmp_path: Path, username: str, repo: str) -> None:
    entry = alias_entry(
        key=f"{username}__{repo}", username=username, repo_name=repo, url=f"https://github.com/{username}/{repo}"
    )
    text = f"{username} {repo} {username}-{repo} {username}_{repo} {repo} {username}s {username}{repo.title()}"
    document = level_document("L1", fuzzy_prd=f"# The usual {text}\n", task_id=f"{username}__{repo}")
    document["oracle_data"]["hidden_constraints"].append(constraint("C900", [text], text))
    task = loaded(tmp_path, {"repo_alias.json": {ALIAS: entry}, L1: document})
    assert text in release.request_text(task, "L1")
    assert release.session_records(task, "L1").records[-1].response == text
    assert release.request_text(task, "recovered")
    assert {finding.severity for finding in validate_task(task.path)} == {"warning"}


# --- what cases need ---

NEEDS = {
    "a public input": (PUBLIC, {"input": {"url": URL}, "expected_output": "x"}),
    "a public output": (PUBLIC, {"input": 1, "expected_output": f"see {URL}\n"}),
    "a hidden output": (NATIVE, {"input": 2, "expected_output": f"see {URL}\n"}),
    "a key of an input": (NATIVE, {"input": {URL: 1}, "expected_output": "x"}),
}


@pytest.mark.parametrize(("file", "case"), NEEDS.values(), ids=NEEDS.keys())
def test_a_name_that_a_case_needs_stays_everywhere_and_is_said(tmp_path: Path, file: str, case: dict[str, Any]) -> None:
    result = imported(tmp_path, {L1: telling(URL), file: {"description": "x", "cases": [case]}})
    assert all(URL in shown for shown in texts(result.path))
    task = load_task(result.path)
    assert URL in release.request_text(task, "L1")
    assert release.session_records(task, "L1")
    assert URL not in task.toml.identity
    assert KEY in task.toml.identity
    assert said(result.findings, "a part of the golden library's name")
    assert {finding.severity for finding in validate_task(result.path)} == {"warning"}


def test_a_case_file_in_a_record_is_never_changed(tmp_path: Path) -> None:
    given = f'Here are the public test cases for x:\n{{"cases": [{{"input": "{URL}", "expected_output": "{KEY}"}}]}}'
    records = [*level_records("L1"), constraint("TC_x", ["x"], given)]
    task = loaded(tmp_path, {L1: level_document("L1", hidden_constraints=records)})
    assert level(task, "L1").records[-1].response == given
    assert release.session_records(task, "L1")


# --- what must not be weakened ---


def test_a_name_put_back_into_an_imported_text_is_an_error_and_refused(tmp_path: Path) -> None:
    path = imported(tmp_path).path
    request = path / "hidden" / "requests" / "L1.md"
    request.write_text(request.read_text() + f"\nSee {URL}\n")
    assert [finding.file for finding in validate_task(path) if "names the golden library" in finding.message] == [
        "hidden/requests/L1.md"
    ]
    with pytest.raises(Exception, match="identity"):
        release.request_text(load_task(path), "L1")


def test_an_address_of_a_mere_site_names_no_repository() -> None:
    notes = Notes()
    entry = alias_entry(url="https://example.org/")
    assert "https://example.org" not in full_names(repository_of(ALIAS, {ALIAS: entry}, notes))
    assert full_names(repository_of(ALIAS, {ALIAS: alias_entry(url=f"{URL}.git/")}, notes)) == {
        KEY, f"{USER}/{REPO}", URL, f"github.com/{USER}/{REPO}",
    }  # fmt: skip


_NAME = st.text("ab.-_C0", min_size=1, max_size=4).filter(lambda name: name.strip("._-"))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(username=_NAME, repo=_NAME, data=st.data())
def test_whatever_it_is_called_nothing_is_refused_and_no_full_name_is_shown(
    tmp_path_factory: pytest.TempPathFactory, username: str, repo: str, data: st.DataObject
) -> None:
    names = [f"{username}__{repo}", f"{username}/{repo}", f"https://github.com/{username}/{repo}", username, repo]
    piece = st.sampled_from([*names, *[name.upper() for name in names], " ", "-", "x", "/", "__", "\n"])
    text = "".join(data.draw(st.lists(piece, max_size=12)))
    document = telling(text)
    document["oracle_data"]["task_id"] = names[0]
    entry = alias_entry(key=names[0], username=username, repo_name=repo, url=names[2])
    task = loaded(tmp_path_factory.mktemp("made"), {"repo_alias.json": {ALIAS: entry}, L1: document})
    shown = [release.request_text(task, "L1"), release.request_text(task, "recovered")]
    shown += [release.session_records(task, name).model_dump_json() for name in ("L1", "L2", "L3")]
    for name in task.toml.identity:
        pattern = rf"(?i)(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])"
        assert not any(re.search(pattern, each) for each in shown)
    assert set(task.requests) == set(LEVELS)


def test_names_that_are_glued_to_each_other_all_go() -> None:
    masking = Masking(Identity(frozenset({"0__0_"}), frozenset()))
    assert masking.text("0__0_0__0_") == f"{MASK}{MASK}"


def test_a_key_of_one_word_is_an_ordinary_word(tmp_path: Path) -> None:
    entry = alias_entry(
        key="repository", username="the", repo_name="repository", url="https://github.com/the/repository"
    )
    task = loaded(tmp_path, {"repo_alias.json": {ALIAS: entry}, L1: telling("the/repository")})
    assert f"See {MASK} ." in release.request_text(task, "L1")
    assert "repository" in task.toml.identity_words


def test_a_text_without_names_is_the_very_same() -> None:
    text = "nothing here"
    assert Masking(Identity(frozenset({KEY}), frozenset())).text(text) is text


@given(st.text(max_size=30), st.lists(st.text(min_size=1, max_size=4), max_size=3))
@example("a gıt b", ["git"])
@example("a gİt b", ["git"])
@example("maſk", ["mask"])
@example("\u212aey", ["key"])
@example("My Lib", ["my-lib"])
@example("é", ["É"])
def test_the_quick_look_for_names_never_misses_one(text: str, terms: list[str]) -> None:
    pattern = term_pattern(terms)
    if pattern and pattern.search(text):
        assert may_hold(terms, text)
