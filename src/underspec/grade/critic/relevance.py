"""Which source files say most about a tree, and about how it compares with another. Pure and deterministic."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from underspec.grade.critic.packing import SourceFile

_WORD = re.compile(r"[^\W\d]\w{2,}")
_MOST_READ = 65_536
# Files that stand for their folder: what is mentioned of them is the folder's name.
_INDEX = frozenset({"__init__", "__main__", "index", "mod", "lib", "main", "init"})


def order(files: Sequence[SourceFile], other: Sequence[SourceFile], *, counterparts_first: bool) -> list[SourceFile]:
    """``files`` by relevance, the most relevant first, whatever the order in which they come.

    Three things count: how many files of the same tree mention this one by name (what is used everywhere is central);
    how many of its words stand in the other tree too, words that are everywhere counting less (what can be compared);
    and how near to the root it lies. ``counterparts_first`` doubles the second, and else the first is doubled: of the
    golden tree the central files are wanted, or else missing behaviour would be what is never shown.
    """
    words = [_words(file.text) for file in files]
    mentioned = Counter(word for each in words for word in each)
    elsewhere = {word for file in other for word in _words(file.text)}
    total = len(files)
    mentions = [mentioned[_stem(file.path)] - (_stem(file.path) in own) for file, own in zip(files, words, strict=True)]
    shared = [math.fsum(math.log(1 + total / mentioned[word]) for word in sorted(own & elsewhere)) for own in words]
    most_mentions, most_shared = max(mentions, default=0), max(shared, default=0.0)

    def relevance(place: int) -> float:
        central = math.log1p(mentions[place]) / math.log1p(most_mentions) if most_mentions else 0.0
        common = shared[place] / most_shared if most_shared else 0.0
        near = 1 / (1 + files[place].path.count("/"))
        twice, once = (common, central) if counterparts_first else (central, common)
        return round(2 * twice + once + near, 6)

    places = sorted(range(total), key=lambda place: (-relevance(place), files[place].path))
    return [files[place] for place in places]


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text[:_MOST_READ]))


def _stem(path: str) -> str:
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    return folders[-1] if stem in _INDEX and folders else stem
