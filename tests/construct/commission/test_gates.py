"""Planted faults: each is refused by the gate that should see it, and says what is wrong."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.construct.commission.sample import (
    ANSWERS,
    MESSAGES,
    REQUEST,
    answers,
    docx,
    kinds,
    png,
    runner,
    told,
    write_source,
)
from underspec.construct.commission.media import NotUnderstoodError, texts_of, without_metadata

pytest.importorskip("inspect_ai")
Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every stage before the drafts has passed."""
    folder: Path = tmp_path_factory.mktemp("commission")
    assert asyncio.run(runner(folder, answers()).run(until="interface"))
    return folder


def redone(made_once: Path, folder: Path, stage: str, change: Change) -> set[str]:
    """The kinds of findings with which ``stage`` is refused when its answer is changed and nothing else is."""
    shutil.copytree(made_once / "work", folder / "work")
    made = runner(folder, answers(**{stage: change}), made_once / "source")
    passed = asyncio.run(made.run(until=stage, redo=[stage]))
    standings = made.standings()
    assert {standings[name] for name in list(standings)[: list(standings).index(stage)]} <= {"passed"}
    assert passed == (standings[stage] == "passed")
    return kinds(made, stage)


def screened(folder: Path, **source: Any) -> set[str]:
    """The kinds of findings with which another source is refused."""
    made = runner(folder, answers(), write_source(folder / "source", **source))
    assert not asyncio.run(made.run(until="screen"))
    return kinds(made, "screen")


def test_everything_before_the_drafts_passes_as_it_is(made_once: Path) -> None:
    made = runner(made_once, answers(), made_once / "source")
    assert list(made.standings().values())[:5] == ["passed"] * 5
    verdict = made.folder("extract").state().verdict
    assert verdict is not None
    assert verdict.facts["disclosed_at"]["R-02"] == {"message": 4, "time": 0.5}
    assert verdict.facts["superseded"] == 1


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ({"job": 'title = "x"\npayment = 300.0\n'}, "too_small"),
        ({"job": 'title = "x"\npayment = 5000.0\ncurrency = "EUR"\n'}, "too_small"),
        ({"job": 'title = "x"\npayment = 5000.0\n[[milestones]]\ntitle = "a"\namount = 10.0\n'}, "payment_differs"),
        ({"messages": MESSAGES[:3]}, "too_few_messages"),
    ],
)
def test_what_was_paid_and_said_must_be_enough(tmp_path: Path, source: dict[str, Any], kind: str) -> None:
    assert kind in screened(tmp_path, **source)


def _say_no(document: dict[str, Any]) -> None:
    document["testable"] = {"holds": False, "why": "only looks", "quotes": []}


def _invent_words(document: dict[str, Any]) -> None:
    document["testable"]["quotes"] = [{"message": 0, "words": "tests are included"}]


def _quote_nobody(document: dict[str, Any]) -> None:
    document["testable"]["quotes"] = [{"message": 99, "words": "prints"}]


@pytest.mark.parametrize(
    ("change", "kind"),
    [(_say_no, "screened_out"), (_invent_words, "not_quoted"), (_quote_nobody, "no_such_message")],
)
def test_screening_rests_on_words_that_stand_there(made_once: Path, tmp_path: Path, change: Change, kind: str) -> None:
    assert redone(made_once, tmp_path, "screen", change) == {kind}


def test_nobody_can_be_recognised_in_what_is_clean(made_once: Path) -> None:
    made = runner(made_once, answers(), made_once / "source")
    out = made.folder("scrub").out
    everything = b"".join(
        path.read_bytes() for path in (out / "clean").rglob("*") if path.is_file() and "LICENSE" not in path.name
    )
    for words in (b"Maud", b"Finnery", b"Dalbeck", b"Brimstow", b"brimstow", b"2368"):
        assert words not in everything
    assert b"prints what each car has to pay" in everything
    source = made_once / "source"
    assert (out / "clean/materials/LICENSE.txt").read_bytes() == (source / "materials/LICENSE.txt").read_bytes()
    assert (out / "clean/materials/gate.png").read_bytes() == png()
    report = json.loads((out / "scrub.json").read_text())
    assert report["replaced"]["a name"] >= 3
    assert "Maud" not in json.dumps(report["replaced"])
    assert "Maud" not in (out / "clean/job.toml").read_text()
    originals = json.loads((made.folder("scrub").path / "originals.json").read_text())
    assert "a name: brimstow parking" in originals


def _office(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        for name, content in members.items():
            archive.writestr(name.replace("__", "/") + ".xml", content)
    return made.getvalue()


def _jpeg(*before: bytes, after: bytes = b"") -> bytes:
    scan = b"\xff\xda\x00\x02\x01\xff\x00\xff\xd0\x02"
    return b"\xff\xd8" + b"".join(before) + scan + b"\xff\xc4\x00\x02" + scan + b"\xff\xd9" + after


def _segment(marker: int, data: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


_JFIF = _segment(0xE0, b"JFIF\0".ljust(14, b"\1"))


@pytest.mark.parametrize(
    "carrying",
    [
        _jpeg(_JFIF, _segment(0xE0, b"JFXX\0\x10 Jane Roe")),
        _jpeg(_JFIF, _segment(0xEE, b"Adobe and Jane Roe")),
        _jpeg(_JFIF, _segment(0xE1, b"Exif\0\0Jane Roe")),
        _jpeg(_JFIF, after=b"Jane Roe\xff\xd9"),
    ],
)
def test_a_picture_keeps_only_what_it_shows(carrying: bytes) -> None:
    assert without_metadata("x.jpg", carrying) == _jpeg(_JFIF)


@pytest.mark.parametrize(
    "members",
    [
        {"word__comments": b'<w:comment w:id="1" w:author="Jane Roe" w:initials="JR"/>'},
        {"word__people": b"<w15:person w15:author='Jane Roe'/>"},
        {"DocProps__Core": b"<dc:creator>Jane Roe</dc:creator>"},
        {"xl__comments1": b"<authors><author>Jane Roe</author></authors>"},
        {"xl__persons__person": b'<person displayName="Jane Roe" userId="JR"/>'},
        {"ppt__commentAuthors": b'<p:cmAuthor id="1" name="Jane Roe" initials="JR"/>'},
    ],
)
def test_an_office_file_does_not_say_who_wrote_in_it(members: dict[str, bytes]) -> None:
    bare = without_metadata("x.docx", _office(**members))
    assert not any(word in text for text in texts_of("x", bare).values() for word in ("Jane", "JR"))
    assert without_metadata("x.docx", bare) == bare


def test_a_table_of_a_workbook_keeps_its_name() -> None:
    whole = _office(xl__tables__table1=b'<table name="Rates" displayName="Rates"/>')
    assert texts_of("x", without_metadata("x.xlsx", whole)) == texts_of("x", whole)


def test_an_office_file_whose_texts_cannot_be_searched_is_not_understood() -> None:
    with pytest.raises(NotUnderstoodError, match="no text in UTF-8"):
        without_metadata("x.docx", _office(word__document="Maud Finnery".encode("utf-16")))


def test_a_kind_of_file_that_is_not_understood_is_left_out_and_said(tmp_path: Path) -> None:
    made = runner(tmp_path, answers(), write_source(tmp_path / "source", materials={"call.mp4": b"\0\0\0\x18ftypmp42"}))
    assert asyncio.run(made.run(until="scrub"))
    left = json.loads((made.folder("scrub").out / "scrub.json").read_text())["left_out"]
    assert [each["path"] for each in left] == ["materials/call.mp4"]


@pytest.mark.parametrize(
    ("place", "content", "kind"),
    [
        ("materials/note.txt", b"Ask maud@brimstow-parking.com", "recognisable"),
        ("materials/note.txt", b"see https://parking.brimstow.co.uk/board", "recognisable"),
        ("materials/note.docx", docx("Maud Finnery", "nothing"), "recognisable"),
        ("materials/note.docx", docx("Somebody", "nothing"), "metadata"),
        ("materials/again.png", png("Somebody"), "metadata"),
        ("materials/Maud-Finnery.txt", b"nothing", "recognisable"),
        ("materials/note.txt", "M\u200baud came".encode(), "recognisable"),
        ("materials/note.txt", "\uff2d\uff41\uff55\uff44 came".encode(), "recognisable"),
        ("materials/note.txt", b"&#77;aud came", "recognisable"),
        ("materials/note.txt", b"by MaudFinnery", "recognisable"),
        ("materials/note.txt", b"PK\x03\x04 Maud came", "recognisable"),
        ("materials/NOTICE.csv", b"Maud,Finnery", "recognisable"),
        ("materials/LICENSE", b"sk-live-0123456789abcdef", "recognisable"),
        ("materials/LICENSE.txt", b"another notice", "notice_changed"),
    ],
)
def test_what_a_person_puts_back_is_found(
    made_once: Path, tmp_path: Path, place: str, content: bytes, kind: str
) -> None:
    shutil.copytree(made_once / "work", tmp_path / "work")
    made = runner(tmp_path, answers(), made_once / "source")
    (made.folder("scrub").out / "clean" / place).write_bytes(content)
    assert not asyncio.run(made.run(until="scrub"))
    assert kind in kinds(made, "scrub")


def _keep_a_proposal(document: dict[str, Any]) -> None:
    words = {"message": 5, "words": "I could also make a PDF for each car"}
    one = {"id": "R-05", "text": "A PDF is made for each car.", "stated": "explicit", "quotes": [words]}
    document["requirements"].append(one)


def _confirm_beforehand(document: dict[str, Any]) -> None:
    document["requirements"][1]["confirmed_by"] = {"message": 2, "words": "please make it 15 minutes free"}


def _confirm_by_the_freelancer(document: dict[str, Any]) -> None:
    document["requirements"][1]["confirmed_by"] = {"message": 7, "words": "Understood."}


def _let_the_first_word_win(document: dict[str, Any]) -> None:
    document["requirements"][0]["quotes"] = [{"message": 0, "words": "The first 10 minutes are free."}]
    old = {"quote": {"message": 2, "words": "please make it 15 minutes free, not 10"}, "was": "15 were free"}
    document["requirements"][0]["superseded"] = [old]


def _keep_old_words_elsewhere(document: dict[str, Any]) -> None:
    words = {"message": 0, "words": "The first 10 minutes are free."}
    one = {"id": "R-05", "text": "Ten minutes are free.", "stated": "explicit", "quotes": [words]}
    document["requirements"].append(one)


def _talk_of_the_job(document: dict[str, Any]) -> None:
    document["requirements"][3]["text"] = "The milestone is paid on Friday."


def _invent_a_requirement(document: dict[str, Any]) -> None:
    document["requirements"][3]["quotes"] = [{"message": 8, "words": "cars without plates are towed"}]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (_keep_a_proposal, "unconfirmed"),
        (_confirm_beforehand, "unconfirmed"),
        (_confirm_by_the_freelancer, "unconfirmed"),
        (_let_the_first_word_win, "not_the_last_word"),
        (_keep_old_words_elsewhere, "not_the_last_word"),
        (_talk_of_the_job, "logistics"),
        (_invent_a_requirement, "not_quoted"),
    ],
)
def test_requirements_are_the_clients_last_words(made_once: Path, tmp_path: Path, change: Change, kind: str) -> None:
    assert redone(made_once, tmp_path, "extract", change) == {kind}


def _few(document: dict[str, Any]) -> None:
    document["units"].pop()
    document["background"].append("R-03")


def _telling_topic(document: dict[str, Any]) -> None:
    document["units"][1]["topic"] = "stays that would cost more than 1800 cents"


def _telling_request(document: dict[str, Any]) -> None:
    document["initial"] += "\nHalf an hour costs 120 cents.\n"


def _hide_nothing(document: dict[str, Any]) -> None:
    for unit in document["units"]:
        unit["initially_hidden"] = False


def _rest_on_nothing(document: dict[str, Any]) -> None:
    document["units"][0]["requirements"] = ["R-01", "R-77"]


def _forget_one(document: dict[str, Any]) -> None:
    document["background"] = []


def _no_template(document: dict[str, Any]) -> None:
    document["question"] = "What must it do?"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (_few, "number"),
        (_telling_topic, "topic_tells"),
        (_telling_request, "hidden_literal"),
        (_hide_nothing, "nothing_hidden"),
        (_rest_on_nothing, "no_such_requirement"),
        (_forget_one, "requirement_without_unit"),
        (_no_template, "question"),
    ],
)
def test_units_ask_and_do_not_tell(made_once: Path, tmp_path: Path, change: Change, kind: str) -> None:
    assert kind in redone(made_once, tmp_path, "units", change)


def _lose_the_fake(document: dict[str, Any]) -> None:
    document["fakes"] = []


def _lead_outside(document: dict[str, Any]) -> None:
    document["interface"] += "\nStays can be fetched from https://gate.parking-systems.net/stays.\n"


def _say_no_outputs(document: dict[str, Any]) -> None:
    document["interface"] = "Run `python3 fees.py FILE`, where FILE is the input.\n"


@pytest.mark.parametrize(
    ("change", "kind"),
    [(_lose_the_fake, "no_fake"), (_lead_outside, "outside_host"), (_say_no_outputs, "interface_part")],
)
def test_an_interface_is_whole_and_leads_nowhere(made_once: Path, tmp_path: Path, change: Change, kind: str) -> None:
    assert redone(made_once, tmp_path, "interface", change) == {kind}


def test_a_refused_answer_comes_back_with_its_findings_and_is_mended(tmp_path: Path) -> None:
    wrong = answers(units=_telling_topic)["units"]
    recorded = {**answers(), "units": [told("topic_tells", ANSWERS["units"]), wrong]}
    made = runner(tmp_path, recorded, repairs=1)
    assert asyncio.run(made.run(until="units"))
    assert [turn.kinds for turn in made.folder("units").state().turns] == [("topic_tells",), ()]


@pytest.mark.parametrize("stage", ["screen", "scrub", "extract", "units", "interface"])
def test_prose_in_the_place_of_a_document_is_refused(tmp_path: Path, stage: str) -> None:
    made = runner(tmp_path, {**answers(), stage: ["I would rather not."] * 9})
    assert not asyncio.run(made.run(until=stage))
    assert kinds(made, stage) == {"no_proposal"}


def test_a_source_that_is_damaged_is_refused_with_its_place(tmp_path: Path) -> None:
    source = write_source(tmp_path / "source", request=REQUEST)
    (source / "conversation.json").write_text('{"messages": [{"who": "robot", "text": "x"}]}')
    made = runner(tmp_path, answers(), source)
    assert not asyncio.run(made.run(until="screen"))
    assert kinds(made, "screen") == {"bad_source"}
