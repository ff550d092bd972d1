"""What would tell an agent which library is meant, so that it could fetch or recall it instead of building."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from underspec.task.model import GoldenToml, TaskToml

# Parts of addresses that name no project: forges, registries, usual words of paths. Languages are here because a
# forge's owner may be called like one.
_GENERIC = re.compile(
    r"archive|bitbucket|blob|browse|codeberg|code|com|crates|current|dart|develop|docs|downloads?|en|example|files|forge"
    r"|gems|git|github|gitlab|golang|google|home|html|https?|index|io|java|javascript|kotlin|latest|lib|library|main"
    r"|master|maven|net|npm|npmjs|org|packages?|pages?|php|projects?|pub|pypi|python|raw|readme|readthedocs|releases?"
    r"|repos?|ruby|rust|sourceforge|sources?|src|stable|swift|tags|tree|trunk|typescript|versions?|wiki|www|v?[\d.]+",
    re.IGNORECASE,
)
_SHORTEST_PIECE = 4
_SEPARATORS = re.compile(r"[-_. ]+")


@dataclass(frozen=True)
class Terms:
    """``names`` must not turn up. ``words`` and ``versions`` are only hints, since they stand for much else too."""

    names: frozenset[str]
    versions: frozenset[str]
    words: frozenset[str] = frozenset()


def _url_pieces(url: str) -> Iterator[str]:
    host, *path = [part for part in re.sub(r"^[^/]*://|[?#].*$", "", url).split("/") if part] or [""]
    path = [part.removesuffix(".git") for part in path]
    labels = re.sub(r"^.*@|:\d*$", "", host).split(".")[:-1]
    for piece in [*labels, *path]:
        if len(piece) >= _SHORTEST_PIECE and not _GENERIC.fullmatch(piece):
            yield piece
    if len(path) >= 2:
        yield f"{path[0]}/{path[1]}"
        yield f"{path[0]}__{path[1]}"


def identity_terms(toml: TaskToml | None, golden: GoldenToml | None) -> Terms:
    """What identifies the golden library: ``identity``, the package's name, file and hash, pieces of the address.

    In texts that nobody here wrote, only ``identity`` itself must not turn up: the import has taken it out.
    """
    names: set[str] = set()
    versions: set[str] = set()
    if toml and toml.origin != "authored":
        return Terms(frozenset(toml.identity), frozenset(), frozenset(toml.identity_words))
    if toml:
        names.update(toml.identity)
        names.update(_url_pieces(toml.source.url))
        versions.add(toml.source.version)
    if golden:
        names |= {golden.name, golden.name.split("/")[-1], golden.filename, golden.sha256}
        versions.add(golden.version)
    words = frozenset(toml.identity_words if toml else ())
    return Terms(frozenset(names), frozenset(version for version in versions if version.count(".") >= 2), words)


def _one(term: str) -> str:
    # "-", "_", "." and " " are one in package names (my-lib, my_lib, My Lib).
    words = [re.escape(word) for word in _SEPARATORS.split(term) if word]
    return r"[-_. ]{0,3}".join(words) if len(words) > 1 else re.escape(term)


def term_pattern(terms: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of the terms, whatever the case, as a word or a part that ``_``, ``-`` or an inner capital sets off.

    ``figbox`` is found in ``FIGBOX_HOME``, ``test_figbox.py``, ``FigboxError`` and ``toFigbox``, and not in
    ``figboxes``. None when there is no term.
    """
    parts = [_one(term) for term in sorted(terms, key=lambda term: (-len(term), term)) if term.strip()]
    if not parts:
        return None
    before, after = "(?:(?<![A-Za-z0-9])|(?<=[a-z])(?=[A-Z]))", "(?:(?![A-Za-z0-9])|(?=[A-Z][a-z]))"
    return re.compile(f"{before}(?i:{'|'.join(parts)}){after}")


def may_hold(terms: Iterable[str], text: str) -> bool:
    """Whether any of the patterns made of ``terms`` could find something in ``text``: a hundred times faster than to
    look, and never wrong when it says no."""
    # These are all the characters beyond ASCII that a pattern takes for one of its letters when case is no matter.
    folded = text.lower() if text.isascii() else text.casefold().replace("ı", "i").replace("\u0307", "")
    pieces = (max(_SEPARATORS.split(term), key=len) for term in terms if term.strip())
    return any(not piece.isascii() or piece.lower() in folded for piece in pieces)


def literal_pattern(terms: Iterable[str]) -> re.Pattern[str] | None:
    """Finds any of the terms exactly, whatever the case, where no letter or digit is glued to it; longest first.

    For identities such as ``user/repo``: their parts are often ordinary words, which spelled in another way
    (``user-repo``) mean something else. None when there is no term.
    """
    parts = [re.escape(term) for term in sorted(terms, key=lambda term: (-len(term), term)) if term.strip()]
    return re.compile(f"(?<![A-Za-z0-9])(?i:{'|'.join(parts)})(?![A-Za-z0-9])") if parts else None


def identity_pattern(toml: TaskToml) -> re.Pattern[str] | None:
    """Finds what ``identity`` names, in the way that suits the texts' origin; None when it names nothing."""
    return (term_pattern if toml.origin == "authored" else literal_pattern)(toml.identity)
