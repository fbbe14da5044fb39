"""What is shown while a map is being built."""

import streamlit as st

from dashboard.jobs import MapJob


def draw(job: MapJob) -> None:
    """Draw a progress bar that follows the job, and the map once it is there."""
    _, middle, _ = st.columns([1, 2, 1])
    with middle:
        st.title("Charting the sky", anchor=False)
        st.write(
            f"{len(job.reading.corpus):,} papers are read and laid out as a map. "
            "All of it is kept, so the next start takes seconds."
        )
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
    time_left = f" · about {_roughly(left)} left" if left else ""
    st.progress(
        stage.done / stage.total if stage.total else 0.0,
        f"{stage.what} · {stage.done:,} of {stage.total:,}{time_left}",
    )


def _roughly(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"
