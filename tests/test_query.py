"""The query language: what is typed and how it is understood."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.query import (
    HELP,
    MAX_DEPTH,
    MAX_LENGTH,
    And,
    Code,
    Near,
    Node,
    Not,
    Or,
    Query,
    QueryError,
    Regex,
    Words,
    Years,
    parse_query,
    relaxed,
)

A, B, C = Words("a"), Words("b"), Words("c")

PIECES = st.sampled_from(
    [
        "a",
        "b",
        "C++",
        "transf*",
        '"',
        "(",
        ")",
        "-",
        "NOT",
        "AND",
        "OR",
        "NEAR",
        "NEAR/3",
        "title:",
        "author:",
        "year:2023",
        "has:code",
        "/",
        "/a+/",
        "what's",
        "“x”",
        "图",
        "🤗",
        " ",
        "",
        ":",
    ]
)
TYPED = st.text() | st.lists(PIECES, max_size=12).map(" ".join) | st.lists(PIECES).map("".join)


@pytest.mark.parametrize(
    ("typed", "understood"),
    [
        ("a b", And((A, B))),
        ("a AND b", And((A, B))),
        ("a OR b", Or((A, B))),
        ("a b OR c", Or((And((A, B)), C))),
        ("a (b OR c)", And((A, Or((B, C))))),
        ("a -b", And((A, Not(B)))),
        ("a NOT b c", And((A, Not(B), C))),
        ("-(a OR b)", Not(Or((A, B)))),
        ("NOT NOT a", A),
        ("and or not near", And((Words("and"), Words("or"), Words("not"), Words("near")))),
        ('"a b"', Words("a b", exact=True)),
        ("“a b”", Words("a b", exact=True)),
        ("ab*", Words("ab", exact=True, prefix=True)),
        ("a NEAR b", Near((A, B), 10)),
        ('a NEAR/3 "b" NEAR c', Near((A, Words("b", exact=True), C), 3)),
        ("/colou?r/ a", And((Regex("colou?r"), A))),
        (r"/a\/b (c)/", Regex(r"a\/b (c)")),
        ("title:a b", And((Words("a", field="title"), B))),
        ("Title: a", Words("a", field="title")),
        ("title:(a OR /b/)", Or((Words("a", field="title"), Regex("b", field="title")))),
        ("title:-a", Not(Words("a", field="title"))),
        ("title:a NEAR b", Near((Words("a", field="title"), B), 10, field="title")),
        ("title:(a venue:b)", And((Words("a", field="title"), Words("b", field="venue")))),
        ("author:Müller", Words("muller", exact=True, field="authors")),
        ("keywords:a", Words("a", field="keywords")),
        ("year:2024", Years(2024, 2024)),
        ("year: 2023..2025", Years(2023, 2025)),
        ("year:2025-2023", Years(2023, 2025)),
        ("year:2023..", Years(2023, None)),
        ("year:..2025", Years(None, 2025)),
        ("has:code", Code(("repository", "anonymous", "project page"))),
        ("code:repository", Code(("repository",))),
        ("code:repo", Code(("repository",))),
        ('code:"project page"', Code(("project page",))),
        ("code:none", Code(("none",))),
    ],
)
def test_the_language_is_understood(typed: str, understood: Node) -> None:
    assert parse_query(typed).root == understood


@pytest.mark.parametrize(
    ("typed", "understood"),
    [
        ("C++", Words("c + +")),
        ("what's new?", And((Words("what s"), Words("new")))),
        ("foo-bar", Words("foo bar")),
        ("-foo-bar", Not(Words("foo bar"))),
        ('"an open quote', Words("an open quote", exact=True)),
        ("(a OR b", Or((A, B))),
        ("a) b", And((A, B))),
        ("🤗 a", And((Words("🤗"), A))),
        ("ExLM: a", And((Words("exlm"), A))),
        ("foo:bar", Words("foo bar")),
        ("gpt-4", Words("gpt 4")),
        ("a/b c", And((Words("a b"), C))),
        ("a / b / c", And((A, B, C))),
        ("a AND", A),
        ("OR a AND AND b OR", And((A, B))),
        ("a NEAR", A),
        ("a NOT", A),
        ("a () OR (b", Or((A, B))),
        ("a + b = c", And((A, B, C))),
        ("**a** [b](c)", And((A, Words("b"), C))),
        ("ANDROID ORCA", And((Words("android"), Words("orca")))),
        ("Year: a code: b", And((Words("year"), A, Words("code"), B))),
        ("图神经", Words("图 神 经")),
        ("𝐁 Ｃ", And((B, C))),
    ],
)
def test_what_people_really_type_makes_sense(typed: str, understood: Node) -> None:
    assert parse_query(typed).root == understood


@pytest.mark.parametrize(
    "typed", ["", "  ", "-", "???", "()", '""', "AND", "title:", "((", "+", "\0"]
)
def test_a_query_without_words_asks_for_nothing(typed: str) -> None:
    assert parse_query(typed) == Query(typed, None, ())


@pytest.mark.parametrize(
    ("typed", "culprit"),
    [
        ("a year:abc..", "year:abc.."),
        ("year:2023..x b", "year:2023..x"),
        ("has:fun", "has:fun"),
        ("a code:gone", "code:gone"),
        ("a /[b/ c", "/[b/"),
        ("a OR b) c", ")"),
        ("(a OR b) NEAR/2 c", "NEAR/2"),
        ("title:a NEAR author:b", "NEAR"),
        ("a NEAR -b", "NEAR"),
        ("a" * (MAX_LENGTH + 3), "aaa"),
        ("(" * (MAX_DEPTH + 1) + "a", "("),
    ],
)
def test_a_wrong_query_is_told_where(typed: str, culprit: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(typed)
    assert typed[caught.value.start : caught.value.end] == culprit
    assert caught.value.message.endswith(".")
    assert caught.value.hint or culprit == "("


@pytest.mark.parametrize("example", HELP.split("`")[1::2])
def test_what_the_help_shows_is_understood(example: str) -> None:
    typed = f"{example}word" if example.endswith(":") else example
    root = parse_query(typed).root
    assert root
    assert ":" not in typed or root != parse_query(typed.replace(":", " ")).root


def test_terms_are_numbered_in_the_order_of_writing_and_each_once() -> None:
    query = parse_query('B "a c" -d year:2023 title:b (b OR /e/)')
    assert query.labels == ("B", '"a c"', "title:b", "/e/")


def test_the_same_words_written_otherwise_are_the_same_term() -> None:
    assert parse_query("RÉNYI").terms == parse_query(" renyi").terms


def test_a_pasted_title_can_be_relaxed_to_any_of_its_words() -> None:
    query = parse_query("b c x -d year:2025")
    assert relaxed(query).root == And(
        (Or((B, C, Words("x"))), Not(Words("d")), Years(2025, 2025)),
    )
    assert relaxed(query).terms == query.terms


def test_words_that_tell_nothing_are_passed_over_when_some_are_enough() -> None:
    assert relaxed(parse_query("the b of c")).root == Or((B, C))
    assert relaxed(parse_query("the b")).root == B
    assert relaxed(parse_query("to be")).root == Or((Words("to"), Words("be")))


@pytest.mark.parametrize("typed", ["", "a", "a OR b", "a year:2024"])
def test_there_may_be_nothing_to_relax(typed: str) -> None:
    query = parse_query(typed)
    assert relaxed(query) is query


@given(TYPED)
def test_any_text_is_a_query_or_a_located_error(typed: str) -> None:
    try:
        query = parse_query(typed)
    except QueryError as error:
        assert 0 <= error.start < error.end <= len(typed)
        assert error.message
    else:
        assert all(label.strip() for label in query.labels)
        assert hash(query) == hash(parse_query(typed))


@given(st.lists(st.sampled_from(["a", "-b", '"c d"', "e*", "(f OR g)", "/h/", "title:i"])))
def test_parentheses_around_everything_change_nothing(parts: list[str]) -> None:
    typed = " ".join(parts)
    assert parse_query(f"({typed})").root == parse_query(typed).root
