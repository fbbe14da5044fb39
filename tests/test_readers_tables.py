import csv
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from cache.errors import PaperskyError
from cache.readers.columns import ABSTRACTS, MOST_COLUMNS, TITLES
from cache.readers.decoding import decode
from cache.readers.delimited import LONGEST_LINE
from cache.readers.fields import record
from cache.readers.problems import Problem
from cache.readers.tables import is_tables, read_tables

DATA = Path(__file__).parent / "data"
TEXTS = ("papers.csv", "papers.tsv", "miniconf.csv", "zotero.csv")
BINARIES = ("papers.xlsx", "papers.parquet")


def content(name: str) -> str | bytes:
    raw = (DATA / name).read_bytes()
    return raw if name in BINARIES else decode(raw, name)[0]


def papers(source: str | bytes, name: str = "x.csv") -> list[Any]:
    return [item for item in read_tables(source, name) if not isinstance(item, Problem)]


def problems(source: str | bytes, name: str = "x.csv") -> list[Problem]:
    return [item for item in read_tables(source, name) if isinstance(item, Problem)]


def workbook(*sheets: Sequence[Sequence[Any]]) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"Sheet {number}")
        for row in rows:
            sheet.append(row)
    saved = io.BytesIO()
    book.save(saved)
    return saved.getvalue()


def parquet(frame: pd.DataFrame | pa.Table) -> bytes:
    saved = io.BytesIO()
    table = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame)
    pq.write_table(table, saved)
    return saved.getvalue()


# Names of fields


@pytest.mark.parametrize(
    ("spelling", "column"),
    [
        ("Title", "title"),
        ("PAPER_TITLE", "title"),
        ("document title", "title"),
        ("Abstract Note", "abstract"),
        ("abstract-text", "abstract"),
        ("摘要", "abstract"),
        ("DOI", "doi"),
        ("Publication Title", "venue"),
        ("GitHub URL", "code_url"),
    ],
)
def test_case_spaces_underscores_and_hyphens_in_names_do_not_count(
    spelling: str, column: str
) -> None:
    fields = {"title": "Dots", "abstract": "We study dots."}
    fields.pop(column, None)

    found = record({**fields, spelling: "https://github.com/a/10.1234/b"}, "x")

    assert found is not None
    assert found[column]


@pytest.mark.parametrize("name", [*TITLES, *ABSTRACTS])
def test_every_name_that_an_error_proposes_is_understood(name: str) -> None:
    assert record({name: "We study dots."}, "x") is not None


@pytest.mark.parametrize(
    "nothing",
    [
        *("", " ", "null", "NaN", "None", "N/A", "-", "—", "0;0;0", ";;", "[]", "#REF!"),
        *(None, float("nan"), {}, [], [""], ["nan", None], {"value": None}),
    ],
)
@pytest.mark.parametrize(
    "column", ["abstract", "authors", "keywords", "venue", "year", "url", "doi", "Award"]
)
def test_what_is_missing_is_left_out(column: str, nothing: Any) -> None:
    assert record({"title": "Dots", column: nothing}, "x") == {"title": "Dots", "source": "x"}


@pytest.mark.parametrize("column", ["abstract", "authors", "keywords", "venue", "year", "url"])
@pytest.mark.parametrize("zero", [0, 0.0, "0"])
def test_a_zero_where_text_or_a_year_is_meant_is_left_out(column: str, zero: Any) -> None:
    assert record({"title": "Dots", column: zero}, "x") == {"title": "Dots", "source": "x"}


def test_a_record_without_title_and_abstract_is_none() -> None:
    assert record({"title": "null", "abstract": "0;0", "year": 2025}, "x") is None
    assert record({"name": "Ada", "description": "A person."}, "x") is None


def test_a_name_is_a_title_beside_an_abstract() -> None:
    found = record({"name": "Dots", "abstract": "We study dots."}, "x")

    assert found == {"title": "Dots", "abstract": "We study dots.", "source": "x"}


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Byron, Ada", ["Byron, Ada"]),
        ("van der Berg, Jan Piet", ["van der Berg, Jan Piet"]),
        ("Byron, Ada and Turing, Alan", ["Byron, Ada", "Turing, Alan"]),
        ("Byron, Ada; Turing, Alan", ["Byron, Ada", "Turing, Alan"]),
        ("Ada Byron|Alan Turing", ["Ada Byron", "Alan Turing"]),
        ("Ada Byron\nAlan Turing\n", ["Ada Byron", "Alan Turing"]),
        ("Ada Byron, Alan Turing, and Mary Poe", ["Ada Byron", "Alan Turing", "Mary Poe"]),
        ("['Ada Byron', 'Alan Turing']", ["Ada Byron", "Alan Turing"]),
        ("张三、李四", ["张三", "李四"]),
        (["Byron, Ada", "nan", ""], ["Byron, Ada"]),
        (
            [{"name": "Ada Byron"}, {"family": "Turing", "given": "Alan"}],
            ["Ada Byron", "Alan Turing"],
        ),
        ("Sandra Anderson", ["Sandra Anderson"]),
    ],
)
def test_names_are_parted_but_never_inside(written: Any, names: list[str]) -> None:
    found = record({"title": "Dots", "authors": written}, "x")

    assert found is not None
    assert found["authors"] == names


@pytest.mark.parametrize(
    ("written", "year"),
    [
        (2025, 2025),
        ("2025.0", 2025),
        ("2025-07-13", 2025),
        ("20250713", 2025),
        ("July 2025", 2025),
        ({"date-parts": [["2025", 7]]}, 2025),
        (pd.Timestamp("2025-07-13"), 2025),
    ],
)
def test_a_year_is_found_in_every_kind_of_date(written: Any, year: int) -> None:
    found = record({"title": "Dots", "date": written}, "x")

    assert found is not None
    assert found["year"] == year


def test_what_is_no_year_is_kept_under_its_own_name() -> None:
    found = record({"title": "Dots", "year": "forthcoming", "date": "2025-07-13"}, "x")

    assert found == {
        "title": "Dots",
        "year": 2025,
        "given year": "forthcoming",
        "date": "2025-07-13",
        "source": "x",
    }


@pytest.mark.parametrize(
    ("fields", "column", "identifier"),
    [
        ({"url": "https://doi.org/10.1234/AbC.5."}, "doi", "10.1234/abc.5"),
        ({"doi": "doi:10.1234/ABC"}, "doi", "10.1234/abc"),
        ({"url": "http://arxiv.org/abs/2401.01234v2"}, "arxiv", "2401.01234"),
        ({"arxiv id": "arXiv:hep-th/9901001"}, "arxiv", "hep-th/9901001"),
        ({"doi": "10.48550/arXiv.2401.01234"}, "arxiv", "2401.01234"),
        ({"site": "https://openreview.net/forum?id=a1B2-c3D4"}, "openreview", "a1B2-c3D4"),
    ],
)
def test_identifiers_are_found_bare(fields: Any, column: str, identifier: str) -> None:
    found = record({"title": "Dots", **fields}, "x")

    assert found is not None
    assert found[column] == identifier


def test_an_identifier_makes_an_address_where_there_is_none() -> None:
    found = record({"title": "Dots", "doi": "10.1234/abc"}, "x")

    assert found is not None
    assert found["url"] == "https://doi.org/10.1234/abc"


@pytest.mark.parametrize("address", ["javascript:alert(1)", "file:///etc/passwd", "yes"])
def test_only_web_addresses_are_links(address: str) -> None:
    found = record({"title": "Dots", "url": address, "code": address}, "x")

    assert found is not None
    assert not {"url", "code_url"} & found.keys()


def test_the_surest_of_two_fields_is_taken_and_the_other_kept() -> None:
    found = record({"title": "Dots", "journal": "Journal of Dots", "venue": "DOTS"}, "x")

    assert found == {
        "title": "Dots",
        "venue": "DOTS",
        "journal": "Journal of Dots",
        "source": "x",
    }


def test_a_field_named_as_a_column_of_ours_does_not_take_its_place() -> None:
    found = record({"title": "Dots", "source": "a crawler", "code_kind": "x"}, "list.csv:2")

    assert found == {
        "title": "Dots",
        "given source": "a crawler",
        "given code_kind": "x",
        "source": "list.csv:2",
    }


# Delimited tables


@pytest.mark.parametrize("name", [*TEXTS, *BINARIES])
def test_every_table_is_told_by_its_content(name: str) -> None:
    assert is_tables(content(name))


@pytest.mark.parametrize("seeds", sorted((DATA.parents[1] / "seeds").iterdir()))
def test_prose_is_no_table(seeds: Path) -> None:
    assert not is_tables(seeds.read_text(encoding="utf-8"))
    assert not is_tables("Title, abstract and keywords\n\nWe study, say, dots.")
    assert not is_tables("")


def test_a_plain_table_is_read() -> None:
    first, _, third = papers(content("papers.csv"), "papers.csv")

    assert first["title"].startswith("Bi-Share LoRA")
    assert first["abstract"].startswith("Low-Rank Adaptation (LoRA) is")
    assert (first["venue"], first["year"], first["source"]) == ("ICML", 2025, "papers.csv:2")
    assert first["code_url"] == "https://github.com/yuhua-zhou/BSLoRA"
    assert third.keys() == {"id", "title", "abstract", "source"}


def test_a_table_with_tabs_and_other_names_is_read() -> None:
    first, second = papers(content("papers.tsv"))

    assert first["id"] == "7"
    assert first["authors"] == ["Muster, Kurt", "Example, Ada"]
    assert first["keywords"] == ["jailbreak", "red teaming"]
    assert first["presentation"] == "oral"
    assert "Award" not in first
    assert second["Award"] == "Best Paper"


def test_mini_conf_is_read() -> None:
    first, second = papers(content("miniconf.csv"))

    assert first["id"] == "S1xampleDB"
    assert first["authors"] == ["Ada Example", "Kurt Muster", "José Ejemplo"]
    assert first["keywords"] == ["adapters", "low rank", "sharing"]
    assert first["sessions"] == "Tues Session 1|Mon Session 1"
    assert "keywords" not in second


def test_zotero_is_read_without_the_paths_of_its_owner() -> None:
    first, second = papers(content("zotero.csv"))

    assert first["id"] == "AB12CD34"
    assert first["authors"] == ["Example, Ada", "van der Muster, Kurt"]
    assert first["venue"] == "Proceedings of the 42nd International Conference on Machine Learning"
    assert (first["year"], first["doi"]) == (2025, "10.1234/example.5678")
    assert first["keywords"] == ["csp", "to read"]
    assert first["Item Type"] == "conferencePaper"
    assert (second["arxiv"], second["year"]) == ("2401.01234", 2024)
    assert "/home" not in str([first, second])


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|", "^", ":", "\x01", "¦"])
def test_any_delimiter_is_found(delimiter: str) -> None:
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter).writerows(
        [["id", "title", "abstract"], ["1", f"A{delimiter}", "We study, say; dots."]]
    )

    [paper] = papers(table.getvalue())

    assert paper == {
        "id": "1",
        "title": f"A{delimiter}".strip(),
        "abstract": "We study, say; dots.",
        "source": "x.csv:2",
    }


def test_what_stands_above_the_names_of_columns_is_passed_over() -> None:
    [paper] = papers("Accepted papers, 2025\n\ntitle;abstract\nDots;We study, say, dots.\n")

    assert paper == {"title": "Dots", "abstract": "We study, say, dots.", "source": "x.csv:4"}


def test_a_cell_may_go_over_lines_and_hold_quotation_marks() -> None:
    [first, second] = papers('title,abstract\nA,"One.\n\n""Two"", three."\nB,Four.\n')

    assert first["abstract"] == 'One.\n\n"Two", three.'
    assert second["source"] == "x.csv:5"


def test_two_columns_of_one_name_are_both_kept() -> None:
    [paper] = papers("title,note,note,\nDots,one,two,three\n")

    assert paper == {
        "title": "Dots",
        "note": "one",
        "note (column 3)": "two",
        "column 4": "three",
        "source": "x.csv:2",
    }


def test_a_formula_is_text() -> None:
    [paper] = papers('title,abstract\n"=CMD(""x"")",=1+1\n')

    assert (paper["title"], paper["abstract"]) == ('=CMD("x")', "=1+1")


def test_a_row_with_too_many_cells_is_reported_with_its_line() -> None:
    table = "title,abstract\nA,We study, say, dots.\nB,Fine.,,\n"

    assert problems(table) == [
        Problem("x.csv:2", "It has 4 instead of 2 cells, and was left out.", True)
    ]
    assert [paper["title"] for paper in papers(table)] == ["B"]


def test_a_row_with_too_few_cells_is_read_and_reported() -> None:
    table = "title,abstract,year\nA,We study dots.\nB,Fine.,2025\n"

    [problem] = problems(table)

    assert (problem.source, problem.skipped) == ("x.csv:2", False)
    assert [paper["title"] for paper in papers(table)] == ["A", "B"]


def test_a_row_without_title_and_abstract_is_reported_but_not_a_blank_one() -> None:
    [problem] = problems("title,abstract,year\nA,B,2025\n\n,,\n,,2025\n")

    assert (problem.source, problem.skipped) == ("x.csv:5", True)


@pytest.mark.parametrize(
    ("row", "abstract"),
    [
        ('1|A|"Dots" are studied', '"Dots" are studied'),
        ('1|A|"We study dots', "We study dots"),
        ('1|A|"We say "dots" here"', 'We say "dots" here'),
        ('1|A|"We say \\"dots\\" | here"', 'We say "dots" | here'),
    ],
)
def test_stray_quotation_marks_are_repaired_and_reported(row: str, abstract: str) -> None:
    table = f"id|title|abstract\n{row}\n2|B|Fine.\n"

    first, second = papers(table)
    [problem] = problems(table)

    assert (first["abstract"], second["abstract"]) == (abstract, "Fine.")
    assert (problem.source, problem.skipped) == ("x.csv:2", False)


def test_behind_lines_that_make_no_row_reading_goes_on() -> None:
    table = 'id,title,abstract\n1,A,"One "two", three\nand "four" five"\n2,B,Fine.\n3,C,"Good."\n'

    [problem] = problems(table)

    assert [paper["id"] for paper in papers(table)] == ["2", "3"]
    assert (problem.source, problem.skipped) == ("x.csv:2", True)
    assert "up to 3" in problem.what


def test_of_thousands_of_rows_only_the_broken_one_is_lost() -> None:
    rows = [f'{number},Title {number},"Abstract, {number}."' for number in range(3_000)]
    rows[411] = '411,Title 411,"An "abstract", which is broken."'
    table = "\n".join(["id,title,abstract", *rows])

    [problem] = problems(table)

    assert len(papers(table)) == 2_999
    assert problem.source == "x.csv:413"


def test_a_table_without_papers_is_refused_with_its_columns_and_those_that_would_do() -> None:
    with pytest.raises(PaperskyError, match=r"only “Room”, “Seats”\. .*“title”.*“abstract”"):
        papers("Room,Seats\nA1,120\nB2,80\n")


@pytest.mark.parametrize("table", ["a,b\n1,2\n", "a;b\n1;2\n3;4\n", "T\tI\n1\t2\n"])
def test_names_of_columns_that_would_make_one_together_are_not_taken_for_it(table: str) -> None:
    with pytest.raises(PaperskyError, match=r"neither titles nor abstracts, only “.”, “.”"):
        papers(table)


def test_a_million_columns_are_refused_with_the_limit() -> None:
    names = ",".join(f"c{number}" for number in range(1_000_000))

    assert is_tables(names)
    with pytest.raises(PaperskyError, match=rf"1,000,000 columns; at most {MOST_COLUMNS:,}"):
        papers(f"title,{names[3:]}\n")
    with pytest.raises(PaperskyError, match=rf"1,000,000 columns; at most {MOST_COLUMNS:,}"):
        papers(names)


def test_an_endless_line_is_refused_with_its_number_and_the_limit() -> None:
    with pytest.raises(PaperskyError, match=rf"Line 2 of x\.csv .* at most {LONGEST_LINE:,}"):
        papers(f"title,abstract\nA,{'x' * (LONGEST_LINE + 1)}\n")


def test_cells_longer_than_the_csv_module_allows_are_read() -> None:
    [paper] = papers(f"title,abstract\nA,{'x' * 200_000}\n")

    assert len(paper["abstract"]) == 200_000


def test_an_empty_table_has_no_papers() -> None:
    assert papers("") == papers("title,abstract\n") == papers("\n\n") == []


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@given(st.lists(st.tuples(cells, cells), max_size=8), st.sampled_from([",", ";", "\t", "|"]))
def test_what_a_writer_of_tables_writes_is_read_back(
    rows: list[tuple[str, str]], delimiter: str
) -> None:
    table = io.StringIO(newline="")
    writer = csv.writer(table, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("title", "abstract"), *((f"T{title}", f"A{text}") for title, text in rows)])

    found = list(read_tables(table.getvalue(), "x"))

    assert [item["abstract"] for item in found] == [f"A{text}".strip() for _, text in rows]


@st.composite
def broken(draw: st.DrawFn, texts: Sequence[str]) -> str:
    """Two documents, cut, one inside the other, and with something strange in between."""
    outer, inner = draw(st.sampled_from(texts)), draw(st.sampled_from(texts))
    at, end = sorted(draw(st.tuples(*[st.integers(0, len(outer))] * 2)))
    start, stop = sorted(draw(st.tuples(*[st.integers(0, len(inner))] * 2)))
    strange = draw(st.text(alphabet="\",|\t;\n\r\\'{}[]:\0\ufeffé", max_size=8))
    return outer[:at] + strange + inner[start:stop] + outer[end:]


@settings(max_examples=150, deadline=None)
@given(broken([str(content(name)) for name in TEXTS]))
@example('title,abstract\r"')
@example('"title","abstract"\n"\\"","')
def test_a_broken_table_gives_papers_and_problems_or_is_refused(text: str) -> None:
    is_tables(text)
    try:
        found = list(read_tables(text, "x.csv"))
    except PaperskyError as error:
        assert "x.csv" in str(error)
    else:
        for item in found:
            assert isinstance(item, Problem) or item.get("title") or item.get("abstract")


@pytest.mark.parametrize("row", ['"\n', '""\n', '","\n', '"a""\n', '\\"\n', "'\n", '",\n,"\n'])
def test_masses_of_stray_marks_do_not_hang_the_reader(row: str) -> None:
    found = list(read_tables("title,abstract\n" + row * 20_000 + "\nDots,We study dots.", "x.csv"))

    assert found


# Excel


def test_a_workbook_is_read_below_its_heading() -> None:
    first, second, third = papers(content("papers.xlsx"), "papers.xlsx")

    assert first["title"].startswith("Bi-Share LoRA")
    assert first["authors"] == ["Ada Example", "Kurt Muster"]
    assert (first["year"], first["No."]) == (2025, 1)
    assert first["Presented"] == "2025-07-15"
    assert first["source"] == "papers.xlsx, Papers:4"
    assert second["Length"] == "=LEN(D5)"
    assert third.keys() == {"title", "No.", "source"}


def test_a_sheet_without_papers_is_left_out_and_reported() -> None:
    [problem] = problems(content("papers.xlsx"), "papers.xlsx")

    assert problem.skipped
    assert "“Room”, “Seats”" in problem.what


def test_the_only_sheet_needs_no_name() -> None:
    [paper] = papers(workbook([["Title"], [], ["Dots", None, "a note"]]), "x.xlsx")

    assert paper == {"title": "Dots", "column 3": "a note", "source": "x.xlsx:3"}


def test_a_workbook_without_papers_is_refused_with_its_columns() -> None:
    with pytest.raises(
        PaperskyError, match=r"x\.xlsx has neither titles nor abstracts, only “Room”"
    ):
        papers(workbook([["Room"], ["A1"]]), "x.xlsx")


def test_an_empty_workbook_has_no_papers() -> None:
    assert papers(workbook([[]]), "x.xlsx") == []


def test_a_workbook_that_unpacks_to_too_much_is_refused_before_it_is_unpacked() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    directory = packed.getvalue().index(b"PK\x01\x02")
    size = slice(directory + 24, directory + 28)
    bomb = bytearray(packed.getvalue())
    bomb[size] = (1_200 << 20).to_bytes(4, "little")

    with pytest.raises(PaperskyError, match=r"unpacks to 1\.2 GiB; at most 1 GiB"):
        papers(bytes(bomb), "x.xlsx")


def test_an_old_or_locked_workbook_is_refused_with_the_way_out() -> None:
    old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100)

    assert is_tables(old)
    with pytest.raises(PaperskyError, match=r"old kind.*password.*Save it as \.xlsx"):
        papers(old, "x.xls")


def test_an_archive_of_a_version_to_come_is_a_damaged_workbook() -> None:
    archive = bytearray(workbook([["Title"], ["Dots"]]))
    archive[archive.index(b"PK\x01\x02") + 6] = 255

    assert is_tables(bytes(archive))
    with pytest.raises(PaperskyError, match=r"x\.xlsx cannot be opened"):
        papers(bytes(archive), "x.xlsx")


def test_entities_that_expand_in_a_workbook_are_refused() -> None:
    entities = "".join(
        f'<!ENTITY e{number + 1} "{f"&e{number};" * 10}">' for number in range(1, 10)
    )
    bomb = (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e1 "dots">{entities}]>'
        "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData>"
        "<row r='1'><c r='A1' t='inlineStr'><is><t>&e10;</t></is></c></row></sheetData></worksheet>"
    )
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook([["Title"], ["Dots"]]))) as good,
        zipfile.ZipFile(packed, "w") as bad,
    ):
        for name in good.namelist():
            bad.writestr(name, bomb if name == "xl/worksheets/sheet1.xml" else good.read(name))

    with pytest.raises(PaperskyError, match=r"x\.xlsx declares XML entities"):
        papers(packed.getvalue(), "x.xlsx")


# Parquet


def test_parquet_is_read() -> None:
    first, second, third = papers(content("papers.parquet"), "papers.parquet")

    assert first["title"].startswith("Bi-Share LoRA")
    assert first["authors"] == ["Ada Example", "Kurt Muster"]
    assert (first["year"], first["published"]) == (2025, "2025-07-15")
    assert (first["score"], first["source"]) == (0.5, "papers.parquet#1")
    assert second.keys() == first.keys() - {"score"}
    assert third.keys() == {"id", "abstract", "score", "source"}


def test_bytes_in_parquet_are_text() -> None:
    [paper] = papers(parquet(pa.table({"title": pa.array(["Rényi".encode()], pa.binary())})))

    assert paper["title"] == "Rényi"


def test_parquet_without_papers_is_refused_with_its_columns() -> None:
    with pytest.raises(PaperskyError, match="only “room”"):
        papers(parquet(pd.DataFrame({"room": ["A1"]})))


def test_parquet_that_is_too_wide_is_refused_with_the_limit() -> None:
    wide = pa.table({f"c{number}": [1] for number in range(MOST_COLUMNS + 1)})

    with pytest.raises(PaperskyError, match=rf"2,001 columns; at most {MOST_COLUMNS:,}"):
        papers(parquet(wide))


@pytest.mark.parametrize("name", BINARIES)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_damaged_file_gives_papers_and_problems_or_is_refused(
    name: str, data: st.DataObject
) -> None:
    damaged = bytearray((DATA / name).read_bytes())
    places = st.integers(0, len(damaged) - 1)
    for place in data.draw(st.lists(places, max_size=5)):
        damaged[place] = data.draw(st.integers(0, 255))
    cut = bytes(damaged[: data.draw(st.just(len(damaged)) | places)])

    is_tables(cut)
    try:
        found = list(read_tables(cut, name))
    except PaperskyError as error:
        assert name in str(error)
    else:
        assert all(isinstance(item, Problem) or item["source"] for item in found)
