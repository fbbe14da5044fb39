"""How abstracts are read: the markup they are published in, and what remains without it."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cache.text import Span, embedded_text, parse, plain

SEEDS = sorted((Path(__file__).parent.parent / "seeds").glob("*.txt"))
ABSTRACTS = [
    abstract
    for seed in SEEDS
    for abstract in re.split(r"\n\s*\n", seed.read_text(encoding="utf-8"))[1:]
]
MARKUP = st.text(alphabet="ab1 \n*_`~$\\{}[]()<>&;:/.-'\"!#%^éΩ中\x00\ud800", max_size=60)
PIECES = st.lists(
    st.sampled_from(
        (
            *(
                "\\emph{",
                "\\textbf{",
                "\\url{",
                "\\href{",
                "}{",
                "}",
                "{\\em ",
                "$",
                "$$",
                "\\(",
                "\\)",
            ),
            *(
                "\\[",
                "\\]",
                "**",
                "*",
                "_",
                "`",
                "``",
                "''",
                "https://a.b/c",
                "[",
                "](",
                ")",
                "![",
                "<",
            ),
            *(
                "\\frac{1}{2}",
                "\\begin{align}",
                "\\end{align}",
                "\\'e",
                "\\",
                "%",
                "--",
                "~",
                "\n\n",
                " x",
            ),
            *(
                "javascript:alert(1)",
                "&amp;",
                "&",
                "&lt;script&gt;",
                " word ",
                "{",
                "\\ours",
                "\\item",
            ),
        )
    ),
    max_size=25,
).map("".join)


def shown(source: str, kind: str = "text") -> list[str]:
    return [span.text for span in parse(source) if span.kind == kind]


# Prose


def test_prose_comes_back_unchanged() -> None:
    prose = "We gain 50% of # & more, for $5 and $10 (a snake_case_name, C:\\data), isn't it?\nYes."
    assert parse(prose) == (Span(prose, "text"),)


@given(st.text(alphabet="abc XYZ 019 .,;:!?()%#@+=/|\"'é中\n", max_size=80))
def test_any_text_without_markup_is_one_span(prose: str) -> None:
    assert plain(prose) == re.sub(r"\n\s*\n", "\n\n", prose)


@pytest.mark.parametrize(
    "prose",
    [
        "A* search and RRT* agree",
        "snake_case_name and other_name_too",
        "p*q, 2 * 3 * 4 and O(m*n^2*log(n))",
        "the A*3D dataset, on the A*3D dataset",
        "parameters w^* and v^*",
        "costs of US$5 and US$6, $5–$10, under $200 or ($16k)",
        "about ~50% or 1%~5% of x~N(0,1)",
        "pass --verbose or --quiet",
        "a <script>alert(1)</script> & <b>bold</b>",
        "in [0, 1] (see [3]) and {0, 1}",
    ],
)
def test_what_only_looks_like_markup_is_prose(prose: str) -> None:
    assert plain(prose) == prose


def test_paragraphs_stay_parted() -> None:
    assert plain("One *a\n \nb* two.\n\n\nThree.") == "One *a\n\nb* two.\n\nThree."


# Markdown


def test_markdown_emphasis_marks_its_words() -> None:
    assert parse("a *slanted* **T**ask ***both***") == (
        Span("a ", "text"),
        Span("slanted", "text", italic=True),
        Span(" ", "text"),
        Span("T", "text", bold=True),
        Span("ask ", "text"),
        Span("both", "text", bold=True, italic=True),
    )


def test_emphasis_of_single_letters_leaves_a_readable_name() -> None:
    assert plain("**T**ask-**A**ware **L**earngene (**TAL**)") == "Task-Aware Learngene (TAL)"


def test_backticks_mark_code_but_latex_quotes_are_quotes() -> None:
    source = "``good'' and `f(x)` and `this' or `that'"
    assert plain(source) == "“good” and f(x) and ‘this’ or ‘that’"
    assert shown(source, "code") == ["f(x)"]


def test_entities_are_read_and_stay_text() -> None:
    assert parse("a &amp; &lt;script&gt;") == (Span("a & <script>", "text"),)


# LaTeX


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"a \textbf{\emph{LIFT-GS}}, b", "a LIFT-GS, b"),
        (r"{\em one} {\bf two} {T}hree", "one two {T}hree"),
        (r"25.7\% of A\&B in x\_y", "25.7% of A&B in x_y"),
        (r"Schr\"odinger, Nos\'{e}, {\'e}t\'e, Erd\H{o}s", "Schrödinger, Nosé, été, Erdős"),
        (r"the model\'s \"open\" weights", 'the model\'s "open" weights'),
        (r"Fig.~3 of first-order~methods~(FOM)", "Fig. 3 of first-order methods (FOM)"),
        ("pages 1--2, scenes--a gap---wide", "pages 1–2, scenes–a gap—wide"),
        (
            r"\unknown{an argument} of \ours{} and \name\ (STM)",
            "an argument of ours and name (STM)",
        ),
        (r"\textcolor{red}{Mind}\footnote{Sic.} \enquote{so} \citep{a}", "Mind (Sic.) “so” [a]"),
        (r"80\,000 at 90\textdegree with \alpha", "80 000 at 90° with α"),
        (r"\begin{itemize}\item one \item two\end{itemize}", "• one • two"),
        (r"an unclosed \emph{word", r"an unclosed \emph{word"),
    ],
)
def test_latex_of_running_text_is_read(source: str, expected: str) -> None:
    assert plain(source) == expected


def test_latex_emphasis_nests() -> None:
    assert parse(r"\textbf{a \emph{b \texttt{c\_d}}}") == (
        Span("a ", "text", bold=True),
        Span("b ", "text", bold=True, italic=True),
        Span("c_d", "code", bold=True, italic=True),
    )


# Maths


@pytest.mark.parametrize(
    ("source", "formulas"),
    [
        (r"achieves $\sim$78.97\% and $2.8\times$ speed", [r"\sim", r"2.8\times"]),
        (r"$2$-$4$x with \(O(n)\) and $\texttt{[MASK]}$", ["2", "4", "O(n)", r"\texttt{[MASK]}"]),
        (r"$2.16\times$$\sim$$2.62\times$", [r"2.16\times", r"\sim", r"2.62\times"]),
        (r"about $5 for $k$ and $10 for $n$", ["k", "n"]),
        (r"bare \tilde{O} and \ensuremath{\epsilon}", [r"\tilde{O}", r"\epsilon"]),
        (r"in $a_*b*c$ and $\{0.5\}$", ["a_*b*c", r"\{0.5\}"]),
    ],
)
def test_formulas_are_set_apart(source: str, formulas: list[str]) -> None:
    assert shown(source, "math") == formulas


@pytest.mark.parametrize(
    "source",
    [r"$$x=1$$", r"\[x=1\]", r"\begin{align}x=1\end{align}", r"\begin{equation*}x\end{equation*}"],
)
def test_displayed_formulas_say_so(source: str) -> None:
    assert [span.display for span in parse(source)] == [True]


def test_formulas_read_as_unicode_in_plain_text() -> None:
    source = r"$\tilde{O}(\sqrt{n})$ within $\frac{1}{1-\gamma}$ of $n^{1/3}$, $95%$, $\|x\|_2$"
    assert plain(source) == "Õ(√(n)) within 1/(1-γ) of n^(1/3), 95%, ‖x‖_2"


# Links


@pytest.mark.parametrize(
    ("source", "text", "href"),
    [
        (
            "at https://github.com/a_b/c_d.",
            "https://github.com/a_b/c_d",
            "https://github.com/a_b/c_d",
        ),
        ("(https://x.org/z_(w)),", "https://x.org/z_(w)", "https://x.org/z_(w)"),
        ('"http://x.org/~me".', "http://x.org/~me", "http://x.org/~me"),
        ("**https://x.org/a**", "https://x.org/a", "https://x.org/a"),
        ("代码见https://x.org/a。", "https://x.org/a", "https://x.org/a"),
        ("[here](https://x.org/a)", "here", "https://x.org/a"),
        ("<https://x.org/a>", "https://x.org/a", "https://x.org/a"),
        (r"\url{https://x.org/a\_b}.", "https://x.org/a_b", "https://x.org/a_b"),
        (r"\url{x.org/a}", "https://x.org/a", "https://x.org/a"),
        (r"\href{https://x.org/a\%20b}{our code}", "our code", "https://x.org/a%20b"),
    ],
)
def test_links_are_found_without_the_punctuation_around_them(
    source: str, text: str, href: str
) -> None:
    assert [(span.text, span.href) for span in parse(source) if span.kind == "link"] == [
        (text, href)
    ]


def test_other_schemes_are_never_links() -> None:
    source = "[x](javascript:alert(1)) ![y](data:text/html,z) <ftp://a.b/c> http:// www.a.b"
    assert parse(source) == (Span(source, "text"),)
    assert plain(r"\href{javascript:alert(1)}{label}") == "label"


# What always holds


@given(st.one_of(st.text(max_size=60), MARKUP, PIECES))
@example("\\")
@example("`" * 3 + "'")
@example("[" * 50 + "](https://a.b)" * 50)
def test_any_text_can_be_read(source: str) -> None:
    spans = parse(source)
    assert plain(source) == "".join(span.plain for span in spans)
    for span in spans:
        assert span.text
        assert (span.kind == "link") == bool(span.href)
        assert not span.href or re.match(r"https?://[^\s/]", span.href)


@given(PIECES.filter(lambda source: "\\href" not in source))
def test_no_word_is_lost(source: str) -> None:
    assert plain(source).count("word") == source.count("word")


@pytest.mark.parametrize("abstract", ABSTRACTS, ids=lambda abstract: abstract[:30])
def test_the_plain_text_of_a_seed_holds_no_markup_and_reads_the_same_again(abstract: str) -> None:
    text = plain(abstract)
    assert not re.search(r"\*|\\|\$|\{\\|\]\(", text)
    assert plain(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        *"*$\\[{`_~-'(<&",
        "\\emph{",
        "{\\em ",
        "**a",
        "``a",
        "`a'",
        "[a](",
        "https://",
        "\\(",
        "$a ",
        "\\begin{align}",
    ],
)
def test_a_hundred_kilobytes_of_one_mark_are_read(piece: str) -> None:
    assert isinstance(plain(piece * (100_000 // len(piece))), str)


# What is embedded


def test_title_and_abstract_are_embedded_on_one_line_without_markup_and_addresses() -> None:
    text = embedded_text(
        "A *Title*.",
        "We get $2\\times$ in\n $\\mathbb{R}$. See [code](https://x.org) at https://x.org",
    )
    assert text == "A Title. We get 2× in R. See code at"


@pytest.mark.parametrize(("title", "abstract"), [("Title", ""), ("", "Title")])
def test_what_is_missing_leaves_no_trace(title: str, abstract: str) -> None:
    assert embedded_text(title, abstract) == "Title"
    assert embedded_text("", "") == ""
