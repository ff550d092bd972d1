"""Which licence a repository has, read from its metadata and its licence file; nothing is guessed beyond these."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from email.parser import BytesParser
from pathlib import Path

_FILES = re.compile(r"(?:licen[cs]e|copying|unlicense)(?:[-._].*)?", re.IGNORECASE)
_MOST = 256 * 1024
# Licences under which somebody may build on the behaviour, republish cases made from it, and hand them on.
PERMISSIVE = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-0"}
    | {"PSF-2.0", "Python-2.0", "Unlicense", "Zlib"}
)
_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "zlib/libpng License": "Zlib",
}
# Sentences that stand in one licence's text and in no other's; the longer texts of a family first.
_SENTENCES = (
    ("Apache-2.0", r"Apache License,?\s+Version 2\.0"),
    ("BSD-3-Clause", r"Redistributions in binary form(?s:.{0,900})Neither the name"),
    ("BSD-2-Clause", r"Redistributions in binary form(?s:.{0,400})THIS SOFTWARE IS PROVIDED"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("ISC", r"Permission to use, copy, modify, and(?:/or)? distribute this software for any\s+purpose"),
    ("Unlicense", r"This is free and unencumbered software released into the public domain"),
    ("CC0-1.0", r"CC0 1\.0 Universal"),
    ("BSL-1.0", r"Boost Software License - Version 1\.0"),
)


@dataclass(frozen=True)
class Licence:
    """``spdx`` is None where it is not known; ``file`` is where its text stands, relative to the tree."""

    spdx: str | None
    file: str | None

    @property
    def permissive(self) -> bool:
        """Whether every licence of an expression with ``AND``, or one of those with ``OR``, is permissive."""
        if self.spdx is None:
            return False
        either = re.split(r"\s+OR\s+", self.spdx)
        return any(all(part.strip("() ") in PERMISSIVE for part in re.split(r"\s+AND\s+", choice)) for choice in either)


def find_licence(root: Path) -> Licence:
    """The licence of an unpacked repository or package."""
    texts = sorted(
        (path for path in root.rglob("*") if path.is_file() and not path.is_symlink() and _FILES.fullmatch(path.name)),
        key=lambda path: (len(path.parts), str(path)),
    )
    said = _python(root) or _npm(root)
    for path in texts:
        found = _by_sentence(path)
        if said or found:
            return Licence(said or found, path.relative_to(root).as_posix())
    return Licence(said, None)


def _read(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_MOST)


def _by_sentence(path: Path) -> str | None:
    text = " ".join(_read(path).decode("utf-8", "replace").split())
    return next((spdx for spdx, sentence in _SENTENCES if re.search(sentence, text)), None)


def _python(root: Path) -> str | None:
    for path in [*root.glob("*.dist-info/METADATA"), root / "PKG-INFO"]:
        if not path.is_file():
            continue
        message = BytesParser().parsebytes(_read(path), headersonly=True)
        said = str(message.get("License-Expression") or "").strip() or _spdx(str(message.get("License") or ""))
        if said:
            return said
        for classifier in message.get_all("Classifier") or ():
            if (known := _CLASSIFIERS.get(str(classifier).rpartition(" :: ")[2])) is not None:
                return known
    return None


def _npm(root: Path) -> str | None:
    path = root / "package.json"
    try:
        document = json.loads(_read(path))
    except (OSError, ValueError, RecursionError):
        return None
    return _spdx(document.get("license")) if isinstance(document, dict) else None


def _spdx(text: object) -> str | None:
    """A licence id where the text is one, or an expression of them; free words decide nothing."""
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9.+() -]{2,100}", text.strip()):
        return None
    parts = re.split(r"\s+(?:AND|OR)\s+", text.strip("() "))
    return (
        text.strip() if all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]*", part.strip("() ")) for part in parts) else None
    )
