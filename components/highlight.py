"""Where the terms of a query occur in a text: to mark them, to step through them, to quote them."""

import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from cache.text import Span
from components.query import PUBLISHED, Field, Near, Query, Regex, Words
from components.search import RegexFinder
from components.tables import fill_tables, match_expression, open_tables, table_of
from components.words import fold_with_offsets

REGEX_SECONDS: Final = 0.5
"""How long the regular expressions of a query may search one text before they are stopped."""

_BEGIN: Final = "\x01"
_END: Final = "\x02"
_ELLIPSIS: Final = "…"
_SPACE: Final = re.compile(r"\s+")
_LAST_SPACE: Final = re.compile(r"\s+(?=\S*\Z)")


@dataclass(frozen=True)
class Match:
    """An occurrence of a term.

    Attributes
    ----------
    start, end : int
        The slice of the plain text that it is.
    term : int
        The term's place in `components.query.Query.terms`, which decides its colour.
    """

    start: int
    end: int
    term: int


@dataclass(frozen=True)
class Snippet:
    """An excerpt, and the matches in it by their place in it."""

    text: str
    matches: tuple[Match, ...]


def find_matches(query: Query, plain_text: str, field: Field) -> tuple[Match, ...]:
    """Find all that makes a text a hit: every occurrence of every term that is not negated.

    The text goes through the same tables as a corpus does, so that what is found here is what
    `components.search.SearchIndex.search` finds. Matches of different terms may overlap.

    Parameters
    ----------
    query : Query
    plain_text : str
        Without markup, as `cache.text.plain` gives it.
    field : str
        The field of a paper that the text is; terms of other fields are passed over.

    Returns
    -------
    tuple of Match
        By their start, of several that start together the longest first.

    Raises
    ------
    QueryError
        If regular expressions take longer than `REGEX_SECONDS`.
    """
    deadline = time.monotonic() + REGEX_SECONDS
    words: list[tuple[int, Words | Near]] = []
    matches: list[Match] = []
    for number, term in enumerate(query.terms):
        if field not in ((term.field,) if term.field else PUBLISHED):
            continue
        if isinstance(term, Regex):
            spans = RegexFinder(term, deadline).spans(plain_text)
            matches += [Match(start, end, number) for start, end in spans]
        else:
            words.append((number, term))
    if words:
        matches += _word_matches(words, plain_text)
    return tuple(sorted(matches, key=_reading_order))


def mark_spans(spans: Sequence[Span], matches: Iterable[Match]) -> list[tuple[Span, int | None]]:
    """Split spans of text where matches begin and end.

    Parameters
    ----------
    spans : sequence of Span
        `cache.text.parse` of a source.
    matches : iterable of Match
        In `cache.text.plain` of the same source. Where some overlap, the first to start wins, and
        of those that start together the longest; what they leave of the others is still marked.

    Returns
    -------
    list of (Span, int or None)
        Each with the term that it is a match of. Mathematics, code and links are never split nor
        marked. The texts in their order make up the texts that went in.
    """
    owners = _owners(sum(len(span.plain) for span in spans), matches)
    marked: list[tuple[Span, int | None]] = []
    start = 0
    for span in spans:
        end = start + len(span.plain)
        if span.kind == "text" and span.text:
            marked += _split(span, owners[start:end])
        else:
            marked.append((span, None))
        start = end
    return marked


def in_prose(spans: Sequence[Span], matches: Iterable[Match]) -> tuple[Match, ...]:
    """Keep of each match what lies outside mathematics, code and links.

    For `snippet`, which sees no spans; `mark_spans` needs no such help.

    Parameters
    ----------
    spans : sequence of Span
        `cache.text.parse` of a source.
    matches : iterable of Match
        In `cache.text.plain` of the same source.
    """
    prose = [span.kind == "text" for span in spans for _ in span.plain]
    kept = []
    for match in matches:
        start = match.start
        for is_prose, run in groupby(prose[match.start : match.end]):
            end = start + len(list(run))
            if is_prose:
                kept.append(Match(start, end, match.term))
            start = end
    return tuple(kept)


def snippet(plain_text: str, matches: Sequence[Match], width: int) -> Snippet:
    """Cut out the part of a text that shows most of the terms, and most matches of them.

    Parameters
    ----------
    plain_text : str
    matches : sequence of Match
        As `find_matches` gives them. Without any, the excerpt is the beginning of the text.
    width : int
        Characters at most, the ellipses aside. Words are cut only where none would be left.

    Returns
    -------
    Snippet
        Ellipses stand where text was cut off; a match that goes on there is cut as well.
    """
    first, last = _densest_cluster(matches, width)
    start, end = _window(plain_text, first, last, width)
    before = _ELLIPSIS if plain_text[:start].strip() else ""
    after = _ELLIPSIS if plain_text[end:].strip() else ""
    shift = len(before) - start
    return Snippet(
        before + plain_text[start:end] + after,
        tuple(
            Match(max(match.start, start) + shift, min(match.end, end) + shift, match.term)
            for match in matches
            if match.start < end and start < match.end
        ),
    )


def _reading_order(match: Match) -> tuple[int, int, int]:
    return match.start, -match.end, match.term


class _Scratch(threading.local):
    """Tables for one text at a time, kept since making them takes longer than using them."""

    def __init__(self) -> None:
        self.database = open_tables(["body"], stored=True)


_scratch: Final = _Scratch()


def _word_matches(terms: Iterable[tuple[int, Words | Near]], plain_text: str) -> list[Match]:
    folded = fold_with_offsets(plain_text)
    database = _scratch.database
    try:
        fill_tables(database, ["body"], [(folded.text,)])
        return [
            Match(folded.starts[start], folded.ends[end - 1], number)
            for number, term in terms
            for start, end in _marked_slices(_highlighted(database, term))
        ]
    finally:
        database.rollback()


def _highlighted(database: sqlite3.Connection, term: Words | Near) -> str:
    table = table_of(term)
    found = database.execute(
        f"SELECT highlight({table}, 0, ?, ?) FROM {table} WHERE {table} MATCH ?",
        (_BEGIN, _END, match_expression(term, in_field=False)),
    ).fetchone()
    return found[0] if found else ""


def _marked_slices(marked: str) -> Iterator[tuple[int, int]]:
    """Yield what lies between the marks, by its place in the text without marks."""
    start = 0
    for number, part in enumerate(re.split(f"[{_BEGIN}{_END}]", marked)):
        if number % 2:
            yield start, start + len(part)
        start += len(part)


def _owners(length: int, matches: Iterable[Match]) -> list[Match | None]:
    """Say of each character which match it is marked for."""
    owners: list[Match | None] = [None] * length
    for match in sorted(matches, key=_reading_order, reverse=True):
        stop = min(match.end, length)
        owners[match.start : stop] = [match] * (stop - match.start)
    return owners


def _split(span: Span, owners: Sequence[Match | None]) -> Iterator[tuple[Span, int | None]]:
    start = 0
    for owner, run in groupby(owners):
        end = start + len(list(run))
        yield replace(span, text=span.text[start:end]), owner.term if owner else None
        start = end


def _densest_cluster(matches: Sequence[Match], width: int) -> tuple[int, int]:
    """Find the slice within `width` with most terms, then most matches, then the first such."""
    terms: Counter[int] = Counter()
    best, cluster, stop = (0, 0), (0, 0), 0
    for number, match in enumerate(matches):
        while stop < len(matches) and matches[stop].end <= match.start + width:
            terms[matches[stop].term] += 1
            stop += 1
        if stop <= number:  # the match alone is too long
            stop = number + 1
            terms[match.term] += 1
        worth = (len(terms), stop - number)
        if worth > best:
            end = max(other.end for other in matches[number:stop])
            best, cluster = worth, (match.start, min(end, match.start + width))
        terms[match.term] -= 1
        terms += Counter()  # forgets the terms that are no longer inside
    return cluster


def _window(plain_text: str, first: int, last: int, width: int) -> tuple[int, int]:
    """Widen a slice to `width` characters, evenly on both sides, then give up cut words."""
    start = max(0, min(first - (width - (last - first)) // 2, len(plain_text) - width))
    end = min(start + width, len(plain_text))
    if start and not plain_text[start - 1].isspace():
        space = _SPACE.search(plain_text, start, first)
        start = space.end() if space else start
    if end < len(plain_text) and not plain_text[end].isspace():
        space = _LAST_SPACE.search(plain_text, last, end)
        end = space.start() if space else end
    return start, end
