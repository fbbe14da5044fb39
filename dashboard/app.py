"""The script that Streamlit runs for each reader and each interaction."""

from functools import partial
from pathlib import Path
from typing import Final

import streamlit as st

from dashboard import jobs
from dashboard.pages import progress
from dashboard.pages.data import draw_data_page
from dashboard.pages.map import draw_map_page

_HERE: Final = Path(__file__).parent


def _map() -> None:
    job = jobs.current()
    if job.running:
        progress.draw(job)
    else:
        draw_map_page(job)


def _data() -> None:
    job = jobs.current()
    if job.running:
        progress.draw(job)
    else:
        draw_data_page(job, show_map=partial(st.switch_page, map_page))


st.set_page_config("Papersky", page_icon=str(_HERE / "icon.svg"), layout="wide")
st.html(_HERE / "style.css")
map_page = st.Page(_map, title="Map", icon=":material/scatter_plot:", default=True)
data_page = st.Page(_data, title="Data", icon=":material/table_view:", url_path="data")
page = st.navigation([map_page, data_page], position="hidden")
with st.sidebar:
    st.html('<div class="brand">Papersky</div>')
    with st.container(horizontal=True, key="pages"):
        st.page_link(map_page)
        st.page_link(data_page)
page.run()
