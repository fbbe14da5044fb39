"""What is shown while a map is being built."""

from datetime import timedelta

import streamlit as st

from dashboard.jobs import MapJob


def draw(job: MapJob) -> None:
    """Draw a progress bar that follows the job, and the map once it is there."""
    _, middle, _ = st.columns([1, 2, 1])
    with middle:
        st.title("Papersky", anchor=False)
        st.write(f"Charting {len(job.reading.corpus):,} papers. The next start takes seconds.")
        _bar(job)


@st.fragment(run_every="0.4s")
def _bar(job: MapJob) -> None:
    if not job.running:
        st.rerun()
    stage = job.stage
    if stage is None:
        st.progress(0.0, "Looking up what is known already")
        return
    left = stage.seconds_left
    time_left = f" · about {timedelta(seconds=round(left))} left" if left else ""
    st.progress(
        stage.done / stage.total if stage.total else 0.0,
        f"{stage.what} · {stage.done:,} of {stage.total:,}{time_left}",
    )
