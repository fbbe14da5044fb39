"""Highlights lie exactly on what the search found."""

from pathlib import Path

import pytest
from corpora import corpus_from_records
from hypothesis import given
from hypothesis import strategies as st

from cache.text import Span, parse, plain
from components.highlight import Match, Snippet, find_matches, in_prose, mark_spans, snippet
from components.query import Field, Query, QueryError, parse_query
from components.search import SearchIndex
from components.words import fold, fold_with_offsets

SEEDS = Path(__file__).parents[1] / "seeds"
SOURCES = [
    block.strip()
    for path in sorted(SEEDS.glob("*.txt"))
    for block in path.read_text(encoding="utf-8").split("\n\n")
    if len(block) > 100
]
ABSTRACTS = [plain(source) for source in SOURCES]

CLUSTERS = st.sampled_from(
    [
        "a",
        "B",
        " ",
        "é",
        "e\u0301",
        "ﬁ",
        "ß",
        "İ",
        "C++",
        "#",
        "图",
        "神",
        "が",
        "か\u3099",
        "한",
        "\u1112\u1161\u11ab",
        "🤗",
        "👩‍💻",
        "❤️",
        "™",
        "½",
        "-",
        "’",
        "\u00ad",
        "\u0600",
        "\r\n",
        "\0",
    ]
)
TEXTS = st.text(max_size=40) | st.lists(CLUSTERS, max_size=20).map("".join)
TYPED = st.lists(
    st.sampled_from(
        ["a", "b*", '"a b"', "/a./", "fi", "图", "c++", "e NEAR/2 b", "learn", "graph*"]
    )
    | st.text(alphabet="abeé图", min_size=1, max_size=4),
    min_size=1,
    max_size=4,
).map(" OR ".join)


def matched(typed: str, text: str, field: Field = "abstract") -> list[tuple[str, int]]:
    matches = find_matches(parse_query(typed), text, field)
    return [(text[match.start : match.end], match.term) for match in matches]


@pytest.mark.parametrize(
    ("typed", "text", "marked"),
    [
        ("transform", "Transformers transform; GPT-2 not.", ["Transformers", "transform"]),
        ('"transform"', "Transformers transform; GPT-2 not.", ["transform"]),
        ("transf*", "Transformers transform; GPT-2 not.", ["Transformers", "transform"]),
        ("gpt-2", "Transformers transform; GPT-2 not.", ["GPT-2"]),
        (
            '"graph neural"',
            "Graph  neural graphs, graph\nNEURAL",
            ["Graph  neural", "graph\nNEURAL"],
        ),
        ("renyi", "The Rényi and Re\u0301nyi divergences", ["Rényi", "Re\u0301nyi"]),
        ("field", "a ﬁeld of magnetic ﬁelds", ["ﬁeld", "ﬁelds"]),
        ("strasse", "Straße STRASSE", ["Straße", "STRASSE"]),
        ("c++", "C, C++ and C#", ["C++"]),
        ("c", "C, C++ and C#", ["C", "C", "C"]),
        ("神经", "基于图神经网络", ["神经"]),
        ("gpt", "本文提出GPT模型", ["GPT"]),
        ("🤗", "by 🤗 and 👩‍💻", ["🤗"]),
        ("/gr[ae]y s?/", "Gray scale or grey", ["Gray s"]),
        (
            "large NEAR/1 model",
            "Large language models; not one large and old model",
            ["Large", "models"],
        ),
        ("transformer", "trans\u00adformer", ["trans\u00adformer"]),
        ("graph -neural", "graph neural", ["graph"]),
        ("title:graph", "graph", []),
        ("year:2024 has:code", "code of 2024", []),
        ("/x*/", "aaa", []),
        ("", "anything", []),
        ("a", "", []),
    ],
)
def test_matches_are_what_the_search_counts(typed: str, text: str, marked: list[str]) -> None:
    assert [found for found, _ in matched(typed, text)] == marked


def test_matches_carry_their_term_and_may_overlap() -> None:
    text = "graph neural networks"
    assert matched('neural "graph neural" /raph/', text) == [
        ("graph neural", 1),
        ("raph", 2),
        ("neural", 0),
    ]


def test_terms_of_a_field_match_in_that_field_only() -> None:
    assert matched("author:grace graph", "Grace Graph", "authors") == [("Grace", 0), ("Graph", 1)]
    assert matched("author:grace graph", "Grace Graph", "abstract") == [("Graph", 1)]


def test_a_pattern_that_backtracks_for_ever_is_stopped() -> None:
    with pytest.raises(QueryError, match="took too long"):
        matched("/(a|aa)+$/", "a" * 5000 + "!")


def test_matches_do_not_depend_on_what_was_matched_before() -> None:
    assert matched("graph", "a graph")
    assert not matched("graph", "a tree")


@given(TEXTS)
def test_folding_with_offsets_gives_the_same_words(text: str) -> None:
    folded = fold_with_offsets(text)
    assert folded.text.split() == fold(text).split()
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert all(
        0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True)
    )


@given(TEXTS)
def test_folding_a_word_again_changes_nothing(text: str) -> None:
    assert fold(fold(text)).split() == fold(text).split()


@given(TYPED, TEXTS | st.sampled_from(ABSTRACTS))
def test_every_match_alone_is_found_by_its_term(typed: str, text: str) -> None:
    query = parse_query(typed)
    for match in find_matches(query, text, "abstract"):
        term = query.terms[match.term]
        if not isinstance(term, type(parse_query("a NEAR b").root)):
            alone = Query(query.text, term, (term,))
            piece = text[match.start : match.end]
            assert find_matches(alone, piece, "abstract") == (Match(0, len(piece), 0),)


@given(st.sampled_from(ABSTRACTS), st.data())
def test_the_words_of_a_text_are_marked_in_it(text: str, data: st.DataObject) -> None:
    words = fold(text).split()
    first = data.draw(st.integers(0, len(words) - 1))
    phrase = words[first : first + data.draw(st.integers(1, 4))]
    marked = matched(f'"{" ".join(phrase)}"', text)
    assert all(fold(piece).split() == phrase for piece, _ in marked)
    assert bool(marked) == any(word.strip("+#") for word in phrase)


@given(TYPED)
def test_a_paper_is_found_just_if_something_in_it_is_marked(typed: str) -> None:
    query = parse_query(f"abstract:({typed})")
    marked = [bool(find_matches(query, text, "abstract")) for text in SEARCHED]
    assert INDEX.search(query).mask.tolist() == (marked if query.terms else [True] * len(marked))


SEARCHED = ABSTRACTS[:12]
INDEX = SearchIndex(corpus_from_records({"abstract": text} for text in SEARCHED), [""] * 12)


def text_span(text: str, *, bold: bool = False) -> Span:
    return Span(text=text, kind="text", bold=bold)


def test_spans_are_split_where_matches_begin_and_end() -> None:
    spans = (text_span("the gra"), text_span("phs of", bold=True))
    assert mark_spans(spans, [Match(4, 10, 2)]) == [
        (text_span("the "), None),
        (text_span("gra"), 2),
        (text_span("phs", bold=True), 2),
        (text_span(" of", bold=True), None),
    ]


def test_the_first_and_longest_of_overlapping_matches_wins() -> None:
    spans = (text_span("graph neural network"),)
    matches = [Match(6, 20, 1), Match(0, 12, 0), Match(0, 5, 2)]
    assert [(span.text, term) for span, term in mark_spans(spans, matches)] == [
        ("graph neural", 0),
        (" network", 1),
    ]


def test_neighbouring_matches_stay_apart() -> None:
    marked = mark_spans((text_span("图图"),), [Match(0, 1, 0), Match(1, 2, 0)])
    assert [(span.text, term) for span, term in marked] == [("图", 0), ("图", 0)]


def test_nothing_is_marked_inside_maths_code_and_links() -> None:
    source = r"alpha $\alpha$ and `alpha` at https://example.org/alpha, alpha"
    spans = parse(source)
    marked = mark_spans(
        spans, find_matches(parse_query("alpha /a/ example"), plain(source), "abstract")
    )
    assert {span.kind for span, term in marked if term is not None} == {"text"}
    assert [span for span, _ in marked if span.kind != "text"] == [
        span for span in spans if span.kind != "text"
    ]


def test_what_a_match_has_outside_of_maths_is_kept_for_the_snippet() -> None:
    spans = (text_span("the "), Span(text="k", kind="math"), text_span("-means of k"))
    text = "".join(span.plain for span in spans)
    matches = find_matches(parse_query("k-means k"), text, "abstract")
    kept = in_prose(spans, matches)
    assert [(text[match.start : match.end], match.term) for match in kept] == [
        ("-means", 0),
        ("k", 1),
    ]


@given(
    st.lists(st.builds(text_span, st.text(max_size=8), bold=st.booleans()), max_size=4),
    st.lists(
        st.builds(
            lambda start, length, term: Match(start, start + length, term),
            st.integers(0, 20),
            st.integers(1, 9),
            st.integers(0, 3),
        ),
        max_size=5,
    ),
)
def test_marking_loses_no_character(spans: list[Span], matches: list[Match]) -> None:
    marked = mark_spans(spans, matches)
    assert "".join(span.text for span, _ in marked) == "".join(span.text for span in spans)
    terms = [term for span, term in marked for _ in span.text]
    for place, term in enumerate(terms):
        covering = {match.term for match in matches if match.start <= place < match.end}
        assert term in covering or (term is None and not covering)


@given(TYPED, st.sampled_from(SOURCES))
def test_all_that_is_marked_in_an_abstract_is_prose(typed: str, source: str) -> None:
    spans = parse(source)
    matches = find_matches(parse_query(typed), plain(source), "abstract")
    marked = mark_spans(spans, matches)
    assert "".join(span.plain for span, _ in marked) == plain(source)
    assert all(span.kind == "text" for span, term in marked if term is not None)
    places = [term is not None for span, term in marked for _ in span.plain]
    kept = in_prose(spans, matches)
    assert places == [
        any(match.start <= place < match.end for match in kept) for place in range(len(places))
    ]


def test_a_snippet_shows_most_terms_and_cuts_at_words() -> None:
    text = "graph graph graph. Some other words stand between. A graph of neural cells, and so on."
    query = parse_query("graph neural")
    excerpt = snippet(text, find_matches(query, text, "abstract"), 40)
    assert excerpt.text == "…between. A graph of neural cells, and…"
    assert [excerpt.text[match.start : match.end] for match in excerpt.matches] == [
        "graph",
        "neural",
    ]


def test_a_snippet_without_matches_is_the_beginning() -> None:
    assert snippet("one two three", (), 9) == Snippet("one two…", ())
    assert snippet("one two", (), 9) == Snippet("one two", ())


def test_a_snippet_of_a_text_without_spaces_is_cut_anywhere() -> None:
    text = "基于图神经网络的推荐系统"
    excerpt = snippet(text, find_matches(parse_query("网络"), text, "abstract"), 4)
    assert excerpt == Snippet("…经网络的…", (Match(2, 4, 0),))


@given(TYPED, st.sampled_from(ABSTRACTS) | TEXTS, st.integers(1, 300))
def test_a_snippet_is_a_part_of_the_text_with_its_matches(
    typed: str, text: str, width: int
) -> None:
    matches = find_matches(parse_query(typed), text, "abstract")
    excerpt = snippet(text, matches, width)
    body = excerpt.text.removeprefix("…").removesuffix("…")
    assert len(body) <= width
    assert body in text
    assert bool(excerpt.matches) == bool(matches)
    originals = {(text[match.start : match.end], match.term) for match in matches}
    for match in excerpt.matches:
        piece = excerpt.text[match.start : match.end]
        assert any(piece in whole for whole, term in originals if term == match.term)
