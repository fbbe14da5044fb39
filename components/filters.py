"""The filters: each facet's values with how many papers each would leave, and what is chosen."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import streamlit as st

from components.coloring import can_color
from components.facets import Facet
from components.markup import clip, escape

_CSS: Final = Path(__file__).with_name("facet_list.css").read_text()
_JS: Final = Path(__file__).with_name("facet_list.js").read_text()
_MOST_CHIPS: Final = 4
"""Of one facet; more values are one chip."""
_LONGEST_CHIP: Final = 44


def facet_filter(
    facet: Facet,
    counts: Mapping[str, int],
    *,
    key: str,
    colors: Sequence[str] = (),
    on_color: Callable[[], None],
) -> None:
    """Draw one facet; what is chosen is under `key` in session state.

    Parameters
    ----------
    facet : Facet
        Numbers and dates are drawn as a histogram, all else as a list.
    counts : mapping of str to int
        Papers behind each value.
    key : str
    colors : sequence of str, optional
        The CSS colour of each value, if the map is coloured by them.
    on_color : callable
        Called when the map is to be coloured by this facet.
    """
    facet_list = st.components.v2.component(
        "papersky_facet",
        html='<div class="papersky-facet"></div>',
        css=_CSS,
        js=_JS,
        isolate_styles=False,
    )
    chosen = st.session_state.get(key) or []
    with st.container(key=key):
        facet_list(
            key=f"choose-{key}",
            data={
                "label": facet.label,
                "ranged": facet.kind in ("numbers", "dates"),
                "colorable": can_color(facet),
                "colors": bool(colors),
                "values": [
                    {
                        "value": value,
                        "label": value,
                        "count": counts[value],
                        "chosen": value in chosen,
                        "color": color,
                        "from": value.partition(" to ")[0],
                        "to": value.rpartition(" to ")[2],
                    }
                    for value, color in zip(
                        facet.values, colors or [""] * len(facet.values), strict=True
                    )
                ],
            },
            on_chosen_change=partial(_choose, facet, key),
            on_color_change=on_color,
        )


def _choose(facet: Facet, key: str) -> None:
    chosen = st.session_state[f"choose-{key}"].get("chosen") or []
    st.session_state[key] = [value for value in facet.values if value in chosen]


@dataclass(frozen=True)
class Chip:
    """Something that is chosen, in few words, and what remains of its facet when it is dropped."""

    text: str
    facet: str
    remaining: tuple[str, ...] = ()


def chips_of(facets: Sequence[Facet], choices: Mapping[str, Collection[str]]) -> list[Chip]:
    """Put what is chosen in words: a chip for each value, or one for many of a facet."""
    return [chip for facet in facets for chip in _chips(facet, choices.get(facet.name, ()))]


def _chips(facet: Facet, among: Collection[str]) -> list[Chip]:
    chosen = [value for value in facet.values if value in among]
    rest = [value for value in facet.values if value not in among]
    if facet.kind in ("numbers", "dates") and len(chosen) > 1:
        first, last = facet.values.index(chosen[0]), facet.values.index(chosen[-1])
        if last - first + 1 == len(chosen):
            ends = f"{chosen[0].partition(' to ')[0]} – {chosen[-1].rpartition(' to ')[2]}"
            return [Chip(f"{facet.label}: {ends}", facet.name)]
    if chosen and len(rest) == 1 and len(chosen) > 1:
        return [Chip(f"{facet.label}: all but {rest[0]}", facet.name)]
    if len(chosen) > _MOST_CHIPS:
        return [Chip(f"{facet.label}: {len(chosen)} of {len(facet.values)}", facet.name)]
    return [
        Chip(
            f"{facet.label}: {value}",
            facet.name,
            tuple(other for other in chosen if other != value),
        )
        for value in chosen
    ]


def draw_chip(text: str, *, key: str, on_drop: Callable[[], None]) -> None:
    """Draw a chip that can be dropped with a click."""
    shown = clip(text, _LONGEST_CHIP)
    st.button(
        escape(shown),
        key=key,
        icon=":material/close:",
        icon_position="right",
        help=None if shown == text else escape(text),
        on_click=on_drop,
    )
