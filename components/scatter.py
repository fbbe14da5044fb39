"""A map of papers as a Plotly figure."""

import html
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from cache import text
from cache.build import PaperMap
from components.coloring import Coloring
from components.facets import TOPIC
from components.markup import shorten
from components.theme import LIGHT, Theme

Mask = npt.NDArray[np.bool_]

NEAREST_SHOWN: Final = 6
"""How many of a paper's nearest papers are shown beside it and joined to it on the map."""

_HOVER_WIDTH: Final = 48
_HOVER_FONT: Final = '"Source Sans", sans-serif'
_LABEL_FONT: Final = '"Source Serif", "Source Serif 4", Georgia, serif'
_LABEL_ABOVE: Final = 150
"""Up to so many papers a topic's name stands above its dots, where it hides none."""

SUBTOPIC_LABEL: Final = "subtopic"
"""What annotations are called that the browser shows only once the reader has zoomed in."""

_CONSTELLATIONS_UP_TO: Final = 300
"""Up to so many papers the lines that join a topic can be told apart."""

_SHRINKING: Final = 0.2
_LARGEST_DOT: Final = 14.0

_RINGS: Final = 3
"""How many rings a paper may have: so many terms of a query are told apart on one dot."""

_SIZES: Final = np.array([4, 5], dtype=np.uint8)
"""Diameters of a dot that is filtered out and of one that is not, in fifths of the latter."""


@dataclass(frozen=True)
class Outline:
    """What was drawn around papers.

    Attributes
    ----------
    corners : sequence of (float, float)
        In the map's units.
    adds : bool
        Whether it selects papers, or takes them out of the selection.
    """

    corners: Sequence[tuple[float, float]]
    adds: bool


def scatter(
    paper_map: PaperMap,
    coloring: Coloring,
    *,
    visible: Mask,
    hits: Mask | None = None,
    terms: Sequence[Mask] = (),
    opened: int | None = None,
    outlines: Sequence[Outline] = (),
    theme: Theme = LIGHT,
) -> go.Figure:
    """Draw the papers that have a place; those not visible stay, in grey.

    What never changes of a map is left to `dots`, so that it need not be made, nor sent, again.

    Parameters
    ----------
    paper_map : PaperMap
        n papers.
    coloring : Coloring
        Of these papers, in the colours of `theme`.
    visible : bool array, shape (n,)
        Papers that pass the query, the facets and the selection.
    hits : bool array, shape (n,), optional
        Papers that match a query, which are ringed.
    terms : sequence of bool array, shape (n,) each
        Which papers have the first, second … term of the query: each adds a ring in its colour to
        those that match, up to `_RINGS` to one paper.
    opened : int, optional
        Row of the paper being read: marked, and joined to its nearest papers.
    outlines : sequence of Outline, optional
        What encloses the selection.
    theme : Theme, optional

    Returns
    -------
    plotly.graph_objects.Figure
        The first trace colours the placed papers in order; `dots` has the rest of it.
    """
    figure = go.Figure(_papers(paper_map, coloring, visible, theme))
    if 1 < int(paper_map.placed.sum()) <= _CONSTELLATIONS_UP_TO:
        figure.add_trace(_constellations(paper_map, theme))
    rows = np.flatnonzero(paper_map.placed)
    if hits is not None:
        figure.add_traces(_hits(paper_map, rows[(hits & visible)[rows]], terms, theme))
    if opened is not None and paper_map.placed[opened]:
        figure.add_trace(_threads(paper_map, opened, theme))
        figure.add_trace(_opened(paper_map, opened, theme))
    figure.update_layout(
        template="none",
        annotations=_labels(paper_map, coloring, visible, theme),
        shapes=[_outline(outline, theme) for outline in outlines],
        dragmode="pan",
        hovermode="closest",
        hoverlabel={
            "align": "left",
            "bgcolor": theme.card,
            "bordercolor": theme.unclustered,
            "font": {"color": theme.text, "family": _HOVER_FONT, "size": 13},
        },
        modebar={
            "bgcolor": "rgba(0,0,0,0)",
            "color": theme.unclustered,
            "activecolor": theme.text,
        },
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=False,
        uirevision=paper_map.key,
        # With which the browser lets dots grow where fewer are in view.
        meta={"dot": dot_size(len(rows)), "largest": _LARGEST_DOT, "shrinking": _SHRINKING},
    )
    # The map's units mean nothing, but distances in both directions must look alike.
    figure.update_xaxes(visible=False, range=_span(paper_map, 0))
    figure.update_yaxes(visible=False, range=_span(paper_map, 1), scaleanchor="x")
    return figure


def _outline(outline: Outline, theme: Theme) -> dict[str, object]:
    path = " L".join(f"{x:.6g},{y:.6g}" for x, y in outline.corners)
    dash = "solid" if outline.adds else "dot"
    return {
        "type": "path",
        "path": f"M{path} Z",
        "line": {"color": theme.ring, "width": 1.5, "dash": dash},
        "opacity": 0.6,
    }


def dot_size(papers: int) -> float:
    """Return the diameter of a dot in pixels that fits so many papers on a screen."""
    return float(np.clip(26 * papers**-_SHRINKING, 3, _LARGEST_DOT)) if papers else _LARGEST_DOT


@lru_cache(maxsize=2)
def dots(paper_map: PaperMap) -> go.Scattergl:
    """Return what every figure's first trace has: places, ids as ``customdata``, hover texts."""
    rows = np.flatnonzero(paper_map.placed)
    return go.Scattergl(
        x=paper_map.coordinates[rows, 0],
        y=paper_map.coordinates[rows, 1],
        customdata=paper_map.corpus["id"].to_numpy(dtype=object)[rows],
        hovertext=[_hover(paper_map, int(row)) for row in rows],
    )


def _papers(paper_map: PaperMap, coloring: Coloring, visible: Mask, theme: Theme) -> go.Scattergl:
    rows = np.flatnonzero(paper_map.placed)
    colors = [theme.dimmed, *coloring.colors]
    code = np.where(visible[rows], coloring.numbers[rows] + 1, 0).astype(np.uint8)
    return go.Scattergl(
        mode="markers",
        hoverinfo="text",
        marker={
            **_colored(code, colors),
            "size": _SIZES[(code > 0).astype(np.intp)],
            "sizeref": float(_SIZES.max()) / dot_size(len(rows)),
            "line": {"width": 0},
            "opacity": 1,
        },
        # The server draws what is selected; Plotly's own dimming would come on top of it.
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
    )


def _colored(code: npt.NDArray[np.uint8], colors: Sequence[str]) -> dict[str, object]:
    """Return a marker's attributes that give each point one of some colours, by its number."""
    n = len(colors)
    edges = [(i / n, (i + 1) / n) for i in range(n)]
    scale = [(at, color) for pair, color in zip(edges, colors, strict=True) for at in pair]
    return {"color": code, "colorscale": scale, "cmin": -0.5, "cmax": n - 0.5}


def _hover(paper_map: PaperMap, row: int) -> str:
    title = textwrap.wrap(
        text.plain(shorten(str(paper_map.corpus["title"].iat[row]))), _HOVER_WIDTH
    ) or ["(no title)"]
    lines = "<br>".join(html.escape(line) for line in title)
    return f"<b>{lines}</b><br>{html.escape(paper_map.topic_name(row))}"


def _hits(
    paper_map: PaperMap, rows: npt.NDArray[np.intp], terms: Sequence[Mask], theme: Theme
) -> list[go.Scattergl]:
    """Ring papers once for each term they have; what meaning finds may have none."""
    numbers = _ring_numbers([term[rows] for term in terms], len(rows), len(theme.terms))
    colors = [theme.ring, *theme.terms]
    traces = []
    for ring, number in enumerate(numbers):
        ringed = number > 0 if ring else np.ones(len(rows), dtype=bool)
        if ringed.any():
            color = _colored(number[ringed], colors)
            traces.append(_rings(paper_map, rows[ringed], color, width=2, scale=1.5, ring=ring))
    return traces


def _ring_numbers(terms: Sequence[Mask], hits: int, colors: int) -> npt.NDArray[np.uint8]:
    """Return the number of each ring's colour, from 1; 0 for no ring: shape (_RINGS, hits)."""
    has = np.array(terms, dtype=bool).reshape(len(terms), hits)
    place = np.cumsum(has, axis=0)
    number = np.arange(len(terms))[:, np.newaxis] % colors + 1
    rings = [(number * (has & (place == ring + 1))).sum(axis=0) for ring in range(_RINGS)]
    return np.array(rings, dtype=np.uint8)


def _rings(
    paper_map: PaperMap,
    rows: npt.NDArray[np.intp],
    color: Mapping[str, object],
    *,
    width: float,
    scale: float,
    ring: int = 0,
) -> go.Scattergl:
    """Ring papers; `scale` is that of the dots, and each further ring lies around the last."""
    dot = dot_size(int(paper_map.placed.sum()))
    width = max(1.2, width * min(dot / 8, 1))
    size = dot * scale + ring * 2.5 * width
    return go.Scattergl(
        x=paper_map.coordinates[rows, 0],
        y=paper_map.coordinates[rows, 1],
        mode="markers",
        hoverinfo="skip",
        marker={"symbol": "circle-open", "size": size, "line": {"width": width}, **color},
    )


def _opened(paper_map: PaperMap, opened: int, theme: Theme) -> go.Scattergl:
    color = {"color": theme.ring}
    return _rings(paper_map, np.array([opened]), color, width=3, scale=1.9)


def _threads(paper_map: PaperMap, opened: int, theme: Theme) -> go.Scattergl:
    """Lines from the opened paper to its truly nearest ones, wherever the map has put them."""
    near = paper_map.nearest(opened)[:NEAREST_SHOWN]
    return _lines(paper_map, np.full(len(near), opened), near, theme.ring, opacity=0.5)


def _constellations(paper_map: PaperMap, theme: Theme) -> go.Scattergl:
    """Join the papers of each topic by the shortest lines that leave none apart."""
    return _lines(paper_map, *_edges(paper_map), theme.unclustered, opacity=0.45)


@lru_cache(maxsize=2)
def _edges(paper_map: PaperMap) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    from scipy.sparse.csgraph import minimum_spanning_tree  # noqa: PLC0415 — small maps only
    from scipy.spatial.distance import pdist, squareform  # noqa: PLC0415

    edges = [
        rows[np.array(minimum_spanning_tree(squareform(pdist(places))).nonzero())]
        for topic in range(len(paper_map.topic_names))
        for rows in [np.flatnonzero(paper_map.topics == topic)]
        for places in [paper_map.coordinates[rows]]
    ]
    starts, ends = np.hstack([np.empty((2, 0), dtype=np.intp), *edges])
    return starts, ends


def _lines(
    paper_map: PaperMap,
    starts: npt.NDArray[np.integer],
    ends: npt.NDArray[np.integer],
    color: str,
    opacity: float,
) -> go.Scattergl:
    points = np.full((len(starts), 3, 2), np.nan, dtype=np.float32)
    points[:, 0] = paper_map.coordinates[starts]
    points[:, 1] = paper_map.coordinates[ends]
    x, y = points.reshape(-1, 2).T
    return go.Scattergl(
        x=x, y=y, mode="lines", hoverinfo="skip", opacity=opacity,
        line={"color": color, "width": 1},
    )  # fmt: skip


def _span(paper_map: PaperMap, axis: int) -> list[float]:
    values = paper_map.coordinates[paper_map.placed, axis]
    if not len(values):
        return [-1.0, 1.0]
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * max(high - low, 1.0)
    return [low - margin, high + margin]


def _labels(
    paper_map: PaperMap, coloring: Coloring, visible: Mask, theme: Theme
) -> list[dict[str, object]]:
    """Name the topics: those with visible papers before the others, the largest first.

    Where names would overlap the browser hides the later ones; only there is it known how wide a
    name is and what is in view. Finer topics follow the others.
    """
    shown = visible & paper_map.placed

    def label(members: Mask, name: str, size: int) -> dict[str, object]:
        # A star is of the colour of its dots, which is one if topics are what colours mean.
        by_topic = coloring.facet == TOPIC
        star = coloring.of(int(members.argmax())) if by_topic else theme.unclustered
        return {
            **_label(paper_map, members, size, theme),
            "text": f'<span style="color:{star}">✦</span> {html.escape(name)}',
            "opacity": 1.0 if (members & shown).any() else 0.35,
        }

    labels = [
        label(paper_map.topics == topic, name, 15)
        for topic, name in enumerate(paper_map.topic_names)
    ]
    labels += [
        {**label(paper_map.subtopics == subtopic, name, 12), "name": SUBTOPIC_LABEL}
        for subtopic, name in enumerate(paper_map.subtopic_names)
    ]
    return sorted(labels, key=lambda label: label["opacity"] != 1)


def _label_place(paper_map: PaperMap, members: Mask) -> tuple[float, float]:
    places = paper_map.coordinates[members]
    x, y = np.median(places, axis=0)
    above = int(paper_map.placed.sum()) <= _LABEL_ABOVE
    return float(x), float(places[:, 1].max() if above else y)


def _label(paper_map: PaperMap, members: Mask, size: int, theme: Theme) -> dict[str, object]:
    x, y = _label_place(paper_map, members)
    return {
        "x": x,
        "y": y,
        "showarrow": False,
        "yanchor": "bottom",
        "yshift": 8,
        "font": {"size": size, "color": theme.text, "family": _LABEL_FONT},
    }
