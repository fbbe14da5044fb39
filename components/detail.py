"""One paper, to be read beside the map."""

from collections.abc import Callable, Sequence
from typing import Final

import pandas as pd
import streamlit as st

from cache.build import PaperMap
from cache.links import find_code_link
from cache.papers import venue_and_year
from components.coloring import topic_color
from components.markup import (
    escape,
    is_mark,
    marked,
    marked_spans,
    marked_words,
    shorten,
    to_markdown,
)
from components.query import Query
from components.scatter import NEAREST_SHOWN
from components.stepper import stepper
from components.theme import Theme

_ABSTRACT: Final = "abstract-read"

_CODE_LABELS: Final = {
    "repository": "Code",
    "anonymous": "Anonymous code",
    "project page": "Project page",
}


def detail(
    paper_map: PaperMap,
    row: int,
    query: Query | None,
    *,
    theme: Theme,
    on_open: Callable[[str], None],
    on_topic: Callable[[str], None],
    on_like: Callable[[Sequence[str]], None],
) -> None:
    """Draw a paper: title, where it is from, links, abstract, and the nearest papers.

    Parameters
    ----------
    paper_map : PaperMap
    row : int
        The paper.
    query : Query or None
        Whose matches are highlighted.
    theme : Theme
    on_open : callable
        Called with the id of a nearest paper that was clicked.
    on_topic : callable
        Called with the name of the paper's topic when it was clicked.
    on_like : callable
        Called with the paper's id, alone in a list, when more like it is wanted.
    """
    paper = paper_map.corpus.iloc[row]
    st.markdown(
        f"### {marked(shorten(paper['title']), query, 'title') or '(no title)'}", anchors=False
    )
    _provenance(paper, query)
    _topic(paper_map, row, theme, on_topic)
    _links(paper)
    if paper["abstract"]:
        _abstract(paper, query)
    else:
        place = "by its title alone" if paper_map.placed[row] else "nowhere"
        st.info(f"This paper has no abstract; the map places it {place}.")
    if paper["keywords"]:
        st.caption("Keywords: " + marked_words(", ".join(paper["keywords"]), query, "keywords"))
    _nearest(paper_map, row, on_open, on_like)
    st.caption(f"Source: {escape(paper['source'])}")


def told_near(kept: int, neighbours: int) -> str:
    """Say how many of a paper's nearest papers the map has kept near it.

    Parameters
    ----------
    kept : int
        Nearest papers that are among as many nearest on the map.
    neighbours : int
        How many nearest papers are known, at least 1.
    """
    if kept == neighbours:
        return f"The map shows all of its {neighbours} nearest papers near it."
    if not kept:
        return f"The map shows none of its {neighbours} nearest papers near it: trust the list."
    doubt = ": trust the list more" if kept < neighbours / 4 else ""
    return f"The map shows {kept} of its {neighbours} nearest papers near it{doubt}."


def _provenance(paper: pd.Series, query: Query | None) -> None:
    where = marked_words(venue_and_year(paper["venue"], paper["year"]), query, "venue")
    facts = [
        marked_words(", ".join(paper["authors"]), query, "authors"),
        f"{where} {escape(paper['presentation'])}".strip(),
    ]
    if not paper["title_given"]:
        facts.append("title derived from the abstract")
    st.caption(" · ".join(filter(None, facts)))


def _topic(paper_map: PaperMap, row: int, theme: Theme, on_topic: Callable[[str], None]) -> None:
    topic = int(paper_map.topics[row])
    st.html(
        f"<style>.st-key-detail-topic {{--topic: {topic_color(paper_map, topic, theme)}}}</style>"
    )
    name = paper_map.topic_name(row)
    st.button(
        escape(name),
        key="detail-topic",
        type="tertiary",
        help="Show this topic alone",
        on_click=on_topic,
        args=(name,),
    )
    if finer := paper_map.subtopic_name(row):
        st.caption(escape(finer))


def _links(paper: pd.Series) -> None:
    links = {
        "Paper": paper["url"],
        "PDF": paper["pdf_url"],
        _CODE_LABELS.get(paper["code_kind"], ""): paper["code_url"],
    }
    icons = {"Paper": ":material/article:", "PDF": ":material/picture_as_pdf:"}
    with st.container(horizontal=True, gap="small"):
        for label, url in links.items():
            if url:
                st.link_button(
                    label, url, icon=icons.get(label, ":material/code:"), help=escape(url)
                )
        if not paper["code_url"]:
            looked = "No code link in the abstract" if paper["abstract"] else "Code: unknown"
            st.badge(looked, color="gray", icon=":material/code_off:")
    if paper["code_url"]:
        st.caption(f"The link to code {_found(paper)}.")


def _found(paper: pd.Series) -> str:
    in_abstract = find_code_link(paper["abstract"])
    if in_abstract and in_abstract.url == paper["code_url"]:
        return "was found in the abstract"
    return "was given with the record"


def _abstract(paper: pd.Series, query: Query | None) -> None:
    spans = marked_spans(paper["abstract"], query, "abstract")
    with st.container(key=_ABSTRACT, gap="small"):
        if marks := sum(map(is_mark, spans)):
            typed = query.text if query is not None else ""
            stepper(marks, within=_ABSTRACT, text=f"{paper['id']} {typed}", key="matches")
        st.markdown(to_markdown(spans))


def _nearest(
    paper_map: PaperMap,
    row: int,
    on_open: Callable[[str], None],
    on_like: Callable[[Sequence[str]], None],
) -> None:
    near = paper_map.nearest(row)[:NEAREST_SHOWN]
    if not len(near):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("##### Nearest papers", anchors=False, width="content")
        st.space("stretch")
        st.button(
            "More like this",
            key="more-like",
            icon=":material/join_inner:",
            type="tertiary",
            help="Rank all papers by their similarity to this one",
            on_click=on_like,
            args=([paper_map.corpus["id"].iat[row]],),
        )
    st.caption(told_near(int(paper_map.kept_near[row]), len(paper_map.nearest(row))))
    for rank, other in enumerate(near):
        with st.container(key=f"near-{rank}", gap=None):
            st.button(
                marked(shorten(str(paper_map.corpus["title"].iat[other])), None, "title")
                or "(no title)",
                key=f"near-open-{rank}",
                type="tertiary",
                on_click=on_open,
                args=(paper_map.corpus["id"].iat[other],),
            )
            st.caption(
                f"similarity {paper_map.similarities[row, rank]:.2f} · "
                + escape(paper_map.topic_name(int(other)))
            )
