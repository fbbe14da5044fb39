"""Every key of session state, in one place, and how the address follows it."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import streamlit as st

from components.facets import TOPIC, Facet
from components.finding import SearchBy
from components.selection import MapEvent, Region, Selection, View, enclosed
from dashboard import address
from dashboard.address import Params, Place
from dashboard.jobs import Sky

QUERY: Final = address.QUERY
PAPER: Final = address.PAPER
SELECTION: Final = "selection"
REGIONS: Final = "regions"
VIEW: Final = "view"
VIEW_SET: Final = "view_set"
"""Counts how often the map was told what to show, and not the reader's hand."""
SEARCH_BY: Final = address.SEARCH_BY
SEARCH_BY_CHOSEN: Final = "by_chosen"
"""Whether a person has chosen how to search, rather than been given the best there is."""
LIKE: Final = address.LIKE
"""Ids of the papers whose like are sought."""
COLOR: Final = address.COLOR
"""Name of the facet that the map is coloured by."""
MAP: Final = "map"
PAGE_OF_RESULTS: Final = "results_page"
NOTICE: Final = "notice"
SETS: Final = "sets"
SET_NAME: Final = "set_name"
_SHOWN: Final = "shown"
"""Key of the map that the rest of the state speaks of."""
_PUBLISHED: Final = "published"
"""The parameters that the address was last given."""
_AWAY: Final = "away"


def restore(sky: Sky) -> None:
    """Take over what the address says when it is new, was edited, or Back or Forward changed it.

    A session goes on when its map is replaced by another: then all that both have stays.
    """
    given = {key: st.query_params.get_all(key) for key in st.query_params}
    away = st.session_state.pop(_AWAY, False)
    shown = st.session_state.get(_SHOWN)
    st.session_state[_SHOWN] = sky.paper_map.key
    if shown is None:
        _go_to(given, sky)
        return
    if shown != sky.paper_map.key:
        _carry_over(sky)
        return
    published: Params = st.session_state.get(_PUBLISHED, {})
    now = address.write(place(sky.facets), sky)
    if now != published:
        # The reader chose something, and the address will follow.
        if _without_place(now) != _without_place(published):
            st.session_state[PAGE_OF_RESULTS] = 1
    elif given != published and (given or not away):
        _go_to(given, sky)


def leave(sky: Sky) -> None:
    """Note that another page is shown, whose address says nothing of the map's."""
    if _SHOWN not in st.session_state:
        st.session_state[_SHOWN] = sky.paper_map.key
        _go_to({}, sky)
    st.session_state[_AWAY] = True


def publish(sky: Sky) -> None:
    """Keep the address in step, so that it can be bookmarked and shared."""
    params = address.write(place(sky.facets), sky)
    st.session_state[_PUBLISHED] = params
    if params != {key: st.query_params.get_all(key) for key in st.query_params}:
        st.query_params.from_dict(params)


def place(facets: Sequence[Facet]) -> Place:
    """Return where the reader is."""
    return Place(
        query=st.session_state[QUERY] or "",
        choices=choices(facets),
        regions=st.session_state[REGIONS],
        selection=st.session_state[SELECTION],
        view=st.session_state[VIEW],
        color=st.session_state[COLOR],
        paper=st.session_state[PAPER],
        like=st.session_state[LIKE],
        search_by=_search_by_chosen(),
        page=st.session_state.get(PAGE_OF_RESULTS) or 1,
        sets=st.session_state[SETS],
    )


def _go_to(params: Mapping[str, Sequence[str]], sky: Sky) -> None:
    there, dropped = address.read(params, sky)
    st.session_state[QUERY] = there.query
    for name, chosen in there.choices.items():
        st.session_state[name] = chosen
    st.session_state[REGIONS] = there.regions
    st.session_state[SELECTION] = there.selection
    st.session_state[COLOR] = there.color
    st.session_state[PAPER] = there.paper
    st.session_state[LIKE] = there.like
    st.session_state[SEARCH_BY_CHOSEN] = there.search_by is not None
    st.session_state[SEARCH_BY] = there.search_by or "words"
    st.session_state[PAGE_OF_RESULTS] = there.page
    # What was saved stays for the session, wherever in it one goes.
    st.session_state[SETS] = {**st.session_state.get(SETS, {}), **there.sets}
    show(there.view)
    st.session_state[NOTICE] = address.notice(dropped)
    # A run may be cut short by the next one, to which this is not of the reader's choosing.
    st.session_state[_PUBLISHED] = address.write(place(sky.facets), sky)


def _carry_over(sky: Sky) -> None:
    for key in (SELECTION, LIKE):
        st.session_state[key] = tuple(i for i in st.session_state[key] if i in sky.row_of)
    st.session_state[REGIONS] = ()
    there = {
        name: Selection(tuple(paper for paper in saved.papers if paper in sky.row_of))
        for name, saved in st.session_state[SETS].items()
    }
    st.session_state[SETS] = {name: saved for name, saved in there.items() if saved.papers}
    show(None)
    if st.session_state[PAPER] not in sky.row_of:
        open_paper(None)
    if st.session_state[COLOR] not in {facet.name for facet in sky.facets}:
        color_by(TOPIC)
    for facet in sky.facets:
        chosen = st.session_state.get(facet.name) or []
        st.session_state[facet.name] = [value for value in facet.values if value in chosen]


def _without_place(params: Params) -> Params:
    aside = (PAPER, COLOR, address.PAGE, address.VIEW, address.MAP, address.SET)
    return {key: values for key, values in params.items() if key not in aside}


def _search_by_chosen() -> SearchBy | None:
    """Return how was searched where it is not what anybody would be given."""
    by: SearchBy = st.session_state[SEARCH_BY]
    return by if by != "words" or st.session_state[SEARCH_BY_CHOSEN] else None


def search_by(ready: bool) -> None:
    """Search by both words and meaning as soon as that is possible, unless told otherwise."""
    if not st.session_state[SEARCH_BY_CHOSEN]:
        st.session_state[SEARCH_BY] = "both" if ready else "words"


def note_search_by_chosen() -> None:
    """Keep to what a person has chosen."""
    st.session_state[SEARCH_BY_CHOSEN] = True


def look_for_more_like(papers: Sequence[str]) -> None:
    """Seek the like of some papers, among those that pass the filters, in place of a query."""
    st.session_state[QUERY] = ""
    select(())
    st.session_state[LIKE] = tuple(papers)
    open_paper(None)


def forget_examples() -> None:
    """Seek the like of no papers any more."""
    st.session_state[LIKE] = ()


def choices(facets: Sequence[Facet]) -> dict[str, list[str]]:
    """Return the values chosen in each facet."""
    return {facet.name: st.session_state.get(facet.name) or [] for facet in facets}


def choose(facet: str, values: Sequence[str]) -> None:
    """Choose values of a facet, and no others of it."""
    st.session_state[facet] = list(values)


def color_by(facet: str) -> None:
    """Colour the map by a facet."""
    st.session_state[COLOR] = facet


def open_paper(paper: str | None) -> None:
    """Show a paper's detail, or none."""
    st.session_state[PAPER] = paper


def search_for(query: str) -> None:
    """Type a query for the reader."""
    st.session_state[QUERY] = query


def show(view: View | None) -> None:
    """Make the map show a part of it, None for the whole."""
    st.session_state[VIEW] = view
    st.session_state[VIEW_SET] = st.session_state.get(VIEW_SET, 0) + 1


def select(papers: Sequence[str], regions: tuple[Region, ...] = ()) -> None:
    """Select papers, and note the outlines that enclose them."""
    st.session_state[SELECTION] = tuple(papers)
    st.session_state[REGIONS] = regions if papers else ()


def draw_region(event: MapEvent, sky: Sky) -> None:
    """Select what was enclosed on the map, alone or together with the selection there is.

    A selection that was not drawn has no outline to join: what follows is a list of papers.
    """
    if event.region is None:
        return
    before = st.session_state[SELECTION] if event.joins else ()
    regions = (*(st.session_state[REGIONS] if event.joins else ()), event.region)
    if before and len(regions) == 1:
        inside = event.region.encloses(sky.paper_map.coordinates, sky.frame)
        chosen = np.zeros(len(inside), dtype=bool)
        chosen[[sky.row_of[paper] for paper in before]] = True
        mask, regions = (chosen | inside if event.region.adds else chosen & ~inside), ()
    else:
        mask = enclosed(regions, sky.paper_map.coordinates, sky.frame)
    select(sky.paper_map.corpus["id"][np.flatnonzero(mask)].tolist(), regions)


def save_selection() -> None:
    """Keep the selection under the name that was typed."""
    name = " ".join((st.session_state.get(SET_NAME) or "").split())[: address.LONGEST_NAME]
    if name:
        saved = Selection(st.session_state[SELECTION], st.session_state[REGIONS])
        st.session_state[SETS] = {**st.session_state[SETS], name: saved}
    st.session_state[SET_NAME] = ""


def forget_set(name: str) -> None:
    """Drop a selection that was saved."""
    sets = st.session_state[SETS]
    st.session_state[SETS] = {other: saved for other, saved in sets.items() if other != name}


def show_everything(facets: Sequence[Facet]) -> None:
    """Drop the query, the examples, every filter and the selection."""
    st.session_state[QUERY] = ""
    select(())
    forget_examples()
    for facet in facets:
        st.session_state[facet.name] = []


def show_only(facets: Sequence[Facet], papers: Sequence[str]) -> None:
    """Drop all else and select some papers."""
    show_everything(facets)
    open_paper(None)
    select(papers)


def dismiss_notice() -> None:
    """Have read what was left out of the address."""
    st.session_state[NOTICE] = ""
