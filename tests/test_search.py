"""Search by words: what each query finds in the seeds, and what holds for every query."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from corpora import corpus_from_records
from hypothesis import given
from hypothesis import strategies as st

from components.query import QueryError, Regex, parse_query, relaxed
from components.search import Hits, SearchIndex

SEEDS = Path(__file__).parents[1] / "seeds"

PARTS = st.sampled_from(
    [
        "graph",
        "transform",
        '"language models"',
        "spars*",
        "title:graph",
        "/rob\\w+/",
        "has:code",
        "-llm",
        "-code:repository",
        "(conformal OR attack)",
        "large NEAR/2 models",
        "of",
        "-zebra",
    ]
)
TYPED = st.text(max_size=30) | st.lists(
    PARTS | st.sampled_from(['"', "(", ")", "OR", "NOT", "NEAR", "*", "'", ";", "--", "图", "\0"]),
    max_size=6,
).map(" ".join)


def seed_corpus() -> pd.DataFrame:
    texts = [path.read_text(encoding="utf-8") for path in sorted(SEEDS.glob("*.txt"))]
    blocks = [block.strip() for text in texts for block in text.split("\n\n")]
    return corpus_from_records({"abstract": block} for block in blocks if len(block) > 100)


def library_corpus() -> pd.DataFrame:
    """Return four papers with everything that the seeds lack."""
    return corpus_from_records(
        [
            {
                "id": "graphs",
                "title": "A survey of graph learning",
                "abstract": "We review what was learned on graphs, in Python and C++.",
                "authors": ["Søren Müller", "Ada Lovelace"],
                "keywords": ["graph neural network", "survey"],
                "venue": "ICML",
                "year": 2025,
            },
            {
                "id": "images",
                "title": "Images as sets",
                "abstract": "Not every image is a graph. What's new? Written in C.",
                "authors": ["Grace Graph"],
                "keywords": ["computer vision"],
                "venue": "NeurIPS",
                "year": 2023,
                "code_url": "https://github.com/someone/images",
            },
            {
                "id": "chinese",
                "title": "基于图神经网络的推荐系统",
                "abstract": "本文提出GPT模型 🤗 한국어를 처리",
                "year": 2024,
            },
            {"id": "empty"},
        ]
    )


TOPICS = ["Graphs", "Vision", "Recommendation", ""]


@pytest.fixture(scope="module")
def seeds() -> SearchIndex:
    corpus = seed_corpus()
    return SearchIndex(corpus, [""] * len(corpus))


@pytest.fixture(scope="module")
def library() -> SearchIndex:
    return SearchIndex(library_corpus(), TOPICS)


def found(index: SearchIndex, typed: str) -> Hits:
    return index.search(parse_query(typed))


def telling(hits: Hits, corpus: pd.DataFrame, words: list[str]) -> list[str | int]:
    """Name each paper found by the word that only it contains."""
    abstracts = corpus["abstract"]
    return [next((word for word in words if word in abstracts[row]), int(row)) for row in hits.rows]


@pytest.mark.parametrize(
    ("typed", "papers"),
    [
        ("sudoku", {"ConsFormer"}),
        ("jailbreaking", {"FlipAttack", "refusing"}),
        ("jailbreak llama", {"refusing"}),
        ("conformal", {"Kandinsky", "lip-rcp"}),
        ("conformal -adversarial", {"Kandinsky"}),
        ("conformal NOT Kandinsky", {"lip-rcp"}),
        ('"graph transformers"', {"GrokFormer"}),
        ('"transformer graph"', set()),
        ("graph transformer", {"GrokFormer", "ConsFormer", "Text classification"}),
        ("(jailbreak OR refusal) AND direction", {"refusing"}),
        ("molecul* grammar*", {"FMG"}),
        ("optimiza* sparsif*", {"Unifews"}),
        ("MINORITY guidance-free", {"Boost-and-Skip"}),
        ("renyi", {"Rényi"}),
        ("mondrian’s", {"Kandinsky"}),
        ("Mondrian's", {"Kandinsky"}),
        ("gpt-2", {"CRATE"}),
        ("NP-hard OR NP-complete", {"ConsFormer", "desk-rejection"}),
        ("[MASK] tokens", {"ExLM"}),
        ("offline NEAR/2 asynchronously", {"coprocessor"}),
        ("offline NEAR/0 asynchronously", set()),
        (r"/\bgr[ao]\w*former\b/", {"GrokFormer"}),
        (r"/\d+-\d+x/", {"Unifews"}),
        ("code:anonymous", {"TtBA"}),
        ("code:project", {"LIFT-GS"}),
        ("has:code -code:repository", {"TtBA", "LIFT-GS"}),
        ("code:repository graph", {"GrokFormer", "FMG"}),
        ("(conformal coverage", {"Kandinsky", "lip-rcp"}),
        ('"conditional coverage', {"Kandinsky"}),
        ("semantic segmentation OR", {"AgScore"}),
        ("zebra", set()),
    ],
)
def test_queries_find_the_seeds(seeds: SearchIndex, typed: str, papers: set[str]) -> None:
    corpus = seed_corpus()
    words = [*papers, "ExLM"]
    assert set(telling(found(seeds, typed), corpus, words)) == papers


def test_words_are_found_in_all_their_forms(seeds: SearchIndex) -> None:
    rows = found(seeds, "transform").rows.tolist()
    assert rows == found(seeds, "Transformers").rows.tolist()
    assert set(rows) > set(found(seeds, '"transformers"').rows.tolist())


@pytest.mark.parametrize(
    ("typed", "papers"),
    [
        ("graph", ["graphs", "images"]),
        ("title:graph", ["graphs"]),
        ("author:graph", ["images"]),
        ("author:Muller", ["graphs"]),
        ('author:"soren müller"', ["graphs"]),
        ("author:(lovelace OR grace)", ["graphs", "images"]),
        ("keyword:vision", ["images"]),
        ("venue:icml", ["graphs"]),
        ("topic:recommend", ["chinese"]),
        ("abstract:review", ["graphs"]),
        ("abstract:survey", []),
        ("year:2024", ["chinese"]),
        ("year:2024..", ["graphs", "chinese"]),
        ("year:..2024", ["images", "chinese"]),
        ("-year:1..9999", ["empty"]),
        ("has:code", ["images"]),
        ("code:none", ["graphs", "chinese", "empty"]),
        ("C++", ["graphs"]),
        ("what's new?", ["images"]),
        ("图神经", ["chinese"]),
        ("title:推荐系统", ["chinese"]),
        ("神图", []),
        ("gpt", ["chinese"]),
        ("한국", ["chinese"]),
        ("🤗", ["chinese"]),
        ("/图.{2}网/", ["chinese"]),
        ("title:/IMAGES/", ["images"]),
        ("-graph", ["chinese", "empty"]),
        ("", ["graphs", "images", "chinese", "empty"]),
        ("???", ["graphs", "images", "chinese", "empty"]),
    ],
)
def test_queries_find_fields_and_scripts(
    library: SearchIndex, typed: str, papers: list[str]
) -> None:
    ids = library_corpus()["id"]
    assert sorted(ids[row] for row in found(library, typed).rows) == sorted(papers)


def test_a_title_that_says_it_comes_first(library: SearchIndex) -> None:
    hits = found(library, "graph")
    assert hits.rows.tolist() == [0, 1]
    assert hits.scores[0] > hits.scores[1] > 0


def test_filters_alone_keep_the_order_of_the_corpus(library: SearchIndex) -> None:
    hits = found(library, "code:none")
    assert hits.rows.tolist() == [0, 2, 3]
    assert hits.scores.tolist() == [0, 0, 0]


def test_hits_say_which_term_occurs_where(library: SearchIndex) -> None:
    hits = found(library, "graph OR vision -survey")
    assert hits.occurs.tolist() == [[True, True, False, False], [False, True, False, False]]
    assert hits.mask.tolist() == [True, True, False, False]
    assert hits.counts == (2, 1)
    assert hits.rows.dtype == np.int32
    assert hits.scores.dtype == np.float32


def test_a_pasted_title_finds_its_paper_once_relaxed(seeds: SearchIndex) -> None:
    query = parse_query("ExLM: Rethinking the Impact of [MASK] Tokens in Masked Language Models")
    assert not len(seeds.search(query).rows)
    best = seeds.search(relaxed(query)).rows[0]
    assert "ExLM" in seed_corpus()["abstract"][best]


def test_threads_may_share_an_index(seeds: SearchIndex) -> None:
    typed = ["graph", "transform*", "title:graph", "/attack/"] * 8
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda text: found(seeds, text).rows.tolist(), typed))
    assert together == [found(seeds, text).rows.tolist() for text in typed]


def test_a_corpus_may_be_empty() -> None:
    index = SearchIndex(corpus_from_records([]), [])
    assert not len(found(index, "graph OR /graph/ OR year:2024").rows)


def test_a_pattern_that_backtracks_for_ever_is_stopped() -> None:
    index = SearchIndex(corpus_from_records([{"abstract": "a" * 5000 + "!"}]), [""])
    with pytest.raises(QueryError, match="took too long") as caught:
        index.search(parse_query("b OR abstract:/(a|aa)+$/"), regex_seconds=0.05)
    assert (caught.value.start, caught.value.end) == (5, 24)


@given(TYPED)
def test_any_text_is_a_search_or_a_located_error(library: SearchIndex, typed: str) -> None:
    try:
        hits = found(library, typed)
    except QueryError as error:
        assert 0 <= error.start < error.end <= len(typed)
    else:
        assert sorted(hits.rows.tolist()) == np.flatnonzero(hits.mask).tolist()
        assert (np.diff(hits.scores) <= 0).all()


@given(
    st.lists(PARTS, min_size=1, max_size=5).flatmap(
        lambda p: st.tuples(st.just(p), st.permutations(p))
    )
)
def test_the_order_of_the_parts_does_not_matter(
    seeds: SearchIndex, orders: tuple[list[str], list[str]]
) -> None:
    one, other = (found(seeds, " ".join(parts)) for parts in orders)
    assert one.rows.tolist() == other.rows.tolist()


@given(st.lists(PARTS, min_size=1, max_size=5))
def test_removing_a_part_never_loses_a_paper(seeds: SearchIndex, parts: list[str]) -> None:
    all_of_them = set(found(seeds, " ".join(parts)).rows.tolist())
    for fewer in combinations(parts, len(parts) - 1):
        assert all_of_them <= set(found(seeds, " ".join(fewer)).rows.tolist())


@given(PARTS)
def test_a_term_occurs_where_it_is_found(seeds: SearchIndex, part: str) -> None:
    hits = found(seeds, part)
    for term, where in zip(hits.query.terms, hits.occurs, strict=True):
        assert isinstance(term, Regex) or np.array_equal(seeds.occurs(term), where)


@given(PARTS, PARTS)
def test_operators_combine_what_their_operands_find(
    seeds: SearchIndex, one: str, other: str
) -> None:
    left, right = found(seeds, one).mask, found(seeds, other).mask
    assert (found(seeds, f"{one} AND {other}").mask == (left & right)).all()
    assert (found(seeds, f"{one} OR {other}").mask == (left | right)).all()
    assert (found(seeds, f"{one} NOT ({other})").mask == (left & ~right)).all()
