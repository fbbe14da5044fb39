"""The corpus table: one row a paper."""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from cache import text
from cache.links import CODE_KINDS, CodeLink, find_code_link
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


def corpus_from_records(records: Iterable[Record]) -> pd.DataFrame:
    """Make the corpus table, completing each paper and joining those that are the same.

    Parameters
    ----------
    records : iterable of Record
        In the order in which they were read. Keys beyond `COLUMNS` become columns of their own.

    Returns
    -------
    pandas.DataFrame
        One row a paper, in the order of first appearance, with the columns of `COLUMNS` first.
        Missing text is ``""``, a missing year ``<NA>``, a missing list ``[]``.
    """
    papers: dict[str, dict[str, Any]] = {}
    for record in records:
        paper = _complete(record)
        known = papers.get(paper["id"])
        papers[paper["id"]] = paper if known is None else _merge(known, paper)
    return _table(list(papers.values()))


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


def identify(record: Record) -> str:
    """Return the record's own id, else a hash of its normalised abstract (or title).

    The same paper keeps its id in whatever order and company it is read.
    """
    own = str(record.get("id") or "").strip()
    if own:
        return own
    words = _normalised(record.get("abstract") or record.get("title") or "")
    return hashlib.sha256(words.encode()).hexdigest()[:16]


def _normalised(words: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", words).casefold().split())


def _complete(record: Record) -> dict[str, Any]:
    abstract = str(record.get("abstract") or "")
    title = str(record.get("title") or "")
    code = CodeLink.of(str(record.get("code_url") or "")) or find_code_link(abstract)
    return {
        **record,
        "id": identify(record),
        "title": title or derive_title(abstract),
        "title_given": bool(title),
        "abstract": abstract,
        "code_url": code.url if code else "",
        "code_kind": code.kind if code else "none",
    }


def _merge(known: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    sources = dict.fromkeys([known.get("source", ""), other.get("source", "")])
    merged = {**other, **{column: value for column, value in known.items() if value}}
    if other["title_given"] and not known["title_given"]:
        merged |= {"title": other["title"], "title_given": True}
    return merged | {"source": "; ".join(filter(None, sources))}


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
