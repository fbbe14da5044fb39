from typing import Any

import numpy as np
import pytest
from corpora import corpus_from_records
from hypothesis import given
from hypothesis import strategies as st
from maps import map_of, seeds_map

from components.facet_columns import read_column
from components.facets import Facet, counts, facets_of, keep_all
from components.filters import chips_of

SEEDS_FACETS = facets_of(seeds_map())


def column(*values: Any) -> tuple[str, tuple[str, ...]] | None:
    facet = read_column(values)
    return (facet.kind, facet.values) if facet else None


def facets(*columns: dict[str, Any]) -> dict[str, Facet]:
    records = [{"title": f"Paper Number {n} of a List", **c} for n, c in enumerate(columns)]
    return {facet.name: facet for facet in facets_of(map_of(corpus_from_records(records)))}


def everyone(n: int) -> np.ndarray:
    return np.ones(n, dtype=bool)


def test_the_seeds_are_filtered_by_topic_code_and_venue() -> None:
    found = SEEDS_FACETS

    assert [facet.name for facet in found] == ["topic", "subtopic", "code", "venue"]
    assert counts(found, {}, everyone(38))["code"] == {
        "Repository": 7,
        "Anonymous repository": 1,
        "Project page": 1,
        "None found": 29,
    }
    assert counts(found, {}, everyone(38))["venue"] == {"ICML 2025": 38}


def test_few_values_are_choices_the_most_frequent_first() -> None:
    assert column("a", "b", "b", "a", "b", None) == ("choices", ("b", "a"))


def test_one_value_is_a_choice_where_some_papers_lack_it() -> None:
    assert column("Best paper", "Best paper", "", None) == ("choices", ("Best paper",))
    assert column("main", "main", "main") is None


@pytest.mark.parametrize(
    "values",
    [(True, False, True), ("yes", "no", "Yes"), ("TRUE", "false", None), ("Y", "n", "N")],
)
def test_yes_and_no_are_a_switch(values: tuple[Any, ...]) -> None:
    assert column(*values) == ("switch", ("Yes", "No"))


def test_a_few_numbers_are_shown_one_by_one_in_order() -> None:
    assert column(10, 9, 10, 9.0, "8") == ("numbers", ("8", "9", "10"))


def test_many_numbers_are_parted_into_intervals_of_like_size() -> None:
    facet = read_column([n // 2 for n in range(100)])

    assert facet is not None
    assert facet.values == ("0 to 9", "10 to 19", "20 to 29", "30 to 39", "40 to 49")
    assert np.bincount(facet.codes).tolist() == [20] * 5


@pytest.mark.parametrize("usual", [0, 7, 99])
def test_what_differs_from_a_usual_number_can_be_chosen(usual: int) -> None:
    facet = read_column([usual] * 95 + list(range(1, 8)))

    assert facet is not None
    assert len(facet.values) > 1


@given(st.lists(st.floats(-1e6, 1e6) | st.integers(-1000, 1000), min_size=2, max_size=60))
def test_every_number_is_in_one_interval_and_intervals_ascend(numbers: list[float]) -> None:
    facet = read_column(numbers)
    if facet is None:
        return

    assert sorted(facet.rows) == list(range(len(numbers)))
    order = np.argsort(numbers, kind="stable")
    assert (np.diff(facet.codes[np.argsort(facet.rows)][order]) >= 0).all()


def test_dates_are_parted_by_year_month_or_day() -> None:
    years = [f"{2000 + n % 14}-0{1 + n % 9}-01" for n in range(60)]

    assert column(*years) == ("dates", tuple(str(year) for year in range(2000, 2014)))
    assert column("2025-01-31", "2025-01-31", "2025-02-01T10:00:00Z") == (
        "dates",
        ("2025-01-31", "2025-02-01"),
    )
    assert column(*(f"2025-0{1 + n % 4}-{10 + n}" for n in range(16))) == (
        "dates",
        ("2025-01", "2025-02", "2025-03", "2025-04"),
    )
    assert column("2025-13-01", "2025-13-01", "2024-01-01", "2024-01-01") != "dates"


@pytest.mark.parametrize(
    "values",
    [
        (["a", "b"], ["b"], ["b", "b", "c"], ["a"], None),
        ("a;b", "b", "b; b |c", "a", ""),
    ],
)
def test_lists_are_tags_of_which_a_paper_may_have_several(values: tuple[Any, ...]) -> None:
    facet = read_column(values)

    assert facet is not None
    assert (facet.kind, facet.values) == ("tags", ("b", "a"))
    assert list(zip(facet.rows, facet.codes, strict=True)) == [
        (0, 1),
        (0, 0),
        (1, 0),
        (2, 0),
        (3, 1),
    ]


@pytest.mark.parametrize(
    "values",
    [
        [],
        [None] * 9,
        ["a"],
        [f"conf/{n}" for n in range(9)],
        list(range(9000, 9020)),
        [f"{n:05}" for n in range(20)],
        ["https://example.org/a", "https://example.org/a", "www.example.org"],
        ["/attachment/a.zip", "/attachment/a.zip", "/pdf/b.pdf"],
        [f"A sentence that says {n} things about a paper." for n in range(9)],
        ["so long that nobody would choose it from a list of filters, is it?"] * 3 + ["no"] * 3,
        [["Ada", "Bo"], ["Cy"], ["Di", "Ed"]],
        ["5;7;7", "5;6", "7;7"],
        ["1e999", "1e999", 2, 3],
        [["https://example.org"], ["https://example.org"], []],
    ],
)
def test_identifiers_addresses_and_free_text_are_no_facets(values: list[Any]) -> None:
    assert read_column(values) is None


@given(
    st.lists(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())
    )
)
def test_any_column_is_read_or_left_alone(values: list[Any]) -> None:
    facet = read_column(values)

    if facet is not None:
        assert len(facet.values) == len(set(facet.values))
        assert set(facet.codes) == set(range(len(facet.values)))
        assert set(facet.rows) <= set(range(len(values)))


def test_columns_we_do_not_know_follow_under_names_that_meet_no_others() -> None:
    columns = [{"topic": "a", "q": 1, "primary_area": "x"}, {"topic": "a"}, {"topic": "b", "q": 2}]

    found = facets(*columns, *columns)

    assert list(found) == ["topic", "code", "venue", "by-topic", "by-q", "by-primary_area"]
    assert found["by-primary_area"].label == "Primary area"


def test_a_year_alone_is_no_venue() -> None:
    found = facets({"year": 2024}, {"venue": "ICML", "year": 2024})

    assert set(found["venue"].values) == {"ICML 2024", "Unknown"}


def test_how_papers_were_presented_is_a_facet() -> None:
    found = facets(
        {"presentation": "oral"},
        {"presentation": "poster"},
        {"presentation": "poster"},
        {"presentation": "oral"},
    )

    assert found["presentation"].values == ("oral", "poster")


def test_names_of_works_are_no_facets() -> None:
    assert list(facets({"doi": "10.1/a"}, {"arxiv": "2401.00001"})) == ["topic", "code", "venue"]


def test_a_list_with_many_columns_does_not_bury_the_page() -> None:
    assert len(facets(*({f"column{n}": value for n in range(60)} for value in "abab"))) == 3 + 12


def test_a_paper_without_a_value_is_hidden_by_any_choice() -> None:
    found = facets({"award": "Best"}, {"award": "Best"}, {})["by-award"]

    assert found.keeps(["Best"], everyone(3)).tolist() == [True, True, False]
    assert found.keeps([], everyone(3)).all()
    assert found.keeps(["not there"], everyone(3)).all()


def test_several_tags_keep_the_papers_with_any_of_them() -> None:
    found = facets(
        {"tags": ["a", "b"]}, {"tags": ["b"]}, {"tags": ["a"]}, {"tags": ["c"]}, {"tags": ["c"]}
    )
    tags = found["by-tags"]

    assert tags.keeps(["a", "b"], everyone(5)).tolist() == [True, True, True, False, False]


def test_counts_tell_what_a_choice_would_leave() -> None:
    found = tuple(
        facets(
            {"area": "x", "score": 1},
            {"area": "x", "score": 2},
            {"area": "y", "score": 2},
            {"area": "y", "score": 2},
        ).values()
    )

    told = counts(found, {"by-area": ["x"]}, everyone(4))

    assert told["by-area"] == {"x": 2, "y": 2}
    assert told["by-score"] == {"1": 1, "2": 1}


@given(st.data())
def test_the_order_of_filters_does_not_count(data: st.DataObject) -> None:
    found = SEEDS_FACETS
    choices = {
        facet.name: data.draw(st.lists(st.sampled_from(facet.values), unique=True))
        for facet in found
    }
    among = np.array(data.draw(st.lists(st.booleans(), min_size=38, max_size=38)))

    kept = keep_all(found, choices, among)

    assert kept.tolist() == keep_all(found[::-1], choices, among).tolist()
    assert not (kept & ~among).any()


def chips(facet: Facet, *chosen: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(chip.text, chip.remaining) for chip in chips_of([facet], {facet.name: chosen})]


def test_each_chosen_value_is_a_chip_that_leaves_the_others() -> None:
    [code] = [facet for facet in SEEDS_FACETS if facet.name == "code"]

    assert chips(code) == []
    assert chips(code, "Repository", "None found") == [
        ("Code: Repository", ("None found",)),
        ("Code: None found", ("Repository",)),
    ]


def test_all_but_a_value_is_one_chip() -> None:
    [code] = [facet for facet in SEEDS_FACETS if facet.name == "code"]

    assert chips(code, *code.values[1:]) == [("Code: all but Repository", ())]


def test_a_range_is_one_chip_and_so_are_many_values() -> None:
    scores = facets(*({"score": n // 2} for n in range(100)))["by-score"]
    areas = facets(*({"area": n} for n in "abcdefgh" * 2))["by-area"]

    assert chips(scores, *scores.values[1:3]) == [("Score: 10 – 29", ())]
    assert [text for text, _ in chips(scores, scores.values[0], scores.values[2])] == [
        "Score: 0 to 9",
        "Score: 20 to 29",
    ]
    assert chips(areas, *areas.values[:5]) == [("Area: 5 of 8", ())]
