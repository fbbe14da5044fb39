"""The data: what was read, what became of it, and a place to drop more."""

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Final

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from cache.account import Account
from cache.build import PaperMap
from cache.errors import PaperskyError
from cache.readers import KINDS, Document, Problem, compose, free_name, read_document
from components.markup import escape
from dashboard import state
from dashboard.jobs import MapJob, Sky

_ADD: Final = "Add to these papers"
_REPLACE: Final = "Replace these papers"
_UPLOADS: Final = "uploads"
_HOW: Final = "uploads-how"
_PROBLEMS_SHOWN: Final = 500
_UNREAD_NAMED: Final = 3


def draw_data_page(job: MapJob, show_map: Callable[[], None]) -> None:
    """Draw the page.

    Parameters
    ----------
    job : MapJob
        One that is over.
    show_map : callable
        Turns to the map.

    Raises
    ------
    PaperskyError
        If the map could not be built.
    """
    sky = job.sky
    state.leave(sky)
    with st.container(key="data", width=980):
        st.header("Data", anchor=False)
        _draw_uploads(job)
        _draw_unread(job.reading.unread)
        with st.spinner("Counting…"):
            account = job.account
        _draw_counts(account, sky, show_map)
        _draw_map_account(sky, show_map)
        _draw_documents(account, sky, show_map)
        _draw_problems("Left out", account.skipped)
        _draw_problems("No papers", account.no_papers)
        _draw_problems("Repaired", account.repairs)


def _draw_uploads(job: MapJob) -> None:
    with st.form("upload", border=True):
        files = st.file_uploader(
            "Drop lists of papers here",
            accept_multiple_files=True,
            key=_UPLOADS,
            help=f"Papersky reads {KINDS}.",
        )
        how = st.segmented_control("What to do with them", [_ADD, _REPLACE], default=_ADD, key=_HOW)
        sent = st.form_submit_button("Build the map", type="primary", icon=":material/flare:")
    if sent and files:
        _build(job, files, add=how != _REPLACE)
    elif sent:
        st.info("Choose a file first.")


def _build(job: MapJob, files: Sequence[UploadedFile], *, add: bool) -> None:
    kept = job.reading.documents if add else ()
    taken = {document.name for document in kept}
    documents: list[Document] = []
    unread: list[Problem] = []
    for file in files:
        name = free_name(file.name, PurePath(file.name), taken)
        try:
            documents.append(read_document(file.getvalue(), name))
        except PaperskyError as error:
            unread.append(Problem(name, str(error), skipped=True))
    if documents:
        earlier = job.reading.unread if add else ()
        job.over(compose([*kept, *documents], [*earlier, *unread])).start()
        st.rerun()
    for problem in unread:
        st.error(escape(problem.what))
    st.write("Nothing was changed. Mend the file, or choose another.")


def _draw_unread(unread: Sequence[Problem]) -> None:
    """Say where it is not overlooked that documents are missing."""
    if unread:
        names = ", ".join(problem.source for problem in unread[:_UNREAD_NAMED])
        more = f" and {len(unread) - _UNREAD_NAMED:,} more" * (len(unread) > _UNREAD_NAMED)
        st.warning(f"Not read: {escape(names)}{more}. *Left out*, below, says why.")


def _draw_counts(account: Account, sky: Sky, show_map: Callable[[], None]) -> None:
    st.subheader("What was understood", anchor=False)
    surplus = account.surplus
    st.write(
        f"**{account.papers:,}** papers from {account.records:,} records"
        + (f", of which {surplus:,} told of a paper that was there already." if surplus else ".")
    )
    for what, papers in account.kinds.items():
        if papers is not None:
            _draw_count(what, papers, sky, show_map)


def _draw_map_account(sky: Sky, show_map: Callable[[], None]) -> None:
    paper_map = sky.paper_map
    st.subheader("The map", anchor=False)
    placed = int(paper_map.placed.sum())
    names = f"**{len(paper_map.topic_names):,}** topics"
    if paper_map.subtopic_names:
        names += f", with **{len(paper_map.subtopic_names):,}** finer ones within them"
    st.write(f"**{placed:,}** papers in {names}.")
    loose = paper_map.placed & (paper_map.topics < 0)
    share = f" ({loose.sum() / placed:.0%} of the map)" if placed else ""
    papers = tuple(paper_map.corpus["id"][loose])
    _draw_count(f"in no topic, as their nearest papers are of many{share}", papers, sky, show_map)
    _draw_quality(paper_map)
    made_with = {**paper_map.made_with, "Map": f"{paper_map.key[:12]}…"}
    st.caption(" · ".join(f"{what}: {escape(value)}" for what, value in made_with.items()))


def _draw_quality(paper_map: PaperMap) -> None:
    """Say in words what a flat picture of many dimensions has kept."""
    k = paper_map.neighbours.shape[1]
    if paper_map.recall is not None:
        st.write(
            f"On average the map shows **{paper_map.recall:.0%}** of a paper’s {k} nearest papers "
            f"among the {k} nearest on the map (neighbour recall)."
        )
    if paper_map.trustworthiness is not None:
        sampled = paper_map.judged < int(paper_map.placed.sum())
        of = f", from a sample of {paper_map.judged:,} papers" if sampled else ""
        st.write(
            f"Its trustworthiness is **{paper_map.trustworthiness:.3f}**{of}: 1 would mean that "
            "whatever lies near a paper is near it in meaning, too."
        )


def _draw_documents(account: Account, sky: Sky, show_map: Callable[[], None]) -> None:
    st.subheader("Documents", anchor=False)
    for document in account.documents:
        records = f"{document.records:,} record{'s' * (document.records != 1)}"
        _draw_count(f"in {document.name} ({records})", document.papers, sky, show_map)


def _draw_count(what: str, papers: Sequence[str], sky: Sky, show_map: Callable[[], None]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        pressed = st.button(
            f"{len(papers):,}",
            key=f"count-{what}",
            disabled=not papers,
            help="Show these papers on the map" if papers else None,
            width=90,
        )
        st.markdown(escape(what))
    if pressed:
        state.show_only(sky.facets, papers)
        show_map()


def _draw_problems(heading: str, problems: Sequence[Problem]) -> None:
    if not problems:
        return
    st.subheader(f"{heading} ({len(problems):,})", anchor=False)
    shown = problems[:_PROBLEMS_SHOWN]
    st.dataframe(
        {
            "where": [problem.source for problem in shown],
            "what": [problem.what for problem in shown],
        },
        hide_index=True,
    )
    if len(shown) < len(problems):
        st.caption(f"The first {len(shown):,}; `papersky check` prints them all.")
