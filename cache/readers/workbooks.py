"""Excel workbooks (.xlsx)."""

import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from defusedxml.common import DefusedXmlException

from cache.errors import PaperskyError
from cache.papers import Record
from cache.readers.columns import (
    check_unpacked,
    check_width,
    column_names,
    find_names,
    read_fields,
    without_papers,
)
from cache.readers.problems import Problem
from cache.readers.values import is_missing

if TYPE_CHECKING:
    from openpyxl import Workbook

_OLD_OR_LOCKED: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How .xls begins, and .xlsx with a password: as compound files (MS-CFB, 2.2)."""
_BOOK: Final = "xl/workbook.xml"


@dataclass(frozen=True)
class _Sheet:
    """The rows of a sheet that hold anything, with their numbers, up to the end or to damage."""

    title: str
    rows: Sequence[tuple[int, Sequence[Any]]]
    is_cut: bool


def is_workbook(content: bytes) -> bool:
    """Tell an Excel workbook by its beginning and the names in its archive."""
    if content.startswith(_OLD_OR_LOCKED):
        return True
    if not content.startswith(b"PK\x03\x04"):
        return False
    try:
        return _BOOK in zipfile.ZipFile(io.BytesIO(content)).namelist()
    except Exception:  # a damaged archive can raise what it likes
        return _BOOK.encode() in content


def read_workbook(content: bytes, name: str) -> Iterator[Record | Problem]:
    """Yield one record a row of every sheet with a column of titles or abstracts.

    Parameters
    ----------
    content : bytes
    name : str
        What the workbook is called in each record's ``source``: ``name:row``, or
        ``name, SHEET:row`` if it has several sheets.

    Notes
    -----
    A formula is read as the text that it is; nothing is calculated.

    Raises
    ------
    PaperskyError
        If it cannot be opened, is too large, or no sheet has such a column.
    """
    sheets = _read_sheets(content, name)
    refusals: list[PaperskyError] = []
    for sheet in sheets:
        called = name if len(sheets) == 1 else f"{name}, {sheet.title}"
        try:
            yield from _read_rows(sheet, called)
        except PaperskyError as refusal:
            refusals.append(refusal)
    if refusals and len(refusals) == len(sheets):
        raise refusals[0]
    for left_out in refusals:
        yield Problem(name, f"{left_out.message} The sheet was left out.", skipped=True)


def _read_rows(sheet: _Sheet, called: str) -> Iterator[Record | Problem]:
    at = find_names([cells for _, cells in sheet.rows])
    if at is None:
        check_width(len(sheet.rows[0][1]), called)
        raise without_papers(column_names(sheet.rows[0][1]), called)
    width = max(len(cells) for _, cells in sheet.rows)
    check_width(width, called)
    header = sheet.rows[at][1]
    names = column_names([*header, *[None] * (width - len(header))])
    for number, cells in sheet.rows[at + 1 :]:
        yield from read_fields(dict(zip(names, cells, strict=False)), f"{called}:{number}")
    if sheet.is_cut:
        what = "The workbook is damaged, and what follows this row was left out."
        yield Problem(f"{called}:{sheet.rows[-1][0]}", what, skipped=True)


def _read_sheets(content: bytes, name: str) -> list[_Sheet]:
    """Return the sheets that are not empty."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl's, on styles and menus that it leaves out
        sheets = [_read_sheet(sheet, name) for sheet in _open(content, name).worksheets]
    if any(sheet.is_cut for sheet in sheets) and not any(sheet.rows for sheet in sheets):
        raise _damaged(name)
    return [sheet for sheet in sheets if sheet.rows]


def _read_sheet(sheet: Any, name: str) -> _Sheet:
    rows: list[tuple[int, Sequence[Any]]] = []
    try:
        # What a sheet says of its size may be wrong, by a million rows.
        sheet.reset_dimensions()
        rows.extend(
            (number, cells)
            for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1)
            if not all(map(is_missing, cells))
        )
    except Exception as error:  # damage can come to light in any part of openpyxl
        if _has_entities(error):
            raise _damaged(name, error) from error
        return _Sheet(sheet.title, rows, is_cut=True)
    return _Sheet(sheet.title, rows, is_cut=False)


def _open(content: bytes, name: str) -> "Workbook":
    from openpyxl import load_workbook  # noqa: PLC0415 — takes 0.15 s

    if content.startswith(_OLD_OR_LOCKED):
        raise PaperskyError(
            f"{name} is a workbook of an old kind, or one locked with a password.",
            "Save it as .xlsx without a password.",
        )
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        check_unpacked(size, name)
        return load_workbook(io.BytesIO(content), read_only=True, keep_links=False)
    except PaperskyError:
        raise
    except Exception as error:  # damage can come to light in any part of openpyxl
        raise _damaged(name, error) from error


def _damaged(name: str, error: BaseException | None = None) -> PaperskyError:
    if _has_entities(error):
        what = "declares XML entities, which can expand without limit, so it was not read"
    else:
        what = "cannot be opened as an Excel workbook: it is cut or damaged"
    return PaperskyError(
        f"{name} {what}.", "Open it in a spreadsheet program and save it again as .xlsx."
    )


def _has_entities(error: BaseException | None) -> bool:
    """Tell what openpyxl, by defusedxml, refuses, and then may wrap in an error of its own."""
    while error is not None and not isinstance(error, DefusedXmlException):
        error = error.__cause__ or error.__context__
    return error is not None
