"""Every key of session state and of the address, in one place."""

from collections.abc import Collection, Sequence
from typing import Final

import streamlit as st

from components.facets import Facet

QUERY: Final = "q"
PAPER: Final = "paper"
SELECTION: Final = "selection"
MAP: Final = "map"
PAGE_OF_RESULTS: Final = "results_page"
_RESTORED: Final = "restored"


def restore(facets: Sequence[Facet], ids: Collection[str]) -> None:
    """Take over, once a session, what the address says; what does not exist here is dropped."""
    if _RESTORED in st.session_state:
        return
    st.session_state[_RESTORED] = True
    st.session_state[SELECTION] = ()
    st.session_state[QUERY] = st.query_params.get(QUERY, "")
    paper = st.query_params.get(PAPER)
    st.session_state[PAPER] = paper if paper in ids else None
    for facet in facets:
        wanted = st.query_params.get_all(facet.name)
        st.session_state[facet.name] = [value for value in facet.values if value in wanted]


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
