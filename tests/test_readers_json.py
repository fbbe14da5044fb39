import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cache.errors import PaperskyError
from cache.readers.json_lists import is_json_lists, read_json_lists
from cache.readers.problems import Problem

DATA = Path(__file__).parent / "data"
NAMES = (
    *("csl.json", "dblp-openalex.json", "dblp-search.json", "openalex.json", "openreview-v1.json"),
    *("openreview-v2.json", "papercopilot.json", "papers.jsonl", "semanticscholar.json"),
)
LORA = "Low-Rank Adaptation (LoRA) is a widely adopted"


def content(name: str) -> str:
    return (DATA / name).read_text(encoding="utf-8")


def read(source: object, name: str = "x.json") -> list[Any]:
    return list(read_json_lists(source if isinstance(source, str) else json.dumps(source), name))


def papers(source: object, name: str = "x.json") -> list[Any]:
    return [item for item in read(source, name) if not isinstance(item, Problem)]


def problems(source: object, name: str = "x.json") -> list[Problem]:
    return [item for item in read(source, name) if isinstance(item, Problem)]


@pytest.mark.parametrize("name", NAMES)
def test_every_list_is_told_by_its_content(name: str) -> None:
    assert is_json_lists(content(name))


@pytest.mark.parametrize(
    "text", ["", "We study dots.", "[1] We study dots.", "{dots} are studied.", "@article{a}"]
)
def test_prose_is_no_json(text: str) -> None:
    assert not is_json_lists(text)


# What producers write


def test_paper_copilot_is_read_without_its_zeros() -> None:
    first, second = papers(content("papercopilot.json"), "papercopilot.json")

    assert first["title"] == "FlipAttack: Jailbreaks, Backwards"
    assert first["authors"] == ["Ada Example", "Kurt Muster"]
    assert first["keywords"] == ["jailbreak", "LLM safety"]
    assert (first["presentation"], first["openreview"]) == ("poster", "a1B2c3D4e5")
    assert first["code_url"] == "https://github.com/example/flip"
    assert (first["rating"], first["gs_citation"]) == ("5;7;7", 3)
    assert first["source"] == "papercopilot.json#1"
    assert second["presentation"] == "withdrawn"
    assert not {"rating", "gs_citation", "keywords", "pdf_size"} & second.keys()


def test_openreview_v2_is_read_without_replies() -> None:
    first, second = papers(content("openreview-v2.json"))

    assert first["title"].startswith("ConsFormer: ")
    assert first["abstract"].startswith("We present a Transformer-based framework")
    assert first["authors"] == ["Zoë Voorbeeld", "Ola Normann"]
    assert (first["venue"], first["year"], first["presentation"]) == ("ICML", 2025, "spotlight")
    assert first["url"] == "https://openreview.net/forum?id=a1B2c3D4e5"
    assert first["pdf_url"] == "https://openreview.net/pdf/0123456789abcdef.pdf"
    assert first["id"] == first["openreview"] == "a1B2c3D4e5"
    assert first["primary_area"] == "optimization"
    assert (second["venue"], second["presentation"]) == ("ICML", "rejected")


def test_openreview_v1_is_read_without_reviews() -> None:
    [paper] = papers(content("openreview-v1.json"))

    assert paper["title"].startswith("ExLM: ")
    assert paper["keywords"] == ["masked language models", "pre-training"]
    assert (paper["venue"], paper["year"]) == ("ICLR", 2019)
    assert paper["pdf_url"] == "https://openreview.net/pdf/fedcba9876543210.pdf"
    assert paper["code_url"] == "https://github.com/example/exlm"


def test_semantic_scholar_is_read() -> None:
    first, second = papers(content("semanticscholar.json"))

    assert (first["arxiv"], first["doi"]) == ("2401.01234", "10.48550/arxiv.2401.01234")
    assert first["pdf_url"] == "https://example.org/lift.pdf"
    assert first["authors"] == ["Zoë Voorbeeld", "O. Normann"]
    assert (first["venue"], first["year"]) == ("arXiv.org", 2024)
    assert first["tldr"] == "3D grounding is learned from 2D."
    assert first["s2FieldsOfStudy"] == ["Computer Science", "Engineering"]
    assert first["isOpenAccess"] is True
    assert "embedding" not in first
    assert second.keys() == {"id", "title", "url", "source"}


def test_openalex_is_read_with_its_abstract_in_order() -> None:
    [paper] = papers(content("openalex.json"))

    [original] = [item for item in papers(content("csl.json")) if "abstract" in item]
    assert paper["abstract"] == " ".join(original["abstract"].split())
    assert paper["authors"] == ["Ada Example", "Kurt Muster"]
    assert (paper["venue"], paper["year"]) == ("Journal of Examples", 2025)
    assert paper["pdf_url"] == "https://example.org/lora.pdf"
    assert paper["doi"] == "10.1234/example.lora"
    assert paper["concepts"] == ["Adapter (computing)"]


@pytest.mark.parametrize("word", ["name", "title", "value", "text", "literal"])
def test_an_inverted_index_may_hold_any_word(word: str) -> None:
    [paper] = papers([{"title": "Dots", "abstract_inverted_index": {word: [1], "The": [0]}}])

    assert paper["abstract"] == f"The {word}"


def test_an_inverted_index_with_absurd_places_takes_no_memory() -> None:
    [paper] = papers([{"title": "Dots", "abstract_inverted_index": {"b": [10**15], "a": [-1]}}])

    assert paper["abstract"] == "a b"


def test_a_harvest_of_dblp_and_openalex_is_read_without_its_zeros() -> None:
    first, second = papers(content("dblp-openalex.json"))

    assert first["authors"] == ["Wei Zhang 0002", "Mary Ann Sample"]
    assert first["id"] == "conf/icml/ZhangS25"
    assert second == {
        "title": "A Paper Nobody Has an Abstract of.",
        "authors": ["Kurt Muster"],
        "venue": "ICML",
        "id": "conf/icml/Muster25",
        "source": "x.json#2",
    }


def test_a_search_of_dblp_is_read() -> None:
    first, second = papers(content("dblp-search.json"))

    assert first["authors"] == ["Ada Example", "Kurt Muster 0001"]
    assert (first["id"], first["year"]) == ("conf/icml/ExampleM25", 2025)
    assert second["authors"] == ["Zoë Voorbeeld"]
    assert second["arxiv"] == "2401.01234"


def test_csl_is_read() -> None:
    first, second = papers(content("csl.json"))

    assert first["id"] == "example2025"
    assert first["abstract"].startswith(LORA)
    assert first["authors"] == ["Ada Example", "Jan Piet van der Berg", "The Adapter Team"]
    assert (first["venue"], first["year"]) == ("Journal of Examples", 2025)
    assert first["keywords"] == ["adapters", "low rank"]
    assert first["given source"] == "Crossref"
    assert (second["year"], second["type"]) == (2024, "paper-conference")


def test_json_lines_are_read_but_for_the_broken_one() -> None:
    first, second, third = papers(content("papers.jsonl"), "papers.jsonl")
    [problem] = problems(content("papers.jsonl"), "papers.jsonl")

    assert (first["venue"], first["year"], first["source"]) == ("ICLR", 2018, "papers.jsonl:1")
    assert second["code_url"] == "https://liftgs.github.io"
    assert third.keys() == {"id", "abstract", "source"}
    assert (problem.source, problem.skipped) == ("papers.jsonl:3", True)


# Shapes of lists


@pytest.mark.parametrize(
    "shape",
    [
        [{"title": "A"}, {"title": "B"}],
        {"papers": [{"title": "A"}, {"title": "B"}], "authors": [{"name": "N"}], "count": 2},
        {"accepted": [{"title": "A"}], "rejected": [{"title": "B"}]},
        {"message": {"items": [{"title": ["A"]}, {"title": ["B"]}]}},
        {"title": ["A", "B"], "year": [None, None]},
        {"title": {"0": "A", "1": "B"}, "year": {"0": None, "1": None}},
        [{"paper": {"title": "A"}}, {"paper": {"title": "B"}}],
        [{"name": "A", "title": "A", "x": {"y": [1]}}, {"title": "B"}],
    ],
)
def test_a_list_may_be_bare_wrapped_or_by_columns(shape: object) -> None:
    assert [paper["title"] for paper in papers(shape)] == ["A", "B"]


def test_the_keys_of_papers_are_their_ids() -> None:
    first, second = papers({"p1": {"title": "A"}, "p2": {"title": "B", "id": "own"}})

    assert (first["id"], second["id"]) == ("p1", "own")


def test_a_single_paper_is_a_list_of_one() -> None:
    [paper] = papers({"title": "A", "authors": [{"name": "Ada"}, {"name": "Alan"}]})

    assert paper == {"title": "A", "authors": ["Ada", "Alan"], "source": "x.json#1"}


@pytest.mark.parametrize("empty", ["[]", "{}", "[ ]\n"])
def test_an_empty_list_has_no_papers(empty: str) -> None:
    assert read(empty) == []


def test_a_list_of_something_else_is_refused_with_its_fields() -> None:
    with pytest.raises(PaperskyError, match=r"only “name”, “age”\. .*“title”.*“abstract”"):
        read([{"name": "Ada", "age": 36}])


def test_a_list_of_texts_is_refused() -> None:
    with pytest.raises(PaperskyError, match=r"x\.json holds no papers\. x\.json#1: .*not an obj"):
        read(["We study dots.", "We study lines."])


def test_what_is_no_paper_among_papers_is_reported_with_its_number() -> None:
    found = problems([{"title": "A"}, {"year": 2025}, "B", None, {}])

    assert [(problem.source, problem.skipped) for problem in found] == [
        ("x.json#2", True),
        ("x.json#3", True),
        ("x.json#4", True),
    ]


# Broken JSON


RECORDS = [
    {"id": f"p{number}", "title": f"T{number}", "authors": [{"name": "Ada"}, {"name": "Alan"}]}
    for number in range(9)
]


def titles(text: str) -> list[str]:
    return [paper["title"] for paper in papers(text)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("wrapped", [False, True])
def test_of_a_broken_list_all_other_records_are_read(indent: int | None, wrapped: bool) -> None:
    text = json.dumps({"papers": RECORDS, "count": 9} if wrapped else RECORDS, indent=indent)
    broken = text.replace('"T4"', "T4")

    assert titles(broken) == ["T0", "T1", "T2", "T3", "T5", "T6", "T7", "T8"]
    [problem] = problems(broken)
    assert problem.skipped
    line = broken[: broken.index("T4")].count("\n") + 1
    assert f"broken at line {line} " in problem.what


def test_of_a_list_that_breaks_off_all_whole_records_are_read() -> None:
    text = json.dumps(RECORDS)
    cut = text[: text.index('"T5"')]

    assert titles(cut) == ["T0", "T1", "T2", "T3", "T4"]
    assert [problem.source for problem in problems(cut)] == ["x.json#6"]


def test_every_broken_line_of_json_lines_is_reported() -> None:
    lines = [json.dumps(record) for record in RECORDS]
    lines[0] = lines[0][:-1]
    lines[3] = lines[3].replace(":", "")
    lines[4] = lines[4][:20]
    text = "\n".join(lines)

    assert titles(text) == ["T1", "T2", "T5", "T6", "T7", "T8"]
    assert [problem.source for problem in problems(text)] == ["x.json:1", "x.json:4", "x.json:5"]


def test_a_short_record_behind_a_broken_line_is_not_lost() -> None:
    text = '{"title": "A", "abstract": "a", "year": 1, "venue": "v"}\n{"title"\n{"title": "B"}\n'

    assert titles(text) == ["A", "B"]


def test_objects_without_line_breaks_or_commas_between_them_are_read() -> None:
    assert titles('{"title": "A"} {"title": "B"}{"title": "C"}') == ["A", "B", "C"]


def test_json_that_holds_nothing_whole_is_refused_with_the_line() -> None:
    with pytest.raises(PaperskyError, match=r"x\.json:1: The JSON is broken at line 2"):
        read('{"title":\n "A", "abstract')


def test_half_characters_are_replaced() -> None:
    [paper] = papers('[{"title": "\\ud83d dots \\ud83d\\ude00", "note\\udc00": "x"}]')

    assert paper["title"] == "\ufffd dots 😀"
    assert paper["note\ufffd"] == "x"


@pytest.mark.parametrize(
    "strange", ["[" * 100_000 + "]" * 100_000, "9" * 5_000, '{"a":' * 5_000 + "1" + "}" * 5_000]
)
def test_what_is_too_deep_or_too_long_costs_one_record(strange: str) -> None:
    text = f'[{{"title": "A"}}, {{"title": "B", "x": {strange}}}, {{"title": "C"}}]'

    assert titles(text) == ["A", "C"]
    assert len(problems(text)) == 1


@pytest.mark.parametrize(
    "piece", ["[{", '{"a":[', '[{"a":[},', "\n", '{"title":"x\n', '[{"a":[{},', "{", '"},{"', "},"]
)
def test_masses_of_open_brackets_do_not_hang_the_reader(piece: str) -> None:
    with contextlib.suppress(PaperskyError):
        assert papers("[{" + piece * 100_000) == []


words = st.sampled_from(["value", "name", "title", "family", "given", "url", "date-parts", "x"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=4,
)
names = st.sampled_from(
    [
        *("title", "abstract", "authors", "keywords", "year", "url", "code", "content", "forum"),
        *(
            "externalIds",
            "primary_location",
            "source",
            "venue",
            "status",
            "abstract_inverted_index",
        ),
    ]
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(names | words, values, max_size=6), max_size=3))
def test_values_of_any_kind_give_clean_papers_or_a_refusal(items: list[dict[str, Any]]) -> None:
    try:
        found = read(items)
    except PaperskyError:
        return
    for paper in found:
        if isinstance(paper, Problem):
            continue
        assert paper.get("title") or paper.get("abstract")
        assert all(isinstance(paper.get(name, ""), str) for name in ("title", "abstract", "venue"))
        assert all(isinstance(name, str) and name for name in paper.get("authors", []))
        assert isinstance(paper.get("year", 2025), int)
        assert paper.get("url", "https://").startswith(("http://", "https://"))
        assert not {"nan", "None", "null", "NaN"} & set(map(str, paper.values()))


@st.composite
def broken(draw: st.DrawFn, texts: Sequence[str]) -> str:
    """Two documents, cut, one inside the other, and with something strange in between."""
    outer, inner = draw(st.sampled_from(texts)), draw(st.sampled_from(texts))
    at, end = sorted(draw(st.tuples(*[st.integers(0, len(outer))] * 2)))
    start, stop = sorted(draw(st.tuples(*[st.integers(0, len(inner))] * 2)))
    strange = draw(st.text(alphabet='"{}[]:,\\\n0.eE-ud8 \0', max_size=8))
    return outer[:at] + strange + inner[start:stop] + outer[end:]


@settings(max_examples=200, deadline=None)
@given(broken([content(name) for name in NAMES]))
@example("[")
@example('{"title"')
def test_a_broken_list_gives_papers_and_problems_or_is_refused(text: str) -> None:
    is_json_lists(text)
    try:
        found = read(text)
    except PaperskyError as error:
        assert "x.json" in str(error)
    else:
        for item in found:
            assert isinstance(item, Problem) or item.get("title") or item.get("abstract")


@given(st.sampled_from(NAMES), st.data())
def test_a_cut_loses_no_paper_before_it_and_is_reported(name: str, data: st.DataObject) -> None:
    records = papers(content(name))
    text = "\n".join(json.dumps(record) for record in records)
    at = data.draw(st.integers(1, len(text) - 1))
    whole = text[:at].count("\n") if text[at - 1] != "}" else text[: at + 1].count("\n")

    try:
        found = read(text[:at])
    except PaperskyError:
        assert whole == 0
    else:
        assert sum(not isinstance(item, Problem) for item in found) >= whole
