"""Runs private acceptance tests and writes JUnit XML: ``python3 -I -B run.py <folder of tests> <report>``.

Tests are functions ``test_*`` of files ``test_*.py``, in the order in which they stand there; one that takes an
argument ``delivery`` is given what was delivered, fresh. The report is written anew after each test, so that what has
been found is kept whatever happens next.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree as Xml

sys.path.insert(0, str(Path(__file__).resolve().parent))

from delivery import Delivery  # type: ignore[import-not-found]

SECONDS = 60
_MOST_TEXT = 4000
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Test = tuple[str, str, Callable[..., None] | None, str | None]


class TestTimeout(Exception):
    """A test took too long."""


def tests_in(folder: Path) -> Iterator[Test]:
    """Module, name and function of each test; a file that cannot be loaded is one test that fails, with the reason."""
    for path in sorted(folder.glob("test_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        try:
            spec.loader.exec_module(module)
        except Exception:  # noqa: BLE001 - it is reported
            yield path.stem, "(the file cannot be loaded)", None, traceback.format_exc()
            continue
        for name, value in list(vars(module).items()):
            if name.startswith("test_") and inspect.isfunction(value) and value.__module__ == path.stem:
                yield path.stem, name, value, None


def _late(number: int, frame: Any) -> NoReturn:
    raise TestTimeout(f"the test took more than {SECONDS} seconds")


def run_one(function: Callable[..., None]) -> tuple[str, str] | None:
    """Run one test; None when it passes, else ``failure`` or ``error`` and what happened."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    delivery = None
    try:
        if inspect.signature(function).parameters:
            delivery = Delivery.fresh()
            function(delivery)
            delivery.check()
        else:
            function()
    except AssertionError:
        return "failure", _told()
    except BaseException:  # noqa: BLE001 - a test that ends the interpreter is one that does not pass
        return "error", _told()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if delivery is not None:
            delivery.close()
    return None


def _told() -> str:
    """The exception, with the places in the tests where it came from."""
    kind, error, trace = sys.exc_info()
    places = [frame for frame in traceback.extract_tb(trace) if Path(frame.filename).parent != Path(__file__).parent]
    where = [f"{Path(frame.filename).name}:{frame.lineno}: {frame.line}" for frame in places[-3:]]
    name = kind.__name__ if kind else "?"
    try:
        what = f"{name}: {error}"
    except Exception as unprintable:  # noqa: BLE001 - it holds what the deliverable said
        what = f"{name}: (cannot be shown: {type(unprintable).__name__})"
    return "\n".join([what[:_MOST_TEXT], *where])


def write_report(results: list[tuple[str, str, tuple[str, str] | None]], report: Path) -> None:
    """Write all results so far, whole or not at all."""
    failures = sum(result is not None and result[0] == "failure" for _, _, result in results)
    errors = sum(result is not None and result[0] == "error" for _, _, result in results)
    suite = Xml.Element(
        "testsuite", name="acceptance", tests=str(len(results)), failures=str(failures), errors=str(errors)
    )
    for module, name, result in results:
        case = Xml.SubElement(suite, "testcase", classname=module, name=name)
        if result is not None:
            text = _NOT_XML.sub("\ufffd", result[1])
            Xml.SubElement(case, result[0], message=text.split("\n", 1)[0][:500]).text = text
    temporary = report.with_suffix(".part")
    report.parent.mkdir(parents=True, exist_ok=True)
    temporary.write_bytes(Xml.tostring(suite, encoding="utf-8", xml_declaration=True))
    temporary.replace(report)


def main(folder: Path, report: Path) -> int:
    """Run everything; 0 when every test passes, 1 when one does not, 2 when there is none."""
    signal.signal(signal.SIGALRM, _late)
    sys.path.insert(1, str(folder))
    results: list[tuple[str, str, tuple[str, str] | None]] = []
    for module, name, function, problem in tests_in(folder):
        result = run_one(function) if function is not None else ("error", problem or "")
        results.append((module, name, result))
        write_report(results, report)
    if not results:
        return 2
    return 1 if any(result is not None for _, _, result in results) else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), Path(sys.argv[2])))
