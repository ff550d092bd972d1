"""Records that need no author: how the program is run and accepted, and the public cases of each feature."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from underspec.construct.ground.draft import KeptFeature
from underspec.construct.text_gates.omissions import Point
from underspec.construct.text_gates.vocabulary import Files
from underspec.task.model import Record, RecordKind

_HARNESS: tuple[tuple[str, tuple[str, ...], str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "HARNESS001",
        (
            "how is the program invoked",
            "does the request come on standard input or as an argument",
            "where do I write the answer",
            "is it one request per process",
            "what format does the input arrive in",
            "command line arguments or stdin",
        ),
        "The program reads exactly one JSON object from standard input and writes its answer to standard output. "
        "Nothing of one request may be seen in the answer to another.",
        (),
        (
            "Is the JSON request read from stdin, and is the result printed to stdout?",
            "Should my program read its request from standard input and print to standard output?",
        ),
    ),
    (
        "HARNESS002",
        (
            "how should test.sh work",
            "where do the outputs of the cases go",
            "what does the acceptance script have to do",
            "how are output files named",
            "which folder of cases is the default",
            "what does --cases-dir mean",
        ),
        "`bash rcb_tests/test.sh --cases-dir <folder>`, run from the root of the repository, runs every case of "
        'rcb_tests/<folder>/*.json. Each file is {"description": ..., "cases": [{"input": ...}, ...]}; `input` is the '
        "request. The raw answer to the case number `index` (from 0, at least three digits) of <stem>.json is written "
        "to rcb_tests/stdout/<folder>/<stem>@<index>.txt. Folders are public_test_cases, test_cases (the default when "
        "--cases-dir is absent) and enhanced_test_cases.",
        ("test.sh", "public_test_cases", "--cases-dir"),
        (
            "What exactly must rcb_tests/test.sh do, and where must it write each raw output?",
            "When you run my work for acceptance, which script is called and which files do you read afterwards?",
        ),
    ),
    (
        "HARNESS003",
        (
            "are there example test cases",
            "can I see worked examples",
            "for which features do you have samples",
            "do you have public tests I could use",
            "is there a list of the example files",
            "which features have test data",
        ),
        "There are public test cases for each of these features: {features}. Ask for the test cases of one of them and "
        "you get its whole file. Write them to rcb_tests/public_test_cases/<feature>.json.",
        (),
        (
            "Which features come with public test cases?",
            "Do you have any sample inputs with expected outputs for the features?",
        ),
    ),
)


def harness_records(features: Sequence[KeptFeature]) -> list[tuple[Record, Point]]:
    """How the program is run, how it is accepted, and that there are examples; with the points that these are."""
    made = []
    names = ", ".join(feature.id for feature in features)
    for name, triggers, response, hidden, probes in _HARNESS:
        record = Record(
            id=name,
            kind=RecordKind.HARNESS,
            category="harness",
            triggers=triggers,
            response=response.replace("{features}", names),
        )
        made.append((record, Point(record=name, kind="api", hidden=hidden, probes=probes)))
    return made


def case_records(features: Sequence[KeptFeature], public: Files) -> list[tuple[Record, Point]]:
    """One record for each public file, which gives it whole."""
    made = []
    for feature in features:
        if feature.id not in public:
            continue
        file = public[feature.id]
        document = json.dumps(
            {
                "description": file.description,
                "cases": [{"input": case.input, "expected_output": case.expected_output} for case in file.cases],
            },
            ensure_ascii=False,
        )
        title = feature.title.strip().lower()
        called = [title, *(name.strip().lower() for name in feature.called)]
        first, last = called[1 % len(called)], called[-1]
        triggers = (
            f"test cases for {feature.id}",
            f"show me the public test cases for {title}",
            f"example requests and answers for {first}",
            f"worked examples of {last}",
            f"sample input and expected output for {title}",
            f"give me the cases of {first}",
        )
        probes = (
            f"Could I get the file with tests about {title}?",
            f"Please share your example data on {last}, with what should come out.",
            f"Which public cases exist for the feature {feature.id}?",
        )
        record = Record(
            id="TC_" + re.sub(r"[^A-Za-z0-9_.-]", "_", feature.id),
            kind=RecordKind.CASE_FILE,
            category="examples",
            triggers=tuple(dict.fromkeys(triggers)),
            response=f"Here are the public test cases for {feature.id}:\n{document}",
        )
        made.append((record, Point(record=record.id, kind="api", probes=probes)))
    return made
