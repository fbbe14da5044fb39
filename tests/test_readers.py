import gzip
import hashlib
import io
import tracemalloc
from pathlib import Path, PurePath

import pytest
from conftest import SEEDS
from hypothesis import given, settings
from hypothesis import strategies as st

from cache.errors import PaperskyError
from cache.readers import STANDARD_INPUT, Reading, free_name, read, read_document
from cache.readers.abstracts import read_abstracts
from cache.readers.containers import LARGEST_DOCUMENT, read_bytes
from cache.readers.decoding import decode

DATA = Path(__file__).parent / "data"
KINDS = {
    "abstracts": b"ICML 2025\n\nWe study dots. They shine.\n",
    "bibtex": b"@article{dots, title = {Dots}, abstract = {We study dots.}}\n",
    "ris": b"TY  - JOUR\nTI  - Dots\nAB  - We study dots.\nER  - \n",
    "csv": b"title;abstract\nDots;We study dots.\n",
    "json": b'[{"title": "Dots", "abstract": "We study dots."}]',
    "jsonl": b'{"title": "Dots", "abstract": "We study dots."}\n',
    "atom": b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Dots</title></entry></feed>',
    "workbook": (DATA / "papers.xlsx").read_bytes(),
    "parquet": (DATA / "papers.parquet").read_bytes(),
}
NAMES = ["a", "a.txt", "a.bib", "a.ris", "a.csv", "a.json", "a.xml", "a.xlsx", "a.parquet", "a.gz"]


def names(reading: Reading) -> tuple[str, ...]:
    return tuple(document.name for document in reading.documents)


def paragraphs(path: Path) -> list[str]:
    return [block for block in path.read_text(encoding="utf-8").split("\n\n") if block.strip()]


def test_every_abstract_of_the_seeds_becomes_one_paper() -> None:
    corpus = read([SEEDS]).corpus

    expected = [
        " ".join(block.split("\n"))
        for path in sorted(SEEDS.glob("*.txt"))
        for block in paragraphs(path)[1:]
    ]
    assert list(corpus["abstract"]) == [abstract.strip() for abstract in expected]
    assert len(corpus) == 38
    assert corpus["id"].is_unique


def test_the_headings_of_the_seeds_become_venue_and_year() -> None:
    corpus = read([SEEDS]).corpus

    assert set(corpus["venue"]) == {"ICML"}
    assert set(corpus["year"]) == {2025}


@pytest.mark.parametrize(
    ("heading", "venue", "year"),
    [
        ("ICML 2025 Papers", "ICML", 2025),
        ("ICML 2025 论文列表", "ICML", 2025),
        ("# NeurIPS 2024", "NeurIPS", 2024),
        ("Papers at ACL (2023)", "Papers at ACL", 2023),
        ("2025 ICLR list", "", 2025),
    ],
)
def test_a_heading_names_venue_and_year(heading: str, venue: str, year: int) -> None:
    [record] = read_abstracts(f"{heading}\n\nWe study dots. They shine.", "list.txt")

    assert (record["venue"], record["year"]) == (venue, year)


def test_a_heading_without_a_year_names_no_venue() -> None:
    [record] = read_abstracts("Things to read\n\nWe study dots. They shine.", "list.txt")

    assert "venue" not in record


def test_a_later_heading_holds_for_what_follows_it() -> None:
    records = read_abstracts("A 2024\n\nOne is here.\n\nB 2025\n\nTwo is here.", "list.txt")

    assert [(r["venue"], r["abstract"]) for r in records] == [
        ("A", "One is here."),
        ("B", "Two is here."),
    ]


def test_an_abstract_wrapped_over_lines_is_one_abstract() -> None:
    [record] = read_abstracts("We study\r\ndots. \r\n \r\n", "list.txt")

    assert record["abstract"] == "We study dots."


def test_a_record_says_where_it_was_found() -> None:
    records = list(read_abstracts("X 2020\n\nOne is here.\n\n\nTwo\nis here.", "list.txt"))

    assert [record["source"] for record in records] == ["list.txt:3", "list.txt:6"]


@given(st.lists(st.text(st.characters(categories=["L"]), min_size=1), max_size=9))
def test_no_abstract_is_lost_split_or_doubled(words: list[str]) -> None:
    abstracts = [f"{word} is studied." for word in words]

    records = read_abstracts("\n\n".join(abstracts), "list.txt")

    assert [record["abstract"] for record in records] == abstracts


def test_the_same_abstract_in_two_files_is_one_paper_from_both(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("We study dots.  They SHINE.")

    corpus = read([tmp_path]).corpus

    assert list(corpus["source"]) == ["a.txt:1; b.txt:1"]


def test_a_paper_keeps_its_id_in_any_order_and_company() -> None:
    first, second = sorted(SEEDS.glob("*.txt"))

    forwards, backwards = read([first, second]).corpus, read([second, first]).corpus

    assert set(forwards["id"]) == set(backwards["id"])
    assert dict(zip(forwards["abstract"], forwards["id"], strict=True)) == dict(
        zip(backwards["abstract"], backwards["id"], strict=True)
    )


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(PaperskyError, match=r"no file or folder .*nowhere\.txt"):
        read([tmp_path / "nowhere.txt"])


def test_a_folder_with_nothing_readable_says_what_would_be(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")

    with pytest.raises(PaperskyError, match=r"holds nothing to read.*\.txt"):
        read([tmp_path])


def test_a_binary_file_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"abc\0def")

    with pytest.raises(PaperskyError, match=r"a\.txt is not text"):
        read([path])


@pytest.mark.parametrize(
    ("encoding", "abstract"),
    [
        ("latin-1", "We study the Rényi divergence, which is naïve."),
        ("cp1252", "We study “dots” — they’re good."),
        ("cp1250", "Łódź, žluťoučký kůň: we study dots."),
        ("gb18030", "我们提出了一种新的方法来解决问题。实验表明其有效性。"),
        ("shift_jis", "本研究では新しい手法を提案する。実験により有効性を示した。"),
        ("cp1251", "Мы предлагаем новый метод решения задачи."),
    ],
)
def test_text_that_is_not_utf_8_is_guessed_and_that_is_said(encoding: str, abstract: str) -> None:
    document = read_document(f"One.\n\n{abstract}".encode(encoding), "list.txt")

    assert document.records[1]["abstract"] == abstract
    [problem] = document.problems
    assert "encoding was guessed" in problem.what
    assert not problem.skipped


def test_a_few_damaged_letters_do_not_make_utf_8_another_encoding() -> None:
    document = read_document("Naïve Rényi, ".encode() + b"caf\xe9.\n", "list.txt")

    assert document.records[0]["abstract"] == "Naïve Rényi, caf\ufffd."
    [problem] = document.problems
    assert "line 1" in problem.what


def test_cut_utf_16_is_refused_with_the_line_and_the_way_out() -> None:
    with pytest.raises(PaperskyError, match=r"list\.txt is not valid UTF-16 \(line 1\).*save it"):
        read_document("We study dots.".encode("utf-16")[:-1], "list.txt")


def test_what_is_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "dots.txt").write_text("We study dots.")
    (tmp_path / "link.txt").symlink_to(tmp_path / "dots.txt")
    dots = tmp_path / "dots.txt"

    for paths in ([dots, dots], [tmp_path, tmp_path], [dots, tmp_path], [tmp_path, dots]):
        assert [document.name for document in read(paths).documents] == ["dots.txt"]


def test_standard_input_is_read_once() -> None:
    reading = read([STANDARD_INPUT, STANDARD_INPUT], io.BytesIO(b"We study dots."))

    assert len(reading.documents) == 1
    assert not reading.problems


def test_a_kind_of_file_that_cannot_be_read_says_how_abstracts_are_called() -> None:
    with pytest.raises(PaperskyError) as refusal:
        read_document(b"We study dots.", "dots.bin")

    assert "called .txt or .md" in str(refusal.value)


def test_what_a_folder_holds_besides_is_skipped_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We study dots.")
    (tmp_path / "b.txt").write_bytes(b"\xff\x00\x81")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.txt").write_text("Not meant.")

    reading = read([tmp_path])

    assert names(reading) == ("a.txt",)
    assert [skipped.source for skipped in reading.skipped] == ["b.txt", "c.png"]


def test_an_empty_file_gives_no_papers(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n \n")

    assert len(read([tmp_path / "empty.txt"]).corpus) == 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood(encoding: str) -> None:
    assert decode("Rényi 论文".encode(encoding), "x") == ("Rényi 论文", ())


@given(st.binary() | st.builds(gzip.compress, st.binary()), st.sampled_from(NAMES))
def test_any_bytes_under_any_name_are_read_or_refused_by_name(content: bytes, name: str) -> None:
    try:
        document = read_document(content, name)
    except PaperskyError as error:
        assert name in error.message
    else:
        assert document.name == name


@given(st.text(), st.sampled_from(NAMES))
def test_any_text_under_any_name_is_read_or_refused_by_name(text: str, name: str) -> None:
    try:
        document = read_document(text.encode(errors="replace"), name)
    except PaperskyError as error:
        assert name in error.message
    else:
        assert document.records or document.problems or not text.strip()


def test_the_seeds_are_as_they_were_given() -> None:
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(SEEDS.iterdir())]

    assert digests == [
        "d03187d6bfaef8fc4fa527a84c6eef53e86616951d91f3a538580045b297c063",
        "a07148afdb12bf02810a414966f387dad0699089c73e10ce224e0433c59d41ad",
    ]


def test_a_short_abstract_among_others_is_not_taken_for_a_heading() -> None:
    records = read_abstracts("ICML 2025\n\nOne is here.\n\nwithdrawn\n\nTwo is here.", "list.txt")

    assert [(r["abstract"], r["venue"]) for r in records] == [
        ("One is here.", "ICML"),
        ("withdrawn", "ICML"),
        ("Two is here.", "ICML"),
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["export", "export.txt", "export.TXT.gz"])
def test_a_document_is_told_by_what_it_holds(kind: str, name: str) -> None:
    content = gzip.compress(KINDS[kind]) if name.endswith("gz") else KINDS[kind]

    document = read_document(content, name)

    assert document.records
    assert {record["source"].startswith(name) for record in document.records} == {True}


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
def test_every_sample_is_read_packed_or_not(path: Path) -> None:
    content = path.read_bytes()

    plain = read_document(content, "sample")
    packed = plain if path.suffix == ".gz" else read_document(gzip.compress(content), "sample")

    assert plain.records
    assert packed == plain


@pytest.mark.parametrize("path", sorted(DATA.iterdir()), ids=lambda path: path.name)
@given(data=st.data())
@settings(max_examples=10)
def test_every_sample_may_be_cut_anywhere(path: Path, data: st.DataObject) -> None:
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content)))

    try:
        document = read_document(content[:cut], path.name)
    except PaperskyError as error:
        assert path.name in error.message
    else:
        assert document.records or document.problems or not content[:cut].strip()


def test_a_name_that_promises_what_is_not_there_says_so() -> None:
    [problem] = read_document(b"We study dots. They shine.", "refs.bib").problems

    assert (problem.what, problem.skipped) == ("No paper was found in it.", True)


def test_standard_input_is_read_for_a_dash() -> None:
    reading = read([STANDARD_INPUT], stdin=io.BytesIO(KINDS["bibtex"]))

    assert names(reading) == ("standard input",)
    assert list(reading.corpus["title"]) == ["Dots"]


def test_records_are_counted_before_they_are_merged(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_bytes(KINDS["bibtex"] + b"@article{b, title = {Lines}, year = 1900}")
    (tmp_path / "b.ris").write_bytes(KINDS["ris"])

    reading = read([tmp_path])

    assert [(each.name, len(each.records)) for each in reading.documents] == [
        ("a.bib", 2),
        ("b.ris", 1),
    ]
    assert reading.problems == ()


def test_documents_of_one_name_in_two_places_are_told_apart(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "refs.bib").write_bytes(KINDS["bibtex"])

    reading = read([tmp_path / "a", tmp_path / "b" / "refs.bib"])

    assert names(reading) == ("refs.bib", (tmp_path / "b" / "refs.bib").as_posix())


def test_a_document_dropped_again_is_numbered() -> None:
    taken: set[str] = set()

    assert [free_name("refs.bib", PurePath("refs.bib"), taken) for _ in range(3)] == [
        "refs.bib",
        "refs.bib (2)",
        "refs.bib (3)",
    ]


def test_a_broken_document_in_a_folder_costs_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name,price\nDots,3\n")
    (tmp_path / "b.xml").write_text("<html><p>We study dots.</p></html>")
    (tmp_path / "c.bib").write_bytes(KINDS["bibtex"])

    reading = read([tmp_path])

    assert names(reading) == ("c.bib",)
    assert [problem.source for problem in reading.skipped] == ["a.csv", "b.xml"]
    assert reading.skipped[1].what == "It is no list of papers but XML of <html>."


def test_a_gzip_bomb_is_refused_with_the_limit() -> None:
    bomb = gzip.compress(b"a" * 3_000_000)

    with pytest.raises(
        PaperskyError, match=r"bomb\.gz unpacks to more than 2 MB, which is as much"
    ):
        read_document(bomb, "bomb.gz", limit=2_000_000)


def test_a_gzip_bomb_is_refused_without_holding_what_it_unpacks_to() -> None:
    bomb = gzip.compress(b"a" * 50_000_000)

    tracemalloc.start()
    with pytest.raises(PaperskyError, match=r"bomb\.gz unpacks to more than 40 MB"):
        read_document(bomb, "bomb.gz", limit=40_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 10_000_000


def test_gzip_within_gzip_is_refused() -> None:
    with pytest.raises(PaperskyError, match=r"a\.gz is gzip within gzip"):
        read_document(gzip.compress(gzip.compress(b"We study dots.")), "a.gz")


def test_a_gzip_file_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    whole = gzip.compress((DATA / "zotero.bib").read_bytes())

    document = read_document(whole[:-20], "zotero.bib.gz")

    assert [record["id"] for record in document.records][:1] == ["liu_flipping_2024"]
    assert document.problems[0].skipped
    assert "cut off" in document.problems[0].what


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(LARGEST_DOCUMENT + 1)

    with pytest.raises(PaperskyError, match=r"huge\.csv is larger than 500 MB"):
        read([path])


def test_an_endless_stream_is_read_no_further_than_the_limit() -> None:
    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            return b"a" * size

    with pytest.raises(PaperskyError, match=r"standard input is larger than 3 MB"):
        read_bytes(Endless(), "standard input", limit=3_000_000)  # type: ignore[arg-type]


def test_a_page_of_signs_is_no_heading() -> None:
    [record] = read_abstracts("-" * 100_000, "list.txt")

    assert record["abstract"] == "-" * 100_000
