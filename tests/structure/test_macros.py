"""C++ as its authors write it, with macros that no grammar knows."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from tests.structure.trees import measure_texts
from underspec.grade.structure.macros import without_export_macros, without_macros
from underspec.grade.structure.source import read_text

MACROS = """#include <string>
#if HAS_INCLUDE(<string_view>) && \\
    FEATURE
#  pragma once
#endif
LIB_BEGIN_NAMESPACE
namespace detail {

class LIB_API Stack : public Base {
 public:
  LIB_CONSTEXPR Stack(int size) : size_(size) {}
  LIB_INLINE void push(int item) { use(item); }
  LIB_NODISCARD("why") int size() const;
  LIB_DISABLE_COPY(Stack)
};

LIB_FUNC void helper(int n) {}
int LIB_CALL exported(int n) { return n; }

#ifdef _WIN32
void on_windows() {}
#else
void elsewhere() {}
#endif

}
LIB_END_NAMESPACE
"""


def test_macros_hide_neither_owners_nor_functions() -> None:
    measured = measure_texts("C++", {"stack.h": MACROS})
    assert measured.classes == {"Stack"}
    assert {(owner, name) for owner, name, _ in measured.methods} == {
        ("Stack", "Stack"),
        ("Stack", "push"),
        ("Stack", "size"),
        ("", "helper"),
        ("", "exported"),
        ("", "on_windows"),
        ("", "elsewhere"),
    }
    assert measured.namespaces == {"detail"}


def test_lines_with_macros_are_lines_of_code() -> None:
    assert measure_texts("C++", {"stack.h": MACROS}).size.loc == sum(bool(line.strip()) for line in MACROS.splitlines())


@given(st.text(st.sampled_from("#if LIB_A(x)\n\\\t class{};ABC_")).map(str.encode))
def test_blanking_keeps_offsets_and_line_ends(data: bytes) -> None:
    for blanked in (without_export_macros(data), without_macros(data)):
        assert len(blanked) == len(data)
        assert [place for place, byte in enumerate(blanked) if byte == 10] == [
            place for place, byte in enumerate(data) if byte == 10
        ]


def test_text_that_is_almost_a_macro_takes_linear_time() -> None:
    hostile = (b"ABC" + b" " * 400_000 + b"x\n", b"A_" * 200_000 + b"\n", b"#if " + b"\\" * 400_001 + b"\n")
    more = (
        b"ABC" + b"()" * 200_000 + b"x\n",
        b"class " + b"ABC " * 100_000 + b"\n",
        b"ABC_D" + b"\t" * 400_000 + b"1\n",
    )
    start = time.process_time()
    for text in hostile + more:
        without_macros(without_export_macros(text))
    assert time.process_time() - start < 2


def test_clean_code_is_read_as_it_stands() -> None:
    text = b"const LARGE_INTEGER first(int n);\nUINT_PTR second(int n) { return n; }\n"
    assert [name for _, _, name, *_ in read_text(text, "cpp", "cpp")["methods"]] == ["first", "second"]
