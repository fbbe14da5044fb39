"""Which colour a dot has, and why."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from corpora import corpus_from_records
from maps import map_of, seeds_map

from cache.build import PaperMap
from components.coloring import Coloring, can_color, color_by, topic_color
from components.facets import facets_of
from components.theme import DARK, LIGHT, LIGHT_PALETTE, Theme


def colored(facet: str, *columns: dict[str, Any], theme: Theme = LIGHT) -> Coloring:
    """Colour papers that have these columns by one of their facets."""
    records = [{"title": f"Paper Number {n} of a List", **c} for n, c in enumerate(columns)]
    paper_map = map_of(corpus_from_records(records))
    facets = {facet.name: facet for facet in facets_of(paper_map)}
    return color_by(facets[facet], paper_map, theme)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_papers_have_the_colours_of_their_topics(theme: Theme) -> None:
    paper_map = seeds_map()

    coloring = color_by(facets_of(paper_map)[0], paper_map, theme)

    topics = paper_map.topics.tolist()
    assert [coloring.of(row) for row in range(38)] == [
        topic_color(paper_map, topic, theme) for topic in topics
    ]
    assert coloring.of_values[-1] == coloring.colors[0] == theme.unclustered


def topics_in_a_row(count: int) -> PaperMap:
    """Return a map of topics of one paper each, at the same distance from one to the next."""
    row = np.arange(count)
    return replace(
        map_of(corpus_from_records([{"abstract": f"We study {n} dots."} for n in row])),
        coordinates=np.c_[row, 0 * row].astype(np.float32),
        topics=row.astype(np.int16),
        topic_names=tuple(f"Topic {n}" for n in row),
    )


def test_topics_have_a_colour_each_as_far_as_the_palette_goes() -> None:
    few = topics_in_a_row(len(LIGHT_PALETTE))

    assert {topic_color(few, n, LIGHT) for n in range(len(LIGHT_PALETTE))} == set(LIGHT_PALETTE)


def test_a_colour_recurs_far_away() -> None:
    many = topics_in_a_row(2 * len(LIGHT_PALETTE))

    colors = [topic_color(many, n, DARK) for n in range(2 * len(LIGHT_PALETTE))]

    assert all(len(set(colors[n : n + 3])) == 3 for n in range(len(colors) - 2))


def test_papers_have_the_colours_of_any_of_their_values() -> None:
    coloring = colored("venue", {"venue": "ICML"}, {"venue": "COLM"}, {"venue": "ICML"})

    assert [coloring.of(row) for row in range(3)] == [LIGHT.palette[n] for n in (0, 1, 0)]
    assert coloring.of_values == LIGHT.palette[:2]


def test_having_none_has_no_colour() -> None:
    by_venue = colored("venue", {"venue": "ICML"}, {"venue": ""})
    by_code = colored("code", {"abstract": "We study dots."}, {})

    assert by_venue.of(1) == LIGHT.unclustered
    assert {by_code.of(0), by_code.of(1)} == {LIGHT.unclustered}


def test_values_for_which_there_is_no_colour_have_none() -> None:
    venues = [{"venue": f"Venue {n:02}"} for n in range(12)]

    coloring = colored("venue", *venues)

    assert coloring.of_values == (*LIGHT.palette, *[LIGHT.unclustered] * 4)


def test_of_several_tags_the_first_one_counts() -> None:
    tags = [["a"], ["a"], ["a", "b"], ["b"]]

    coloring = colored("by-tags", *({"tags": value} for value in tags))

    first, second = LIGHT.palette[:2]
    assert [coloring.of(row) for row in range(4)] == [first, first, first, second]


def test_numbers_go_through_a_scale_and_those_without_have_no_colour() -> None:
    ratings = [3, 4, 5, 6, None, 3]

    coloring = colored("by-rating", *({"rating": value} for value in ratings))

    assert len({coloring.of(row) for row in range(4)}) == 4
    assert coloring.of(0) == coloring.of(5) == coloring.of_values[0]
    assert coloring.of(4) == LIGHT.unclustered


def test_finer_topics_are_too_many_to_colour() -> None:
    facets = facets_of(seeds_map())

    assert [facet.name for facet in facets if can_color(facet)] == ["topic", "code", "venue"]
