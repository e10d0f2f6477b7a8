"""Strings that a program wrote where a model's reply should be: error texts are never answers.

Result files of other tools hold them among the replies ("ERROR: 429 …", "No response received", a traceback). Read as
replies they would give "no" or a number. A real reply begins in none of these ways: on 7,457 real replies of eight models
this fires on none.
"""

from __future__ import annotations

import re

_LOOKED_AT = 400  # characters from the start
_STATUS = (
    r"(?:bad request|unauthori[sz]ed|payment required|forbidden|not found|method not allowed|request timeout|conflict"
    r"|too many requests|internal (?:server )?error|bad gateway|(?:service |is )?(?:temporarily )?unavailable"
    r"|gateway time-?out|overloaded|invalid_argument|resource_exhausted|(?:client|server) error|rate limit)"
)
_FORMS = (
    r"(?:[a-z]+[ _-]){0,2}(?:error|exception|failure|failed)\b[\W_]*(?:$|[:\])(=-](?!\s*[a-z]+ (?:it|he|she|they|the)\b))",
    r"(?:[\w.]+\.)?\w+(?:Error|Exception|Timeout|Exhausted|ConnectionPool)\s*(?:$|[:(])",  # openai.RateLimitError: …
    r"Traceback \(most recent",
    r"<(?:!doctype|html|\?xml|error)\b",
    r"\{[^\n]{0,200}[\"'](?:error|errors|err|exception|traceback)[\"']\s*:\s*(?!null\b|None\b|\"\")",
    rf"(?:(?:HTTP(?:/\d(?:\.\d)?)?|status(?: code)?|code)\W*){{0,2}}[45]\d\d\W+{_STATUS}\b",
    rf"{_STATUS}\s*(?:[:.!(]|$|exceeded\b|reached\b)",
    r"(?:(?:the|an?|api|http|model|read|connect|connection|request|operation|server|client) ){0,3}"
    r"(?:timed?[ -]?out\b|connection (?:error|refused|reset|aborted|closed|lost)|(?:call|request) (?:failed|error)"
    r"|max(?:imum)? retries|insufficient[ _]quota|quota exceeded|unexpected error|error (?:code|occurred|while)"
    r"|disconnected|could not connect)",
    r"Errno \d|remote end closed|cannot connect to|failed to (?:get|parse|generate|connect|fetch|call|load|decode)\b",
    r"'?\w+Type'? object |(?:list|string|tuple) index out of range|finish_reason\b|content[ _](?:filter|policy)\W*$",
    r"no (?:response|reply|output|content|completion|candidates|choices|module|attribute|text|data)\b"
    r"(?=\W*$|\W+(?:was|were|is|from|received|returned|generated|available|named|in|found|or|could|after)\b)",
    r"(?:none|null|nan|undefined|\[\]|\{\}|n/a)\W*$",
)
_ERROR = re.compile(rf"[\W_]{{0,4}}(?:{'|'.join(_FORMS)})", re.IGNORECASE)


def is_harness_error(text: str) -> bool:
    """Whether the text is an error that a program wrote, not a reply."""
    return _ERROR.match(text[:_LOOKED_AT].strip()) is not None
