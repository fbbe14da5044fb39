import json
import re
from typing import Any

import numpy as np
import plotly.graph_objects as go
from corpora import corpus_from_records
from maps import map_of, seeds_map

from cache.build import PaperMap
from components.coloring import color_by, topic_color
from components.facets import facets_of
from components.map_chart import Dots
from components.markup import TERM_COLORS
from components.scatter import SUBTOPIC_LABEL, dot_size, dots
from components.scatter import scatter as scatter_in
from components.theme import DARK, LIGHT, Theme


def scatter(paper_map: PaperMap, *, theme: Theme = LIGHT, **state: Any) -> go.Figure:
    """Draw a map in the colours of its topics."""
    coloring = color_by(facets_of(paper_map)[0], paper_map, theme)
    return scatter_in(paper_map, coloring, theme=theme, **state)


def all_visible(n: int) -> np.ndarray:
    return np.ones(n, dtype=bool)


def test_every_placed_paper_is_a_dot_that_carries_its_id() -> None:
    paper_map = seeds_map()

    drawn = dots(paper_map)

    assert np.array_equal(np.c_[drawn.x, drawn.y], paper_map.coordinates)
    assert list(drawn.customdata) == list(paper_map.corpus["id"])


def test_papers_filtered_out_stay_in_grey() -> None:
    paper_map = seeds_map()
    visible = all_visible(38)
    visible[3] = False

    marker = scatter(paper_map, visible=visible).data[0].marker

    assert list(np.flatnonzero(np.asarray(marker.color) == 0)) == [3]
    assert marker.colorscale[0][1] == LIGHT.dimmed


def test_filtering_keeps_the_view() -> None:
    paper_map = seeds_map()

    before = scatter(paper_map, visible=all_visible(38))
    after = scatter(paper_map, visible=~all_visible(38))

    assert before.layout.uirevision == after.layout.uirevision


def test_what_never_changes_of_a_map_is_in_no_figure() -> None:
    paper_map = seeds_map()

    papers = scatter(paper_map, visible=all_visible(38), opened=3).data[0]

    assert [papers.x, papers.y, papers.customdata, papers.hovertext] == [None] * 4


def rows_of(paper_map: PaperMap, trace: go.Scattergl) -> list[int]:
    """Return the rows of the papers at whose places a trace draws something."""
    return [paper_map.coordinates[:, 0].tolist().index(x) for x in np.asarray(trace.x)]


def colors_of(trace: go.Scattergl) -> list[str]:
    scale = [color for _, color in trace.marker.colorscale[::2]]
    return [scale[number] for number in np.asarray(trace.marker.color)]


def only(*rows: int) -> np.ndarray:
    return np.isin(np.arange(38), rows)


def test_hits_are_ringed() -> None:
    paper_map = seeds_map()

    *_, rings = scatter(paper_map, visible=only(2, 5), hits=only(2, 5)).data

    assert rows_of(paper_map, rings) == [2, 5]
    assert colors_of(rings) == [LIGHT.ring] * 2


def test_hits_that_are_filtered_out_are_not_ringed() -> None:
    paper_map = seeds_map()

    *_, rings = scatter(paper_map, visible=only(5), hits=only(2, 5)).data

    assert rows_of(paper_map, rings) == [5]


def test_each_hit_has_a_ring_in_the_colour_of_each_term_it_has() -> None:
    paper_map = seeds_map()
    terms = [only(1, 2), only(2, 3, 9)]

    *_, inner, outer = scatter(
        paper_map, visible=all_visible(38), hits=only(1, 2, 3, 4), terms=terms
    ).data

    first, second = LIGHT.terms[:2]
    assert rows_of(paper_map, inner) == [1, 2, 3, 4]
    assert colors_of(inner) == [first, first, second, LIGHT.ring]
    assert rows_of(paper_map, outer) == [2]
    assert colors_of(outer) == [second]
    assert outer.marker.size > inner.marker.size


def test_a_paper_with_many_terms_has_few_rings() -> None:
    figure = scatter(
        seeds_map(), visible=all_visible(38), hits=only(4), terms=[only(4)] * 8, theme=DARK
    )

    rings = [trace for trace in figure.data if trace.marker.symbol == "circle-open"]
    assert [colors_of(ring) for ring in rings] == [[color] for color in DARK.terms[:3]]


def test_a_term_has_one_colour_on_the_map_and_in_the_text() -> None:
    assert len(LIGHT.terms) == len(DARK.terms) == len(TERM_COLORS)


def test_the_opened_paper_is_joined_to_its_nearest_ones() -> None:
    paper_map = seeds_map()

    *_, threads, ring = scatter(paper_map, visible=all_visible(38), opened=4).data

    ends = {float(x) for x in np.asarray(threads.x)[1::3]}
    assert ends == {float(x) for x in paper_map.coordinates[paper_map.nearest(4), 0]}
    assert list(ring.x) == [paper_map.coordinates[4, 0]]


def test_hover_is_plain_text_with_title_and_topic() -> None:
    corpus = corpus_from_records([{"title": "If $x$ < y & co", "abstract": "We study dots."}])

    [text] = dots(map_of(corpus)).hovertext

    assert text == "<b>If x &lt; y &amp; co</b><br>unclustered"


def test_no_abstract_is_sent_to_the_browser() -> None:
    paper_map = seeds_map()

    sent = Dots.of(paper_map).content.decode()

    assert paper_map.corpus["id"].iat[7] in sent
    assert not any(abstract[-60:] in sent for abstract in paper_map.corpus["abstract"])


def test_papers_without_a_place_are_not_drawn() -> None:
    corpus = corpus_from_records([{"title": "Only a title"}, {"abstract": "We study dots."}])

    paper_map = map_of(corpus)

    assert np.isfinite(dots(paper_map).x).tolist() == [True]
    assert len(scatter(paper_map, visible=all_visible(2)).data[0].marker.color) == 1


def test_an_empty_map_is_drawn_without_dots() -> None:
    paper_map = map_of(corpus_from_records([]))

    assert len(dots(paper_map).x) == 0
    assert len(scatter(paper_map, visible=all_visible(0)).data[0].marker.color) == 0


def test_topics_are_named_on_the_map_as_text() -> None:
    annotations = scatter(seeds_map(), visible=all_visible(38)).layout.annotations

    names = [re.sub(r"<span.*?</span> ", "", annotation.text) for annotation in annotations]
    assert names[:3] == ["Graphs", "Language models", "Privacy"]


def test_finer_topics_are_named_last_and_only_for_those_who_zoom_in() -> None:
    annotations = scatter(seeds_map(), visible=all_visible(38)).layout.annotations

    assert [annotation.name for annotation in annotations] == [None] * 3 + [SUBTOPIC_LABEL] * 2
    assert "Graph transformers" in annotations[3].text


def test_a_topic_keeps_its_colour_whatever_is_filtered() -> None:
    paper_map = seeds_map()

    papers = scatter(paper_map, visible=all_visible(38), theme=DARK).data[0]

    assert colors_of(papers) == [
        topic_color(paper_map, int(topic), DARK) for topic in paper_map.topics
    ]


def test_stars_have_the_colour_of_their_topic_only_if_that_is_what_colours_mean() -> None:
    paper_map = seeds_map()
    by_code = color_by(facets_of(paper_map)[2], paper_map, LIGHT)

    stars = [
        {re.findall('color:(.*?)"', label.text)[0] for label in figure.layout.annotations}
        for figure in (
            scatter(paper_map, visible=all_visible(38)),
            scatter_in(paper_map, by_code, visible=all_visible(38)),
        )
    ]

    assert stars == [{topic_color(paper_map, n, LIGHT) for n in range(3)}, {LIGHT.unclustered}]


def test_more_papers_have_smaller_dots() -> None:
    sizes = [dot_size(n) for n in (0, 1, 38, 300, 3_000, 100_000)]

    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] >= 2


def test_the_figure_is_json() -> None:
    figure = scatter(seeds_map(), visible=all_visible(38), opened=0)

    assert json.loads(figure.to_json())["data"]
