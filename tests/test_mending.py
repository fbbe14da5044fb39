import subprocess
import sys

import ftfy
import pytest
from conftest import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from cache.mending import mend, mend_abstract, mend_label, mend_name, mend_title
from cache.tags import mend_tags
from cache.text import plain


def seed_abstracts() -> list[str]:
    return [
        block.strip()
        for path in sorted(SEEDS.glob("*.txt"))
        for block in path.read_text(encoding="utf-8").split("\n\n")[1:]
        if block.strip()
    ]


@pytest.mark.parametrize("abstract", seed_abstracts())
def test_the_seeds_need_no_mending(abstract: str) -> None:
    assert mend_abstract(abstract) == abstract


@pytest.mark.parametrize(
    "written",
    [
        "if a < b and c > d, then a<b && c>d",
        "where $x<i$ and $j>i$, or \\(a<b\\), with $A \\& B$",
        "we call `std::vector<b>x</b>` and escape `&lt;` in code",
        "the <b> and </b> tags",
        "the tokens <think> and </think>, <s> and </s>",
        "triples <Subject, Verb, Object> and < subject, relation, object >",
        "a bra <b| and a ket |i>",
        "AT&T, R&D; Q&A",
        "the estimators Â of A and Ã = A ∪ B",
        "naïve Schrödinger bridges à la Rényi, 100 µm, “€5”, L∞ ≤ √2 ¬x ≠ y",
        "\\emph{k}-means, **bold** and Mitrovi\\'{c}, 50% of $n^{1/3}$",
        "现有方法——我们提出了一种新方法。",
        "كلمات می‌خواهم 👩‍🔬",
        "Abstract argumentation, as Dung defined it, asks who wins.",
        "Abstract Meaning Representation helps.",
        "Abstract interpretation - a theory - is sound.",
        "Summary form only given.",
        "Two  spaces stay.\n\nSo do paragraphs.",
        "Abstract",
    ],
)
def test_what_authors_write_stays(written: str) -> None:
    assert mend_abstract(written) == written


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="&<")))
def test_ascii_without_tags_and_entities_stays(written: str) -> None:
    assert mend(written) == written.strip()


@given(st.text(st.sampled_from("ab <>=/&;$^_{}\\`'\"\n.12")))
def test_comparisons_and_formulas_lose_nothing_but_space(written: str) -> None:
    mended = mend(written)
    if not any(tag in written for tag in ("<b", "</b", "<a", "</a")):
        assert mended.split() == written.split()


@given(st.text())
def test_any_text_is_mended_to_text_that_can_be_written(words: str) -> None:
    mend_abstract(words).encode()
    assert "\n" not in mend_title(words)
    assert "\n" not in mend_label(words)
    assert "\n" not in mend_name(words)


@given(st.text(st.characters(exclude_characters="&<", exclude_categories=["C"])))
def test_what_was_mended_needs_no_second_mending(words: str) -> None:
    once = mend(words)

    assert mend(once) == once


@pytest.mark.parametrize(
    "unit",
    [
        *("<i>", "<i>x</i>", "<sub><sup>", "<p>", "<b a=", "<math>", "<alternatives>"),
        *("&amp;", "&", "`"),
    ],
)
def test_long_hostile_text_is_mended_in_time(unit: str) -> None:
    assert isinstance(mend(unit * 20_000), str)


def test_a_formula_that_is_not_closed_leaves_the_next_one_whole() -> None:
    assert mend("<math>x <math><mi>n</mi></math>") == "<math>x $n$"


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("R&amp;D &mdash; a &lt; b", "R&D — a < b"),
        ("&#8217;t &#x2019;s", "’t ’s"),
        ("A &amp;amp; B &amp;lt; C", "A & B < C"),
        ("&nosuchthing; &#0; &#xD800; &#99999999;", "&nosuchthing; &#0; &#xD800; &#99999999;"),
    ],
)
def test_entities_become_what_they_stand_for(written: str, mended: str) -> None:
    assert mend(written) == mended


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            "principle of <em>consensus of experts</em> (CoDE)",
            "principle of consensus of experts (CoDE)",
        ),
        ("<i>k</i>NN and <B>all</B>", "kNN and all"),
        ("&lt;b&gt;bold&lt;/b&gt; moves", "bold moves"),
        ("emissions of CO<sub>2</sub>", "emissions of CO_2"),
        ("<span class='x'>words</span> of <a href='javascript:x'>ours</a>", "words of ours"),
        ("<i>open {brace</i>", "open {brace"),
        ("one<br/>two", "one\n\ntwo"),
        ("<p>One.</p><p>Two.</p>", "One.\n\nTwo."),
        ("<p>One.<p>Two.", "One.\n\nTwo."),
        ("runs <code>a_b*c</code>", "runs a_b*c"),
    ],
)
def test_formatting_tags_are_shown_as_what_they_mean(written: str, shown: str) -> None:
    assert plain(mend(written)) == shown


def test_emphasis_survives_as_latex() -> None:
    assert mend("an <em>old</em> <strong>idea</strong>") == "an \\emph{old} \\textbf{idea}"


def test_a_link_keeps_its_address() -> None:
    mended = mend('Code is <a href="https://github.com/a/b">here</a>.')

    assert mended == "Code is \\href{https://github.com/a/b}{here}."


def test_jats_is_read() -> None:
    written = (
        "<jats:title>Abstract</jats:title><jats:p>We find <jats:italic>k</jats:italic> in O("
        "<jats:inline-formula><jats:alternatives><jats:tex-math>$$n&lt;2$$</jats:tex-math>"
        "<mml:math><mml:mi>n</mml:mi></mml:math></jats:alternatives></jats:inline-formula>).</jats:p>"
    )

    assert mend_abstract(written) == "We find \\emph{k} in O($$n<2$$)."


@pytest.mark.parametrize(
    ("mathml", "latex"),
    [
        ("<mml:msup><mml:mi>n</mml:mi><mml:mn>2</mml:mn></mml:msup>", "n^{2}"),
        ("<mi>a</mi><mo>&lt;</mo><mfrac><mn>1</mn><mi>b</mi></mfrac>", "a<\\frac{1}{b}"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "\\sqrt{x+1}"),
        ("<msup><mi>n</mi></msup><annotation>n</annotation>", "n"),
        ("<mrow><mi>x", "x"),
    ],
)
def test_mathml_becomes_latex(mathml: str, latex: str) -> None:
    prefix = "mml:" if "mml:" in mathml else ""

    assert mend(f"of <{prefix}math>{mathml}</{prefix}math>.") == f"of ${latex}$."


@given(
    st.lists(
        st.sampled_from(
            ["<em>", "</em>", "<b>", "</b>", "<sub>", "</sub>", "<p>", "</a>", "z", " "]
        )
    )
)
def test_tags_in_disorder_lose_no_letter(pieces: list[str]) -> None:
    mended = mend_tags("".join(pieces))

    assert mended.count("z") == pieces.count("z")


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("well-deﬁned and eﬃcient ﬂows", "well-defined and efficient flows"),
        ("quan\u00adti\u00adza\u00adtion", "quantization"),
        ("\ufeffPost-\u200btraining", "Post-training"),
        ("a cost\x02effective way, 500x\x02 longer", "a cost-effective way, 500x longer"),
        ("narrow\u00a0and\u2009thin spaces", "narrow and thin spaces"),
        ("wrapped\r\nlines\rend\nhere", "wrapped lines end here"),
        ("one \r\n \r\n two", "one\n\ntwo"),
        ("not \u202edesrever\u202c", "not desrever"),
        ("half a \ud835 pair", "half a \ufffd pair"),
    ],
)
def test_what_a_pdf_or_an_editor_left_is_taken_out(written: str, mended: str) -> None:
    assert mend(written) == mended


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("the robotâ\x80\x99s â€œopenâ€\x9d loop", "the robot’s “open” loop"),
        ("RÃ©nyi and Mitroviä‡".replace("ä‡", "Ä‡"), "Rényi and Mitrović"),
        ("60Â° by 5Ã\x9710", "60° by 5×10"),
    ],
)
def test_mojibake_is_undone(written: str, mended: str) -> None:
    assert mend(written) == mended


@given(st.text(st.sampled_from("aé ü’“”—ß…"), min_size=1).filter(lambda words: not words.isspace()))
def test_what_was_never_broken_is_not_mended(words: str) -> None:
    if not ftfy.is_bad(words):
        assert mend(words) == words.strip()


@pytest.mark.parametrize(
    "prefix",
    [
        *("Abstract: ", "Abstract. ", "ABSTRACT ", "Abstract—", "Abstract - ", "**Abstract.** "),
        *("Abstract\n\n", "Summary: ", "<b>Abstract:</b> ", "Résumé : ", "【摘要】"),
    ],
)
def test_the_word_abstract_before_an_abstract_is_left_out(prefix: str) -> None:
    assert mend_abstract(f"{prefix}We study dots.") == "We study dots."


@pytest.mark.parametrize("start", ["The dots shine.", "We study dots.", "In this paper, we shine."])
def test_the_word_abstract_is_left_out_where_a_sentence_begins_behind_it(start: str) -> None:
    assert mend_abstract(f"Abstract {start}") == start


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("Clustering Stable Instances of k-means.", "Clustering Stable Instances of k-means"),
        ("Bounds in $O(n)$.", "Bounds in $O(n)$"),
        ("What is Left?", "What is Left?"),
        ("And so on...", "And so on..."),
        ("A Reply to Smith et al.", "A Reply to Smith et al."),
        ("Made in the U.S.A.", "Made in the U.S.A."),
        ("Over\r\n two lines", "Over two lines"),
        ("方法。", "方法"),
        (".", "."),
    ],
)
def test_a_title_is_one_line_without_its_stop(written: str, mended: str) -> None:
    assert mend_title(written) == mended


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("Li Yuan 0007", "Li Yuan"),
        ("Abella, \\'{A}lvaro Rodr\\'{\\i}guez", "Álvaro Rodríguez Abella"),
        ("Mitrovi\\'{c}, Slobodan", "Slobodan Mitrović"),
        ("Jo&atilde;o Silva", "João Silva"),
        ("KÃ¼nsch, Hans", "Hans Künsch"),
        ("Smith, Jr., John", "John Smith Jr."),
        ("King, Jr.", "King, Jr."),
        ("Example, Inc.", "Example, Inc."),
        ("{The Dots Collaboration}", "The Dots Collaboration"),
        ("R2-D2", "R2-D2"),
        ("张三", "张三"),
        ("O'Brien, Conan", "Conan O'Brien"),
        ("", ""),
    ],
)
def test_names_are_given_name_first_without_numbers_and_latex(written: str, mended: str) -> None:
    assert mend_name(written) == mended


def test_plain_text_is_mended_without_loading_ftfy() -> None:
    script = (
        "import sys; from cache.mending import mend; mend('naïve “dots” <i>x</i>');"
        "sys.exit('ftfy' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
