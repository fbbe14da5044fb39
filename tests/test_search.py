"""Search by words: what each query finds in the seeds, and what holds for every query."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from corpora import corpus_from_records
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cache import text
from cache.errors import PaperskyError
from cache.store import Store
from components.query import QueryError, Regex, parse_query, relaxed
from components.search import INDEX_VERSION, Hits, SearchIndex
from components.words import fold

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
        ("recommend", []),
        ("/[Rr]ecommend/", []),
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


def test_a_title_that_says_it_comes_first() -> None:
    corpus = corpus_from_records(
        {"title": title, "abstract": abstract}
        for title, abstract in [("Images", "We see graphs."), ("Graphs", "We see images.")]
    )
    index = SearchIndex(corpus, ["", ""])
    assert found(index, "graph").rows.tolist() == [1, 0]
    assert found(index, "image").rows.tolist() == [0, 1]


def test_filters_alone_keep_the_order_of_the_corpus(library: SearchIndex) -> None:
    hits = found(library, "code:none")
    assert hits.rows.tolist() == [0, 2, 3]


def test_hits_say_which_term_occurs_where(library: SearchIndex) -> None:
    hits = found(library, "graph OR vision -survey")
    assert hits.occurs.tolist() == [[True, True, False, False], [False, True, False, False]]
    assert hits.mask.tolist() == [True, True, False, False]
    assert hits.rows.dtype == np.int32


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


# Indices that are kept


MARKED_UP = corpus_from_records(
    {"title": f"On $\\alpha$-graphs {n}", "abstract": f"We \\emph{{see}} **{word}** for $x_{n}$."}
    for n, word in enumerate(["trees", "图神经网络", "C++", "Rényi"])
)


def kept(store: Store, corpus: pd.DataFrame, topics: list[str] | None = None) -> SearchIndex:
    return SearchIndex(corpus, topics or [""] * len(corpus), store)


def kept_file(store: Store) -> Path:
    return next(store.root.glob("indices-*/*.index"))


@pytest.fixture(scope="module")
def reopened(tmp_path_factory: pytest.TempPathFactory) -> tuple[SearchIndex, SearchIndex]:
    """The index of all the papers here as it was made, and as it was found again."""
    corpus = pd.concat([seed_corpus(), library_corpus(), MARKED_UP], ignore_index=True)
    store = Store(tmp_path_factory.mktemp("kept"))
    made, again = kept(store, corpus), kept(store, corpus)
    assert store.summary().indices == 1
    return made, again


@given(TYPED | st.sampled_from(["/see \\w+/", "/\\\\emph/", "title:/α/", "x_0", "C++", "神经"]))
def test_a_kept_index_finds_what_a_new_one_does(
    reopened: tuple[SearchIndex, SearchIndex], typed: str
) -> None:
    try:
        hits = [found(index, typed) for index in reopened]
    except QueryError:
        return
    assert hits[0].rows.tolist() == hits[1].rows.tolist()
    assert (hits[0].occurs == hits[1].occurs).all()


@pytest.mark.parametrize(
    ("typed", "rows"), [("/see trees/", [0]), ("/emph/", []), ("/α/", [0, 1, 2, 3])]
)
def test_a_kept_index_knows_the_texts_without_their_markup(
    own_cache: Path, typed: str, rows: list[int]
) -> None:
    store = Store(own_cache)
    kept(store, MARKED_UP)
    assert found(kept(store, MARKED_UP), typed).rows.tolist() == rows


def test_filters_are_those_of_the_corpus_at_hand(own_cache: Path) -> None:
    store = Store(own_cache)
    kept(store, library_corpus(), TOPICS)
    later = library_corpus().assign(year=2030)
    assert len(found(kept(store, later, TOPICS), "year:2030").rows) == 4
    assert store.summary().indices == 1


@pytest.mark.parametrize("field", ["title", "abstract", "authors", "keywords", "venue", "topic"])
def test_whatever_is_searched_makes_another_index(own_cache: Path, field: str) -> None:
    store, corpus, topics = Store(own_cache), library_corpus(), list(TOPICS)
    kept(store, corpus, topics)
    if field == "topic":
        topics[0] = "Zebras"
    else:
        new = ["Zebras"] if field in ("authors", "keywords") else "Zebras"
        corpus[field] = [new, *corpus[field][1:]]
    assert found(kept(store, corpus, topics), f"{field}:zebras").rows.tolist() == [0]
    assert store.summary().indices == 2


def test_a_word_that_moves_to_another_field_or_paper_makes_another_index(own_cache: Path) -> None:
    store = Store(own_cache)
    for records in (
        [{"title": "a", "abstract": "b"}, {"title": "c"}],
        [{"title": "b", "abstract": "a"}, {"title": "c"}],
        [{"title": "c"}, {"title": "a", "abstract": "b"}],
    ):
        kept(store, corpus_from_records(records))
    assert store.summary().indices == 3


def test_what_is_indexed_changes_only_with_its_version() -> None:
    words = [fold(text.plain(abstract)) for abstract in seed_corpus()["abstract"]]
    digest = hashlib.sha256("\n".join(words).encode()).hexdigest()
    # If this fails, raise INDEX_VERSION and note both here: indices that are kept are outdated.
    assert (INDEX_VERSION, digest[:16]) == (1, "a68504b02a3ab6b7")


@given(at=st.integers(0), bit=st.integers(0, 7), cut=st.booleans())
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_damaged_index_is_reported_once_and_made_again(
    own_cache: Path, at: int, bit: int, cut: bool
) -> None:
    reports: list[str] = []
    store = Store(own_cache, reports.append)
    kept(store, library_corpus(), TOPICS)
    path = kept_file(store)
    content = bytearray(path.read_bytes())
    at %= len(content)
    content[at] ^= 1 << bit
    path.write_bytes(content[:at] if cut else content)

    for _ in range(2):
        assert found(kept(store, library_corpus(), TOPICS), "graph").rows.tolist() == [0, 1]
    assert len(reports) == 1
    assert str(path) in reports[0]


class FullStore(Store):
    def write_index(self, key: str, content: bytes) -> None:
        raise PaperskyError(f"No room for {len(content)} bytes under {key}.", "")


def test_an_index_for_which_there_is_no_room_can_be_searched(own_cache: Path) -> None:
    store = FullStore(own_cache)
    assert found(kept(store, library_corpus(), TOPICS), "graph").rows.tolist() == [0, 1]
