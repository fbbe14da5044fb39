"""The search box: what is typed, by what it is sought, and what is found."""

import textwrap
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import streamlit as st

from cache import text
from cache.errors import PaperskyError
from components.finding import (
    MOST_COUNTED,
    Finding,
    SearchBy,
    by_both,
    by_meaning,
    by_words,
    like,
)
from components.markup import counted_terms, escape
from components.query import HELP, Query, QueryError, is_prose, meant, parse_prose, parse_query
from dashboard import state
from dashboard.jobs import Sky
from dashboard.meaning import Meaning

_LABELS: Final[dict[SearchBy, str]] = {"words": "Words", "both": "Both", "meaning": "Meaning"}
_LONGEST_TITLE: Final = 60
_EXPLANATION: Final = (
    "**Words** finds papers that have them. **Meaning** ranks papers by what they are about, in "
    "whatever words: ask a question, or paste a draft abstract. **Both** merges the two. Phrases, "
    "fields, years, code and what is excluded always hold."
)


def search_box(sky: Sky, meaning: Meaning) -> Finding | None:
    """Draw the search box and return what is found, None if nothing is asked."""
    typed = st.text_input(
        "Search",
        key=state.QUERY,
        persist_state="session",
        type="search",
        live=True,
        placeholder="words, “phrases”, year:2025",
        help=HELP.replace("\n", "\n\n"),
    )
    state.search_by(ready=meaning.ready)
    by = st.segmented_control(
        "Search by",
        list(_LABELS),
        key=state.SEARCH_BY,
        persist_state="session",
        required=True,
        format_func=_LABELS.__getitem__,
        help=_EXPLANATION,
        label_visibility="collapsed",
        width="stretch",
        on_change=state.note_search_by_chosen,
    )
    examples = [sky.row_of[paper] for paper in st.session_state[state.LIKE]]
    try:
        finding = None
        if typed and typed.strip():
            finding = _find(sky, meaning, typed, "words" if examples or by is None else by)
        return _find_like(sky, meaning, examples, finding) if examples else finding
    except QueryError as error:
        st.warning(escape(str(error)))
        return None


def _find(sky: Sky, meaning: Meaning, typed: str, by: SearchBy) -> Finding:
    query = parse_prose(typed) if by != "words" and is_prose(typed) else parse_query(typed)
    found = None
    if by != "words" and meant(query):
        found = _patiently(meaning, lambda: _by_meaning(sky, meaning, query, by))
    found = found or by_words(sky.index, query)
    if found.loosened:
        st.caption("No paper has all of these words; here are those with some of them.")
    _count_terms(found)
    return found


def _count_terms(found: Finding) -> None:
    """Say how many of all papers have each term."""
    if found.query is not None and found.told_apart:
        with st.container(key="terms"):
            st.markdown(counted_terms(found.query, found.counts, MOST_COUNTED))


def _by_meaning(sky: Sky, meaning: Meaning, query: Query, by: SearchBy) -> Finding | None:
    vectors, vector = meaning.vectors(), meaning.of_query(meant(query))
    if vectors is None or vector is None:
        return None
    find = by_both if by == "both" else by_meaning
    return find(sky.index, query, vectors, vector)


def _find_like(
    sky: Sky, meaning: Meaning, examples: Sequence[int], among: Finding | None
) -> Finding | None:
    what = f"{len(examples):,} papers"
    if len(examples) == 1:
        title = text.plain(str(sky.paper_map.corpus["title"].iat[examples[0]]))
        what = f"“{textwrap.shorten(title, _LONGEST_TITLE, placeholder='…')}”"
    st.button(
        f"Like {escape(what)}",
        key="forget-examples",
        icon=":material/close:",
        help="Drop this",
        on_click=state.forget_examples,
        width="stretch",
    )

    def find() -> Finding | None:
        vectors = meaning.vectors()
        return None if vectors is None else like(vectors, examples, among)

    nothing_yet = Finding(np.empty(0, dtype=np.int32))
    return _patiently(meaning, find) or nothing_yet


def _patiently(meaning: Meaning, find: Callable[[], Finding | None]) -> Finding | None:
    """Find by meaning; while that is not possible, say why, and try again as soon as it is."""
    try:
        found = find()
    except QueryError:
        raise
    except PaperskyError as error:
        st.warning(escape(str(error)))
        return None
    if found is None:
        _notice(meaning)
    return found


@st.fragment(run_every="0.5s")
def _notice(meaning: Meaning) -> None:
    if not meaning.busy:
        st.rerun()
    st.caption(":material/hourglass_top: Loading the model; words only until then.")
