"""Plain text: headings, and abstracts parted by blank lines."""

import re
from collections.abc import Iterator
from typing import Final

from cache.papers import Record

_HEADING_WORDS: Final = 12
_HEADING_CHARACTERS: Final = 200
_VENUE_AND_YEAR: Final = re.compile(r"^\W*(?P<venue>\D*?)[\s'’,(-]*(?P<year>(?:19|20)\d{2})(?!\d)")
_ENDS_A_SENTENCE: Final = (".", "!", "?", "。", "！", "？")


def read_abstracts(text: str, name: str) -> Iterator[Record]:
    """Yield one record an abstract, with the venue and year of the heading above it.

    Parameters
    ----------
    text : str
        The whole document.
    name : str
        What the document is called in each record's ``source``, as ``name:line``.
    """
    heading: Record = {}
    for number, (line, block) in enumerate(_blocks(text)):
        if _is_heading(block, first=number == 0):
            heading = _read_heading(block) or heading
        else:
            yield {"abstract": block, **heading, "source": f"{name}:{line}"}


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the text, unwrapped, of what stands between blank lines."""
    lines: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.strip():
            lines.append(line.strip())
        elif lines:
            yield number - len(lines), " ".join(lines)
            lines = []


def _is_heading(block: str, *, first: bool) -> bool:
    """Tell a heading from a short abstract: it is marked as one, or stands first, or has a year."""
    if len(block) > _HEADING_CHARACTERS:
        return False
    if block.startswith("#"):
        return True
    short = len(block.split()) <= _HEADING_WORDS and not block.endswith(_ENDS_A_SENTENCE)
    return short and (first or bool(_read_heading(block)))


def _read_heading(block: str) -> Record:
    match = _VENUE_AND_YEAR.match(block)
    if match is None:
        return {}
    return {"venue": match["venue"].strip(), "year": int(match["year"])}
