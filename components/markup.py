"""Text from a file as Markdown that Streamlit shows exactly as it is meant, and nothing more."""

import re
from collections.abc import Iterable
from typing import Final

from cache.text import Span

MarkedSpan = tuple[Span, int | None]
"""A span, and the number of the query term it matches, if any."""

TERM_COLORS: Final = ("orange", "blue", "green", "violet", "red")
"""Streamlit's names of the colours of the first, second … term; they recur."""

_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
_LETTERS: Final = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
_SHORTCODE: Final = re.compile(r":(?=[\w+/-]+:)")
_WORD_JOINER: Final = "\u2060"


def escape(text: str) -> str:
    """Return Markdown that shows `text` as it is written: no markup, HTML, emoji or directive.

    Any ASCII punctuation may be escaped (https://spec.commonmark.org/0.31.2/#backslash-escapes).
    Streamlit replaces emoji shortcodes after unescaping, so an invisible joiner parts those.
    """
    apart = _SHORTCODE.sub(f":{_WORD_JOINER}", text)
    return _PUNCTUATION.sub(r"\\\1", apart)


def to_markdown(spans: Iterable[MarkedSpan]) -> str:
    """Return Streamlit's Markdown for spans: emphasis, maths, code, links and highlights."""
    return "".join(_markdown(span, term) for span, term in spans)


def _markdown(span: Span, term: int | None) -> str:
    match span.kind:
        case "math":
            source = " ".join(span.text.split())
            fence = _fence("$", source, least=2)  # a single $ before a digit would be a price
            return f"{fence}{source}{fence}" if source else ""
        case "code":
            fence = _fence("`", span.text)
            return f"{fence} {span.text} {fence}" if span.text.strip() else span.text
        case "link":
            return f"[{escape(span.text)}](<{_address(span.href)}>)"
        case _:
            return _highlighted(span, term)


def _highlighted(span: Span, term: int | None) -> str:
    body = span.text.strip()
    if term is None or not body:
        return _emphasised(span.text, span)
    color = TERM_COLORS[term % len(TERM_COLORS)]
    before, after = span.text.split(body, 1)
    return f"{before}:{color}-background[{_emphasised(body, span)}]{after}"


def _emphasised(text: str, span: Span) -> str:
    """Put stars around the text from its first to its last letter, where they always count."""
    stars = "*" * (2 * span.bold + span.italic)
    letters = _LETTERS.search(text)
    if not stars or letters is None:
        return escape(text)
    start, end = letters.span()
    return f"{escape(text[:start])}{stars}{escape(letters[0])}{stars}{escape(text[end:])}"


def _fence(mark: str, source: str, least: int = 1) -> str:
    """Return a run of marks that the source does not hold."""
    runs = {len(run) for run in re.findall(f"{re.escape(mark)}+", source)}
    return mark * next(n for n in range(least, len(source) + least + 2) if n not in runs)


def _address(href: str) -> str:
    return re.sub(r"[<>\s\\]", lambda match: f"%{ord(match[0]):02X}", href)
