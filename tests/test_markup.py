import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from cache.text import Span
from components.markup import TERM_COLORS, escape, marked, to_markdown
from components.query import parse_query


def shown(markdown: str) -> str:
    """Return the text that CommonMark shows, or its HTML if there is any markup."""
    html = MarkdownIt("commonmark").renderInline(markdown)
    return (
        html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        ":red[x] :material/home:",
        "# not a heading",
        "$5 and $10",
        "`a` *b* _c_ ~~d~~ **e**",
        "| a | b |",
        "a\\*b",
    ],
)
def test_hostile_text_is_shown_as_it_was_written(hostile: str) -> None:
    assert shown(escape(hostile)).replace("\u2060", "") == hostile


@given(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"])))
def test_whatever_is_escaped_shows_as_itself(words: str) -> None:
    assert shown(escape(words)).replace("\u2060", "") == words.replace("\u2060", "")


@given(st.text(alphabet=":abc/_+-1[](){}"))
def test_no_directive_nor_emoji_shortcode_survives_escaping(words: str) -> None:
    escaped = escape(words)

    assert not re.search(r"(?<!\\):", escaped)
    assert not re.search(r":[\w+-]+:", escaped)


@pytest.mark.parametrize("words", ["at 10:30:00", "a ratio of 1:2:3", "std::map:x:", ":smile:"])
def test_what_is_no_icon_is_shown_without_invisible_characters(words: str) -> None:
    assert shown(escape(words)) == words


@pytest.mark.parametrize("icon", [":material_home:", ":streamlit:"])
def test_the_name_of_an_icon_is_parted(icon: str) -> None:
    assert icon not in shown(escape(icon))


def test_emphasis_goes_from_the_first_to_the_last_letter() -> None:
    spans = [(Span("(new) ", "text", bold=True), None), (Span("T", "text", italic=True), None)]

    assert to_markdown(spans) == r"\(**new**\) *T*"


def test_a_formula_before_a_digit_stays_a_formula() -> None:
    assert marked(r"$\sim$78.97\%", None, "abstract") == r"$$\sim$$78\.97\%"


@given(st.text(alphabet="a \\`{}"))
def test_a_formula_is_given_to_the_renderer_as_it_is(source: str) -> None:
    markdown = to_markdown([(Span(source, "math"), None)])

    assert markdown == (f"$${' '.join(source.split())}$$" if source.strip() else "")


def test_a_formula_with_a_dollar_inside_cannot_end_early() -> None:
    markdown = to_markdown([(Span("a$ [x](javascript:alert(1)) $b", "math"), None)])

    assert markdown == "` a$ [x](javascript:alert(1)) $b `"


def test_a_link_leads_where_it_says_and_cannot_break_out() -> None:
    link = Span("here", "link", href="https://a.org/x>(y) z")

    assert to_markdown([(link, None)]) == "[here](<https://a.org/x%3E(y)%20z>)"


def test_each_term_of_a_query_has_its_colour() -> None:
    markdown = marked("Graphs of words.", parse_query("graph word"), "abstract")

    first, second = TERM_COLORS[:2]
    assert markdown == rf":{first}-background[Graphs] of :{second}-background[words]\."


def test_nothing_is_highlighted_inside_maths_links_and_code() -> None:
    source = r"$graph$ [graph](https://graph.org) `graph` graph"

    markdown = marked(source, parse_query("graph"), "abstract")

    assert markdown == (
        "$$graph$$ [graph](<https://graph.org>) ` graph ` :orange-background[graph]"
    )
