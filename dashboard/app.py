"""The script that Streamlit runs for each reader and each interaction."""

from pathlib import Path

import streamlit as st

from dashboard import jobs
from dashboard.pages import progress
from dashboard.pages.map import draw_map_page

_ICON = Path(__file__).parent / "icon.svg"

st.set_page_config("Papersky", page_icon=str(_ICON), layout="wide")


def _map_page() -> None:
    job = jobs.current()
    if job.running:
        progress.draw(job)
    else:
        draw_map_page(job)


st.navigation([st.Page(_map_page, title="Papersky", default=True)]).run()
