"""What differs between the bundled tasks, as data: one row a task."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One task's particulars. Times are in seconds."""

    language: str
    registry: str
    eager_command: tuple[str, ...]  # answers one request on standard input; run in the tree, as the next
    asker_command: tuple[str, ...]
    # Its parts.
    features: frozenset[str]
    error_record: str  # the record of L1 that tells all error categories
    signed: tuple[str, ...]  # patterns found in the signature, one an action
    secrets: tuple[str, ...]  # not said in L1, in lower case
    l3_blurred: tuple[str, ...]  # said in ground and no more in L3
    l3_kept: tuple[str, ...]
    l3_gone_below: int  # fewer characters than this differ between ground and L3
    l2_told: tuple[str, ...]  # in one line
    l2_open: tuple[str, ...]
    l2_told_wrapped: tuple[str, ...] = ()  # may be broken over lines
    l1_everyday: tuple[str, ...] = ()  # words of L1 that hold a secret by chance
    l1_once: tuple[str, ...] = ()  # secrets that L1 may hold a single time
    most_cases: int | None = 250
    least_pointers: int = 2
    own_words: tuple[str, ...] = ()  # of its solutions, that read like a name in the golden package by chance
    # Its solutions.
    program: str = "python3"  # what solutions are built or run with
    compiled: bool = False  # by their own script, before they run
    reference: str = "reference_impl"  # folder of the implementation written from ground alone
    patience: int = 60  # for all cases of one suite
    least_taught: float = 0.75  # overall of asker with its own questions answered
    lucky_guesses: frozenset[str] = frozenset({"requests.at"})  # settings that no answer changes
    lucky_rules: tuple[frozenset[str], ...] = (frozenset({"requests.at"}),)  # what a rule may set without a change
    broken: tuple[str, ...] = ("[" * 9999, "\x80")  # requests, in Latin-1, besides those that all tasks are sent
    golden_is_slow: bool = False  # to build, so that deriving everything is a proof


TABLE = {
    "data-sizes": Row(
        language="Python",
        registry="pypi",
        features=frozenset(
            (
                *("parse_strict", "parse_loose", "convert", "readable_unit", "format"),
                *("arithmetic", "ordering", "total", "rounding", "bitwise"),
            )
        ),
        error_record="C003",
        signed=tuple(rf"{action}\(" for action in ("parse", "convert", "best", "format", "calc", "bits")),
        secrets=(
            *("loose", "strict", 'calc"', "6 digits", "nist", "octet", "kio", "unchanged", "own system", "half"),
            *("even", "number=", "value=", "order=", "count=", "item=", "text=", "{value}", "plural", "loses"),
            *("reverse", "operand", "bad_", "unknown_", "missing_", "unsupported", "division_by_zero"),
            *("out_of_range", "1000", "1024"),
        ),
        l3_blurred=("NIST", "6 digits", "Kio", "symbol with `s`", "negative of the absolute"),
        l3_kept=("bad_template", "unknown_system", '"mode"', "`digits`", "by default `{value} {unit}`"),
        l3_gone_below=500,
        l2_told=("number=<number>", "6 digits", "`bad_request`", "order=less", "in bytes (`B`)", "--cases-dir"),
        l2_open=("NIST", "Kio", "negative of the absolute", "unchanged", "fewest significant"),
        most_cases=None,
        least_pointers=1,
        own_words=("format.plural",),
        least_taught=0.7,
        lucky_guesses=frozenset({"reading.bare_number"}),
        lucky_rules=(),
        eager_command=("python3", "-B", "-m", "sizes"),
        asker_command=("python3", "-B", "-m", "datasize"),
        broken=(),
    ),
    "moving-marks": Row(
        language="C++",
        registry="npm",
        features=frozenset(
            (
                *("locate", "clip", "apply", "places", "firm", "steps", "fallout", "meeting"),
                *("covering", "enclosed", "ends", "walk", "changes", "apart", "undo"),
            )
        ),
        error_record="C005",
        signed=tuple(
            rf"\b{action}\b"
            for action in (
                *("locate", "clip", "apply", "places", "fallout", "meeting", "covering", "enclosed", "starting"),
                *("ending", "walk", "changes", "undo"),
            )
        ),
        secrets=(
            *("column", "utf", "offset=", "place=", "mark=", "count=", "marks=", "open=", "[line", ":<", "from 0"),
            *("none", "bad_", "unknown_", "taken", "no_mark", "until", '"at"', "put", "drop", "touch", "overlap"),
            *("surround", "carriage", "line feed", "cr lf", "default", "limit", "join", "behind", "escape", "{"),
            *("1000", "pair"),
        ),
        l3_blurred=("UTF-16", "two whole numbers from 0 to 1000000", "ends last", "in front of CR.", "forgotten"),
        l3_kept=("taken_mark", "no_mark", '"firm"', "`until`", "by default 8", "from 0 to 1000"),
        l3_gone_below=600,
        l2_told=("`taken_mark`", "--cases-dir"),
        l2_told_wrapped=("by default 8", "be it at an end", "`until` by default", "at most 1000000"),
        l2_open=(
            *("UTF-16", "ends last", "carriage", "strictly between", "grow at both", "surround", "hexadecimal"),
            "forgotten",
        ),
        l1_everyday=("input", "output"),
        program="g++",
        compiled=True,
        reference="marks_impl",
        patience=120,
        eager_command=("./marks",),
        asker_command=("./moving-marks",),
        golden_is_slow=True,
    ),
    "recurring-times": Row(
        language="JavaScript",
        registry="npm",
        features=frozenset(
            (
                *("check", "expand", "names", "short_words", "month_days", "weekdays"),
                *("day_union", "next", "upcoming", "offsets", "match", "warnings"),
            )
        ),
        error_record="C004",
        signed=tuple(rf"{action}\(" for action in ("check", "expand", "days", "next", "list", "match", "warnings")),
        secrets=(
            *("utc", "offset", "strict", "count", '"at"', "valid=", "values=", "time=", "days=", "match="),
            *("warning=", "span", "none", "step", "wrap", "around", "7", "0-", "@", "?", "lw", "last day", "nearest"),
            *("1970", "275759", "bad_", "unknown_", "part_count", "out_of_range", "wide_", "later than", "cron"),
        ),
        l3_blurred=("@midnight", "1974", "-840", "those with `#` last", "last day of that month"),
        l3_kept=("bad_ordinal", "wide_step", '"strict"', "`offset`", "by default 5", "from 0 to 1000"),
        l3_gone_below=600,
        l2_told=("time=none", "`wide_step`", "--cases-dir"),
        l2_told_wrapped=("by default 5", "strictly later", "0 to 275759"),
        l2_open=(
            *("UTC", "counts from", "@daily", "nearest working day", "minutes from", "mon#", "Sunday alone"),
            "around the end",
        ),
        l1_once=("?",),  # in the title
        program="node",
        reference="recurring_impl",
        eager_command=("node", "index.js"),
        asker_command=("node", "index.js"),
    ),
    "sample-dates": Row(
        language="Ruby",
        registry="deb",
        features=frozenset(
            ("names", "days", "years", "numbers", "clock", "seconds", "halves", "zones", "batch", "fields")
        ),
        error_record="C003",
        signed=tuple(rf"{action}\(" for action in ("write", "list", "fields")),
        secrets=(
            *("text=", "count=", "none", "bad_", "unknown_", "no_meaning", '"at"', "capital", "utc", "cet", "offset"),
            *("left", "right", "undecided", "13", "31", "32", "12", "00", "23", "ordinal", "zero", "ending", "colon"),
            *("pm", "second", "underscore", "distance", "200", "100", "control", "ambiguous", "first", "padded"),
        ),
        l3_blurred=("13 to 31", "32 to 99", "counts as a whole name", "13 to 23"),
        l3_kept=("no_meaning", "bad_moment", "`sample`", "0 to 200 characters", "ACDT", "without leading zeros"),
        l3_gone_below=500,
        l2_told=("`no_meaning`", "--cases-dir", "fields=none"),
        l2_told_wrapped=("0 to 200 characters", "like `+02:00`", "with one capital letter"),
        l2_open=("13 to 31", "undecided", "clock of twelve", "underscore", "ACDT", "whole name", "left to right"),
        program="ruby",
        reference="samples_impl",
        eager_command=("ruby", "dates.rb"),
        asker_command=("ruby", "samples.rb"),
    ),
    "settings-tree": Row(
        language="PHP",
        registry="deb",
        features=frozenset(
            (
                *("reading", "existence", "keys", "setting", "appending", "removing", "branches"),
                *("replace", "preserve", "join", "script"),
            )
        ),
        error_record="C003",
        signed=tuple(rf"{action}\(" for action in ("get", "has", "set", "append", "remove", "part", "merge", "script")),
        secrets=(
            *("dot", "slash", "separator", "number", "value=", "data=", "yes", "null", "bad_", "unknown_", "no_path"),
            *(
                "blocked",
                "not_map",
                "replace",
                "preserve",
                "join",
                "steps",
                '"do"',
                "container",
                "duplicate",
                "bracket",
            ),
            *("renumber", "greatest", "fraction", "bytes", "escape", "order", "empty", "index", "position"),
        ),
        l3_blurred=("greatest number that it ever", "one of its bytes", "the empty container is one), and"),
        l3_kept=("not_map", "`preserve`", "`steps`", "64 bits", "at every `.`", "written without blanks"),
        l3_gone_below=600,
        l2_told=("`blocked`", "--cases-dir", "has=yes"),
        l2_told_wrapped=("`replace` (the default)", "at every `.`", "the last even with `null`"),
        l2_open=("greatest", "bytes", "0, 1, 2", "empty piece", "duplicates", "fraction", "alone"),
        program="php",
        reference="tree_impl",
        eager_command=("php", "settings.php"),
        asker_command=("php", "tree.php"),
        lucky_guesses=frozenset(),
        lucky_rules=(),
    ),
    "label-texts": Row(
        language="Go",
        registry="deb",
        features=frozenset(
            (
                *("classes", "count", "delete", "squeeze", "mask", "next", "justify", "columns", "places"),
                *("split", "words"),
            )
        ),
        error_record="C003",
        signed=tuple(
            rf"\b{action}\("
            for action in (
                *("count", "delete", "squeeze", "mask", "next", "justify", "tabs", "width", "cut", "insert", "split"),
                "words",
            )
        ),
        secrets=(
            *(
                "class",
                "range",
                "hyphen",
                "backslash",
                "code point",
                "u+",
                "carr",
                "letter",
                "digit",
                "text=",
                "count=",
            ),
            *("head", "tail", "match", "bad_", "unknown_", "out_of_range", "middle", "fill ", "rounded", "multiple"),
            *("default", "2000", "chinese", "apostrophe", "included", "negative", "last", "two ", "half", "control"),
        ),
        l3_blurred=("what it has just become itself", "below U+FF61", "U+4D85"),
        l3_kept=("out_of_range", "`middle`", "`fill`", "at most 2000", "`end`", "(8 by default)"),
        l3_gone_below=600,
        l2_told=("`out_of_range`", "--cases-dir", "`head=`"),
        l2_told_wrapped=("8 by default", "by code point", "up to but without `end`"),
        l2_open=("hyphen", "backslash", "carried", "U+FF61", "rounded", "2000", "Chinese", "the tail"),
        l1_everyday=("strange", "detail", "two programs", "two pallets"),
        most_cases=270,
        program="go",
        compiled=True,
        reference="labels_impl",
        patience=120,
        eager_command=("./labels",),
        asker_command=("./label-texts",),
        lucky_guesses=frozenset(),
        lucky_rules=(),
    ),
    "nested-notes": Row(
        language="JavaScript",
        registry="npm",
        features=frozenset(
            (
                *("words", "groups", "marks", "spread", "glued", "word_escapes", "texts", "text_escapes"),
                *("checking", "faults", "places"),
            )
        ),
        error_record="C004",
        signed=tuple(rf"{action}\(" for action in ("read", "check", "locate")),
        secrets=(
            *("value=", "valid=", "place=", "json object", "locate", "array", "bad_", "unknown_", "open_", "bare_"),
            *("left_over", "backslash", "quot", "splic", "parenthes", "utf", "u+", "carriage", "column", "blank"),
            *("number", "semicolon", "empty", "escape", "compact", "hexadecimal", "hundred", "nest", "from 1", "first"),
        ),
        l3_blurred=("U+FEFF", "UTF-16", "U+0020", "would consist of nothing else"),
        l3_kept=("open_group", "`locate`", "unquote-splicing", "lower-case hexadecimal", "U+1680"),
        l3_gone_below=600,
        l2_told=("`left_over`", "--cases-dir", "place=none"),
        l2_told_wrapped=("numbers are words", "needed only between two words"),
        l2_open=("U+FEFF", "UTF-16", "carriage", "form feed", "splicing", "quasiquote", "backslash"),
        least_pointers=1,
        program="node",
        reference="notes_impl",
        eager_command=("node", "index.js"),
        asker_command=("node", "index.js"),
        lucky_guesses=frozenset(),
        lucky_rules=(),
    ),
    "yes-no-rules": Row(
        language="Python",
        registry="pypi",
        features=frozenset(
            (
                *("read_rule", "faulty_rule", "name_characters", "simplify", "negation", "normal_form", "list_names"),
                *("substitute", "decide", "compare", "sort_rules", "rearrange"),
            )
        ),
        error_record="C004",
        signed=tuple(
            rf"{action}\("
            for action in (
                *("read", "simplify", "negation", "normal_form", "list_names", "substitute", "decide", "compare"),
                *("sort_rules", "rearrange"),
            )
        ),
        secrets=(
            *("rule=", "name=", "answer=", "same=", "error=", "json object", "`", "bad_", "unknown_", "misplaced"),
            *("incomplete", "null", "constant", "negation", "parenthes", "code point", "neutral", "ruling", "absor"),
            *("merg", "distribut", "any_of", "all_of", "everywhere", "otherwise", "signed", "unnest", "underscore"),
            *("full stop", "colon", "square", "upper", "lower", "binds", "repetition", "nesting", "last character"),
        ),
        l3_blurred=("last character", "passed over this time", "changing fastest", "names by the code points"),
        l3_kept=("misplaced_bracket", "`outermost`", "a full stop, a colon", "counted from 0", "`otherwise`"),
        l3_gone_below=500,
        l2_told=("`bad_request`", "answer=yes", "`normal_form`"),
        l2_told_wrapped=("the two kinds are the same", "Every name must be among the facts"),
        l2_open=("last character", "passed over", "changing fastest", "furthest left", "inside out", "outer kind"),
        most_cases=None,
        least_pointers=1,
        reference="rules_impl",
        eager_command=("python3", "-B", "-m", "clubrules"),
        asker_command=("python3", "-B", "-m", "rulebook"),
        lucky_guesses=frozenset(),
        lucky_rules=(),
    ),
}
