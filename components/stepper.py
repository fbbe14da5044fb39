"""Buttons that lead from one highlight of a text to the next, in the browser alone."""

from pathlib import Path
from typing import Final

import streamlit as st

_CSS: Final = Path(__file__).with_suffix(".css").read_text()
_JS: Final = Path(__file__).with_suffix(".js").read_text()


def stepper(marks: int, *, within: str, text: str, key: str) -> None:
    """Draw how many highlights there are, and the buttons that step through them.

    Parameters
    ----------
    marks : int
        Highlights there are, at least 1.
    within : str
        Key of the container that holds the highlighted text, and this.
    text : str
        What tells this text and its highlights from others: with another one begins anew.
    key : str
    """
    component = st.components.v2.component(
        "papersky_stepper",
        html='<div class="papersky-stepper" role="group" aria-label="Matches in the text"></div>',
        css=_CSS,
        js=_JS,
        isolate_styles=False,
    )
    component(key=key, data={"marks": marks, "within": within, "text": text})
