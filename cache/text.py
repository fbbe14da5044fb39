r"""What an abstract says, read once from the mixture of Markdown and LaTeX it is published in.

Display, search, highlighting and embedding all work on the same spans, so that a place in one is
a place in all.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final, Literal

from markdown_it.token import Token

from cache.inline import parser, web_url
from cache.latex import formula_to_unicode

CLEANING_VERSION: Final = 1
"""Part of every embedding's key: raise it whenever `embedded_text` comes to answer differently."""

Kind = Literal["text", "math", "code", "link"]

_MARKUP: Final = re.compile(r"[\\$*_`~\-\]:&](?<!-(?!-))(?<!\](?!\())(?<!:(?!//))(?<!&(?!#?\w+;))")
"""Beginning with a set of characters, as alternatives do not, it is searched three times faster."""
_PARAGRAPH_BREAK: Final = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class Span:
    r"""A stretch of text that is shown in one way.

    Parameters
    ----------
    text : str
        What is shown; of maths, the LaTeX without delimiters. ``\n\n`` parts paragraphs.
    kind : {"text", "math", "code", "link"}
        How it is shown.
    bold, italic : bool
        Emphasis.
    href : str
        Where a link leads, http(s) only; ``""`` for all other kinds.
    display : bool
        Whether a formula stands on a line of its own.
    """

    text: str
    kind: Kind
    bold: bool = False
    italic: bool = False
    href: str = ""
    display: bool = False

    @property
    def plain(self) -> str:
        """The text, with maths in Unicode."""
        return formula_to_unicode(self.text) if self.kind == "math" else self.text


@lru_cache(maxsize=4_096)
def parse(source: str) -> tuple[Span, ...]:
    r"""Read the markup of a title or an abstract.

    Parameters
    ----------
    source : str
        As published: prose with inline Markdown, LaTeX, bare addresses. HTML is text like any
        other. Markup that is not well formed is text as well, so this reads any string.

    Returns
    -------
    tuple of Span
        Neighbouring spans differ, none is empty. The ``plain`` of all, one after the other, is
        `plain` of the source.
    """
    return tuple(_joined(_pieces(source)))


def plain(source: str) -> str:
    """Return the text without its markup; offsets into it are offsets into the spans of `parse`."""
    return "".join(span.plain for span in _pieces(source))


def embedded_text(title: str, abstract: str) -> str:
    """Return what is embedded of a paper.

    Parameters
    ----------
    title, abstract : str
        As published; either may be empty.

    Returns
    -------
    str
        Both on one line, without markup, delimiters of maths and addresses.
    """
    parts = [_embedded(title).rstrip("."), _embedded(abstract)]
    return ". ".join(filter(None, parts))


def _embedded(source: str) -> str:
    words = "".join(map(_embedded_span, parse(source))) if _MARKUP.search(source) else source
    return " ".join(words.split())


def _embedded_span(span: Span) -> str:
    if span.kind == "link" and web_url(span.text):
        return ""
    # A model's vocabulary has the letters, not their mathematical double-struck and script forms.
    return unicodedata.normalize("NFKC", span.plain) if span.kind == "math" else span.plain


def _pieces(source: str) -> Iterator[Span]:
    """Yield spans that parts of `parse`'s may still be, in their order."""
    for number, paragraph in enumerate(_PARAGRAPH_BREAK.split(source)):
        if number:
            yield Span("\n\n", "text")
        yield from _parse_paragraph(paragraph)


def _parse_paragraph(source: str) -> Iterator[Span]:
    if not _MARKUP.search(source):
        yield Span(source, "text")
        return
    markdown = parser()
    yield from _spans(markdown.inline.parse(source, markdown, {}, []))


def _spans(tokens: Iterable[Token]) -> Iterator[Span]:
    depth = {"strong": 0, "em": 0, "code": 0, "a": 0}
    href = ""
    is_label_empty = False
    for token in tokens:
        if token.nesting:
            depth[token.tag] += token.nesting
            if token.type == "link_open":
                href, is_label_empty = str(token.attrGet("href")), True
            elif token.type == "link_close" and is_label_empty:
                yield Span(href, "link", bool(depth["strong"]), bool(depth["em"]), href)
            continue
        is_label_empty = is_label_empty and not token.content
        yield _span(token, depth, href)


def _span(token: Token, depth: dict[str, int], href: str) -> Span:
    bold, italic = bool(depth["strong"]), bool(depth["em"])
    if token.type == "math":
        return Span(token.content, "math", bold, italic, display=token.block)
    if token.type == "code_inline" or depth["code"]:
        return Span(token.content, "code", bold, italic)
    if token.type == "image":
        target = web_url(str(token.attrGet("src")))
        return Span(token.content or target, "link" if target else "text", bold, italic, target)
    target = href if depth["a"] else ""
    return Span(token.content, "link" if target else "text", bold, italic, target)


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    def look(span: Span) -> tuple[object, ...]:
        # Two formulas side by side are two: as one they might mean something else.
        alone = id(span) if span.kind == "math" else 0
        return span.kind, span.bold, span.italic, span.href, span.display, alone

    for (kind, bold, italic, href, display, _), group in groupby(spans, key=look):
        text = "".join(span.text for span in group)
        if text:
            yield Span(text, kind, bold, italic, href, display)  # type: ignore[arg-type]
