"""Whether a text names the repository, or what its code calls things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from underspec.construct.findings import GateFinding
from underspec.construct.text_gates.vocabulary import Vocabulary
from underspec.construct.text_gates.wording import Text
from underspec.task.identity import Terms, may_hold, term_pattern

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SHORTEST, _LEAST_NAME = 3, 6


def check_identity(texts: Mapping[str, str], terms: Terms) -> Iterator[GateFinding]:
    """Names of the repository, however they are spelled or taken apart, are errors; its version, and parts of its name
    that are words too, are warnings."""
    whole = "\n".join(texts.values())
    patterns = [
        (kind, term_pattern(known) if may_hold(known, whole) else None)
        for kind, known in (
            ("names_repository", terms.names),
            ("names_version", terms.versions),
            ("names_repository_word", terms.words),
        )
    ]
    for file, text in texts.items():
        prepared = Text(text)
        spelled = [place for name in sorted(terms.names) if len(name) >= _LEAST_NAME for place in prepared.find(name)]
        for kind, pattern in patterns:
            found = pattern.search(text) if pattern else None
            place = found.span() if found else spelled[0] if spelled and kind == "names_repository" else None
            if place is None:
                continue
            yield GateFinding(
                kind=kind,
                message=f"names the repository: {text[place[0] : place[1]]!a}",
                severity="error" if kind == "names_repository" else "warning",
                file=file,
                where=prepared.line(place),
                evidence=prepared.quote(place),
                mend="say it in other words; an agent could fetch or recall the library",
            )


def check_symbols(texts: Mapping[str, str], symbols: Iterable[str], vocabulary: Vocabulary) -> Iterator[GateFinding]:
    """Names of the golden code that are no names of the contract.

    A symbol of several words (``parseRange``) is found however its words are joined, but not as separate words. One of
    a single word is an ordinary word as well, and is found only where it is written as code, in backticks or before a
    bracket.
    """
    allowed = {name.lower().replace("-", "").replace("_", "") for name in vocabulary.all}
    wanted = sorted({symbol.strip("_$") for symbol in symbols})
    wanted = [each for each in wanted if len(each) >= _SHORTEST and _joined(each) not in allowed]
    for file, text in texts.items():
        prepared = Text(text)
        for symbol in wanted:
            found = next(filter(_as_code, _symbol_pattern(symbol).finditer(text)), None)
            if found:
                yield GateFinding(
                    kind="names_golden_symbol",
                    message=f"{found[0]!a} is what the golden code calls something, and no name of the contract",
                    file=file,
                    where=prepared.line(found.span()),
                    evidence=prepared.quote(found.span()),
                    mend="describe what it does, or use the contract's name for it",
                )


def _joined(symbol: str) -> str:
    return "".join(_PARTS.findall(symbol)).lower()


def _as_code(found: re.Match[str]) -> bool:
    """Whether a match shows that it is several words: ``sParse`` and ``s_parse`` do, ``sparse`` does not."""
    return bool(re.search(r"[-_`(]|[a-z0-9][A-Z]|[A-Z][A-Z][a-z]", found[0]))


def _symbol_pattern(symbol: str) -> re.Pattern[str]:
    parts = _PARTS.findall(symbol)
    if len(parts) > 1:
        return re.compile(f"(?i)(?<![A-Za-z0-9_]){'[_-]?'.join(map(re.escape, parts))}(?![A-Za-z0-9_])")
    return re.compile(rf"`(?:[\w.]*\.)?{re.escape(symbol)}(?:\(\))?`|(?<![\w.`]){re.escape(symbol)}\(")
