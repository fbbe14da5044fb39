import hashlib
from pathlib import Path

import pytest
from conftest import SEEDS
from hypothesis import given
from hypothesis import strategies as st

from cache.errors import PaperskyError
from cache.readers import decode, read
from cache.readers.abstracts import read_abstracts


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


def test_an_undecodable_file_is_refused_with_the_line_and_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("One.\n\nRényi.".encode("latin-1"))

    with pytest.raises(PaperskyError, match=r"latin\.txt is not valid UTF-8 \(line 3\).*save it"):
        read([path])


def test_what_a_folder_holds_besides_is_skipped_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We study dots.")
    (tmp_path / "b.txt").write_bytes(b"\xff\x00\x81")
    (tmp_path / "c.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.txt").write_text("Not meant.")

    reading = read([tmp_path])

    assert reading.documents == ("a.txt",)
    assert [skipped.source for skipped in reading.skipped] == ["b.txt", "c.png"]


def test_an_empty_file_gives_no_papers(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n \n")

    assert len(read([tmp_path / "empty.txt"]).corpus) == 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood(encoding: str) -> None:
    assert decode("Rényi 论文".encode(encoding), "x") == "Rényi 论文"


@given(st.binary())
def test_any_bytes_are_text_or_refused(content: bytes) -> None:
    try:
        text = decode(content, "x.txt")
    except PaperskyError as error:
        assert "x.txt" in str(error)
    else:
        assert isinstance(text, str)


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
