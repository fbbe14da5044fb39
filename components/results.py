"""The list of papers that pass the query, the filters and the selection."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import pandas as pd
import streamlit as st

from cache import text
from cache.build import PaperMap
from cache.papers import venue_and_year
from components.coloring import Coloring
from components.highlight import Match, find_matches, in_prose, mark_spans, snippet
from components.markup import marked, marked_words, shorten, to_markdown
from components.query import Field, Query

PAGE_SIZE: Final = 12
_LISTED: Final[Mapping[Field, str]] = {"authors": "Authors", "keywords": "Keywords"}
_EXCERPT_WIDTH: Final = 170
"""In characters."""


def results(
    paper_map: PaperMap,
    rows: Sequence[int],
    query: Query | None,
    *,
    coloring: Coloring,
    page_key: str,
    on_open: Callable[[str], None],
    similarities: Mapping[int, float] = MappingProxyType({}),
) -> None:
    """Draw a page of papers; a click on a title opens the paper.

    Parameters
    ----------
    paper_map : PaperMap
    rows : sequence of int
        The papers to list, in order.
    query : Query or None
        Whose matches are highlighted in the snippets.
    coloring : Coloring
        Of the map beside the list.
    page_key : str
        Key of the page number in session state.
    on_open : callable
        Called with the id of the paper that was clicked.
    similarities : mapping of int to float, optional
        By row: cosine similarity to what is sought, of the papers that were found by meaning.
    """
    pages = -(-len(rows) // PAGE_SIZE)
    page = min(int(st.session_state.get(page_key, 1)), max(pages, 1))
    for row in rows[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]:
        _result(paper_map, row, query, coloring, on_open, similarity=similarities.get(row))
    if pages > 1:
        st.pagination(pages, key=page_key)


def _result(
    paper_map: PaperMap,
    row: int,
    query: Query | None,
    coloring: Coloring,
    on_open: Callable[[str], None],
    *,
    similarity: float | None,
) -> None:
    paper = paper_map.corpus.iloc[row]
    with st.container(key=f"result-{row}", gap=None):
        st.html(f"<style>.st-key-result-{row} {{--dot: {coloring.of(row)}}}</style>")
        st.button(
            marked(shorten(paper["title"]), query, "title") or "(no title)",
            key=f"open-{row}",
            type="tertiary",
            on_click=on_open,
            args=(paper["id"],),
        )
        st.caption(" · ".join(_facts(paper_map, row, query, similarity)))
        if query is not None and (found := excerpt(paper, query)):
            st.markdown(found)


def _facts(
    paper_map: PaperMap, row: int, query: Query | None, similarity: float | None
) -> list[str]:
    paper = paper_map.corpus.iloc[row]
    venue = venue_and_year(paper["venue"], paper["year"])
    code = {"none": "", "project page": "project page"}.get(paper["code_kind"], "code")
    alike = "" if similarity is None else f"similarity {similarity:.2f}"
    topic = marked_words(paper_map.topic_name(row), query, "topic")
    facts = (alike, topic, marked_words(venue, query, "venue"), code)
    return [fact for fact in facts if fact]


def excerpt(paper: pd.Series, query: Query) -> str:
    """Return what shows most of a query in a paper, highlighted: Markdown.

    A passage of its abstract; where nothing of the query is in that one's prose, of its authors or
    its keywords, or ``""``.
    """
    plain = text.plain(paper["abstract"])
    found = in_prose(text.parse(paper["abstract"]), find_matches(query, plain, "abstract"))
    if found:
        return _passage(plain, found)
    for field, label in _LISTED.items():
        words = ", ".join(paper[field])
        if found := find_matches(query, words, field):
            return f"{label}: {_passage(words, found)}"
    return ""


def _passage(words: str, found: Sequence[Match]) -> str:
    shown = snippet(words, found, _EXCERPT_WIDTH)
    return to_markdown(mark_spans([text.Span(shown.text, "text")], shown.matches))
