"""What all tables have in common: a row that names the columns, and limits to what is read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from cache.errors import PaperskyError
from cache.papers import Record
from cache.readers.fields import names_a_paper, record
from cache.readers.problems import Problem
from cache.readers.values import is_missing

MOST_COLUMNS: Final = 2_000
"""The widest lists of papers we know have about 60 columns, spreadsheets at most 16,384."""
MOST_ROWS: Final = 5_000_000
MOST_UNPACKED: Final = 1 << 30
"""Bytes that a packed table may hold."""
ROWS_ABOVE_NAMES: Final = 20
"""How many rows may stand above the one that names the columns: titles, notes, blank ones."""

_SHOWN_NAMES: Final = 20
TITLES: Final = ("title", "paper title", "article title", "document title")
ABSTRACTS: Final = ("abstract", "abstract text", "abstract note", "summary")
"""What an error proposes; `cache.readers.fields.SPELLINGS` has all."""


def column_names(cells: Sequence[Any]) -> list[str]:
    """Return a name for every column, no two the same; one without a name is numbered."""
    names: list[str] = []
    taken: set[str] = set()
    for number, cell in enumerate(cells, start=1):
        plain = " ".join(str(cell).split()) if not is_missing(cell) else f"column {number}"
        name = plain if plain not in taken else f"{plain} (column {number})"
        names.append(name)
        taken.add(name)
    return names


def check_width(width: int, name: str) -> None:
    """Refuse a table that is too wide to be one of papers.

    Raises
    ------
    PaperskyError
        If it has more than `MOST_COLUMNS` columns.
    """
    if width > MOST_COLUMNS:
        raise PaperskyError(
            f"{name} has {width:,} columns; at most {MOST_COLUMNS:,} are read.",
            "Keep the columns that describe the papers.",
        )


def check_length(rows: int, name: str) -> None:
    """Refuse a table that is too long.

    Raises
    ------
    PaperskyError
        If it has more than `MOST_ROWS` rows.
    """
    if rows > MOST_ROWS:
        raise PaperskyError(
            f"{name} has {rows:,} rows; at most {MOST_ROWS:,} are read.", "Split it into parts."
        )


def check_unpacked(size: int, name: str) -> None:
    """Refuse a packed table that would fill the memory.

    Raises
    ------
    PaperskyError
        If it holds more than `MOST_UNPACKED` bytes.
    """
    if size > MOST_UNPACKED:
        raise PaperskyError(
            f"{name} unpacks to {size / 2**30:,.1f} GiB; "
            f"at most {MOST_UNPACKED >> 30} GiB is read.",
            "Split it into parts.",
        )


def without_papers(names: Sequence[str], name: str) -> PaperskyError:
    """Return the refusal of what has no papers: the columns it has, and those that would do."""
    shown = ", ".join(f"“{column[:40]}”" for column in names[:_SHOWN_NAMES])
    more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
    titles, abstracts = (
        " or ".join(f"“{spelling}”" for spelling in spellings) for spellings in (TITLES, ABSTRACTS)
    )
    return PaperskyError(
        f"{name} has neither titles nor abstracts, only {shown}{more}.",
        f"Call what holds the titles {titles}; or what holds the abstracts {abstracts}.",
    )


def find_names(rows: Sequence[Sequence[Any]]) -> int | None:
    """Return the number of the first row that names a column of titles or abstracts."""
    for number, cells in enumerate(rows[:ROWS_ABOVE_NAMES]):
        if names_a_paper([cell for cell in cells if isinstance(cell, str)]):
            return number
    return None


def read_fields(fields: Mapping[str, Any], source: str) -> Iterator[Record | Problem]:
    """Yield the paper that fields describe; a problem if they describe none but say something."""
    paper = record(fields, source)
    if paper is not None:
        yield paper
    elif not all(map(is_missing, fields.values())):
        yield Problem(source, "It has neither a title nor an abstract, and was left out.", True)
