"""Names that mean the same under the habits of two languages: ``parse_json``, ``parseJSON`` and ``ParseJson``."""

from __future__ import annotations

from underspec.grade.structure.languages import Language

_SAME_HABITS = frozenset({"JavaScript", "TypeScript"})

# What every language has and each calls differently.
_KNOWN = {
    "constructor": ("__init__", "__construct", "initialize", "constructor"),
    "text": ("__str__", "to_s", "tostring", "__tostring", "to_string", "string", "fmt"),
    "equals": ("__eq__", "equals", "operator==", "eq", "==", "eql?"),
    "hash": ("__hash__", "hashcode", "gethashcode", "hash"),
    "length": ("__len__", "length", "len", "size"),
    "compare": ("compareto", "cmp", "<=>", "operator<=>"),
    "iterate": ("__iter__", "[symbol.iterator]", "iterator", "getenumerator", "into_iter", "getiterator"),
    "call": ("__call__", "call", "invoke", "operator()", "__invoke"),
}
_MEANING = {spelling: meaning for meaning, spellings in _KNOWN.items() for spelling in spellings}


def must_normalize(golden: Language, generated: Language) -> bool:
    """Whether names of the two languages are spelt by different habits."""
    return golden.name != generated.name and not {golden.name, generated.name} <= _SAME_HABITS


def normal(name: str) -> str:
    """A name without case, underscores and marks: ``is_empty?``, ``IsEmpty`` and ``_isEmpty`` are ``isempty``."""
    lowered = name.lower()
    bare = lowered.removeprefix("r#").replace("_", "").strip("#?!=~@ ") or lowered
    return _MEANING.get(lowered) or _MEANING.get(bare) or bare


def normal_path(dotted: str) -> str:
    """:func:`normal` for each part of an owner chain or a namespace."""
    return ".".join(map(normal, dotted.split("."))) if dotted else ""
