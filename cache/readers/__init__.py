"""From documents to records of papers, with an account of what could not be read."""

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pandas as pd

from cache.errors import PaperskyError
from cache.papers import Record, corpus_from_records
from cache.readers.abstracts import read_abstracts

SUFFIXES: Final = (".txt", ".md")
_KINDS_HINT: Final = "Papersky reads abstracts parted by blank lines, in .txt and .md files."
_BYTE_ORDER_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class Skipped:
    """A document of a folder that was left out, and why (one sentence)."""

    source: str
    reason: str


@dataclass(frozen=True, eq=False)
class Reading:
    """What was found in the documents.

    Attributes
    ----------
    corpus : pandas.DataFrame
        The table that `cache.papers` describes.
    documents : tuple of str
        The names of the documents that were read.
    skipped : tuple of Skipped
    """

    corpus: pd.DataFrame
    documents: tuple[str, ...]
    skipped: tuple[Skipped, ...]


def read(paths: Sequence[Path]) -> Reading:
    """Read files and folders, in the order given, into one corpus.

    A file that is named must be readable; one that is merely found in a folder is skipped and
    reported.

    Raises
    ------
    PaperskyError
        If a path does not exist, a named file cannot be read, or a folder holds nothing readable.
    """
    records: list[Record] = []
    documents: list[str] = []
    skipped: list[Skipped] = []
    for path in paths:
        for document in _documents(path):
            try:
                records.extend(_read_document(document))
                documents.append(document.name)
            except PaperskyError as error:
                if not path.is_dir():
                    raise
                skipped.append(Skipped(document.name, str(error)))
        if path.is_dir() and not documents:
            raise PaperskyError(f"The folder {path} holds nothing to read.", _KINDS_HINT)
    return Reading(corpus_from_records(records), tuple(documents), tuple(skipped))


def _documents(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(
            file
            for file in path.rglob("*")
            if file.is_file()
            and not any(part.startswith(".") for part in file.relative_to(path).parts)
        )
    elif path.exists():
        yield path
    else:
        raise PaperskyError(
            f"There is no file or folder {path}.", "Check the spelling, or give its full path."
        )


def _read_document(path: Path) -> list[Record]:
    if path.suffix.lower() not in SUFFIXES:
        raise PaperskyError(f"{path} is not a kind of file that can be read.", _KINDS_HINT)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PaperskyError(
            f"{path} cannot be read: {error.strerror or error}.", "Check its permissions."
        ) from error
    return list(read_abstracts(decode(content, str(path)), path.name))


def decode(content: bytes, name: str) -> str:
    """Return the text of a document: UTF-8, or what its byte order mark says.

    Raises
    ------
    PaperskyError
        If the content is not text, naming the document, the line and the way out.
    """
    marked = (codec for mark, codec in _BYTE_ORDER_MARKS.items() if content.startswith(mark))
    encoding = next(marked, "utf-8")
    if encoding == "utf-8" and b"\0" in content:
        raise PaperskyError(f"{name} is not text: it holds binary data.", _KINDS_HINT)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise PaperskyError(
            f"{name} is not valid {encoding.upper()} (line {line}).",
            "Open it in an editor and save it as UTF-8.",
        ) from error
