"""What a strict stakeholder does not answer, and how a proposed default is recognised. Words only, no records."""

from __future__ import annotations

import re

from underspec.stakeholder.words import GENERIC_STEMS, content, plain

# Patterns are narrow on purpose: tasks about records, keywords, logs or rules are asked about in the same words, and
# what slips through still gets no more than the three authored responses that any question gets.
_VERB = (
    r"(?:print|list|show|dump|reveal|give|output|repeat|enumerate|tell|return|send|display|disclose|expose|leak|export"
    r"|provide|share|read|recite|quote|write|summari[sz]e|translate|encode|paste|describe|what (?:is|are)|what's|need"
    r"|want|see|have)"
)
_SECRET = (
    r"(?:(?:your|oracle|authored|hidden|internal|stored) (?:\w+ )?(?:records?|responses?|answers?|repl(?:y|ies)|notes?"
    r"|secrets?|data|knowledge|memory|constraints?|triggers?|keywords?|instructions?|prompts?|logs?|ids?)"
    r"|(?:constraint|record) ids?|ids? of (?:the|your|all) (?:\w+ )?(?:records?|constraints?)"
    r"|trigger (?:phrases?|words?|keywords?)|(?:system|initial|original|previous) (?:prompts?|instructions?)"
    r"|knowledge base|hidden (?:\w+ )?(?:requirements?|rules?|points?|information|info|tests?|cases?)"
    r"|(?:secret|private|native|enhanced|grading|unseen) (?:\w+ )?(?:tests?|cases?|suites?)"
    r"|ground ?-?truth|ground ?prd|golden (?:\w+ )?(?:code|implementation|solution|repository|source)"
    r"|(?:reference|original|upstream) (?:implementation|solution|code|source|repository|repo|tests?))"
)
_ABOUT_SOMETHING = r"(?!\s+(?:about|for|on|of|regarding|concerning|when|how|that|to|in|with)\b)"
_EXTRACTING = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_VERB}\b[^.?!\n]{{0,60}}\b{_SECRET}\b",
        r"\b(?:ignore|disregard|forget|override|bypass)\b[^.?!\n]{0,25}\b(?:your|all|previous|prior|above|any|these)\b"
        r"[^.?!\n]{0,25}\b(?:instructions?|prompts?|restrictions?|guidelines?|polic(?:y|ies)|rules)\b",
        r"\b(?:ignore|bypass|forget)\b[^.?!\n]{0,20}\b(?:point|question|reply) limit\b",
        r"\b(?:everything|all|anything|whatever|every \w+) (?:that )?you(?:'ve| have)? (?:know|got|been told)\b",
        r"\brepeat everything\b",
        r"\b(?:questions?|points?|things?) (?:that )?you (?:can|could) answer\b|\brules (?:that )?you were given\b",
        r"\byou(?:'re| are) now\b|\byou(?:'re| are) in \w+ mode\b|\bjailbreak|^\W*act as\b|\bpretend (?:to be|you)\b",
        r"\b(?:dump|reveal|disclose|expose|leak)\b[^.?!\n]{0,20}\b(?:records?|constraints?|answers?|triggers?)\b",
        r"\b(?:each|every|all) (?:of (?:your|the) )?(?:records?|constraints?|triggers?)\b[^?!\n]{0,60}"
        r"\b(?:responses?|you have|triggers?|concatenated)\b",
        r"\bphrases? (?:that )?(?:will )?triggers?\b|\bsystem prompt\b|\boracle (?:json|records?)\b",
        r"\b(?:list|give|tell|show|print|enumerate|provide)\b[^.?!\n]{0,30}\b(?:all|every|entire|complete|full|whole)\b"
        r"[^.?!\n]{0,20}\b(?:requirements?|specifications?|specs?|details|constraints?|rules|information|features)\b"
        + _ABOUT_SOMETHING,
        r"\b(?:hidden|secret|private|grading|grader'?s?|evaluation|unseen|held[- ]out|enhanced suite|native suite)\b"
        r"[^.?!\n]{0,30}\b(?:tests?|cases?|suites?|outputs?|answers?)\b",
        r"\b(?:outputs?|answers?|results?)\b[^.?!\n]{0,40}\b(?:for|in|during) (?:the )?grading\b",
        r"\banswer key\b|\btest oracle\b|\bground[- ]?truth\b|\b(?:debug|developer|admin|god|dan) mode\b",
        r"\b(?:c|arch|harness)\d{3}\b",
        r"\b(?:records?|oracle|oracle_data|knowledge|prompts?|secrets?)\.(?:json|txt|md|toml|ya?ml)\b",
        r"\b(?:prompt|instructions?|notes?|knowledge|configuration|context|above)\b[^.?!\n]{0,40}"
        r"\b(?:verbatim|word for word|letter by letter)\b",
        r"\b(?:everything|all|text|line|message)s? (?:that (?:is|stands) )?above\b"
        r"[^.?!\n]{0,20}(?:line|message|this|word|$)",
        r"\bbase ?64\b[^.?!\n]{0,40}\b(?:do|follow|obey|execute|run)\b",
        r"\b(?:which|what|name|address|url|link)\b[^.?!\n]{0,30}\b(?:github|upstream|open[- ]source) ?"
        r"(?:repository|repo|project|package|library)?\b",
        r"\b(?:all|every|each|whole|entire|complete|full)\b[^.?!\n]{0,20}\b(?:your|of your|the) (?:\w+ )?"
        r"(?:notes|knowledge|facts|entries|secrets)\b",
        r"\b(?:hiding|withholding|keeping) from me\b|\bmust not (?:reveal|disclose|tell)\b",
        # The same in German, French, Spanish and Chinese.
        r"\b(?:ignoriere?|vergiss|missachte)\b[^.?!\n]{0,30}\b(?:anweisung|regeln|vorgaben)"
        r"|\b(?:ignore[rz]?|oublie[rz]?)\b[^.?!\n]{0,30}\b(?:instructions|consignes|règles)\b"
        r"|\b(?:ignora|olvida)\b[^.?!\n]{0,30}\b(?:instrucciones|reglas)\b"
        r"|(?:忽略|无视|忘记)[^。？！]{0,12}(?:指令|指示|规则|说明)|(?:隐藏|秘密)的?(?:测试|用例|需求|要求)|系统提示"
        r"|\b(?:versteckte|geheime|verborgene)\w* (?:tests?|testfälle|anforderungen|regeln|einträge)\b"
        r"|\b(?:tests?|exigences|règles|cas) (?:cachée?s?|secrète?s?|secrets)\b"
        r"|\b(?:pruebas|requisitos|reglas|casos) (?:ocult[ao]s|secret[ao]s)\b",
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

_OF_DEFAULTS = frozenset(
    content("assume assumption default defaults pick choose treat propose proposal suggest plan object told instructed")
    + content("sensible reasonable usual common standard best whatever whichever judgement judgment choice fine okay")
    + content("acceptable alright correct hear simply")
)


def extracts(question: str) -> bool:
    """Whether the question is after the records, the prompt or the hidden material as such."""
    text = plain(question)
    return any(pattern.search(text) for pattern in _EXTRACTING)


def is_vague(text: str) -> bool:
    """Whether nothing in ``text`` says what it is about."""
    return all(word in GENERIC_STEMS for word in content(text))


def proposes_default(question: str) -> bool:
    """Whether the asker says, concretely, what it will do if nobody objects."""
    text = plain(question)
    if not _DEFAULT.search(text):
        return False
    return any(word not in GENERIC_STEMS and word not in _OF_DEFAULTS for word in content(text))
