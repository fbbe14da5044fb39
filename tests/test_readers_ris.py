from pathlib import Path
from typing import Any

import pytest
from breaking import broken
from conftest import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from cache.readers import read
from cache.readers.problems import Problem
from cache.readers.ris import is_ris, read_ris

DATA = Path(__file__).parent / "data"
ZOTERO = (DATA / "zotero.ris").read_text(encoding="utf-8")


def papers(text: str) -> list[Any]:
    return [found for found in read_ris(text, "refs.ris") if not isinstance(found, Problem)]


def problems(text: str) -> list[Problem]:
    return [found for found in read_ris(text, "refs.ris") if isinstance(found, Problem)]


def test_zotero_s_export_is_understood() -> None:
    conference, journal = papers(ZOTERO)

    assert conference["authors"] == ["Yu Xu", "José García Jr."]
    assert conference["venue"] == "International Conference on Machine Learning"
    assert (conference["year"], conference["doi"]) == (2025, "10.1000/cons.1")
    assert conference["keywords"] == ["constraint satisfaction", "transformers, refining"]
    assert conference["url"] == "https://proceedings.mlr.press/v267/xu25.html"
    assert conference["pdf_url"] == "https://proceedings.mlr.press/v267/xu25.pdf"
    assert conference["type"] == "Conference proceeding"
    assert (journal["venue"], journal["source"]) == ("Journal of Dots", "refs.ris:24")


def test_it_gives_the_seed_its_title() -> None:
    corpus = read([SEEDS, DATA / "zotero.ris"]).corpus

    [title] = corpus["title"][corpus["source"].str.contains("txt.*ris")]
    assert title == "Solving Constraint Satisfaction Problems with a Transformer that Refines"


def test_a_wrapped_abstract_is_joined_and_keeps_its_paragraphs() -> None:
    assert papers(ZOTERO)[1]["abstract"] == "We study dots. They shine.\n\nAnd they stay."


@pytest.mark.parametrize(
    ("lines", "column", "value"),
    [
        ("T1  - A title", "title", "A title"),
        ("TI  - A\nN2  - We study dots.", "abstract", "We study dots."),
        ("TI  - A\nA1  - Dot, Ana\nA1  - The Dots", "authors", ["Ana Dot", "The Dots"]),
        ("TI  - A\nY1  - 2019/05/01/", "year", 2019),
        ("TI  - A\nDA  - 2018///", "year", 2018),
        ("TI  - A\nJO  - Int. J. Dots", "venue", "Int. J. Dots"),
        ("TI  - A\nUR  - https://a.org/x;y=1", "url", "https://a.org/x;y=1"),
    ],
)
def test_a_field_is_read_by_whichever_tag_it_has(lines: str, column: str, value: Any) -> None:
    [found] = papers(f"TY  - JOUR\n{lines}\nER  - \n")

    assert found[column] == value


def test_one_space_in_the_tags_will_do() -> None:
    text = "Provider: Dots\n\nTY - JOUR\nTI - A title\nAU - Dot, Ana\nER -\n"

    assert is_ris(text)
    assert [found["title"] for found in papers(text)] == ["A title"]


def test_a_reference_that_does_not_end_is_read_and_reported() -> None:
    text = ZOTERO.replace("ER  - \n\nTY  - JOUR", "TY  - JOUR")

    assert [found["title"] for found in papers(text)] == [
        found["title"] for found in papers(ZOTERO)
    ]
    [problem] = problems(text)
    assert (problem.source, problem.skipped) == ("refs.ris:1", False)


def test_what_stands_outside_every_reference_is_reported() -> None:
    [problem] = problems(ZOTERO.replace("TY  - JOUR\n", ""))

    assert (problem.source, problem.skipped) == ("refs.ris:24", True)


def test_a_reference_that_says_nothing_of_a_paper_is_reported() -> None:
    [problem] = problems("TY  - JOUR\nPY  - 2024\nER  - \n")

    assert (problem.source, problem.skipped) == ("refs.ris:1", True)


@pytest.mark.parametrize("text", ["", "We study TY  - JOUR in dots.", "@article{a,", "ER  - "])
def test_what_has_no_first_tag_is_not_ris(text: str) -> None:
    assert not is_ris(text)


@given(broken([ZOTERO]))
def test_any_broken_file_gives_papers_and_an_account(text: str) -> None:
    for found in read_ris(text, "refs.ris"):
        if not isinstance(found, Problem):
            assert found.get("title") or found.get("abstract")


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.booleans())
def test_no_reference_is_lost_or_doubled(blanks: list[int], ends: bool) -> None:
    text = "".join(
        f"TY  - JOUR\nTI  - Paper {number}\n{'ER  - ' if ends else ''}\n" + "\n" * blank
        for number, blank in enumerate(blanks)
    )

    assert [found["title"] for found in papers(text)] == [
        f"Paper {number}" for number in range(len(blanks))
    ]


def test_an_endless_abstract_is_read_in_passing() -> None:
    [found] = papers("TY  - JOUR\nAB  - We\n" + "study\n" * 100_000 + "ER  - \n")

    assert found["abstract"].count("study") == 100_000
