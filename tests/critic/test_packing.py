"""Laws of packing: the budget holds, the order holds, and every file is accounted for."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from underspec.grade.critic.inert import inert, inert_line
from underspec.grade.critic.packing import BYTES_PER_TOKEN, FRAME_BYTES, Packed, Packing, SourceFile, pack, tokens_of
from underspec.grade.critic.prompt import data_block, mark_of
from underspec.grade.critic.relevance import order

_NAMES = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12)
_PATHS = st.lists(_NAMES, min_size=1, max_size=4).map(lambda parts: inert_line("/".join(parts)))
_TEXTS = st.one_of(
    st.text(max_size=400),
    st.builds(lambda line, times: f"{line}\n" * times, st.text(max_size=60), st.integers(0, 300)),
    st.builds(lambda part, times: part * times, st.text(max_size=5), st.integers(0, 2000)),
).map(inert)
_FILES = st.lists(st.builds(SourceFile, _PATHS, _TEXTS), max_size=12, unique_by=lambda file: file.path)
_BUDGETS = st.integers(0, 4000)
_SHARES = st.floats(0, 1)


def sides(packing: Packing) -> tuple[Packed, Packed]:
    return packing.golden, packing.generated


@given(_FILES, _FILES, _BUDGETS, _SHARES)
def test_the_block_never_exceeds_the_budget(
    golden: list[SourceFile], generated: list[SourceFile], budget: int, share: float
) -> None:
    packing = pack(golden, generated, budget, golden_share=share)
    size = len(data_block(packing, mark_of(packing)).encode())
    assert tokens_of(size) <= max(budget, tokens_of(FRAME_BYTES))


@given(_FILES, _FILES, _BUDGETS, _SHARES)
def test_every_file_is_shown_cut_or_left_out_and_the_most_relevant_come_first(
    golden: list[SourceFile], generated: list[SourceFile], budget: int, share: float
) -> None:
    for files, packed in zip(
        (golden, generated), sides(pack(golden, generated, budget, golden_share=share)), strict=True
    ):
        assert [*(piece.file for piece in packed.pieces), *packed.left_out] == files
        assert 0 <= packed.listed <= len(packed.left_out)
        for piece in packed.pieces:
            assert piece.file.text.startswith(piece.text)
            assert piece.whole == (piece.text == piece.file.text)


@given(_FILES, _FILES, _SHARES)
def test_what_fits_is_shown_whole(golden: list[SourceFile], generated: list[SourceFile], share: float) -> None:
    needed = tokens_of(sum(file.size for file in (*golden, *generated)) + FRAME_BYTES)
    packing = pack(golden, generated, needed, golden_share=share)
    assert not any(packed.left_out for packed in sides(packing))
    assert all(piece.whole for packed in sides(packing) for piece in packed.pieces)


@given(_FILES, _FILES, st.randoms(use_true_random=False), st.booleans())
def test_the_order_depends_on_the_files_alone(
    files: list[SourceFile], other: list[SourceFile], chance: random.Random, counterparts: bool
) -> None:
    expected = order(files, other, counterparts_first=counterparts)
    assert sorted(expected, key=lambda file: file.path) == sorted(files, key=lambda file: file.path)
    mixed, turned = list(files), list(other)
    chance.shuffle(mixed)
    chance.shuffle(turned)
    assert order(mixed, turned, counterparts_first=counterparts) == expected


@given(_FILES, _FILES, _BUDGETS)
def test_the_same_trees_give_the_same_prompt_and_no_text_holds_its_mark(
    golden: list[SourceFile], generated: list[SourceFile], budget: int
) -> None:
    packing = pack(golden, generated, budget)
    mark = mark_of(packing)
    block = data_block(packing, mark)
    again = pack(golden, generated, budget)
    assert data_block(again, mark_of(again)) == block
    for packed in sides(packing):
        assert not any(mark in piece.text or mark in piece.file.path for piece in packed.pieces)
    headings = [line for line in block.split("\n") if mark in line]
    left = sum(bool(packed.left_out) for packed in sides(packing))
    assert len(headings) == 2 + sum(len(packed.pieces) for packed in sides(packing)) + left


def test_what_one_tree_does_not_need_is_the_others() -> None:
    small = [SourceFile("a.py", "x = 1\n")]
    large = [SourceFile(f"{number:03}.py", "value = 12345\n" * 100) for number in range(40)]
    for golden, generated in ((small, large), (large, small)):
        packing = pack(golden, generated, 10_000)
        used = sum(len(piece.text.encode()) for packed in sides(packing) for piece in packed.pieces)
        assert used > 0.8 * 10_000 * BYTES_PER_TOKEN
        assert all(packed.pieces for packed in sides(packing))


def test_a_giant_file_leaves_room_for_others_and_takes_what_they_leave() -> None:
    giant = SourceFile("giant.py", "giant = 'line'\n" * 100_000)
    others = [SourceFile(f"{number}.py", "small = True\n") for number in range(5)]
    packed = pack([], [giant, *others], 2000).generated
    assert [piece.whole for piece in packed.pieces] == [False, *[True] * 5]
    assert len(packed.pieces[0].text) > 3000
    assert packed.pieces[0].text.endswith("\n")


def test_what_everything_mentions_comes_before_what_nothing_does() -> None:
    core = SourceFile("pkg/deep/engine.py", "def run():\n    return 1\n")
    users = [SourceFile(f"pkg/u{number}.py", "import engine\nengine.run()\n") for number in range(5)]
    lonely = SourceFile("pkg/deep/lonely.py", "def alone():\n    return 2\n")
    ordered = order([lonely, *users, core], [], counterparts_first=False)
    assert ordered[0] is core
    assert ordered[-1] is lonely


def test_of_the_generated_tree_counterparts_come_first() -> None:
    golden = [SourceFile("g.py", "def convert(quantity, unit):\n    return quantity * factor(unit)\n")]
    like = SourceFile("like.py", "def convert(quantity, unit):\n    return quantity\n")
    unlike = SourceFile("cli.py", "import argparse\nparser = argparse.ArgumentParser()\n")
    assert order([unlike, like], golden, counterparts_first=True) == [like, unlike]


@pytest.mark.parametrize("lines", [1, 2, 50])
def test_lines_are_counted_with_and_without_a_last_line_end(lines: int) -> None:
    assert SourceFile("a", "x\n" * lines).lines == lines
    assert SourceFile("a", ("x\n" * lines)[:-1]).lines == lines
    assert SourceFile("a", "").lines == 0
