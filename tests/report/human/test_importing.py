"""Sheets are read strictly, and nothing that was once in one is ever lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.report.human.study_sample import filled
from underspec.artifact.human import AnnotationKey, HumanScores, Sample
from underspec.artifact.judgements import Label
from underspec.errors import StoreError
from underspec.report.human.importing import ReadSheet, merge, read_sheet
from underspec.report.human.sheets import sheet_csv
from underspec.report.human.study import Study


def key_of(kind: str = "critic", samples: int = 4) -> AnnotationKey:
    units = ("RU-1", "RU-2") if kind == "judge" else ()
    return AnnotationKey.model_validate(
        {
            "kind": kind,
            "seed": 0,
            "runs": {"run": "/runs/run"},
            "strata": (),
            "samples": [
                Sample(
                    id=f"S00{place}",
                    run="run",
                    item=f"i{place}",
                    folder=f"f{place}",
                    task="t",
                    condition="c",
                    subject="d",
                    units=units,
                )
                for place in range(1, samples + 1)
            ],
        }
    )


KEY, JUDGE = key_of(), key_of("judge")
HEADER = "study,annotator,sample,semantic,api,design,note"


def rows(*lines: str, key: AnnotationKey = KEY, header: str = HEADER) -> bytes:
    return "\n".join([header, *(line.replace("STUDY", key.study) for line in lines), ""]).encode()


def read(tmp_path: Path, data: bytes, key: AnnotationKey = KEY, people: tuple[str, ...] = ()) -> ReadSheet:
    path = tmp_path / "sheet.csv"
    path.write_bytes(data)
    return read_sheet(key, path, people)


def scores(key: AnnotationKey) -> HumanScores:
    return HumanScores(study=key.study, kind=key.kind)


def test_a_filled_sheet_is_read_as_it_was_filled(tmp_path: Path) -> None:
    sheet = read(tmp_path, filled(sheet_csv(KEY, "A1"), lambda row: {"semantic": 70, "api": 0, "design": "99.5"}))
    assert sheet.errors == []
    merged = merge(KEY, scores(KEY), sheet)
    assert (merged.new, merged.same, merged.changed) == (12, 0, 0)
    assert [each.sample for each in merged.scores.ratings] == ["S001", "S002", "S003", "S004"]
    assert all((each.semantic, each.api, each.design) == (70, 0, 99.5) for each in merged.scores.ratings)
    assert merged.scores.sheets[0].filled == 4


def test_an_untouched_sheet_is_no_rating(tmp_path: Path) -> None:
    merged = merge(KEY, scores(KEY), read(tmp_path, sheet_csv(KEY, "A1")))
    assert merged.scores.ratings == ()
    assert (merged.scores.sheets[0].rows, merged.scores.sheets[0].filled) == (4, 0)


@pytest.mark.parametrize(
    ("line", "row", "column", "message"),
    [
        ("STUDY,A1,S001,101,,,", 2, "semantic", "101 is not between 0 and 100"),
        ("STUDY,A1,S001,-1,,,", 2, "semantic", "-1 is not between"),
        ("STUDY,A1,S001,,many,,", 2, "api", "'many' is no number"),
        ("STUDY,A1,S001,,,nan,", 2, "design", "'nan' is no number"),
        ("STUDY,A1,S001,,,1e2,", 2, "design", "'1e2' is no number"),
        ("STUDY,A1,S001,,,1_0,", 2, "design", "'1_0' is no number"),
        ("STUDY,A1,S001,٤,,,", 2, "semantic", "is no number"),
        ('STUDY,A1,S001,"1,000",,,', 2, "semantic", "'1,000' is no number"),
        ("STUDY,A1,S009,1,,,", 2, "sample", "there is no sample 'S009'"),
        ("STUDY,A1,,1,,,", 2, "sample", "there is no sample ''"),
        ("other,A1,S001,1,,,", 2, "study", "'other' is another study"),
        ("STUDY,,S001,1,,,", 2, "annotator", "nobody's name stands here"),
        ("STUDY,eve,S001,1,,,", 2, "annotator", "there is no sheet for 'eve'"),
        ("STUDY,A1,S001,1,,,\nSTUDY,A2,S002,1,,,", 3, "annotator", "'A2' is somebody else"),
        ("STUDY,A1,S001,1,,,\n\nSTUDY,A1,S001,2,,,", 4, "sample", "S001 stood in row 2"),
        ("STUDY,A1,S001,1,2,3,a note, with a comma", 2, None, "has 8 cells, not 7"),
        (f"STUDY,A1,S001,1,2,3,{'x' * 4001}", 2, "note", "has 4001 characters"),
    ],
)
def test_each_wrong_cell_is_named_with_its_mend(
    tmp_path: Path, line: str, row: int, column: str | None, message: str
) -> None:
    data = rows(line).replace(b"\nSTUDY", b"\n" + KEY.study.encode())
    sheet = read(tmp_path, data, people=("A1", "A2"))
    (error,) = sheet.errors
    assert (error.file, error.row, error.column) == ("sheet.csv", row, column)
    assert message in error.message
    assert error.mend
    assert str(error).startswith(f"sheet.csv, row {row}{f', column {column}' if column else ''}: ")


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    sheet = read(tmp_path, rows("STUDY,A1,S001,200,x,,", "STUDY,A1,S404,1,,,", "STUDY,A1,S002,,,-3,"))
    assert [(each.row, each.column) for each in sheet.errors] == [
        (2, "semantic"),
        (2, "api"),
        (3, "sample"),
        (4, "design"),
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "has no row"),
        (b"\n\n", "has no row"),
        (rows(), "has no row"),
        (b"PK\x03\x04\x00\x00", "is no CSV file"),
        (rows("STUDY,A1,S001,1,,,").replace(b"design", b"desing"), "the column design is missing"),
        (rows("STUDY,A1,S001,1,,,", header=HEADER + ",extra"), "there is no column 'extra'"),
        (rows("STUDY,A1,S001,1,,,", header=HEADER + ",api"), "the column api comes twice"),
        (rows('STUDY,A1,S001,1,,,"an open quote'), "cannot be read as CSV after this"),
        ("study;sémantique".encode("latin-1"), "byte 7 is no UTF-8"),
    ],
)
def test_what_is_no_sheet_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (error,) = read(tmp_path, data).errors
    assert message in error.message


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert "no such file" in read_sheet(KEY, tmp_path / "gone.csv").errors[0].message
    assert "cannot be read" in read_sheet(KEY, tmp_path).errors[0].message


@pytest.mark.parametrize("change", ["semicolons", "tabs", "crlf", "no mark", "order", "spaces", "case", "trailing"])
def test_what_spreadsheets_do_to_a_sheet_is_harmless(tmp_path: Path, change: str) -> None:
    lines = ["STUDY,A1,S001,1,2.5,3,note", "STUDY,A1,S002,4,,6,"]
    header = HEADER
    if change == "order":
        header, lines = (
            "note,design,api,semantic,sample,annotator,study",
            [",".join(line.split(",")[::-1]) for line in lines],
        )
    if change == "spaces":
        lines = [line.replace(",", " , ") for line in lines]
    if change == "case":
        header = header.upper()
    if change == "trailing":
        header, lines = header + ",,", [line + ",," for line in [*lines, ",,,,,,"]]
    data = rows(*lines, header=header)
    data = data.replace(b",", b";") if change == "semicolons" else data
    data = data.replace(b",", b"\t") if change == "tabs" else data
    data = data.replace(b"\n", b"\r\n") if change == "crlf" else data
    data = data if change == "no mark" else b"\xef\xbb\xbf" + data
    sheet = read(tmp_path, data)
    assert sheet.errors == []
    assert sheet.cells == {
        ("S001",): {"semantic": "1.0", "api": "2.5", "design": "3.0", "note": "note"},
        ("S002",): {"semantic": "4.0", "design": "6.0"},
    }


def test_decimals_with_a_comma_are_read(tmp_path: Path) -> None:
    sheet = read(tmp_path, rows("STUDY;A1;S001;8,5;100;99,25;", header=HEADER.replace(",", ";")))
    assert sheet.errors == []
    assert sheet.cells["S001",] == {"semantic": "8.5", "api": "100.0", "design": "99.25"}


def test_labels_are_the_three_words_in_any_case(tmp_path: Path) -> None:
    answers: dict[tuple[str, str], str] = {
        ("S001", "RU-1"): "Correct",
        ("S001", "RU-2"): "PARTIAL",
        ("S002", "RU-1"): "",
    }
    sheet = read(
        tmp_path,
        filled(sheet_csv(JUDGE, "A1"), lambda row: {"label": answers.get((row["sample"], row["unit"]), "incorrect")}),
        JUDGE,
    )
    assert sheet.errors == []
    found = {(each.sample, each.unit): each.label for each in merge(JUDGE, scores(JUDGE), sheet).scores.labels}
    assert found["S001", "RU-1"] is Label.CORRECT
    assert found["S001", "RU-2"] is Label.PARTIAL
    assert ("S002", "RU-1") not in found
    assert len(found) == 7
    header = "study,annotator,sample,unit,label,note"
    for line, message in (
        ("STUDY,A1,S001,RU-1,right,", "'right' is no label"),
        ("STUDY,A1,S001,RU-9,correct,", "the sample has no unit 'RU-9'"),
    ):
        (error,) = read(tmp_path, rows(line, key=JUDGE, header=header), JUDGE).errors
        assert message in error.message


def test_an_empty_cell_takes_nothing_away_and_a_changed_one_is_remembered(tmp_path: Path) -> None:
    first = merge(KEY, scores(KEY), read(tmp_path, rows("STUDY,A1,S001,10,20,30,first", "STUDY,A1,S002,1,2,3,")))
    second = merge(KEY, first.scores, read(tmp_path, rows("STUDY,A1,S001,10,,35,")))
    assert (second.new, second.same, second.changed) == (0, 1, 1)
    one, other = second.scores.ratings
    assert (one.semantic, one.api, one.design, one.note) == (10, 20, 35, "first")
    assert (other.semantic, other.api, other.design) == (1, 2, 3)
    (before,) = second.scores.superseded
    assert (before.place, before.column, before.value, before.annotator) == ("S001", "design", "30.0", "A1")


def test_an_old_sheet_imported_again_undoes_nothing(tmp_path: Path) -> None:
    old, new = rows("STUDY,A1,S001,10,20,30,"), rows("STUDY,A1,S001,11,21,31,")
    known = merge(KEY, scores(KEY), read(tmp_path, old)).scores
    known = merge(KEY, known, read(tmp_path, new)).scores
    again = merge(KEY, known, read(tmp_path, old))
    assert again.scores == known
    assert (again.new, again.changed) == (0, 0)


def test_annotators_do_not_touch_each_others_scores(tmp_path: Path) -> None:
    known = merge(KEY, scores(KEY), read(tmp_path, rows("STUDY,A1,S001,10,20,30,"))).scores
    known = merge(KEY, known, read(tmp_path, rows("STUDY,A2,S001,90,80,70,"))).scores
    assert {each.annotator: each.semantic for each in known.ratings} == {"A1": 10, "A2": 90}
    assert known.annotators == ("A1", "A2")


def study_in(folder: Path) -> Study:
    study = Study(folder / "study")
    study.begin(KEY)
    return study


def test_one_wrong_sheet_keeps_all_of_them_out(tmp_path: Path) -> None:
    study = study_in(tmp_path)
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_bytes(rows("STUDY,A1,S001,10,20,30,"))
    bad.write_bytes(rows("STUDY,A2,S001,10,20,300,"))
    imported = study.take([good, bad])
    assert [(error.file, error.row, error.column) for error in imported.errors] == [("bad.csv", 2, "design")]
    assert not (study.path / "scores.json").exists()
    assert study.take([good]).errors == []
    assert study.scores().annotators == ("A1",)


@pytest.mark.parametrize(
    ("file", "mend"), [("scores.json", "import the sheets in imports/ again"), ("key.json", "put back")]
)
def test_a_damaged_study_is_not_to_be_thrown_away(tmp_path: Path, file: str, mend: str) -> None:
    study = study_in(tmp_path)
    (study.path / file).write_bytes(b"{")
    with pytest.raises(StoreError) as caught:
        study.scores() if file == "scores.json" else study.key()
    assert mend in (caught.value.mend or "")


def test_every_sheet_that_came_is_kept_as_it_was(tmp_path: Path) -> None:
    study, sheet = study_in(tmp_path), tmp_path / "A1.csv"
    contents = [rows("STUDY,A1,S001,10,20,30,"), rows("STUDY,A1,S001,15,20,30,")]
    for content in contents:
        sheet.write_bytes(content)
        study.take([sheet])
    assert sorted(path.read_bytes() for path in (study.path / "imports").iterdir()) == sorted(contents)


Fill = dict[tuple[str, str], float]
cells = st.dictionaries(
    st.tuples(st.sampled_from([each.id for each in KEY.samples]), st.sampled_from(["semantic", "api", "design"])),
    st.integers(0, 1000).map(lambda tenth: tenth / 10),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(cells, min_size=1, max_size=5), st.integers(0, 99))
def test_whatever_comes_in_parts_the_last_word_on_each_cell_stands(
    tmp_path_factory: pytest.TempPathFactory, parts: list[Fill], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    known, expected = scores(KEY), dict[tuple[str, str], float]()
    for number, part in enumerate(parts):

        def values(row: dict[str, str], part: Fill = part, number: int = number) -> dict[str, object]:
            given_cells = {column: value for (sample, column), value in part.items() if sample == row["sample"]}
            return {**given_cells, "note": f"part {number}"}

        known = merge(KEY, known, read(folder, shuffled(filled(sheet_csv(KEY, "A1"), values), seed))).scores
        expected |= part
    found = {
        (each.sample, name): score
        for each in known.ratings
        for name in ("semantic", "api", "design")
        if (score := each.score(name)) is not None
    }
    assert found == expected
    # What was replaced is remembered: every value that ever stood somewhere is found.
    everything = {(each.place, each.column, float(each.value)) for each in known.superseded if each.column != "note"}
    everything |= {(sample, column, value) for (sample, column), value in found.items()}
    assert {(sample, column, value) for part in parts for (sample, column), value in part.items()} <= everything


def shuffled(sheet: bytes, seed: int) -> bytes:
    header, *lines = sheet.splitlines(keepends=True)
    random.Random(seed).shuffle(lines)
    return b"".join([header, *lines])


def test_sheets_of_any_bytes_raise_nothing(tmp_path: Path) -> None:
    source = random.Random(5)
    begin: Callable[[], bytes] = lambda: source.choice([b"", HEADER.encode() + b"\n", b"\xef\xbb\xbf", rows()])  # noqa: E731
    for _ in range(300):
        noise = bytes(source.choice(b"\",;\n\r\t 019.-aS\x00\xff'=") for _ in range(source.randrange(80)))
        assert read(tmp_path, begin() + noise).errors
