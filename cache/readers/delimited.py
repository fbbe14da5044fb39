"""Tables as text: comma-, tab-, semicolon-separated, or by any other character."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from cache.errors import PaperskyError
from cache.papers import Record
from cache.readers.columns import (
    MOST_COLUMNS,
    ROWS_ABOVE_NAMES,
    check_width,
    column_names,
    read_fields,
    without_papers,
)
from cache.readers.fields import known_names, names_a_paper
from cache.readers.problems import Problem

LONGEST_LINE: Final = 10_000_000
"""Characters; the longest abstracts have some 5,000."""

_USUAL_DELIMITERS: Final = (",", "\t", ";", "|")
_NEVER_DELIMITERS: Final = frozenset(" _-\"'#.()/\\[]{}<>*`$\r\n")
_NO_DELIMITER: Final = "\x1f"
"""Taken where there is but one column."""
_LONGEST_NAME: Final = 80
_MOST_WORDS: Final = 6
_LOOK: Final = 200_000
"""Characters at the beginning of a text that are looked at to tell what it is."""
_ROWS_LOOKED_AT: Final = 6


@dataclass(frozen=True)
class _Layout:
    """How a table is written: its delimiter, the line that names the columns, and the names."""

    delimiter: str
    line: int
    names: Sequence[str]


@dataclass(frozen=True)
class _Row:
    """A row, the lines it takes (from 0, the end not included), and how it was repaired, if so."""

    start: int
    end: int
    cells: list[str]
    repair: str = ""


@dataclass(frozen=True)
class _Unread:
    """Lines, from 0 and the end not included, whose quotation marks do not match."""

    start: int
    end: int


def is_delimited(text: str) -> bool:
    """Tell a table from prose by its first lines: names of columns, and rows as wide as they."""
    lines = _lines(text[:_LOOK])[: ROWS_ABOVE_NAMES + _ROWS_LOOKED_AT]
    layout = _find_layout(lines)
    if layout is not None:
        known = known_names(layout.names)
        return known > 1 or _has_even_rows(lines[layout.line :], layout.delimiter, at_least=1)
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    return any(
        _is_very_wide(lines[first:], delimiter)
        or _has_even_rows(lines[first:], delimiter, at_least=2)
        for delimiter in _USUAL_DELIMITERS
    )


def read_delimited(text: str, name: str) -> Iterator[Record | Problem]:
    """Yield one record a row.

    Parameters
    ----------
    text : str
        The whole table. Its delimiter is found by the names of the columns; quotation marks are
        as in RFC 4180, and what departs from it is repaired where that can be done in one way.
    name : str
        What the table is called in each record's ``source``, as ``name:line``.

    Raises
    ------
    PaperskyError
        If there is no column of titles or abstracts, or more than can be read.
    """
    lines = _lines(text)
    if not any(line.strip() for line in lines):
        return
    _check_lines(lines, name)
    layout = _find_layout(lines[:ROWS_ABOVE_NAMES]) or _layout_of_one_column(lines)
    if layout is None:
        line = next(line for line in lines if line.strip())
        delimiter = max(_USUAL_DELIMITERS, key=line.count)
        check_width(line.count(delimiter) + 1, name)
        raise without_papers(column_names(_split(line, delimiter)), name)
    check_width(len(layout.names), name)
    # The module's own limit, 131,072 characters, is less than some columns of full text hold.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    for found in _rows(lines, layout):
        source = f"{name}:{found.start + 1}"
        if isinstance(found, _Row):
            yield from _read_row(found, layout.names, source)
        else:
            yield Problem(source, _account_of(found), skipped=True)


def _read_row(row: _Row, names: Sequence[str], source: str) -> Iterator[Record | Problem]:
    width, count = len(names), len(row.cells)
    if any(row.cells[width:]) or count == 1 < width:
        of = f"{count} of {width}" if count < width else f"{count} instead of {width}"
        yield Problem(source, f"It has {of} cells, and was left out.", skipped=True)
        return
    if count < width:
        what = f"It has {count} of {width} cells; the last were taken to be empty."
        yield Problem(source, what, skipped=False)
    if row.repair:
        yield Problem(source, row.repair, skipped=False)
    yield from read_fields(dict(zip(names, row.cells, strict=False)), source)


def _account_of(unread: _Unread) -> str:
    why = "The quotation marks do not match, and no row could be made out"
    if unread.end - unread.start == 1:
        return f"{why}; the line was left out."
    return f"{why}; the lines up to {unread.end} were left out."


def _lines(text: str) -> list[str]:
    """Part lines where CSV does, not at every character that Unicode takes for a line's end."""
    return list(io.StringIO(text, newline=""))


def _check_lines(lines: Sequence[str], name: str) -> None:
    length, number = max((len(line), -number) for number, line in enumerate(lines, start=1))
    if length > LONGEST_LINE:
        raise PaperskyError(
            f"Line {-number} of {name} has {length:,} characters; "
            f"at most {LONGEST_LINE:,} are read.",
            "Check that it is a table whose rows end in line breaks.",
        )


def _split(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return line.split(delimiter)


def _find_layout(lines: Sequence[str]) -> _Layout | None:
    """Find the line and the delimiter that make most of the columns known to us."""
    best: tuple[tuple[int, int], _Layout] | None = None
    for number, line in enumerate(lines[:ROWS_ABOVE_NAMES]):
        for delimiter in _delimiters_in(line):
            if line.count(delimiter) > MOST_COLUMNS:
                continue
            names = _split(line, delimiter)
            if len(names) < 2 or not names_a_paper(names) or not _are_names(names):
                continue
            merit = (known_names(names), len(names))
            if best is None or merit > best[0]:
                best = merit, _Layout(delimiter, number, column_names(names))
    return best[1] if best else None


def _layout_of_one_column(lines: Sequence[str]) -> _Layout | None:
    number, line = next((n, line) for n, line in enumerate(lines) if line.strip())
    if any(mark in line for mark in _USUAL_DELIMITERS):
        return None
    names = _split(line[: _LONGEST_NAME + 2], _NO_DELIMITER)
    return _Layout(_NO_DELIMITER, number, column_names(names)) if names_a_paper(names) else None


def _delimiters_in(line: str) -> list[str]:
    marks = {mark for mark in line[:_LOOK] if not mark.isalnum()} - _NEVER_DELIMITERS
    unusual = sorted(marks.difference(_USUAL_DELIMITERS))[:8]
    return [mark for mark in (*_USUAL_DELIMITERS, *unusual) if mark in marks]


def _is_very_wide(lines: Sequence[str], delimiter: str) -> bool:
    """Tell a line of more names than are read from a long line of prose."""
    count = lines[0].count(delimiter) if lines else 0
    return count > MOST_COLUMNS and len(lines[0]) < count * _LONGEST_NAME / 4


def _are_names(cells: Sequence[str]) -> bool:
    return all(len(cell) <= _LONGEST_NAME and "\n" not in cell for cell in cells)


def _has_even_rows(lines: Sequence[str], delimiter: str, *, at_least: int) -> bool:
    """Tell whether a line of names is followed at once by rows that are as wide."""
    names = _split(lines[0], delimiter) if lines else []
    if len(names) < 2 or not all(0 < len(name.split()) < _MOST_WORDS for name in names):
        return False
    rows = csv.reader(lines[1:], delimiter=delimiter)
    try:
        widths = [len(cells) for cells, _ in zip(rows, range(_ROWS_LOOKED_AT), strict=False)]
    except csv.Error:
        return False
    # The last row may be cut where the look ends.
    return len(widths) >= at_least and all(width == len(names) for width in widths[:-1] or widths)


def _rows(lines: Sequence[str], layout: _Layout) -> Iterator[_Row | _Unread]:
    """Yield the rows, going on behind what cannot be read with the next line that is a row."""
    width = len(layout.names)
    at = layout.line + 1
    unread_from: int | None = None
    while at < len(lines):
        row = _next_row(lines, at, layout.delimiter, width)
        if row is None or (unread_from is not None and len(row.cells) != width):
            unread_from = at if unread_from is None else unread_from
            at += 1
            continue
        if unread_from is not None:
            yield _Unread(unread_from, row.start)
            unread_from = None
        if any(cell.strip() for cell in row.cells):
            yield row
        at = row.end
    if unread_from is not None:
        yield _Unread(unread_from, len(lines))


def _next_row(lines: Sequence[str], at: int, delimiter: str, width: int) -> _Row | None:
    """Return the row that begins with a line; None if its quotation marks make no sense."""
    row = _parsed(map(lines.__getitem__, range(at, len(lines))), at, delimiter, strict=True)
    if row is None:
        return _repaired(lines, at, delimiter, width)
    if len(row.cells) != width and row.end - row.start > 1:
        return _read_literally(lines, at, delimiter, width) or row
    return row


def _parsed(
    lines: Iterable[str], at: int, delimiter: str, *, strict: bool, repair: str = ""
) -> _Row | None:
    reader = csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=True)
    try:
        cells = next(reader)
    except (csv.Error, StopIteration):
        return None
    return _Row(at, at + reader.line_num, cells, repair)


def _repaired(lines: Sequence[str], at: int, delimiter: str, width: int) -> _Row | None:
    """Read a row with stray quotation marks in the first way that gives it all its cells."""
    return (
        _read_with_backslashes(lines, at, delimiter, width)
        or _read_literally(lines, at, delimiter, width)
        or _read_leniently(lines, at, delimiter, width)
    )


def _read_with_backslashes(
    lines: Sequence[str], at: int, delimiter: str, width: int
) -> _Row | None:
    r"""Read ``\"`` inside quotation marks as MySQL and others write it."""
    if '\\"' not in lines[at]:
        return None
    rest = (lines[number].replace('\\"', '""') for number in range(at, len(lines)))
    repair = 'Its quotation marks are written \\"; they were read as "".'
    row = _parsed(rest, at, delimiter, strict=True, repair=repair)
    return row if row and len(row.cells) == width else None


def _read_literally(lines: Sequence[str], at: int, delimiter: str, width: int) -> _Row | None:
    """Read one line as if quotation marks had no meaning, but for those around whole cells.

    A mark that is opened in the last cell is taken literally only if the next line is a row:
    else the cell may well go on there.
    """
    cells = [cell.strip() for cell in lines[at].split(delimiter)]
    if len(cells) != width:
        return None
    last_is_open = cells[-1].startswith('"') and cells[-1].count('"') % 2 == 1
    following = next((line for line in lines[at + 1 : at + 3] if line.strip()), "")
    if last_is_open and following:
        row = _parsed([following], at, delimiter, strict=True)
        if row is None or len(row.cells) != width:
            return None
    repair = "Its quotation marks do not match; they were read as text."
    return _Row(at, at + 1, [_unquoted(cell) for cell in cells], repair)


def _unquoted(cell: str) -> str:
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    is_open = cell.startswith('"') and cell.count('"') == 1
    return cell[1:] if is_open else cell


def _read_leniently(lines: Sequence[str], at: int, delimiter: str, width: int) -> _Row | None:
    if lines[at].count('"') % 2 == 1:
        return None
    repair = "Its quotation marks do not match; some may be missing from its text."
    row = _parsed([lines[at]], at, delimiter, strict=False, repair=repair)
    return row if row and len(row.cells) == width else None
