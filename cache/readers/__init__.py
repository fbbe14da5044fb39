"""From documents to records of papers, with an account of what could not be read."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path, PurePath
from typing import BinaryIO, Final

import pandas as pd

from cache.errors import PaperskyError
from cache.papers import Record, assemble
from cache.readers.abstracts import read_abstracts
from cache.readers.bibtex import is_bibtex, read_bibtex
from cache.readers.containers import LARGEST_DOCUMENT, read_bytes, too_large, unpack
from cache.readers.decoding import decode
from cache.readers.json_lists import is_json_lists, read_json_lists
from cache.readers.problems import Problem
from cache.readers.ris import is_ris, read_ris
from cache.readers.tables import is_tables, read_tables
from cache.readers.xml_feeds import is_xml, read_xml

__all__ = [
    "KINDS",
    "STANDARD_INPUT",
    "Document",
    "Problem",
    "Reading",
    "compose",
    "free_name",
    "read",
    "read_document",
]

KINDS: Final = (
    "abstracts parted by blank lines (.txt, .md), BibTeX, RIS, CSV and TSV, Excel, Parquet, JSON "
    "and JSONL, arXiv's Atom feed and the XML of the ACL Anthology, each also as .gz"
)
"""What Papersky reads, as a sentence goes on after "Papersky reads"."""

STANDARD_INPUT: Final = Path("-")

_KINDS_HINT: Final = f"Papersky reads {KINDS}."
_Read = Callable[[str, str], Iterator[Record | Problem]]
_FAMILIES: Final[Sequence[tuple[Callable[[str], bool], _Read]]] = (
    (is_xml, read_xml),
    (is_bibtex, read_bibtex),
    (is_ris, read_ris),
    (is_json_lists, read_json_lists),
    (is_tables, read_tables),
)
_FAMILY_OF_SUFFIX: Final[Mapping[str, _Read]] = {
    **dict.fromkeys(("", ".txt", ".text", ".md", ".markdown"), read_abstracts),
    **dict.fromkeys((".bib", ".bibtex"), read_bibtex),
    **dict.fromkeys((".csv", ".tsv", ".tab"), read_tables),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), read_json_lists),
    **dict.fromkeys((".xml", ".atom"), read_xml),
    ".ris": read_ris,
}
"""Who says what is amiss with a text that looks like nothing that can be read."""


@dataclass(frozen=True)
class Document:
    """What one document held.

    Attributes
    ----------
    name : str
        As in the ``source`` of its records.
    records : tuple of Record
    problems : tuple of Problem
    """

    name: str
    records: tuple[Record, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, eq=False)
class Reading:
    """What was found in the documents.

    Attributes
    ----------
    corpus : pandas.DataFrame
        The table that `cache.papers` describes.
    documents : tuple of Document
        Those that were read; records of the same paper were merged in the corpus.
    unread : tuple of Problem
        The documents that could not be read.
    records : tuple of tuple of int
        Of which records each paper was made: their numbers, ascending, counted from 0 through all
        documents.
    mended : frozenset of str
        The ids of the papers whose text was mended.
    """

    corpus: pd.DataFrame
    documents: tuple[Document, ...]
    unread: tuple[Problem, ...]
    records: tuple[tuple[int, ...], ...]
    mended: frozenset[str]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was repaired and what was left out, documents and records, in order."""
        return (*self.unread, *chain.from_iterable(each.problems for each in self.documents))

    @property
    def skipped(self) -> tuple[Problem, ...]:
        """The problems that cost a record or a document."""
        return tuple(problem for problem in self.problems if problem.skipped)


def read(paths: Sequence[Path], stdin: BinaryIO | None = None) -> Reading:
    """Read files, folders and standard input, in the order given, into one corpus.

    A file that is named must be readable; one that is merely found in a folder is left out and
    reported. What is named or found again is not read again.

    Parameters
    ----------
    paths : sequence of Path
        ``-`` stands for standard input.
    stdin : binary file, optional
        Read for ``-``, if not the standard input of this process.

    Raises
    ------
    PaperskyError
        If a path does not exist, a named file cannot be read, or a folder holds nothing readable.
    """
    documents: list[Document] = []
    unread: list[Problem] = []
    taken: set[str] = set()
    met: set[Path] = set()
    for path in paths:
        if path.is_dir():
            documents += _read_folder(path, taken, met, unread)
        elif _is_new(path, met):
            if path == STANDARD_INPUT:
                name = free_name("standard input", path, taken)
                content = read_bytes(stdin or sys.stdin.buffer, name)
            else:
                name = free_name(path.name, path, taken)
                content = _content(path, str(path))
            documents.append(read_document(content, name))
    return compose(documents, unread)


def _is_new(path: Path, met: set[Path]) -> bool:
    """Tell whether a file was not met before, by whatever path, and note that it is now."""
    place = path if path == STANDARD_INPUT else path.resolve()
    is_new = place not in met
    met.add(place)
    return is_new


def compose(documents: Iterable[Document], unread: Iterable[Problem] = ()) -> Reading:
    """Join documents, whose names differ, into one corpus."""
    documents = tuple(documents)
    assembly = assemble(record for document in documents for record in document.records)
    return Reading(assembly.corpus, documents, tuple(unread), assembly.records, assembly.mended)


def read_document(content: bytes, name: str, limit: int = LARGEST_DOCUMENT) -> Document:
    """Read one document, telling what it is by its content and, where that is mute, its name.

    Parameters
    ----------
    content : bytes
        The whole document, which may be packed by gzip.
    name : str
        What it is called in sources and problems.
    limit : int
        Bytes that it may have when unpacked.

    Raises
    ------
    PaperskyError
        If it is no list of papers, or too large.
    """
    content, problems = unpack(content, name, limit)
    if is_tables(content):
        found = list(read_tables(content, name))
    else:
        text, guesses = decode(content, name)
        problems += guesses
        found = list(_reader_of(text, name)(text, name))
        if all(isinstance(each, Problem) and each.no_paper for each in found):
            what = "No paper was found in it." if text.strip() else "It is empty."
            problems += (Problem(name, what, skipped=True),)
    return Document(
        name,
        tuple(record for record in found if not isinstance(record, Problem)),
        (*problems, *(problem for problem in found if isinstance(problem, Problem))),
    )


def _reader_of(text: str, name: str) -> _Read:
    for looks_like_it, reader in _FAMILIES:
        if looks_like_it(text):
            return reader
    by_name = _FAMILY_OF_SUFFIX.get(_suffix(name))
    if by_name is None:
        raise PaperskyError(
            f"{name} is not a kind of file that can be read.",
            f"{_KINDS_HINT} Abstracts are read only of files that are called .txt or .md.",
        )
    return by_name


def _suffix(name: str) -> str:
    return PurePath(name.lower().removesuffix(".gz")).suffix


def free_name(name: str, path: PurePath, taken: set[str]) -> str:
    """Return a name that no other document has: as short as may be, else the path as it is given.

    Counts and problems are told by document, and two folders may each hold a refs.bib.
    """
    numbered = (f"{path.as_posix()} ({number})" for number in count(2))
    free = next(each for each in chain((name, path.as_posix()), numbered) if each not in taken)
    taken.add(free)
    return free


def _read_folder(
    folder: Path, taken: set[str], met: set[Path], unread: list[Problem]
) -> Iterator[Document]:
    """Yield what can be read and was not `met`, and add to `unread` what cannot."""
    papers = known = 0
    for file in sorted(folder.rglob("*")):
        place = file.relative_to(folder)
        if not file.is_file() or any(part.startswith(".") for part in place.parts):
            continue
        if not _is_new(file, met):
            known += 1
            continue
        name = free_name(place.as_posix(), file, taken)
        try:
            document = read_document(_content(file, name), name)
            papers += len(document.records)
            yield document
        except PaperskyError as error:
            what = error.message.removeprefix(f"{name} ")
            what = error.message if what == error.message else f"It {what}"
            unread.append(Problem(name, what, skipped=True))
    if not papers and not known:
        reason = f" {unread[0].source}: {unread[0].what}" if unread else ""
        raise PaperskyError(f"The folder {folder} holds nothing to read.{reason}", _KINDS_HINT)


def _content(path: Path, name: str) -> bytes:
    try:
        if path.stat().st_size > LARGEST_DOCUMENT:
            raise too_large(name, LARGEST_DOCUMENT)
        with path.open("rb") as stream:
            return read_bytes(stream, name)
    except FileNotFoundError as error:
        raise PaperskyError(
            f"There is no file or folder {name}.", "Check the spelling, or give its full path."
        ) from error
    except OSError as error:
        raise PaperskyError(
            f"{name} cannot be read: {error.strerror or error}.", "Check its permissions."
        ) from error
