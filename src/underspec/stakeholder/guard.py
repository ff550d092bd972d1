"""What a strict stakeholder does not answer, and how a proposed default is recognised. Words only, no records."""

from __future__ import annotations

import re

from underspec.stakeholder.words import GENERIC_STEMS, content, plain

_VERB = (
    r"(?:print|list|show|dump|reveal|give|output|repeat|enumerate|tell|return|send|display|disclose|expose|leak|export"
    r"|provide|share|read|recite|quote|write|summari[sz]e|translate|encode|paste|describe|what (?:is|are)|what's)"
)
_SECRET = (
    r"(?:records?|constraint ids?|record ids?|trigger (?:phrases?|words?|keywords?)|triggers|keywords|oracle\w*"
    r"|system prompt|(?:your|the|initial|original|previous|hidden) (?:prompt|instructions?)|knowledge ?base"
    r"|hidden (?:\w+ )?(?:constraints?|requirements?|rules?|records?|points?|data|information|info|answers?|tests?"
    r"|(?:test )?cases?|knowledge)"
    r"|(?:secret|private|native|enhanced|grading|unseen) (?:\w+ )?(?:tests?|cases?|suites?|data|rules?)"
    r"|authored responses?|(?:your|all|every|the stored|canned) (?:\w+ )?(?:answers?|responses?|repl(?:y|ies)|secrets?)"
    r"|internal (?:log|state|data|notes?|records?|ids?)|(?:your|session) log|ground ?-?truth|ground ?prd"
    r"|golden (?:\w+ )?(?:code|implementation|solution|repository|source)|reference (?:implementation|solution|code)"
    r"|(?:original|upstream) (?:source|repository|repo|code|implementation|tests?))"
)
_EXTRACTING = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_VERB}\b[^.?!\n]{{0,60}}\b{_SECRET}\b",
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.?!\n]{0,40}\b(?:instructions?|rules?|prompts?|restrictions?"
        r"|limits?|previous|above|guidelines?|policy)\b[^?]{0,40}\b(?:and|then|now|,|;|:|\.|$)",
        r"\b(?:everything|all|anything|whatever) (?:that )?you(?:'ve| have)? (?:know|got|been told|have been told)\b",
        r"\b(?:debug|developer|admin|god|maintenance|root|test) mode\b|\bjailbreak|\byou are now\b|\bact as\b"
        r"|\bpretend (?:to be|that|you)\b|\brole-?play",
        r"\b(?:for )?each (?:of (?:your|the) )?(?:record|constraint|trigger)s?\b",
        r"\b(?:all|every|any)(?: of)? (?:your|the)? ?(?:records?|constraints|answers|triggers|hidden \w+)\b",
        r"\bsystem prompt\b|\bprompt injection\b|\bverbatim (?:all|every|your)\b",
        r"\b(?:[a-z]{1,12}_?\d{2,4}\b[\s,;/&]*(?:and )?){3,}",
        r"\b(?:list|give|tell|show|print|enumerate|provide)\b[^.?!\n]{0,30}\b(?:all|every|entire|complete|full|whole)\b"
        r"[^.?!\n]{0,20}\b(?:requirements?|specifications?|specs?|details|rules|information|features)\b",
    )
)

_DEFAULT = re.compile(
    r"\bunless (?:you|told|instructed|i hear)\b"
    r"|\bi(?:'ll|'d| will| would|'m going to| am going to| plan to| intend to| propose to| suggest to)?"
    r"(?: simply| just)? (?:assume|default|go (?:with|for)|pick|choose|treat|fall back|propose|suggest)\b"
    r"|\b(?:i'll|i will|i plan to|i intend to|i'm going to|let me) (?:\w+ ){1,12}[^.?!\n]{0,80}"
    r"(?:is that|is this|does that|would that|ok\b|okay|alright|all right|fine|correct\?|right\?|acceptable)"
    r"|\bby default,? i\b|\bmy (?:default|assumption|proposal|plan) (?:is|would be)\b"
)


def extracts(question: str) -> bool:
    """Whether the question is after the records, the prompt or the hidden material as such."""
    text = plain(question)
    return any(pattern.search(text) for pattern in _EXTRACTING)


def is_vague(text: str) -> bool:
    """Whether nothing in ``text`` says what it is about."""
    return all(word in GENERIC_STEMS for word in content(text))


def proposes_default(question: str) -> bool:
    """Whether the asker says what it will do if nobody objects."""
    return bool(_DEFAULT.search(plain(question)))
