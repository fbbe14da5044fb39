"""Text from a file as Markdown that Streamlit shows exactly as it is meant, and nothing more."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from cache import text
from cache.text import Span
from components.highlight import find_matches, mark_spans
from components.query import Field, Query, Term

MarkedSpan = tuple[Span, int | None]
"""A span, and the number of the query term it matches, if any."""

TERM_COLORS: Final = ("orange", "blue", "green", "violet", "red")
"""Streamlit's names of the colours of the first, second … term; they recur."""

LONGEST_SHOWN: Final = 300
"""Characters of a title that are shown; what is longer is text in the wrong field."""

LONGEST_TERM: Final = 24
"""Characters of a term of the query that are shown where it is only named."""

_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
_LETTERS: Final = re.compile(r"[^\W_](?:.*[^\W_])?", re.DOTALL)
_ICON: Final = re.compile(r":(?=(?:material_\w+|streamlit):)")
_WORD_JOINER: Final = "\u2060"


def escape(words: str) -> str:
    """Return Markdown that shows `words` as they are written: no markup, HTML, emoji or directive.

    Any ASCII punctuation may be escaped (https://spec.commonmark.org/0.31.2/#backslash-escapes).
    Streamlit replaces ``:name:`` by an emoji only where it stands unescaped somewhere in the text,
    but the names of its icons in any case, so an invisible joiner parts those.
    """
    apart = _ICON.sub(f":{_WORD_JOINER}", words)
    return _PUNCTUATION.sub(r"\\\1", apart)


def to_markdown(spans: Iterable[MarkedSpan]) -> str:
    """Return Streamlit's Markdown for spans: emphasis, maths, code, links and highlights."""
    return "".join(_markdown(span, term) for span, term in spans)


def is_mark(marked_span: MarkedSpan) -> bool:
    """Tell whether `to_markdown` highlights a span: not if it is nothing but space."""
    span, term = marked_span
    return span.kind == "text" and term is not None and bool(span.text.strip())


def clip(words: str, longest: int) -> str:
    """Return words cut to so many characters, with an ellipsis if any are lost."""
    return words if len(words) <= longest else words[: longest - 1] + "…"


def shorten(title: str) -> str:
    """Return a title cut at a word, if it is longer than any title should be."""
    if len(title) <= LONGEST_SHOWN:
        return title
    return title[:LONGEST_SHOWN].rsplit(" ", 1)[0] + "…"


def marked(source: str, query: Query | None, field: Field) -> str:
    """Return Streamlit's Markdown for a field of a paper, with what the query found in it."""
    return to_markdown(marked_spans(source, query, field))


def marked_spans(source: str, query: Query | None, field: Field) -> list[MarkedSpan]:
    """Return the spans of a field of a paper, with what the query found in it."""
    matches = find_matches(query, text.plain(source), field) if query is not None else ()
    return mark_spans(text.parse(source), matches)


def marked_words(words: str, query: Query | None, field: Field) -> str:
    """Return Markdown for a field of a paper that has no markup, with what the query found."""
    matches = find_matches(query, words, field) if query is not None else ()
    return to_markdown(mark_spans([Span(words, "text")], matches))


def counted_terms(query: Query, counts: Mapping[Term, int], most: int) -> str:
    """Return Markdown that names the terms of a query in their colours, each with its count.

    Parameters
    ----------
    query : Query
    counts : mapping of Term to int
        Of the first `most` terms at least.
    most : int
        How many terms to name; an ellipsis stands for the rest.
    """
    named = [
        f"{_colored(escape(_named(label)), number)} {counts[term]:,}"
        for number, (term, label) in enumerate(zip(query.terms, query.labels, strict=True))
        if number < most
    ]
    return " · ".join(named + ["…"] * (len(query.terms) > most))


def _named(label: str) -> str:
    return clip(" ".join(label.split()), LONGEST_TERM)


def _colored(markdown: str, term: int) -> str:
    return f":{TERM_COLORS[term % len(TERM_COLORS)]}-background[{markdown}]"


def _markdown(span: Span, term: int | None) -> str:
    match span.kind:
        case "math" if "$" not in span.text:
            # A single dollar sign before a digit would be taken for a price.
            source = " ".join(span.text.split())
            return f"$${source}$$" if source else ""
        case "math" | "code":
            return _code(span.text)
        case "link":
            return f"[{escape(span.text)}](<{_address(span.href)}>)"
        case _:
            return _highlighted(span, term)


def _highlighted(span: Span, term: int | None) -> str:
    body = span.text.strip()
    if term is None or not body:
        return _emphasised(span.text, span)
    before, after = span.text.split(body, 1)
    return f"{before}{_colored(_emphasised(body, span), term)}{after}"


def _emphasised(words: str, span: Span) -> str:
    """Put stars around the text from its first to its last letter, where they always count."""
    stars = "*" * (2 * span.bold + span.italic)
    letters = _LETTERS.search(words)
    if not stars or letters is None:
        return escape(words)
    start, end = letters.span()
    return f"{escape(words[:start])}{stars}{escape(letters[0])}{stars}{escape(words[end:])}"


def _code(source: str) -> str:
    runs = {len(run) for run in re.findall("`+", source)}
    fence = "`" * next(n for n in range(1, len(source) + 2) if n not in runs)
    return f"{fence} {source} {fence}" if source.strip() else source


def _address(href: str) -> str:
    return re.sub(r"[<>\s\\]", lambda match: f"%{ord(match[0]):02X}", href)
