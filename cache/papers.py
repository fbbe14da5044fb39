"""The corpus table: one row a paper."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final

import numpy as np
import pandas as pd

from cache import text
from cache.duplicates import IDENTIFIERS, Said, fullest, same_papers
from cache.inline import web_url
from cache.links import CODE_KINDS, CodeLink, find_code_link
from cache.mending import mend_abstract, mend_label, mend_name, mend_title
from cache.titles import derive_title

TEXT_COLUMNS: Final = (
    "title",
    "abstract",
    "venue",
    "presentation",
    "url",
    "pdf_url",
    "code_url",
    "source",
)
LIST_COLUMNS: Final = ("authors", "keywords")
COLUMNS: Final = (
    "id",
    "title",
    "title_given",
    "abstract",
    "authors",
    "keywords",
    "venue",
    "year",
    "presentation",
    "url",
    "pdf_url",
    "code_url",
    "code_kind",
    "source",
)

Record = Mapping[str, Any]
"""What a reader found of one paper, under the names in `COLUMNS`; what is missing is left out."""


@dataclass(frozen=True, eq=False)
class Assembly:
    """The corpus table, and what was done to make it.

    Attributes
    ----------
    corpus : pandas.DataFrame
    records : tuple of tuple of int
        Of which records each paper was made, by their numbers from 0, ascending.
    mended : frozenset of str
        The ids of the papers whose title, abstract or venue was not written as it is now, but for
        spaces.
    """

    corpus: pd.DataFrame
    records: tuple[tuple[int, ...], ...]
    mended: frozenset[str]


def assemble(records: Iterable[Record]) -> Assembly:
    """Make the corpus table, mending and completing each paper and joining those that are the same.

    Parameters
    ----------
    records : iterable of Record
        In the order in which they were read. Keys beyond `COLUMNS` become columns of their own.

    Returns
    -------
    Assembly
        Its corpus has one row a paper, in the order of first appearance, with the columns of
        `COLUMNS` first. Missing text is ``""``, a missing year ``<NA>``, a missing list ``[]``.
    """
    given = list(records)
    papers = [_complete(record) for record in given]
    said = [Said.by(paper) for paper in papers]
    groups = same_papers(papers, said)
    alike = [[papers[row] for row in rows] for rows in groups]
    ids = _ids(alike, [[said[row] for row in rows] for rows in groups])
    table = [{**fullest(same), "id": name} for same, name in zip(alike, ids, strict=True)]
    mended = [any(_is_mended(given[row], papers[row]) for row in rows) for rows in groups]
    return Assembly(
        _table(table),
        tuple(map(tuple, groups)),
        frozenset(compress(ids, mended)),
    )


def embedded_texts(corpus: pd.DataFrame) -> list[str]:
    """Return what is embedded of each paper, in order; ``""`` for one without title and text.

    A derived title says nothing that the abstract does not, so only a given one is embedded.
    """
    return [
        text.embedded_text(title if given else "", abstract)
        for title, given, abstract in zip(
            corpus["title"], corpus["title_given"], corpus["abstract"], strict=True
        )
    ]


def venue_and_year(venue: str, year: Any) -> str:
    """Write where a paper appeared as ``ICML 2025``; either may be missing."""
    return " ".join(filter(None, [venue, "" if pd.isna(year) else str(year)]))


def _complete(record: Record) -> dict[str, Any]:
    title = mend_title(_text(record, "title"))
    abstract = mend_abstract(_text(record, "abstract"))
    code = _code_link(_text(record, "code_url"), abstract)
    return {
        **record,
        "title": title or derive_title(abstract),
        "title_given": bool(title),
        "abstract": abstract,
        "authors": _mended_list(record, "authors", mend_name),
        "keywords": _mended_list(record, "keywords", mend_label),
        "venue": mend_label(_text(record, "venue")),
        "code_url": code.url if code else "",
        "code_kind": code.kind if code else "none",
    }


def _text(record: Record, column: str) -> str:
    value = record.get(column)
    return value if isinstance(value, str) else ""


def _mended_list(record: Record, column: str, mended: Callable[[str], str]) -> list[str]:
    items = (mended(item) for item in record.get(column) or ())
    return list(dict.fromkeys(filter(None, items)))


def _code_link(given: str, abstract: str) -> CodeLink | None:
    """Return where the code is: a link that was given as such may lead to any page."""
    link = (CodeLink.of(given) if given else None) or find_code_link(abstract)
    page = "" if link or not given else web_url(given)
    return CodeLink(page, "project page") if page else link


def _is_mended(record: Record, paper: Mapping[str, Any]) -> bool:
    return any(
        written != paper[column] and written.split() != paper[column].split()
        for column in ("title", "abstract", "venue")
        if (written := _text(record, column))
    )


def _own_name(papers: Sequence[Mapping[str, Any]]) -> str:
    """Return the best name that records of one paper give it, ``""`` if there is none.

    A number alone is a row's as likely as a paper's, and names another paper in another list.
    """
    for column in (*IDENTIFIERS, "id"):
        names = (str(paper.get(column) or "").strip() for paper in papers)
        if found := sorted(name for name in names if name and not name.isdigit()):
            return found[0]
    return ""


def _ids(
    papers: Sequence[Sequence[Mapping[str, Any]]], said: Sequence[Sequence[Said]]
) -> list[str]:
    """Return a name of each paper that no other has, in whatever order they stand."""
    own = [_own_name(records) for records in papers]
    digests = [min(records, key=lambda said: said.digest) for records in said]
    names = [name or told.digest for name, told in zip(own, digests, strict=True)]
    uses = Counter(names)
    taken: set[str] = set()
    for row, told in enumerate(digests):
        if uses[names[row]] > 1:  # a key that several lists use, or a text that several titles have
            names[row] = f"{names[row]}-{told.detail[:8]}"
        while names[row] in taken:
            names[row] += "-again"
        taken.add(names[row])
    return names


def _table(papers: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    extra = dict.fromkeys(column for paper in papers for column in paper if column not in COLUMNS)

    def values(column: str, missing: Any) -> list[Any]:
        return [paper.get(column) or missing for paper in papers]

    columns: dict[str, Any] = {
        "id": pd.array(values("id", ""), dtype="str"),
        "title_given": np.array(values("title_given", False), dtype=bool),
        "year": pd.array(values("year", pd.NA), dtype="Int16"),
        "code_kind": pd.Categorical(values("code_kind", "none"), categories=CODE_KINDS),
    }
    columns |= {name: pd.array(values(name, ""), dtype="str") for name in TEXT_COLUMNS}
    columns |= {
        name: pd.Series([list(items) for items in values(name, [])], dtype=object)
        for name in LIST_COLUMNS
    }
    columns |= {name: [paper.get(name) for paper in papers] for name in extra}
    return pd.DataFrame({name: columns[name] for name in (*COLUMNS, *extra)})
