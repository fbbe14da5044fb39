"""What was typed and chosen, written into an address and read from it."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from corpora import corpus_from_records
from hypothesis import given
from hypothesis import strategies as st
from maps import map_of, seeds_map

from cache.store import Store
from components.selection import Region, Selection, View, enclosed
from dashboard.address import Place, digest, notice, read, write
from dashboard.jobs import Sky

with TemporaryDirectory() as folder:
    SKY = Sky.over(seeds_map(), Store(Path(folder)))
IDS = SKY.paper_map.corpus["id"].tolist()
KEY = SKY.paper_map.key[:8]
WHOLE = Region(((-100, -100), (10_100, -100), (10_100, 10_100), (-100, 10_100)))
CORNER = Region(((-100, -100), (5_000, -100), (5_000, 5_000), (-100, 5_000)), adds=False)


def inside(*regions: Region) -> tuple[str, ...]:
    mask = enclosed(regions, SKY.paper_map.coordinates, SKY.frame)
    return tuple(IDS[row] for row in np.flatnonzero(mask))


def in_order(papers: set[str]) -> tuple[str, ...]:
    return tuple(paper for paper in IDS if paper in papers)


@st.composite
def places(draw: st.DrawFn) -> Place:
    regions = draw(st.sampled_from([(), (WHOLE,), (WHOLE, CORNER)]))
    papers = draw(st.sets(st.sampled_from(IDS)))
    return Place(
        query=draw(st.text(max_size=60).filter(lambda text: "\0" not in text)),
        choices={
            facet.name: [v for v in facet.values if v in chosen]
            for facet in SKY.facets
            for chosen in [draw(st.sets(st.sampled_from(facet.values)))]
        },
        regions=regions,
        selection=inside(*regions) if regions else in_order(papers),
        view=draw(st.none() | st.builds(View, st.integers(0, 9), st.just(5), st.integers(1, 9))),
        color=draw(st.sampled_from(["topic", "code", "venue"])),
        paper=draw(st.none() | st.sampled_from(IDS)),
        page=draw(st.integers(1, 99)),
        sets=draw(
            st.dictionaries(
                st.text(min_size=1, max_size=9),
                st.sets(st.sampled_from(IDS), min_size=1).map(in_order).map(Selection),
                max_size=3,
            )
        ),
    )


@given(places())
def test_a_place_is_read_as_it_was_written(place: Place) -> None:
    assert read(write(place, SKY), SKY) == (place, [])


def test_a_place_where_nothing_was_chosen_has_no_parameters() -> None:
    assert write(Place(), SKY) == {}
    assert read({}, SKY)[0] == Place(choices={facet.name: [] for facet in SKY.facets})


def test_a_drawn_selection_is_its_outline_and_not_its_papers() -> None:
    params = write(Place(regions=(WHOLE,), selection=inside(WHOLE)), SKY)

    assert params == {
        "outline": ["-100.-100_10100.-100_10100.10100_-100.10100"],
        "map": [KEY],
    }


def test_a_large_set_is_its_outlines_and_needs_the_same_map(own_cache: Path) -> None:
    records = ({"abstract": f"We study {n} dots."} for n in range(201))
    paper_map = map_of(corpus_from_records(records))
    sky = Sky.over(paper_map, Store(own_cache))
    everything = Selection(tuple(paper_map.corpus["id"]), (WHOLE,))

    params = write(Place(sets={"Dots": everything}), sky)

    assert params == {
        "set": ["Dots~-100.-100_10100.-100_10100.10100_-100.10100"],
        "map": [paper_map.key[:8]],
    }
    assert read(params, sky)[0].sets == {"Dots": everything}
    assert "Dots" in notice(read({**params, "map": ["other"]}, sky)[1])


def test_all_but_a_value_names_that_value_alone() -> None:
    [code] = [facet for facet in SKY.facets if facet.name == "code"]

    params = write(Place(choices={"code": list(code.values[1:])}), SKY)

    assert params == {"but-code": [code.values[0]]}


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"colour": ["red"]}, "colour"),
        ({"paper": ["gone"]}, "gone"),
        ({"papers": [digest("gone")]}, "1 selected paper"),
        ({"code": ["Repository", "Tape"]}, "Code “Tape”"),
        ({"color": ["subtopic"]}, "the colours “subtopic”"),
        ({"page": ["-2"]}, "page “-2”"),
        ({"page": ["²"]}, "page"),
        ({"set": ["good~" + digest(IDS[0]), "bad~" + digest("gone")]}, "the set “bad”"),
        ({"set": [digest(IDS[0])]}, "the set"),
        ({"map": [KEY], "view": ["1.2"]}, "view “1.2”"),
        ({"map": [KEY], "view": ["1.2.0"]}, "view"),
        ({"map": ["other"], "view": ["1.2.3"]}, "a view of another map"),
        ({"map": [KEY], "outline": ["1.1_2.2"]}, "outline"),
        ({"map": [KEY], "outline": ["1.1_2.2_3.3"] * 999}, "outline"),
        ({"outline": ["1.1_2.2_3.1"]}, "another map"),
        ({"q": ["graph " * 20_000]}, "a search of 120,000 characters"),
    ],
)
def test_what_the_map_has_not_is_left_out_and_told(params: dict[str, list[str]], told: str) -> None:
    _, dropped = read(params, SKY)

    assert len(dropped) == 1
    assert told in notice(dropped)


def test_what_can_be_used_of_a_broken_address_is_used() -> None:
    place, _ = read({"q": ["graph"], "code": ["Repository", "Tape"], "x": ["y"]}, SKY)

    assert place.query == "graph"
    assert place.choices["code"] == ["Repository"]


def test_a_notice_stays_short() -> None:
    _, dropped = read({f"key{n}" * 999: ["x"] for n in range(999)}, SKY)

    assert len(notice(dropped)) < 500
    assert "995 more" in notice(dropped)


KEYS = st.sampled_from(["q", "page", "view", "map", "outline", "papers", "paper", "code", "topic"])


@given(st.dictionaries(KEYS | st.text(), st.lists(st.text() | st.just(KEY))))
def test_any_address_is_a_place_on_this_map(params: dict[str, list[str]]) -> None:
    place, _ = read(params, SKY)

    assert set(place.selection) <= set(IDS)
    assert read(write(place, SKY), SKY)[1] == []
