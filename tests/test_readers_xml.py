from pathlib import Path
from typing import Any

import pytest
from breaking import broken
from conftest import SEEDS
from hypothesis import given

from cache.errors import PaperskyError
from cache.readers import read
from cache.readers.problems import Problem
from cache.readers.xml_feeds import is_xml, read_xml

DATA = Path(__file__).parent / "data"
ATOM = (DATA / "arxiv.atom").read_text(encoding="utf-8")
ANTHOLOGY = (DATA / "anthology.xml").read_text(encoding="utf-8")
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>&b;</title></entry></feed>'
)


def papers(text: str) -> list[Any]:
    return [found for found in read_xml(text, "feed.xml") if not isinstance(found, Problem)]


def problems(text: str) -> list[Problem]:
    return [found for found in read_xml(text, "feed.xml") if isinstance(found, Problem)]


def test_arxiv_s_feed_is_understood() -> None:
    first, second = papers(ATOM)

    assert first["title"] == (
        "Lifting Two Dimensions into Three: Grounding by Differentiable Rendering"
    )
    assert (first["arxiv"], first["year"], first["venue"]) == ("2502.20389", 2025, "arXiv")
    assert first["authors"] == ["Ang Cao", "José García"]
    assert first["keywords"] == ["cs.CV", "cs.LG"]
    assert first["pdf_url"] == "https://arxiv.org/pdf/2502.20389v2"
    assert first["source"] == "feed.xml:10"
    assert second["abstract"] == "We study dots & lines. They shine for $n < 3$."
    assert (second["doi"], second["arxiv"]) == ("10.1000/dots.1", "hep-th/9901001")
    assert second["journal reference"] == "J.Dots 12 (1999) 1-9"


def test_older_feeds_declare_their_namespaces_on_every_element() -> None:
    older = ATOM.replace(' xmlns:arxiv="http://arxiv.org/schemas/atom"', "", 1).replace(
        "<arxiv:doi>", '<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">'
    )
    older = older.replace("<arxiv:primary_category ", "<category ").replace(
        "<arxiv:affiliation>University of Dots</arxiv:affiliation>", ""
    )
    older = older.replace(
        "<arxiv:comment>Project page: https://liftgs.github.io</arxiv:comment>", ""
    )
    older = older.replace("<arxiv:journal_ref>J.Dots 12 (1999) 1-9</arxiv:journal_ref>", "")

    assert [found["title"] for found in papers(older)] == [found["title"] for found in papers(ATOM)]
    assert papers(older)[1]["doi"] == "10.1000/dots.1"


def test_the_anthology_s_volumes_are_understood() -> None:
    long, short = papers(ANTHOLOGY)

    assert long["title"] == "ExLM: Rethinking the Impact of [MASK] Tokens"
    assert long["id"] == "zheng-etal-2025-exlm"
    assert long["authors"] == ["Kang Zheng", "Jan van der Berg"]
    assert (long["venue"], long["year"], long["volume"]) == ("DOTS", 2025, "long")
    assert long["url"] == "https://aclanthology.org/2025.dots-long.1"
    assert long["pdf_url"] == "https://aclanthology.org/2025.dots-long.1.pdf"
    assert long["code_url"] == "https://github.com/zhengkang/exlm"
    assert (short["venue"], short["volume"]) == ("Findings", "short")
    assert short["title"] == r"Pairs of \emph{Dots} & Lines"
    assert short["abstract"] == r"We pair $n^2$ dots with \textbf{lines}."


def test_they_give_the_seeds_their_titles() -> None:
    corpus = read([SEEDS, DATA / "arxiv.atom", DATA / "anthology.xml"]).corpus

    assert set(corpus["title"][corpus["source"].str.contains(r"\.txt.*(?:atom|xml)")]) == {
        "ExLM: Rethinking the Impact of [MASK] Tokens",
        "Lifting Two Dimensions into Three: Grounding by Differentiable Rendering",
    }


def test_a_paper_that_is_not_well_formed_costs_no_other() -> None:
    text = ANTHOLOGY.replace("Rethinking the", "Rethinking & the")

    assert [found["title"] for found in papers(text)] == [papers(ANTHOLOGY)[1]["title"]]
    [problem] = problems(text)
    assert (problem.source, problem.skipped) == ("feed.xml:18", True)


def test_a_feed_that_is_cut_off_keeps_what_is_whole() -> None:
    text = ATOM[: ATOM.index("They shine")]

    assert len(papers(text)) == 1
    [problem] = problems(text)
    assert (problem.source, problem.skipped) == ("feed.xml:47", True)


def test_entities_that_could_expand_without_limit_are_refused() -> None:
    with pytest.raises(PaperskyError, match=r"feed\.xml declares XML entities, which can expand"):
        list(read_xml(LAUGHS, "feed.xml"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<!DOCTYPE html><html><body>We study dots.</body></html>", "XML of <html>"),
        ("<rss><channel/></rss>", "XML of <rss>"),
        ("<feed", "not well-formed XML"),
    ],
)
def test_xml_of_something_else_is_refused_by_name(text: str, reason: str) -> None:
    with pytest.raises(PaperskyError, match=f"feed.xml is .*{reason}.*arXiv"):
        list(read_xml(text, "feed.xml"))


def test_an_empty_feed_has_no_papers() -> None:
    assert papers(ATOM[: ATOM.index("<entry>")] + "</feed>") == []


@pytest.mark.parametrize(
    "text", ["", "We show that a < b.", "<p>We study dots.</p>", "<3 dots", "{}"]
)
def test_prose_is_not_xml(text: str) -> None:
    assert not is_xml(text)


@given(broken([ATOM, ANTHOLOGY]))
def test_any_broken_file_gives_papers_and_an_account_or_is_refused(text: str) -> None:
    try:
        for found in read_xml(text, "feed.xml"):
            if not isinstance(found, Problem):
                assert found.get("title") or found.get("abstract")
    except PaperskyError as error:
        assert "feed.xml" in error.message


@pytest.mark.parametrize("piece", ["<i>", "<paper>", "<paper ", "<volume><meta>", "</paper>", "&"])
def test_endless_nonsense_is_read_in_passing(piece: str) -> None:
    list(read_xml("<collection><paper><title>A" + piece * 20_000, "feed.xml"))
