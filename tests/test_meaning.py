"""Search by meaning: rankings, their merging, and what a query leaves for meaning to find."""

import threading
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from conftest import SEEDS
from corpora import corpus_from_records
from hashing_embedder import HashingEmbedder
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cache.build import PaperMap, build
from cache.embedding import SentenceTransformerEmbedder
from cache.errors import PaperskyError
from cache.readers import read
from cache.store import Store
from components.finding import by_both, by_meaning, by_words, like
from components.meaning import (
    LEAST_SIMILARITY,
    MOST_FOUND,
    RRF_K,
    fuse,
    more_like,
    most_similar,
)
from components.query import (
    And,
    Code,
    Not,
    Or,
    Query,
    Words,
    is_prose,
    meant,
    parse_prose,
    parse_query,
    restrictions,
)
from components.search import SearchIndex
from components.words import FUNCTION_WORDS, fold
from dashboard.meaning import Meaning

ABSTRACTS = list(read([SEEDS]).corpus["abstract"])

DIRECTIONS = arrays(np.float32, (12, 3), elements=st.integers(-3, 3).map(float))
PERMUTATIONS = st.permutations(range(8)).flatmap(
    lambda rows: st.integers(0, 8).map(lambda n: np.array(rows[:n], dtype=np.int32))
)


def unit(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Give every row length one, but for rows of zeros."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths, lengths, 1)).astype(np.float32)


def everyone(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.bool_]:
    return np.ones(len(vectors), dtype=bool)


# Ranking


@given(DIRECTIONS, arrays(bool, 12))
def test_papers_are_ranked_by_their_cosine(
    directions: npt.NDArray[np.float32], among: npt.NDArray[np.bool_]
) -> None:
    vectors = unit(directions)
    query = unit(np.array([[1, 2, 3]], dtype=np.float32))[0]

    found = most_similar(vectors, query, among)

    assert (np.diff(found.scores) <= 0).all()
    np.testing.assert_allclose(found.scores, vectors[found.rows] @ query, atol=1e-6)
    left_out = np.setdiff1d(np.flatnonzero(among), found.rows)
    assert (vectors[left_out] @ query < LEAST_SIMILARITY + 1e-6).all()
    assert among[found.rows].all()


def test_no_more_than_the_best_are_found() -> None:
    vectors = np.tile(np.eye(1, 4, dtype=np.float32), (MOST_FOUND + 9, 1))

    found = most_similar(vectors, vectors[0], everyone(vectors))

    assert found.rows.tolist() == list(range(MOST_FOUND))


def test_a_paper_without_text_is_like_nothing() -> None:
    vectors = np.array([[0, 0], [1, 0]], dtype=np.float32)

    assert most_similar(vectors, vectors[1], everyone(vectors), least=-1).rows.tolist() == [1]
    assert not len(more_like(vectors, [0], everyone(vectors)).rows)


@given(DIRECTIONS, st.lists(st.integers(0, 11), min_size=1, max_size=5))
def test_the_like_of_some_papers_leaves_them_out(
    directions: npt.NDArray[np.float32], examples: list[int]
) -> None:
    vectors = unit(directions)

    found = more_like(vectors, examples, everyone(vectors))

    assert not set(found.rows.tolist()) & set(examples)
    assert np.isfinite(found.scores).all()


def test_the_like_of_several_papers_lies_between_them() -> None:
    vectors = unit(np.array([[1, 0], [0, 1], [1, 1], [3, 1], [-1, -1]], dtype=np.float32))

    assert more_like(vectors, [0, 1], everyone(vectors)).rows.tolist() == [2, 3]


@given(PERMUTATIONS)
def test_fusing_one_ranking_changes_nothing(rows: npt.NDArray[np.int32]) -> None:
    assert fuse(rows).rows.tolist() == rows.tolist()


@given(PERMUTATIONS, PERMUTATIONS)
def test_fusing_finds_all_in_whatever_order_the_rankings_come(
    first: npt.NDArray[np.int32], second: npt.NDArray[np.int32]
) -> None:
    merged = fuse(first, second)

    assert sorted(merged.rows.tolist()) == sorted({*first.tolist(), *second.tolist()})
    assert (np.diff(merged.scores) <= 0).all()
    assert fuse(second, first).rows.tolist() == merged.rows.tolist()


def test_agreement_outweighs_a_single_first_place() -> None:
    merged = fuse(np.array([7, 3], dtype=np.int32), np.array([5, 3], dtype=np.int32))

    assert merged.rows.tolist() == [3, 5, 7]
    assert merged.scores[0] == pytest.approx(2 / (RRF_K + 2))


# What a query leaves to meaning


@pytest.mark.parametrize(
    ("typed", "sought"),
    [
        ("graph transformers", "graph transformers"),
        ("why do big models learn?", "why do big models learn?"),
        ('"graph transformer" year:2024', "graph transformer"),
        ("robots -legged NOT wheeled", "robots"),
        ("author:hinton title:dreams sleep", "sleep"),
        ("title:(dreams OR naps) sleep", "sleep"),
        ("(graph OR tree) AND has:code", "graph tree"),
        ("deep learning for deep seas", "deep learning for deep seas"),
        ("transf* /rob.+/ attention", "attention"),
        ("large NEAR/3 models", "large models"),
        ("has:code", ""),
        ("", ""),
        ("图神经网络", "图神经网络"),
    ],
)
def test_meaning_is_sought_of_what_is_no_filter(typed: str, sought: str) -> None:
    assert meant(parse_query(typed)) == sought


@pytest.mark.parametrize(
    ("typed", "stands"),
    [
        ("graph transformers", ""),
        ("graph OR tree", ""),
        ("graph has:code", "has:code"),
        ("graph -image", "-image"),
        ('graph "large model"', '"large model"'),
        ("graph author:hinton", "author:hinton"),
        ("graph OR has:code", "graph OR has:code"),
        ("graph (tree year:2024)", "year:2024"),
    ],
)
def test_what_is_no_plain_word_stands_for_meaning_too(typed: str, stands: str) -> None:
    assert restrictions(parse_query(typed)).root == parse_query(stands).root


@given(st.text(max_size=60))
def test_any_text_can_be_taken_for_prose(text: str) -> None:
    query = parse_prose(text)

    assert all(0 <= term.start < term.end <= len(text) for term in query.terms)
    assert restrictions(query).terms == ()


def test_the_abstracts_of_the_seeds_are_prose_and_their_titles_are_not() -> None:
    assert all(map(is_prose, ABSTRACTS))
    assert not any(map(is_prose, read([SEEDS]).corpus["title"]))


def test_in_prose_there_are_no_operators_but_filters_by_year_and_code() -> None:
    draft = 'Abstract: we (say) "no" - NOT to code: graphs. year:2024 has:code'

    query = parse_prose(draft)

    assert meant(query) == "we say no to code: graphs."
    assert isinstance(query.root, And)
    assert isinstance(query.root.nodes[0], Or)
    assert not any(isinstance(node, Not | Words) for node in query.root.nodes)
    assert isinstance(query.root.nodes[2], Code)


# Finding


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> tuple[PaperMap, Store]:
    store = Store(tmp_path_factory.mktemp("cache"))
    return build(read([SEEDS]).corpus, HashingEmbedder(), store), store


class Asked:
    """The seeds with an embedder that understands only shared words."""

    def __init__(self, seeds: tuple[PaperMap, Store]) -> None:
        self.map, store = seeds
        self.meaning = Meaning(self.map, HashingEmbedder(), store)
        corpus = self.map.corpus
        self.index = SearchIndex(corpus, [self.map.topic_name(row) for row in range(len(corpus))])

    def of(self, query: Query) -> tuple[SearchIndex, Query, npt.NDArray[np.float32], np.ndarray]:
        vectors, vector = self.meaning.vectors(), self.meaning.of_query(meant(query))
        assert vectors is not None
        assert vector is not None
        return self.index, query, vectors, vector


@pytest.fixture
def asked(seeds: tuple[PaperMap, Store]) -> Asked:
    return Asked(seeds)


@pytest.mark.parametrize("row", [0, 7, 37])
def test_a_pasted_abstract_finds_its_paper_first(asked: Asked, row: int) -> None:
    draft = parse_prose(ABSTRACTS[row])

    assert by_meaning(*asked.of(draft)).rows[0] == row
    assert by_both(*asked.of(draft)).rows[0] == row


def test_a_filter_holds_for_a_pasted_abstract(asked: Asked) -> None:
    draft = parse_prose(f"{ABSTRACTS[0]} has:code")

    for found in (by_meaning(*asked.of(draft)), by_both(*asked.of(draft))):
        kinds = asked.map.corpus["code_kind"].iloc[found.rows]
        assert len(kinds)
        assert (kinds != "none").all()


def test_both_loses_nothing_that_words_find(asked: Asked) -> None:
    for typed in ("graph", "graph -image", "language models", "attack OR defence"):
        query = parse_query(typed)
        words, both = by_words(asked.index, query), by_both(*asked.of(query))
        assert set(words.rows) <= set(both.rows)


def test_what_meaning_found_says_how_similar_it_is(asked: Asked) -> None:
    query = parse_query("graph neural networks for graph learning")

    found = by_meaning(*asked.of(query))

    assert list(found.similarities) == found.rows.tolist()
    assert all(similarity >= LEAST_SIMILARITY for similarity in found.similarities.values())


def test_the_like_of_a_paper_can_be_narrowed_by_words(asked: Asked) -> None:
    vectors = asked.meaning.vectors()
    assert vectors is not None
    words = by_words(asked.index, parse_query("graph"))

    free, narrowed = like(vectors, [3], None), like(vectors, [3], words)

    assert len(free.rows)
    assert set(narrowed.rows) == set(free.rows) & set(words.rows)


# Vectors


def test_vectors_are_those_that_the_map_was_made_of(seeds: tuple[PaperMap, Store]) -> None:
    paper_map, store = seeds

    vectors = Meaning(paper_map, HashingEmbedder(), store).vectors()

    assert vectors is not None
    for row in (0, 20):
        near = paper_map.nearest(row)
        np.testing.assert_allclose(
            vectors[near] @ vectors[row], paper_map.similarities[row, : len(near)], atol=1e-5
        )


def test_a_paper_without_text_has_no_vector(own_cache: Path) -> None:
    corpus = corpus_from_records([{"id": "a", "abstract": "Dots."}, {"id": "b", "authors": ["X"]}])
    store, embedder = Store(own_cache), HashingEmbedder()

    vectors = Meaning(build(corpus, embedder, store), embedder, store).vectors()

    assert vectors is not None
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0])


def test_vectors_that_the_store_has_lost_are_computed_again(own_cache: Path) -> None:
    store = Store(own_cache)
    paper_map = build(read([SEEDS]).corpus, HashingEmbedder(), store)
    kept = Meaning(paper_map, HashingEmbedder(), store).vectors()
    store.clear()

    again = Meaning(paper_map, HashingEmbedder(), store).vectors()

    np.testing.assert_array_equal(again, kept)


class Slow(HashingEmbedder):
    """Loads until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.ready = False
        self.go = threading.Event()
        self.error: Exception | None = None

    def batches(self, texts):  # type: ignore[no-untyped-def]
        self.go.wait(10)
        if self.error:
            raise self.error
        self.ready = True
        return super().batches(texts)


def until_idle(meaning: Meaning) -> None:
    while meaning.busy:
        time.sleep(0.01)


@pytest.fixture
def slow(seeds: tuple[PaperMap, Store], own_cache: Path) -> tuple[Meaning, Slow]:
    embedder = Slow()
    return Meaning(seeds[0], embedder, Store(own_cache)), embedder


def test_nobody_waits_for_the_model(slow: tuple[Meaning, Slow]) -> None:
    meaning, embedder = slow

    assert meaning.of_query("graphs") is None
    assert meaning.busy
    assert not meaning.ready
    embedder.go.set()
    until_idle(meaning)
    assert meaning.of_query("graphs") is not None


def test_a_query_is_embedded_once_and_kept(slow: tuple[Meaning, Slow]) -> None:
    meaning, embedder = slow
    embedder.go.set()
    embedder.ready = True
    first = meaning.of_query("graphs")
    embedder.ready = False
    embedder.go.clear()

    assert first is not None
    np.testing.assert_array_equal(meaning.of_query("graphs"), first)
    assert embedder.texts == ["graphs"]


def test_a_model_that_fails_says_so_and_is_tried_again(slow: tuple[Meaning, Slow]) -> None:
    meaning, embedder = slow
    embedder.error = PaperskyError("No model.", "Get one.")
    embedder.go.set()
    with pytest.raises(PaperskyError, match="No model"):
        meaning.of_query("graphs")
    embedder.error = None

    assert meaning.of_query("graphs") is not None


# The real model


@pytest.mark.model
def test_a_paraphrase_finds_its_paper_without_sharing_a_word(own_cache: Path) -> None:
    embedder, store = SentenceTransformerEmbedder(), Store(own_cache)
    paper_map = build(read([SEEDS]).corpus, embedder, store)
    meaning = Meaning(paper_map, embedder, store)
    vectors = meaning.vectors()
    assert vectors is not None

    for paraphrase, beginning in (
        ("clever chatbots being persuaded into misbehaving", "Large Language Models' safety-align"),
        ("hacking image recognition by querying only its answers", "A key challenge in black-box"),
    ):
        vector = meaning.of_query(paraphrase)
        assert vector is not None
        best = most_similar(vectors, vector, everyone(vectors)).rows[0]
        abstract = paper_map.corpus["abstract"].iloc[best]
        assert abstract.startswith(beginning)
        words = set(fold(paraphrase).split()) - FUNCTION_WORDS
        assert not words & set(fold(abstract).split())
