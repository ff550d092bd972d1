"""Whether anything in a commission could point to a person, an account or a machine, or is a credential (SWE-Clar A.1).

Synthetic data is told by its shape: addresses at reserved domains (RFC 2606, RFC 6761), telephone numbers of the ranges
kept for fiction, networks kept for documentation. Everything else that looks real is taken to be.
"""

from __future__ import annotations

import io
import ipaddress
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from underspec.task.finding import Finding, error, warning
from underspec.task.layout import MANIFEST
from underspec.task.load import Parts
from underspec.task.tree import read_file

_MOST = 8 * 1024**2
_MOST_MEMBERS = 200
_RESERVED = re.compile(r"(?:^|\.)(?:example|invalid|test|localhost|example\.(?:com|net|org))$", re.I)
_NETWORKS = tuple(
    ipaddress.ip_network(text)
    for text in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "127.0.0.0/8", "0.0.0.0/32", "255.255.255.255/32")
)
_FICTION = re.compile(r"555\D?01\d\d|7700\D?900\d{3}|20\D?7946\D?0\d{3}")


def _anything(text: str) -> bool:
    return True


def _real_address(text: str) -> bool:
    return not _RESERVED.search(text.rpartition("@")[2])


def _real_network(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False  # a version number, say
    return not any(address in network for network in _NETWORKS)


def _real_telephone(text: str) -> bool:
    return not _FICTION.search(text)


def _card(text: str) -> bool:
    digits = [int(digit) for digit in text if digit.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _account(text: str) -> bool:
    """Whether the check digits of an IBAN are right (ISO 13616)."""
    plain = re.sub(r"\s", "", text).upper()
    digits = "".join(str(int(character, 36)) for character in plain[4:] + plain[:4])
    return int(digits) % 97 == 1


@dataclass(frozen=True)
class _Kind:
    what: str
    pattern: re.Pattern[str]
    is_real: Callable[[str], bool] = _anything
    sure: bool = True


_KINDS = (
    _Kind("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")),
    _Kind("an access key", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    _Kind("an access token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|xox[abprs]-[\w-]{10,})")),
    _Kind("an access token", re.compile(r"\b(?:sk|pk|rk)[-_](?:live|ant|proj|test)[-_][A-Za-z0-9_-]{12,}")),
    _Kind("a signed token", re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}")),
    _Kind("a password in an address", re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@\"'<>{}]+:[^\s/@\"'<>{}]+@")),
    _Kind("an e-mail address", re.compile(r"\b[\w.+-]{1,64}@(?:[\w-]+\.)+[A-Za-z]{2,}\b"), _real_address),
    _Kind("a network address", re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])"), _real_network),
    _Kind(
        "a telephone number", re.compile(r"(?<![\w+])\+\d{1,3}[ \-.()]{0,2}(?:\d[ \-.()]{0,2}){7,12}"), _real_telephone
    ),
    _Kind("a payment card's number", re.compile(r"(?<![\w.-])(?:\d[ -]?){15,18}\d(?![\w.-])"), _card),
    _Kind("a bank account", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b"), _account),
    _Kind("a folder of somebody's machine", re.compile(r"(?:/home|/Users|[A-Z]:\\Users)[/\\][A-Za-z][\w.-]+")),
    _Kind(
        "what may be a password",
        re.compile(r"(?i)\b(?:password|passwd|secret|api_?key|token)\b\s*[:=]\s*[\"'][^\"'\s]{8,}[\"']"),
        sure=False,
    ),
)


def real_findings(text: str) -> Iterator[tuple[str, str]]:
    """What of a text looks real, surely or possibly: what it is, and its words."""
    for kind in _KINDS:
        for found in kind.pattern.finditer(text):
            if kind.is_real(found[0]):
                yield kind.what, found[0]


def check_identifying(parts: Parts) -> Iterator[Finding]:
    """Search names and contents of every file, and of what is packed in zip files (spreadsheets and documents, too)."""
    if parts.toml is None or parts.toml.family != "commission":
        return
    for entry in parts.entries:
        if entry.path == MANIFEST:
            continue
        yield from _search(entry.path, "its name", entry.path)
        content = entry.content
        if content is None:
            read = read_file(parts.root, entry.path, lambda finding: None)
            content = read.content if read else None
        if content is None:
            continue
        yield from _search(entry.path, None, content[:_MOST].decode("utf-8", "replace"))
        for name, packed in _members(content):
            yield from _search(entry.path, f"in its {name!a}", packed.decode("utf-8", "replace"))


def _members(content: bytes) -> Iterator[tuple[str, bytes]]:
    if not content.startswith(b"PK\x03\x04"):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist()[:_MOST_MEMBERS]:
                with archive.open(member) as stream:
                    yield member.filename, stream.read(_MOST)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError):
        return  # only looks like one: it has been searched as bytes


def _search(file: str, where: str | None, text: str) -> Iterator[Finding]:
    for kind in _KINDS:
        real = [found for found in kind.pattern.finditer(text) if kind.is_real(found[0])]
        if real:
            place = where or f"line {text.count(chr(10), 0, real[0].start()) + 1}"
            message = f"holds {kind.what}" + (f", and {len(real) - 1} more" if len(real) > 1 else "")
            finding = error if kind.sure else warning
            yield finding(file, message, where=place, mend="put something synthetic there, such as name@example.com")
