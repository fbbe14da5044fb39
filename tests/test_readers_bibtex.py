from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from breaking import broken
from conftest import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from cache.readers import read
from cache.readers.bibtex import is_bibtex, read_bibtex
from cache.readers.problems import Problem

DATA = Path(__file__).parent / "data"
FILES = [path.read_text(encoding="utf-8") for path in sorted(DATA.glob("*.bib"))]


def papers(text: str) -> list[Any]:
    return [found for found in read_bibtex(text, "refs.bib") if not isinstance(found, Problem)]


def problems(text: str) -> list[Problem]:
    return [found for found in read_bibtex(text, "refs.bib") if isinstance(found, Problem)]


def paper(fields: str) -> Any:
    [found] = papers(f"@article{{key,\n  title = {{A title}},\n  {fields}\n}}")
    return found


def entries(count: int) -> Iterator[str]:
    for number in range(1, count + 1):
        yield (
            f"@inproceedings{{key{number},\n"
            f"  title = {{Paper {number}}},\n"
            f'  author = "Dot, Ana and Line, Eva",\n'
            f"  year = 2024,\n"
            f"  abstract = {{We study {number} dots.}}\n"
            "}\n"
        )


def test_a_volume_of_pmlr_gives_its_papers_their_venue_and_is_none_itself() -> None:
    found = papers((DATA / "pmlr.bib").read_text(encoding="utf-8"))

    assert [record["id"] for record in found] == ["zhou25a", "dot25b", "line25"]
    assert {(record["venue"], record["year"]) for record in found} == {("ICML", 2025)}
    assert found[0]["code_url"] == "https://github.com/yuhua-zhou/BSLoRA"
    assert found[0]["openreview"] == "BsLoRa1234"
    assert found[0]["authors"] == ["Yuhua Zhou", "René Müller", "Álvaro Rodríguez Abella"]
    assert found[1]["authors"] == ["João Dot", "The Dot Collaboration"]
    assert found[1]["title"] == "Breaking the $n^{1.5}$ Barrier for Counting Dots"
    assert found[1]["abstract"].endswith(
        r"within $\widetilde{O}(n^{1.5})$ additive error for any $\gamma > 0$ [Dot, Line TCS'12]."
    )
    assert "abstract" not in found[2]


def test_the_acl_anthology_quotes_its_values_and_abbreviates_its_months() -> None:
    first, second = papers((DATA / "anthology.bib").read_text(encoding="utf-8"))

    assert first["title"] == "ExLM: Rethinking the Impact of [MASK] Tokens"
    assert first["authors"] == ["Kang Zheng", "Jun Feng Li", "Jan van der Berg"]
    assert first["doi"] == "10.18653/v1/2025.dots-long.1"
    assert (first["month"], second["month"]) == ("July", "August")
    assert r"$\texttt{[MASK]}$" in first["abstract"]
    assert second["abstract"] == r"We pair dots with lines. They say ``hello'' in 50\% of cases."


def test_zotero_s_escapes_are_undone_and_its_file_paths_left_out() -> None:
    preprint, article = papers((DATA / "zotero.bib").read_text(encoding="utf-8"))

    assert preprint["arxiv"] == "2410.02832"
    assert preprint["keywords"] == [
        "Computer Science - Cryptography and Security",
        "Computer Science - Machine Learning",
    ]
    assert r"$\sim$98\% bypass rate" in preprint["abstract"]
    assert article["abstract"] == "<p>We study dots. They shine.</p>"
    assert not any("/home/ada" in str(value) for value in preprint.values())


def test_an_export_gives_the_seeds_their_titles() -> None:
    corpus = read([SEEDS, *sorted(DATA.glob("*.bib"))]).corpus

    titles = set(corpus["title"][corpus["title_given"] & corpus["source"].str.contains(".txt")])
    assert titles == {
        "ExLM: Rethinking the Impact of [MASK] Tokens",
        "Flipping Prompts to Jailbreak LLMs",
        "Sharing Low-Rank Updates within and between the Layers of an LLM",
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  title = {Paper 412},", "  title = {Paper 412,"),
        ("  abstract = {We study 412 dots.}\n}", "  abstract = {We study 412 dots.}\n"),
        ("  abstract = {We study 412 dots.}\n}\n", "  abstract = {We st"),
        ("  year = 2024,\n  abstract = {We study 412", "  year,\n  abstract = {We study 412"),
        ("Paper 412},", 'Paper 412},\n  note = "open,'),
    ],
)
def test_a_malformed_entry_costs_no_other_and_is_named_with_its_line(
    before: str, after: str
) -> None:
    text = "".join(entries(3_000))
    assert before in text

    found = list(read_bibtex(text.replace(before, after), "refs.bib"))

    left = [record["id"] for record in found if not isinstance(record, Problem)]
    assert left == [f"key{number}" for number in range(1, 3_001) if number != 412]
    [problem] = [record for record in found if isinstance(record, Problem)]
    assert problem.source == "refs.bib:2467, entry key412"
    assert problem.skipped


@pytest.mark.parametrize(
    ("before", "after", "repair"),
    [
        ("title = {Paper 2},", "title = {Paper 2}},", "closing brace too many"),
        ('Line, Eva",', 'Line, Eva"', "comma was missing after author"),
        ("year = 2024,", "year = 2024, year = 2023,", "two values of year the first"),
    ],
)
def test_what_can_be_mended_in_one_way_is_mended_and_reported(
    before: str, after: str, repair: str
) -> None:
    first, second, third = entries(3)

    found = list(read_bibtex(first + second.replace(before, after) + third, "refs.bib"))

    mended = [record for record in found if not isinstance(record, Problem)]
    assert [record["abstract"] for record in mended] == [f"We study {n} dots." for n in (1, 2, 3)]
    assert [(record["year"], len(record["authors"])) for record in mended] == [(2024, 2)] * 3
    [problem] = [record for record in found if isinstance(record, Problem)]
    assert problem.source == "refs.bib:7, entry key2"
    assert repair in problem.what
    assert not problem.skipped


def test_an_entry_without_its_at_sign_is_reported() -> None:
    first, second = entries(2)

    [problem] = problems(first + second.removeprefix("@"))

    assert (problem.source, problem.skipped) == ("refs.bib:7", True)


def test_two_papers_under_one_key_are_both_kept() -> None:
    first, second = entries(2)
    text = first + second.replace("key2", "key1")

    assert [(p.get("id"), p["title"]) for p in papers(text)] == [
        ("key1", "Paper 1"),
        (None, "Paper 2"),
    ]
    [problem] = problems(text)
    assert "line 1" in problem.what
    assert not problem.skipped


def test_an_entry_that_says_nothing_of_a_paper_is_reported() -> None:
    [problem] = problems("@misc{key,\n  year = 2024\n}")

    assert problem.source == "refs.bib:1, entry key"
    assert problem.skipped


def test_abbreviations_are_written_out_and_joined() -> None:
    [found] = papers(
        '@string{ml = "Machine " # "Learning"}\n'
        "@STRING(conf = {Conference})\n"
        "@article{key, title = {A}, journal = {Int. } # conf # { on } # ML, month = dec}"
    )

    assert found["venue"] == "Int. Conference on Machine Learning"
    assert found["month"] == "December"


def test_abbreviations_of_abbreviations_do_not_grow_without_end() -> None:
    strings = "".join(f"@string{{a{n + 1} = a{n} # a{n}}}\n" for n in range(60))

    [found] = papers(
        "@string{a0 = {dot}}\n" + strings + "@article{key, title = {A}, journal = a60}"
    )

    assert len(found["venue"]) < 1_000


def test_a_cross_reference_is_followed_whichever_comes_first() -> None:
    volume = "@proceedings{vol, title = {Meeting on {D}ots}, year = 2020}\n"
    chapter = "@inproceedings{key, title = {A title}, crossref = {Vol}}\n"

    for text in (volume + chapter, chapter + volume):
        [found] = papers(text)
        assert (found["title"], found["venue"], found["year"]) == (
            "A title",
            "Meeting on Dots",
            2020,
        )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (r"Erd{\H{o}}s, P{\'a}l", ["Pál Erdős"]),
        ("van der Berg, Jan", ["Jan van der Berg"]),
        ("King, Jr., Martin Luther", ["Martin Luther King Jr."]),
        ("Ada Byron and others", ["Ada Byron"]),
        ("{Dots, Lines and Planes Inc.}", ["Dots, Lines and Planes Inc."]),
        ("Byron, Ada AND\n Turing, Alan", ["Ada Byron", "Alan Turing"]),
    ],
)
def test_people_are_named_first_name_first(written: str, shown: list[str]) -> None:
    assert paper(f"author = {{{written}}}")["authors"] == shown


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("{LMRL} Gym for {{Deep}} {L}earning", "LMRL Gym for Deep Learning"),
        ("Breaking $n^{1.5}$ and \\(x_{ij}\\)", "Breaking $n^{1.5}$ and \\(x_{ij}\\)"),
        (r"Caf\'{e} {\"U}ber {\aa}ngstr{\"o}m", r"Caf\'{e} {\"U}ber {\aa}ngstr{\"o}m"),
        (
            r"\emph{The {LLM}} in \href{http://a.b}{a {B}}",
            r"\emph{The LLM} in \href{http://a.b}{a B}",
        ),
        (r"Dots {\&} 50\% {More}", r"Dots \& 50\% More"),
        ("wrapped\n    over lines", "wrapped over lines"),
    ],
)
def test_braces_go_from_a_title_but_for_those_of_maths_and_macros(written: str, kept: str) -> None:
    [found] = papers(f"@article{{key, title = {{{written}}}}}")

    assert found["title"] == kept


@pytest.mark.parametrize(
    "text",
    [
        "@article{a, title={B}}",
        "\n% Encoding: UTF-8\n\n@Article{a,",
        "Scopus\nEXPORT DATE: 20 June 2024\n\n@ARTICLE{a,\n",
        "@string{a = {b}}",
        "@comment{x}",
    ],
)
def test_bibtex_is_told_by_how_it_begins(text: str) -> None:
    assert is_bibtex(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We study dots. Write to dots@example.org (soon).",
        "@dots (of Lines) study planes.",
        'title,bibtex\nDots,"\n@article{a,\n}"',
        '{"bibtex": "\n@article{a, title={B}}"}',
    ],
)
def test_what_merely_holds_an_entry_is_not_bibtex(text: str) -> None:
    assert not is_bibtex(text)


@given(broken(FILES))
def test_any_broken_file_gives_papers_and_an_account(text: str) -> None:
    for found in read_bibtex(text, "refs.bib"):
        assert (
            found.source.startswith("refs.bib:")
            if isinstance(found, Problem)
            else (
                found["source"].startswith("refs.bib:")
                and (found.get("title") or found.get("abstract"))
            )
        )


@given(st.integers(1, 8), st.data())
def test_a_cut_file_keeps_every_entry_above_the_cut(count: int, data: st.DataObject) -> None:
    whole = list(entries(count))
    kept = data.draw(st.integers(0, count - 1))
    cut = data.draw(st.integers(20, len(whole[kept]) - 3))

    found = list(read_bibtex("".join(whole[:kept]) + whole[kept][:cut], "refs.bib"))

    assert [r["id"] for r in found if not isinstance(r, Problem)] == [
        f"key{number}" for number in range(1, kept + 1)
    ]
    [problem] = [r for r in found if isinstance(r, Problem)]
    assert problem.source.startswith(f"refs.bib:{6 * kept + 1}")


@pytest.mark.parametrize("piece", ["{", "}", '"', "@a{b,c=", "@", "\\", "a = b ", "#", "\n@a{"])
def test_endless_nonsense_is_read_in_passing(piece: str) -> None:
    list(read_bibtex("@article{a, title = {B}}\n" + piece * 5_000, "refs.bib"))
    list(read_bibtex("@article{a, title = {" + piece * 5_000 + "}}", "refs.bib"))
