from itertools import chain, permutations
from typing import Any

import pandas as pd
import pytest
from conftest import SEEDS
from corpora import corpus_from_records
from hypothesis import given
from hypothesis import strategies as st

from cache.duplicates import letters
from cache.papers import COLUMNS, assemble

LONG = (
    "We study how dots that are scattered on a plane come to be seen as constellations, and show "
    "that names given to them are remembered better than their places."
)
OTHER = (
    "Lamps in a harbour tell ships where they are. We derive how many of them are needed, and "
    "prove that a single lamp which turns is as good as any number that stand still."
)
TITLE = "Constellations of Dots on a Plane"


def seed_records() -> list[dict[str, Any]]:
    return [
        {"abstract": block.strip(), "venue": "ICML", "year": 2025, "source": path.name}
        for path in sorted(SEEDS.glob("*.txt"))
        for block in path.read_text(encoding="utf-8").split("\n\n")[1:]
        if block.strip()
    ]


def the_only(*records: dict[str, Any]) -> pd.Series:
    corpus = corpus_from_records(records)
    assert len(corpus) == 1
    return corpus.iloc[0]


def test_the_table_has_every_column_with_its_type_even_without_papers() -> None:
    for records in ([], [{"title": "Dots"}]):
        corpus = corpus_from_records(records)

        assert tuple(corpus.columns) == COLUMNS
        assert corpus["year"].dtype == "Int16"
        assert corpus["title_given"].dtype == bool
        assert list(corpus["code_kind"].cat.categories)[-1] == "none"


def test_what_is_missing_is_empty() -> None:
    paper = the_only({"title": "Dots", "abstract": None, "authors": None, "venue": float("nan")})

    assert (paper["abstract"], paper["venue"], paper["url"]) == ("", "", "")
    assert (paper["authors"], paper["keywords"]) == ([], [])
    assert paper["year"] is pd.NA


def test_columns_we_do_not_know_are_kept() -> None:
    corpus = corpus_from_records([{"title": "Dots", "rating": 6.5}, {"title": "Lines"}])

    assert list(corpus["rating"].astype(object).where(corpus["rating"].notna(), None)) == [
        6.5,
        None,
    ]


def test_text_is_mended_on_the_way_in_and_who_was_mended_is_told() -> None:
    assembly = assemble(
        [
            {
                "id": "a",
                "title": "Dots &amp; lines.",
                "authors": ["Li, Ada 0002"],
                "venue": "R&amp;D",
            },
            {"id": "b", "title": " Clean  ", "abstract": "We study dots.\nThey shine."},
        ]
    )

    paper = assembly.corpus.iloc[0]
    assert (paper["title"], paper["authors"], paper["venue"]) == ("Dots & lines", ["Ada Li"], "R&D")
    assert assembly.mended == {"a"}


@pytest.mark.parametrize(
    ("given", "abstract", "found"),
    [
        ("https://github.com/a/b", "", ("https://github.com/a/b", "repository")),
        ("", "Code: https://github.com/a/b.", ("https://github.com/a/b", "repository")),
        ("https://lab.example.org/dots", "", ("https://lab.example.org/dots", "project page")),
        (
            "https://lab.example.org/dots",
            "Code: https://github.com/a/b.",
            ("https://github.com/a/b", "repository"),
        ),
        ("javascript:alert(1)", "", ("", "none")),
        ("", "", ("", "none")),
    ],
)
def test_code_is_where_the_record_or_the_abstract_says(
    given: str, abstract: str, found: tuple[str, str]
) -> None:
    paper = the_only({"title": "Dots", "code_url": given, "abstract": abstract})

    assert (paper["code_url"], paper["code_kind"]) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"doi": "10.1/A", "title": "Dots"}, {"doi": "10.1/a", "title": "The Dots"}),
        ({"openreview": "aBc123", "title": "Dots"}, {"openreview": "aBc123", "title": "Spots"}),
        ({"arxiv": "2401.00001", "title": "Dots"}, {"arxiv": "2401.00001", "abstract": LONG}),
        ({"title": TITLE}, {"title": "Constellations of  dots, on a $\\emph{Plane}$."}),
        ({"title": TITLE, "abstract": LONG}, {"title": TITLE, "abstract": OTHER}),
        ({"title": TITLE, "abstract": LONG}, {"abstract": LONG.upper()}),
        ({"abstract": f"Abstract: {LONG}"}, {"abstract": LONG.replace("dots", "<b>dots</b>")}),
        ({"abstract": f"{LONG} (Rényi)"}, {"abstract": f"{LONG} (R\\'{{e}}nyi)"}),
        (
            {"abstract": f"{LONG} Code: https://github.com/a/b."},
            {"abstract": f"{LONG} \\textit{{Code}}"},
        ),
        ({"abstract": "We study dots."}, {"abstract": "We STUDY  dots"}),
        ({"title": "Dots", "year": 2024, "abstract": LONG}, {"title": "DOTS", "year": 2024}),
    ],
)
def test_the_same_paper_is_one(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert len(corpus_from_records([one, other])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"id": "7", "title": "Dots"}, {"id": "7", "title": "Lines"}),
        ({"id": "li24", "title": "Dots"}, {"id": "li24", "title": "Lines"}),
        (
            {"title": "Withdrawn", "year": 2024, "abstract": LONG},
            {"title": "Withdrawn", "year": 2024, "abstract": OTHER},
        ),
        ({"title": "Editorial", "year": 2023}, {"title": "Editorial", "year": 2024}),
        ({"title": "Dots", "abstract": "Form only."}, {"title": "Lines", "abstract": "Form only."}),
        ({"abstract": LONG}, {"abstract": OTHER}),
        (
            {"abstract": "我们研究平面上的点，并证明它们很亮。"},
            {"abstract": "我们研究港口里的灯，并证明一盏就够。"},
        ),
    ],
)
def test_different_papers_stay_two(one: dict[str, Any], other: dict[str, Any]) -> None:
    corpus = corpus_from_records([one, other])

    assert len(corpus) == 2
    assert corpus["id"].is_unique


def test_what_many_titles_share_does_not_make_them_one() -> None:
    records = [{"title": f"Paper {n} of the Same Volume", "doi": "10.1/volume"} for n in range(5)]

    corpus = corpus_from_records(records)

    assert len(corpus) == 5
    assert corpus["id"].is_unique


def test_papers_are_joined_across_others() -> None:
    paper = the_only(
        {"title": TITLE, "doi": "10.1/a"},
        {"abstract": LONG, "arxiv": "2401.00001"},
        {"title": TITLE, "arxiv": "2401.00001"},
    )

    assert (paper["title"], paper["abstract"], paper["doi"]) == (TITLE, LONG, "10.1/a")


def test_a_merged_paper_has_the_fullest_fields() -> None:
    paper = the_only(
        {
            "abstract": LONG,
            "venue": "CoRR",
            "year": 2023,
            "keywords": ["dots"],
            "code_url": "https://a.github.io/b",
            "source": "b.txt:1",
        },
        {
            "title": TITLE,
            "abstract": LONG[:120],
            "doi": "10.1/a",
            "venue": "ICML",
            "year": 2024,
            "presentation": "oral",
            "source": "a.bib:1",
        },
        {
            "doi": "10.1/a",
            "title": TITLE,
            "abstract": LONG,
            "authors": ["Ada Li", "Bo Wu"],
            "code_url": "https://github.com/a/b",
            "rating": 6,
            "source": "c.csv:2",
        },
    )

    assert (paper["title"], paper["title_given"], paper["abstract"]) == (TITLE, True, LONG)
    assert (paper["venue"], paper["year"], paper["presentation"]) == ("ICML", 2024, "oral")
    assert (paper["authors"], paper["keywords"]) == (["Ada Li", "Bo Wu"], ["dots"])
    assert (paper["code_url"], paper["code_kind"]) == ("https://github.com/a/b", "repository")
    assert paper["source"] == "a.bib:1; b.txt:1; c.csv:2"
    assert paper["rating"] == 6


def test_which_records_became_one_is_told() -> None:
    assembly = assemble(
        [{"title": TITLE, "doi": "10.1/a"}, {"title": "Lamps"}, {"doi": "10.1/a", "title": TITLE}]
    )

    assert assembly.records == ((0, 2), (1,))


def test_a_titled_list_gives_the_seeds_their_real_titles() -> None:
    seeds = seed_records()
    titled = [
        {
            "title": f"The Real Title of Paper {n}",
            "abstract": f"<p>Abstract: {record['abstract'].replace('**', '')}</p>",
            "source": f"list.csv:{n}",
        }
        for n, record in enumerate(seeds)
    ]

    for records in ([*seeds, *titled], [*titled, *seeds]):
        corpus = corpus_from_records(records)

        assert list(corpus["title"]) == [record["title"] for record in titled]
        assert corpus["title_given"].all()
        assert set(corpus["id"]) == set(corpus_from_records(seeds)["id"])


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"doi": "10.1/a", "openreview": "aBc123", "id": "li24"}, "10.1/a"),
        ({"openreview": "aBc123", "arxiv": "2401.00001", "id": "li24"}, "aBc123"),
        ({"arxiv": "2401.00001", "id": "li24"}, "2401.00001"),
        ({"id": "li24"}, "li24"),
    ],
)
def test_the_most_lasting_name_is_the_id(record: dict[str, Any], expected: str) -> None:
    assert the_only({"title": TITLE, **record})["id"] == expected


def test_the_number_of_a_row_is_no_id() -> None:
    numbered, plain = the_only({"id": "12", "title": TITLE}), the_only({"title": TITLE})

    assert numbered["id"] == plain["id"] != "12"


def test_a_paper_without_a_name_keeps_its_id_when_its_title_is_found() -> None:
    untitled, titled = the_only({"abstract": LONG}), the_only({"abstract": LONG, "title": TITLE})

    assert untitled["id"] == titled["id"]


RECORD = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["1", "li24", "wu25"]),
        "doi": st.sampled_from(["10.1/a", "10.1/b"]),
        "arxiv": st.sampled_from(["2401.00001", "2401.00002"]),
        "title": st.sampled_from(
            [TITLE, TITLE.upper(), "Lamps", "Withdrawn", "A Harbour for Lamps"]
        ),
        "abstract": st.sampled_from([LONG, OTHER, LONG[:130], "Form only.", ""]),
        "authors": st.sampled_from([["Ada Li"], ["Ada Li", "Bo Wu"], []]),
        "venue": st.sampled_from(["ICML", "CoRR", "NeurIPS"]),
        "year": st.sampled_from([2023, 2024]),
        "presentation": st.sampled_from(["oral", "poster"]),
        "code_url": st.sampled_from(["https://github.com/a/b", "https://a.github.io/b"]),
        "source": st.sampled_from(["a.csv:1", "b.csv:2", "c.csv:3"]),
        "rating": st.integers(1, 3),
    },
)


@given(st.lists(RECORD, max_size=6), st.randoms(use_true_random=False))
def test_only_the_order_of_rows_depends_on_the_order_of_records(
    records: list[dict[str, Any]], random: Any
) -> None:
    shuffled = random.sample(records, len(records))

    one, other = (corpus_from_records(order) for order in (records, shuffled))

    columns = sorted(one.columns, key=str)
    assert one["id"].is_unique
    assert sorted(other.columns, key=str) == columns
    pd.testing.assert_frame_equal(
        one[columns].sort_values("id", ignore_index=True),
        other[columns].sort_values("id", ignore_index=True),
    )


@given(st.lists(RECORD, max_size=6))
def test_no_record_is_lost(records: list[dict[str, Any]]) -> None:
    assembly = assemble(records)

    assert sorted(chain(*assembly.records)) == list(range(len(records)))
    assert len(assembly.corpus) == len(assembly.records)


def test_merging_twice_changes_nothing() -> None:
    records = [{"title": TITLE, "doi": "10.1/a"}, {"abstract": LONG, "title": TITLE}]

    once = corpus_from_records(records)
    twice = corpus_from_records([*records, *records])

    pd.testing.assert_frame_equal(once, twice)


def test_every_order_of_three_lists_gives_the_same_papers() -> None:
    lists = [
        seed_records()[:9],
        [
            {"title": f"Title Number {n} of Them", "abstract": r["abstract"]}
            for n, r in enumerate(seed_records()[:12])
        ],
        [{"title": f"Title Number {n} of Them", "doi": f"10.1/{n}"} for n in range(12)],
    ]

    tables = [
        corpus_from_records(chain(*order)).sort_values("id", ignore_index=True)
        for order in permutations(lists)
    ]

    for table in tables[1:]:
        pd.testing.assert_frame_equal(table[tables[0].columns], tables[0])


@given(st.text(st.characters(exclude_characters="\\:", max_codepoint=0x24F)))
def test_case_spaces_and_emphasis_do_not_count(words: str) -> None:
    spaced = " ".join(words)

    assert letters(f"\\emph{{{words.casefold()}}}") == letters(words)
    assert not words.isascii() or letters(spaced) == letters(words)
