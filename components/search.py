"""From a query to the papers it finds, by words: SQLite's FTS5 finds and ranks each term."""

import hashlib
import json
import math
import sqlite3
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from threading import Lock
from typing import Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from cache import text
from cache.errors import PaperskyError
from cache.store import Store
from components.query import (
    FIELDS,
    PUBLISHED,
    And,
    Code,
    Field,
    Near,
    Node,
    Not,
    Or,
    Query,
    QueryError,
    Regex,
    Term,
    Words,
    Years,
    compiled,
    terms_of,
)
from components.tables import fill_tables, match_expression, open_tables, table_of
from components.words import fold

Mask: TypeAlias = npt.NDArray[np.bool_]

WEIGHTS: Final = {
    "title": 4.0,
    "abstract": 1.0,
    "authors": 2.0,
    "keywords": 2.0,
    "venue": 1.0,
    "topic": 1.0,
}
"""How much an occurrence counts in each field: a title says what a paper is about, an abstract
also what it is compared with."""

INDEX_VERSION: Final = 1
"""Part of every index's key: raise it whenever `SearchIndex`, `cache.text.plain` or
`components.words.fold` come to answer differently."""

_ASKED: Final = ("markdown-it-py", "pylatexenc", "regex")
"""The libraries that have a say in what the words of a text are."""

REGEX_SECONDS: Final = 2.0
"""How long the regular expressions of a query may search the corpus before they are stopped."""

_BATCH: Final = 1_000
"""Papers that are indexed together, so that no more texts are held at once."""

_MARKED_UP: Final[tuple[Field, ...]] = ("title", "abstract")


@dataclass(frozen=True, eq=False)
class Hits:
    """The papers a query finds.

    Attributes
    ----------
    query : Query
    rows : numpy.ndarray
        Shape (hits,), int32: rows of the corpus, best first by the sum of their BM25 scores for
        each of the query's terms; those of the same score in the corpus's own order.
    occurs : numpy.ndarray
        Shape (terms, papers), bool: which of the corpus's papers each of `query.terms` occurs in,
        found or not.
    """

    query: Query
    rows: npt.NDArray[np.int32]
    occurs: Mask

    @property
    def mask(self) -> Mask:
        """Shape (papers,), bool: which of the corpus's papers were found."""
        mask = np.zeros(self.occurs.shape[1], dtype=bool)
        mask[self.rows] = True
        return mask


class SearchIndex:
    """The words of a corpus, ready to be searched. Threads may share it.

    Parameters
    ----------
    corpus : pandas.DataFrame
        A corpus table (`cache.papers`).
    topics : sequence of str
        The name of each paper's topic, in the corpus's order.
    store : Store, optional
        Where the index is kept: then it is made only once.

    Raises
    ------
    PaperskyError
        If the store cannot be read.
    """

    def __init__(
        self, corpus: pd.DataFrame, topics: Sequence[str], store: Store | None = None
    ) -> None:
        self._sources = _sources(corpus, topics)
        self._years = corpus["year"].to_numpy(dtype=np.float32, na_value=np.nan)
        self._code_kinds = corpus["code_kind"].to_numpy(dtype=object)
        self._lock = Lock()
        # SQLite before 3.36 may lack what keeping takes, and then Python has no such method.
        if store is None or not hasattr(sqlite3.Connection, "deserialize"):
            self._database = _indexed(self._sources)
        else:
            self._database = _kept(self._sources, store)

    def __len__(self) -> int:
        return len(self._years)

    def search(self, query: Query, regex_seconds: float = REGEX_SECONDS) -> Hits:
        """Find the papers that fulfil a query, best first.

        Parameters
        ----------
        query : Query
        regex_seconds : float
            How long the regular expressions may take together.

        Raises
        ------
        QueryError
            If they take longer.
        """
        deadline = time.monotonic() + regex_seconds
        scores = {
            term: self._regex_scores(RegexFinder(term, deadline), term.field)
            if isinstance(term, Regex)
            else self._word_scores(term)
            for term in dict.fromkeys(terms_of(query.root, negated=True))
        }
        mask = self._mask(query.root, scores)
        total = sum((scores[term] for term in query.terms), start=np.zeros(len(self)))
        ranked = total.astype(np.float32)
        rows = np.flatnonzero(mask)
        rows = rows[np.argsort(-ranked[rows], kind="stable")]
        occurs = [scores[term] > 0 for term in query.terms]
        return Hits(
            query,
            rows.astype(np.int32),
            np.array(occurs, dtype=bool).reshape(len(query.terms), len(self)),
        )

    def occurs(self, term: Words | Near) -> Mask:
        """Tell which papers a term occurs in, without ranking them: bool, shape (papers,)."""
        table = table_of(term)
        with self._lock:
            found = self._database.execute(
                f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (match_expression(term),)
            ).fetchall()
        mask = np.zeros(len(self), dtype=bool)
        mask[[row for (row,) in found]] = True
        return mask

    def _mask(self, node: Node | None, scores: dict[Term, npt.NDArray[np.float64]]) -> Mask:
        if node is None:
            return np.ones(len(self), dtype=bool)
        if isinstance(node, And | Or):
            combine = np.logical_and if isinstance(node, And) else np.logical_or
            masks = [self._mask(part, scores) for part in node.nodes]
            return cast("Mask", combine.reduce(masks))
        if isinstance(node, Not):
            return ~self._mask(node.node, scores)
        if isinstance(node, Years):
            first = -np.inf if node.first is None else node.first
            last = np.inf if node.last is None else node.last
            return (self._years >= first) & (self._years <= last)
        if isinstance(node, Code):
            return np.isin(self._code_kinds, node.kinds)
        return scores[node] > 0

    def _word_scores(self, term: Words | Near) -> npt.NDArray[np.float64]:
        """Score every paper by one term: shape (papers,), above 0 where it occurs."""
        weights = ", ".join(str(WEIGHTS[field]) for field in FIELDS)
        table = table_of(term)
        with self._lock:
            found = self._database.execute(
                f"SELECT rowid, -bm25({table}, {weights}) FROM {table} WHERE {table} MATCH ?",
                (match_expression(term),),
            ).fetchall()
        scores = np.zeros(len(self))
        if found:
            rows, values = np.array(found).T
            scores[rows.astype(np.int32)] = np.maximum(values, np.finfo(np.float32).tiny)
        return scores

    def _regex_scores(self, finder: "RegexFinder", field: Field | None) -> npt.NDArray[np.float64]:
        """Score by rarity alone, as BM25 scores a word that occurs once everywhere it does."""
        mask = np.zeros(len(self), dtype=bool)
        for name in [field] if field else PUBLISHED:
            for row, searched in enumerate(self._plain_texts(name)):
                if searched and not mask[row]:
                    mask[row] = finder.occurs(searched)
        found = int(mask.sum())
        rarity = math.log((len(self) - found + 0.5) / (found + 0.5))
        return mask * max(rarity, float(np.finfo(np.float32).tiny))

    def _plain_texts(self, field: Field) -> list[str]:
        texts = list(self._sources[field])
        with self._lock:
            differing = self._database.execute(
                "SELECT paper, text FROM plain WHERE field = ?", (field,)
            ).fetchall()
        for row, plain in differing:
            texts[row] = plain
        return texts


class RegexFinder:
    """Finds a regular expression in one text after another, within one time limit for all.

    A match of no length is none.

    Parameters
    ----------
    term : Regex
    deadline : float
        When to stop, by `time.monotonic`, in seconds.
    """

    def __init__(self, term: Regex, deadline: float) -> None:
        self._term = term
        self._pattern = compiled(term.pattern)
        self._deadline = deadline

    def occurs(self, searched: str) -> bool:
        """Tell whether there is a match; raises QueryError once the time is up."""
        return next(self.spans(searched), None) is not None

    def spans(self, searched: str) -> Iterator[tuple[int, int]]:
        """Yield the slice of each match; raises QueryError once the time is up."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise self._stopped()
        try:
            for match in self._pattern.finditer(searched, timeout=left):
                if match.end() > match.start():
                    yield match.span()
        except TimeoutError as late:
            raise self._stopped() from late

    def _stopped(self) -> QueryError:
        return QueryError(
            f"The regular expression /{self._term.pattern}/ took too long and was stopped.",
            self._term.start,
            self._term.end,
            "A repetition within a repetition, as in (a+)+, tries too many ways to match.",
        )


def _sources(corpus: pd.DataFrame, topics: Sequence[str]) -> dict[Field, list[str]]:
    """Return what is searched of each paper, by field, as published; lists joined by ``", "``."""
    return {
        "title": list(corpus["title"]),
        "abstract": list(corpus["abstract"]),
        "authors": list(map(", ".join, corpus["authors"])),
        "keywords": list(map(", ".join, corpus["keywords"])),
        "venue": list(corpus["venue"]),
        "topic": list(topics),
    }


def _kept(sources: Mapping[Field, Sequence[str]], store: Store) -> sqlite3.Connection:
    """Open the index that the store keeps of these texts; make and keep it if there is none."""
    key = _key(sources)
    content = store.read_index(key)
    if content is not None:
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.deserialize(content)
        return database
    database = _indexed(sources)
    # A full disk must not keep anyone from searching.
    with suppress(PaperskyError):
        store.write_index(key, database.serialize())
    return database


def _key(sources: Mapping[Field, Sequence[str]]) -> str:
    """Return the hex digest of all that decides an index."""
    versions = [INDEX_VERSION, sqlite3.sqlite_version, unicodedata.unidata_version]
    digest = hashlib.sha256(json.dumps([*versions, *map(version, _ASKED)]).encode())
    for paper in zip(*sources.values(), strict=True):
        digest.update(json.dumps(paper).encode())
    return digest.hexdigest()


def _indexed(sources: Mapping[Field, Sequence[str]]) -> sqlite3.Connection:
    database = open_tables(FIELDS, stored=False)
    database.execute("CREATE TABLE plain (field, paper, text)")
    papers = len(sources["topic"])
    for first in range(0, papers, _BATCH):
        some = range(first, min(first + _BATCH, papers))
        _index(database, {field: sources[field][some.start : some.stop] for field in FIELDS}, some)
    database.commit()
    return database


def _index(
    database: sqlite3.Connection, sources: Mapping[Field, Sequence[str]], papers: range
) -> None:
    """Index texts without their markup, and keep those of them that this has changed."""
    plain = {**sources, **{field: list(map(text.plain, sources[field])) for field in _MARKED_UP}}
    folded = zip(*(map(fold, plain[field]) for field in FIELDS), strict=True)
    fill_tables(database, FIELDS, list(folded), papers.start)
    for field in _MARKED_UP:
        texts = zip(papers, plain[field], sources[field], strict=True)
        changed = [(field, row, shown) for row, shown, source in texts if shown != source]
        database.executemany("INSERT INTO plain VALUES (?, ?, ?)", changed)
