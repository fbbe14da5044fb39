"""RIS, as Zotero, publishers and databases write it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import rispy
from rispy.config import TYPE_OF_REFERENCE_MAPPING

from cache.papers import Record
from cache.readers.columns import read_fields
from cache.readers.problems import Problem

_START: Final = re.compile(r"^TY  -", re.MULTILINE)
_START_AT_ALL: Final = re.compile(r"^TY  ?-", re.MULTILINE)
_NARROW_TAG: Final = re.compile(r"^([A-Z][A-Z0-9]) -", re.MULTILINE)
_END: Final = re.compile(r"^ER  -.*$", re.MULTILINE)
_TAG: Final = re.compile(r"^[A-Z][A-Z0-9]  -", re.MULTILINE)
_ABOVE_THE_FIRST: Final = 2_000

_MOST_TELLING: Final[Mapping[str, Sequence[str]]] = {
    "title": ("title", "primary_title", "translated_title"),
    "abstract": ("abstract", "notes_abstract"),
    "venue": (
        *("secondary_title", "custom3", "journal_name", "alternate_title3", "alternate_title2"),
        *("alternate_title1", "tertiary_title"),
    ),
    "year": ("year", "publication_year", "date"),
    "pdf_url": ("file_attachments1",),
}
"""Column → rispy's names of the tags that may hold it."""
_LISTS: Final = {"authors": ("authors", "first_authors"), "keywords": ("keywords",)}
_BOOKKEEPING: Final = frozenset(
    (
        *("access_date", "file_attachments2", "figure", "label", "database_provider", "notes"),
        *("name_of_database", "start_page", "end_page", "unknown_tag", "short_title"),
    )
)


def is_ris(text: str) -> bool:
    """Tell RIS by the tag that begins a record; databases may put a few lines above the first."""
    return bool(_START_AT_ALL.search(text[:_ABOVE_THE_FIRST]))


def read_ris(text: str, name: str) -> Iterator[Record | Problem]:
    """Yield one record a reference, and one problem a reference that had to be repaired or left.

    Parameters
    ----------
    text : str
        The whole file.
    name : str
        What it is called in each record's ``source``, as ``name:line``.
    """
    if not _START.search(text):
        text = _NARROW_TAG.sub(r"\1  -", text)  # some write one space where the format has two
    starts = [found.start() for found in _START.finditer(text)]
    yield from _stray(text[: starts[0]] if starts else text, name, 1)
    line = 1 + text[: starts[0]].count("\n") if starts else 1
    for start, after in zip(starts, [*starts, len(text)][1:], strict=True):
        end = _END.search(text, start, after)
        yield from _read_reference(text[start : end.start() if end else after], name, line)
        if end is None:
            yield Problem(
                f"{name}:{line}",
                "This reference does not end with ER, so it was read as far as it goes.",
                skipped=False,
            )
        else:
            below = line + text.count("\n", start, end.end())
            yield from _stray(text[end.end() : after], name, below)
        line += text.count("\n", start, after)


def _stray(text: str, name: str, line: int) -> Iterator[Problem]:
    found = _TAG.search(text)
    if found:
        yield Problem(
            f"{name}:{line + text.count(chr(10), 0, found.start())}",
            "What stands here belongs to no reference, for TY is missing, so it was left out.",
            skipped=True,
        )


def _read_reference(lines: str, name: str, line: int) -> Iterator[Record | Problem]:
    # Every tag is read as a list: else rispy drops the second of a kind, and joins long texts
    # line by line in quadratic time. Addresses are not parted at semicolons, which they may hold.
    [reference] = rispy.loads(
        f"{lines}\nER  - \n", list_tags=list(rispy.TAG_KEY_MAPPING), delimiter_tags_mapping={}
    )
    yield from read_fields(_mapped(reference), f"{name}:{line}")


def _mapped(reference: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields in words that `record` knows, the most telling tag for each."""
    kind = reference["type_of_reference"]
    mapped: dict[str, Any] = {"type": TYPE_OF_REFERENCE_MAPPING.get(kind, kind)}
    used = {"type_of_reference"}
    for column, tags in _MOST_TELLING.items():
        texts = (_joined(reference.get(tag, [])) for tag in tags)
        mapped[column] = next(filter(None, texts), "")
        used |= {*tags}
    for column, tags in _LISTS.items():
        mapped[column] = next(filter(None, (reference.get(tag) for tag in tags)), [])
        used |= {*tags}
    mapped["authors"] = [_first_last(author) for author in mapped["authors"]]
    rest = {
        tag: lines if tag == "urls" else _joined(lines)
        for tag, lines in reference.items()
        if tag not in used and tag not in _BOOKKEEPING
    }
    return mapped | rest


def _joined(lines: Sequence[str]) -> str:
    paragraphs = " ".join(line or "\n\n" for line in lines).split("\n\n")
    return "\n\n".join(filter(None, (paragraph.strip() for paragraph in paragraphs)))


def _first_last(author: str) -> str:
    last, _, rest = author.partition(",")
    first, _, suffix = rest.partition(",")
    return " ".join(filter(None, (part.strip() for part in (first, last, suffix))))
