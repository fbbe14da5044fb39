"""The map as a chart in the browser, which keeps its zoom while its dots change.

Streamlit gives a selectable Plotly chart a new identity whenever its figure changes, and with it
a new zoom (https://github.com/streamlit/streamlit/pull/16052). So the figure is drawn by a
component of our own, with the Plotly.js that the plotly package brings.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import plotly
import plotly.graph_objects as go
import streamlit as st

from cache.build import PaperMap
from components import scatter

PLOTLY_JS: Final = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
PLOTLY_JS_URL: Final = "/papersky/plotly.min.js"
"""Where the server of the dashboard must offer `PLOTLY_JS`."""

DOTS_URL: Final = "/papersky/dots/"
"""Below which the server of the dashboard must offer each `Dots` by its digest."""

_CSS: Final = Path(__file__).with_suffix(".css").read_text()
_JS: Final = Path(__file__).with_suffix(".js").read_text()


@dataclass(frozen=True)
class Dots:
    """What the browser fetches once of a map: `components.scatter.dots`, as JSON.

    Attributes
    ----------
    content : bytes
    digest : str
        Hex digest of the content.
    """

    content: bytes
    digest: str

    @classmethod
    def of(cls, paper_map: PaperMap) -> "Dots":
        """Write down what never changes of a map's figures."""
        content = go.Figure(scatter.dots(paper_map)).to_json(validate=False).encode()
        return cls(content, hashlib.sha256(content).hexdigest())


def map_chart(
    figure: go.Figure,
    dots: Dots,
    *,
    key: str,
    view: list[float] | None,
    view_set: int,
    description: str,
    on_event: Callable[[], None],
    on_view: Callable[[], None],
) -> None:
    """Draw the map; clicks and selections arrive in session state under `key`.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        As `components.scatter.scatter` makes it.
    dots : Dots
        Of the same map.
    key : str
        ``st.session_state[key]`` holds, during `on_event` only, ``opened`` (an id) or ``drawn``
        (an outline, and how it joins the selection), and during `on_view` only ``moved`` (what is
        seen now), as `components.selection` reads them.
    view : list of float or None
        x and y of the middle and the width of what is seen, None for all of it; heeded when
        `view_set` changes, else the reader's own hand decides.
    view_set : int
    description : str
        What the chart shows, for screen readers.
    on_event : callable
        Called before the rerun that a click or a selection causes.
    on_view : callable
        Called before the rerun that panning or zooming causes.
    """
    chart = st.components.v2.component(
        "papersky_map",
        html='<div class="papersky-map" tabindex="0" role="application"></div>',
        css=_CSS,
        js=_JS,
        isolate_styles=False,
    )
    chart(
        key=key,
        data={
            "figure": figure.to_json(validate=False),
            "dots": DOTS_URL + dots.digest,
            "view": view,
            "view_set": view_set,
            "description": description,
            "plotly": PLOTLY_JS_URL,
        },
        on_opened_change=on_event,
        on_drawn_change=on_event,
        on_moved_change=on_view,
    )
