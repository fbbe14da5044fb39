"""The filters: each facet's values with how many papers each would leave."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import streamlit as st

from components.facets import Facet
from components.markup import escape

_SCROLL_ABOVE: Final = 14
_SCROLL_HEIGHT: Final = 330


def facet_filter(
    facet: Facet, counts: Mapping[str, int], *, key: str, colors: Sequence[str] = ()
) -> None:
    """Draw one facet; what is chosen is under `key` in session state.

    Parameters
    ----------
    facet : Facet
    counts : mapping of str to int
        Papers behind each value.
    key : str
    colors : sequence of str, optional
        A CSS colour for each value, shown as a dot.
    """
    if colors:
        st.html(f"<style>{_dots(key, colors)}</style>")
    height: int | Literal["content"] = "content"
    if len(facet.values) > _SCROLL_ABOVE:
        height = _SCROLL_HEIGHT
    with st.container(height=height, border=False, gap=None):
        st.pills(
            escape(facet.label),
            facet.values,
            selection_mode="multi",
            key=key,
            persist_state="session",
            format_func=lambda value: _label(value, counts[value]),
        )


def _label(value: str, count: int) -> str:
    label = f"{escape(value)} · {count:,}"
    return label if count else f":gray[{label}]"


def _dots(key: str, colors: Sequence[str]) -> str:
    return "".join(
        f".st-key-{key} button:nth-of-type({number})::before {{background: {color}}}"
        for number, color in enumerate(colors, start=1)
    )
