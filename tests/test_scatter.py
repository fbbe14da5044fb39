import json
import re

import numpy as np
from maps import map_of, seeds_map

from cache.papers import corpus_from_records
from components.scatter import DARK, LIGHT, SUBTOPIC_LABEL, dot_size, scatter, topic_color


def all_visible(n: int) -> np.ndarray:
    return np.ones(n, dtype=bool)


def test_every_placed_paper_is_a_dot_that_carries_its_id() -> None:
    paper_map = seeds_map()

    dots = scatter(paper_map, visible=all_visible(38)).data[0]

    assert dots.type == "scattergl"
    assert list(dots.customdata) == list(paper_map.corpus["id"])


def test_papers_filtered_out_stay_in_grey() -> None:
    paper_map = seeds_map()
    visible = all_visible(38)
    visible[3] = False

    dots = scatter(paper_map, visible=visible).data[0]

    assert len(dots.x) == 38
    assert list(np.flatnonzero(np.asarray(dots.marker.color) == 0)) == [3]
    assert dots.marker.colorscale[0][1] == LIGHT.dimmed


def test_filtering_moves_no_dot_and_keeps_the_view() -> None:
    paper_map = seeds_map()

    before = scatter(paper_map, visible=all_visible(38))
    after = scatter(paper_map, visible=~all_visible(38))

    assert np.array_equal(before.data[0].x, after.data[0].x)
    assert list(before.data[0].customdata) == list(after.data[0].customdata)
    assert before.layout.uirevision == after.layout.uirevision


def test_hits_are_ringed() -> None:
    paper_map = seeds_map()
    hits = ~all_visible(38)
    hits[[2, 5]] = True

    rings = scatter(paper_map, visible=hits, hits=hits).data[-1]

    assert list(rings.x) == list(paper_map.coordinates[[2, 5], 0])


def test_the_opened_paper_is_joined_to_its_nearest_ones() -> None:
    paper_map = seeds_map()

    *_, threads, ring = scatter(paper_map, visible=all_visible(38), opened=4).data

    ends = {float(x) for x in np.asarray(threads.x)[1::3]}
    assert ends == {float(x) for x in paper_map.coordinates[paper_map.nearest(4), 0]}
    assert list(ring.x) == [paper_map.coordinates[4, 0]]


def test_hover_is_plain_text_with_title_and_topic() -> None:
    corpus = corpus_from_records([{"title": "If $x$ < y & co", "abstract": "We study dots."}])

    [text] = scatter(map_of(corpus), visible=all_visible(1)).data[0].hovertext

    assert text == "<b>If x &lt; y &amp; co</b><br>unclustered"


def test_no_abstract_is_sent_to_the_browser() -> None:
    paper_map = seeds_map()

    sent = scatter(paper_map, visible=all_visible(38)).to_json()

    assert not any(abstract[-60:] in sent for abstract in paper_map.corpus["abstract"])


def test_papers_without_a_place_are_not_drawn() -> None:
    corpus = corpus_from_records([{"title": "Only a title"}, {"abstract": "We study dots."}])

    dots = scatter(map_of(corpus), visible=all_visible(2)).data[0]

    assert len(dots.x) == 1
    assert np.isfinite(dots.x).all()


def test_an_empty_map_is_drawn_without_dots() -> None:
    figure = scatter(map_of(corpus_from_records([])), visible=all_visible(0))

    assert len(figure.data[0].x) == 0


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

    dots = scatter(paper_map, visible=all_visible(38), theme=DARK).data[0]

    scale = dict(enumerate(color for _, color in dots.marker.colorscale[::2]))
    for code, topic in zip(np.asarray(dots.marker.color), paper_map.topics, strict=True):
        assert scale[int(code)] == topic_color(int(topic), DARK)


def test_more_papers_have_smaller_dots() -> None:
    sizes = [dot_size(n) for n in (0, 1, 38, 300, 3_000, 100_000)]

    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] >= 2


def test_the_figure_is_json() -> None:
    figure = scatter(seeds_map(), visible=all_visible(38), opened=0)

    assert json.loads(figure.to_json())["data"]
