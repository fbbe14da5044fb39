"""Every key of session state and of the address, in one place."""

from collections.abc import Collection, Hashable, Sequence
from typing import Final

import streamlit as st

from components.facets import Facet

QUERY: Final = "q"
PAPER: Final = "paper"
SELECTION: Final = "selection"
MAP: Final = "map"
PAGE_OF_RESULTS: Final = "results_page"
_LISTED: Final = "listed"
_SHOWN: Final = "shown"
"""Key of the map that the rest of the state speaks of."""


def restore(map_key: str, facets: Sequence[Facet], ids: Collection[str]) -> None:
    """Take over what the address says, once for each session; drop what this map has not.

    A session goes on when its map is replaced by another: then all that both have stays.
    """
    if st.session_state.get(_SHOWN) == map_key:
        return
    if _SHOWN not in st.session_state:
        _read_address(facets)
    st.session_state[_SHOWN] = map_key
    st.session_state[SELECTION] = tuple(i for i in st.session_state[SELECTION] if i in ids)
    if st.session_state[PAPER] not in ids:
        st.session_state[PAPER] = None
    for facet in facets:
        chosen = st.session_state.get(facet.name) or []
        st.session_state[facet.name] = [value for value in facet.values if value in chosen]


def _read_address(facets: Sequence[Facet]) -> None:
    st.session_state.setdefault(SELECTION, ())
    st.session_state[QUERY] = st.query_params.get(QUERY, "")
    st.session_state[PAPER] = st.query_params.get(PAPER)
    for facet in facets:
        st.session_state[facet.name] = st.query_params.get_all(facet.name)


def first_page_for(view: Hashable) -> None:
    """Turn the list back to its first page whenever what it lists has changed."""
    if st.session_state.get(_LISTED) != view:
        st.session_state[_LISTED] = view
        st.session_state[PAGE_OF_RESULTS] = 1


def publish(facets: Sequence[Facet]) -> None:
    """Keep the address in step, so that it can be bookmarked and shared."""
    address: dict[str, str | list[str]] = {
        QUERY: st.session_state[QUERY],
        PAPER: st.session_state[PAPER] or "",
        **choices(facets),
    }
    st.query_params.from_dict({key: value for key, value in address.items() if value})


def choices(facets: Sequence[Facet]) -> dict[str, list[str]]:
    """Return the values chosen in each facet."""
    return {facet.name: st.session_state.get(facet.name) or [] for facet in facets}


def open_paper(paper: str | None) -> None:
    """Show a paper's detail, or none."""
    st.session_state[PAPER] = paper


def show_everything(facets: Sequence[Facet]) -> None:
    """Drop the query, every filter and the selection."""
    st.session_state[QUERY] = ""
    st.session_state[SELECTION] = ()
    for facet in facets:
        st.session_state[facet.name] = []


def show_only(facets: Sequence[Facet], papers: Sequence[str]) -> None:
    """Drop all else and select some papers."""
    show_everything(facets)
    open_paper(None)
    st.session_state[SELECTION] = tuple(papers)
