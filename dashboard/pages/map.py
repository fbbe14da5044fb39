"""The map, with all that finds papers on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt
import streamlit as st

from cache.build import PaperMap
from cache.readers import KINDS
from components.coloring import Coloring, color_by
from components.detail import detail
from components.facets import SUBTOPIC, TOPIC, Facet, counts, keep_all
from components.filters import chips_of, draw_chip, facet_filter
from components.finding import Finding
from components.map_chart import map_chart
from components.markup import escape
from components.query import Query
from components.results import results
from components.scatter import Outline, scatter
from components.selection import MapEvent, View
from components.theme import DARK, LIGHT, Theme
from dashboard import state
from dashboard.address import LONGEST_NAME
from dashboard.jobs import MapJob, Sky
from dashboard.search_box import search_box

_SHOWN_PROBLEMS: Final = 5


@dataclass(frozen=True, eq=False)
class Found:
    """What the query, the filters and the selection leave of a map.

    Attributes
    ----------
    finding : Finding or None
        What the search found, if anything is sought.
    found : bool array, shape (n,)
        Papers that the search found and that lie in the selection.
    visible : bool array, shape (n,)
        Those of `found` that pass every filter.
    """

    finding: Finding | None
    found: npt.NDArray[np.bool_]
    visible: npt.NDArray[np.bool_]

    @property
    def rows(self) -> Sequence[int]:
        """The visible papers: the best hits first, else in the order of the documents."""
        order = self.finding.rows if self.finding else np.arange(len(self.visible))
        return [int(row) for row in order if self.visible[row]]

    @property
    def query(self) -> Query | None:
        """The query whose words are highlighted, if there is one."""
        return self.finding.query if self.finding else None

    @property
    def term_masks(self) -> list[npt.NDArray[np.bool_]]:
        """Which papers have each term that has a colour of its own."""
        finding = self.finding
        return [finding.occurs[term] for term in finding.told_apart] if finding else []


def draw_map_page(job: MapJob) -> None:
    """Draw the whole page.

    Raises
    ------
    PaperskyError
        If the map could not be built.
    """
    sky = job.sky
    if not len(sky.paper_map.corpus):
        _explain_emptiness(job)
        return
    theme = DARK if st.context.theme.type == "dark" else LIGHT
    state.restore(sky)
    with st.sidebar:
        # Together they are one element: however many there are, the filters below remain what they
        # are to the browser, and keep what is folded in them.
        with st.container(key="asked"):
            view = _find(sky, job)
            _draw_sets()
        coloring = _coloring(sky, theme)
        _draw_filters(sky, view, coloring)
        _draw_account(job)
    with st.container(key="sky"):
        chart, panel = st.columns([1.75, 1], gap="medium")
    with chart:
        _draw_notice()
        _draw_status(sky, view)
        _draw_chart(sky, view, coloring, theme)
    with panel, st.container(key="panel"):
        _draw_panel(sky, view, coloring, theme)
    state.publish(sky)


def _explain_emptiness(job: MapJob) -> None:
    st.title("No papers here", anchor=False)
    names = escape(", ".join(document.name for document in job.reading.documents))
    st.write(f"Nothing in {names} looks like a paper.")
    st.write(
        f"Papersky reads {KINDS}. In plain text, the first line may name the venue and the year. "
        "Open another list with `papersky FILE`, or drop one on the Data page."
    )
    _draw_account(job)


def _find(sky: Sky, job: MapJob) -> Found:
    finding = search_box(sky, job.meaning)
    papers = len(sky.paper_map.corpus)
    found = finding.mask(papers) if finding else np.ones(papers, dtype=bool)
    selected = st.session_state[state.SELECTION]
    if selected:
        found = found & np.isin(np.arange(len(found)), [sky.row_of[paper] for paper in selected])
    visible = keep_all(sky.facets, state.choices(sky.facets), found)
    return Found(finding, found, visible)


def _coloring(sky: Sky, theme: Theme) -> Coloring:
    [facet] = [facet for facet in sky.facets if facet.name == st.session_state[state.COLOR]]
    return color_by(facet, sky.paper_map, theme)


def _draw_filters(sky: Sky, view: Found, coloring: Coloring) -> None:
    numbers = counts(sky.facets, state.choices(sky.facets), view.found)
    for whole in sky.facets:
        facet = _within_topics(whole, numbers[SUBTOPIC]) if whole.name == SUBTOPIC else whole
        if facet is None:
            continue
        facet_filter(
            facet,
            numbers[facet.name],
            key=facet.name,
            colors=coloring.of_values if facet.name == coloring.facet else (),
            on_color=partial(state.color_by, facet.name),
        )


def _draw_sets() -> None:
    """Offer the selections that were saved."""
    if not st.session_state[state.SETS]:
        return
    with st.container(key="sets", gap=None):
        st.markdown("Saved selections")
        for number, (name, saved) in enumerate(st.session_state[state.SETS].items()):
            with st.container(horizontal=True, wrap=False, key=f"set-{number}", gap=None):
                st.button(
                    f"{escape(name)} · {len(saved.papers):,}",
                    key=f"select-set-{number}",
                    type="tertiary",
                    width="stretch",
                    on_click=state.select,
                    args=(saved.papers, saved.regions),
                )
                st.button(
                    "",
                    key=f"forget-set-{number}",
                    icon=":material/close:",
                    type="tertiary",
                    help="Forget",
                    on_click=state.forget_set,
                    args=(name,),
                )


def _within_topics(facet: Facet, numbers: Mapping[str, int]) -> Facet | None:
    """Offer finer topics only of the topics chosen, and none as long as no topic is."""
    chosen = st.session_state[SUBTOPIC]
    if not (st.session_state[TOPIC] or chosen):
        return None
    values = tuple(value for value in facet.values if numbers[value] or value in chosen)
    return replace(facet, values=values) if values else None


def _draw_account(job: MapJob) -> None:
    reading = job.reading
    documents = len(reading.documents)
    papers = len(reading.corpus)
    st.caption(
        f"{papers:,} paper{'s' * (papers != 1)} from {documents:,} "
        f"document{'s' * (documents != 1)}"
        + (f" · {len(reading.skipped):,} left out, see Data" if reading.skipped else "")
    )
    for notice in job.notices:
        st.caption(f":material/info: {escape(notice)}")


def _draw_notice() -> None:
    notice = st.session_state[state.NOTICE]
    if not notice:
        return
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="notice"):
        st.markdown(f":material/link_off: {escape(notice)}", width="stretch")
        st.button(
            "",
            key="dismiss",
            icon=":material/close:",
            type="tertiary",
            help="Dismiss",
            on_click=state.dismiss_notice,
        )


def _draw_status(sky: Sky, view: Found) -> None:
    total, shown = len(view.visible), int(view.visible.sum())
    unplaced = int((~sky.paper_map.placed).sum())
    narrowed = shown < total or view.finding is not None
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="status"):
        noun = "paper" if total == 1 else "papers"
        text = f"**{shown:,}** of {total:,} {noun}" if narrowed else f"**{total:,}** {noun}"
        if unplaced:
            text += f" · {unplaced:,} without text, not on the map"
        st.markdown(text, width="content")
        _draw_chips(sky)
        st.space("stretch")
        if st.session_state[state.SELECTION]:
            st.button(
                "More like these",
                key="more-like-selection",
                icon=":material/join_inner:",
                type="tertiary",
                help="Rank all other papers by their similarity to the selected ones",
                on_click=state.look_for_more_like,
                args=(st.session_state[state.SELECTION],),
            )
        if narrowed:
            st.button(
                "Show everything",
                key="everything",
                icon=":material/restart_alt:",
                type="tertiary",
                on_click=state.show_everything,
                args=(sky.facets,),
            )


def _draw_chips(sky: Sky) -> None:
    """Draw what narrows the map and can be dropped alone; the query has a cross of its own."""
    if st.session_state[state.SELECTION]:
        draw_chip(
            f"within a selection of {len(st.session_state[state.SELECTION]):,}",
            key="chip-selection",
            on_drop=partial(state.select, ()),
        )
    for number, chip in enumerate(chips_of(sky.facets, state.choices(sky.facets))):
        draw_chip(
            chip.text,
            key=f"chip-{number}",
            on_drop=partial(state.choose, chip.facet, chip.remaining),
        )


def _draw_chart(sky: Sky, view: Found, coloring: Coloring, theme: Theme) -> None:
    opened = sky.row_of.get(st.session_state[state.PAPER])
    figure = scatter(
        sky.paper_map,
        coloring,
        visible=view.visible,
        hits=view.found if view.finding else None,
        terms=view.term_masks,
        opened=opened,
        outlines=_outlines(sky),
        theme=theme,
    )
    seen = st.session_state[state.VIEW]
    map_chart(
        figure,
        sky.dots,
        key=state.MAP,
        view=None if seen is None else seen.to_chart(sky.frame),
        view_set=st.session_state[state.VIEW_SET],
        description=f"Map of {len(view.visible):,} papers, {int(view.visible.sum()):,} shown",
        on_event=partial(_on_event, sky),
        on_view=partial(_on_view, sky),
    )


def _outlines(sky: Sky) -> list[Outline]:
    return [
        Outline([sky.frame.to_map(point) for point in region.outline], region.adds)
        for region in st.session_state[state.REGIONS]
    ]


def _on_event(sky: Sky) -> None:
    event = MapEvent.from_chart(st.session_state[state.MAP], sky.row_of, sky.frame)
    if event.opened is not None:
        state.open_paper(event.opened)
    if event.dropped:
        state.select(())
    if event.region is not None:
        state.draw_region(event, sky)
        state.open_paper(None)


def _on_view(sky: Sky) -> None:
    st.session_state[state.VIEW] = View.from_chart(st.session_state[state.MAP], sky.frame)


def _draw_panel(sky: Sky, view: Found, coloring: Coloring, theme: Theme) -> None:
    opened = sky.row_of.get(st.session_state[state.PAPER])
    rows = view.rows
    if opened is None:
        _draw_selection(sky)
        if not rows:
            st.info("No paper passes. Loosen the search or the filters.")
        results(
            sky.paper_map,
            rows,
            view.query,
            coloring=coloring,
            page_key=state.PAGE_OF_RESULTS,
            on_open=state.open_paper,
            similarities=view.finding.similarities if view.finding else {},
        )
        return
    _draw_way_back(sky.paper_map, rows, opened)
    detail(
        sky.paper_map,
        opened,
        view.query,
        theme=theme,
        on_open=state.open_paper,
        on_topic=partial(_show_topic, sky),
        on_like=state.look_for_more_like,
    )


def _draw_selection(sky: Sky) -> None:
    """Say what sets the selected papers apart, and offer to keep them."""
    selected = st.session_state[state.SELECTION]
    if not selected:
        return
    with st.container(key="selected", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown("**What sets the selection apart**", width="stretch")
            with st.popover("Save", type="tertiary", icon=":material/bookmark:"):
                st.text_input(
                    "Name of the selection",
                    key=state.SET_NAME,
                    max_chars=LONGEST_NAME,
                    on_change=state.save_selection,
                )
        with st.spinner("Comparing with the rest…"):
            keywords = sky.keywords.of([sky.row_of[paper] for paper in selected])
        with st.container(horizontal=True, gap="xsmall", key="keywords"):
            for number, keyword in enumerate(keywords):
                st.button(
                    escape(keyword),
                    key=f"keyword-{number}",
                    help="Search for it",
                    on_click=state.search_for,
                    args=(f'"{keyword}"',),
                )
        if not keywords:
            st.caption("Nothing: its words are those of all papers.")


def _draw_way_back(paper_map: PaperMap, rows: Sequence[int], opened: int) -> None:
    ids = paper_map.corpus["id"]
    at = rows.index(opened) if opened in rows else -1
    with st.container(horizontal=True, vertical_alignment="center", key="way-back"):
        st.button(
            f"{len(rows):,} papers" if len(rows) != 1 else "1 paper",
            key="back",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=state.open_paper,
            args=(None,),
            shortcut="Escape",
        )
        st.space("stretch")
        for icon, step, key in (("chevron_left", -1, "Left"), ("chevron_right", 1, "Right")):
            target = at + step
            possible = at >= 0 and 0 <= target < len(rows)
            st.button(
                "",
                key=f"step-{key}",
                icon=f":material/{icon}:",
                type="tertiary",
                disabled=not possible,
                help="Previous paper" if step < 0 else "Next paper",
                on_click=state.open_paper,
                args=(ids.iat[rows[target]] if possible else None,),
            )


def _show_topic(sky: Sky, name: str) -> None:
    state.show_everything(sky.facets)
    st.session_state[TOPIC] = [name]
    state.open_paper(None)
