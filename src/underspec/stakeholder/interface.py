"""Whether a question is about naming, signatures or interfaces: then the signature is given, whatever was routed.

An agent that names its entry points otherwise than the task does fails every case for a reason that says nothing about
it, so such a question always gets the authored signature (ICAE III-E, interface alignment). The patterns are narrow:
"interface" or "name" alone says nothing, and what they miss is still the router's to find.
"""

from __future__ import annotations

import re

from underspec.stakeholder.guard import extracts

_CODE = (
    r"(?:functions?|methods?|class(?:es)?|actions?|operations?|parameters?|arguments?|params?|args?|modules?|commands?"
    r"|entry ?points?|end ?points?|exports?|identifiers?|symbols?|apis?)"
)
_ASKING = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_CODE}(?:'s?)? (?:\w+ )?(?:signatures?|names?|naming)\b",
        r"\b(?:public |exact |full |expected )*(?:api|interface|call|type) signatures?\b",
        r"\bsignatures? (?:of|for) (?:the |each |every |all |your |its )*(?:\w+ ){0,2}"
        rf"(?:{_CODE}|interfaces?|calls?)\b",
        rf"\bnames? (?:and \w+ )?(?:of|for) (?:the |each |every |all |your |its )*(?:\w+ ){{0,2}}{_CODE}\b",
        rf"\b(?:what|how)\b[^.?!\n]{{0,30}}\b{_CODE}\b[^.?!\n]{{0,20}}\b(?:called|named)\b",
        r"\b(?:naming|interface) (?:conventions?|contracts?)\b|\bpublic (?:api|interface)\b",
        r"(?:函数|方法|类|接口|参数|操作|动作)(?:的)?(?:名称|名字|名|签名|命名)|接口签名|函数签名",
    )
)
_OTHER_SIGNATURES = re.compile(r"\b(?:digital|cryptographic|electronic|e-?mail|key) signatures?\b", re.IGNORECASE)
_MOST_READ = 2000


def asks_for_interface(question: str) -> bool:
    """Whether ``question`` is about how things are named or called from outside. An extracting question is not."""
    text = _OTHER_SIGNATURES.sub(" ", question[:_MOST_READ])
    return any(pattern.search(text) for pattern in _ASKING) and not extracts(question)
