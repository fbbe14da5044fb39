"""From a query to the papers it finds, by words: SQLite's FTS5 finds and ranks each term."""

import math
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from cache import text
from components.query import (
    FIELDS,
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

REGEX_SECONDS: Final = 2.0
"""How long the regular expressions of a query may search the corpus before they are stopped."""

STEMMED: Final = "stemmed"
EXACT: Final = "exact"
TOKENIZERS: Final = {STEMMED: "porter ascii tokenchars '+#'", EXACT: "ascii tokenchars '+#'"}
"""The two tables of an index. `components.words.fold` has parted the words by spaces, so that
SQLite's own idea of a letter (which depends on its version) plays no part. Prefixes need the words
as they are written: Porter's stems do not begin with every beginning of a word."""


@dataclass(frozen=True, eq=False)
class Hits:
    """The papers a query finds.

    Attributes
    ----------
    query : Query
    rows : numpy.ndarray
        Shape (hits,), int32: rows of the corpus, best first; rows of the same score in the
        corpus's own order.
    scores : numpy.ndarray
        Shape (hits,), float32: the sum over the query's terms of their BM25 score (at least 0),
        0 for papers found by filters alone.
    occurs : numpy.ndarray
        Shape (terms, papers), bool: which of the corpus's papers each of `query.terms` occurs in,
        found or not.
    """

    query: Query
    rows: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float32]
    occurs: Mask

    @property
    def mask(self) -> Mask:
        """Shape (papers,), bool: which of the corpus's papers were found."""
        mask = np.zeros(self.occurs.shape[1], dtype=bool)
        mask[self.rows] = True
        return mask

    @property
    def counts(self) -> tuple[int, ...]:
        """Among the papers found, the number that each of `query.terms` occurs in."""
        return tuple(int(count) for count in self.occurs[:, self.rows].sum(axis=1))


class SearchIndex:
    """The words of a corpus, ready to be searched. Threads may share it.

    Parameters
    ----------
    corpus : pandas.DataFrame
        A corpus table (`cache.papers`).
    topics : sequence of str
        The name of each paper's topic, in the corpus's order.
    """

    def __init__(self, corpus: pd.DataFrame, topics: Sequence[str]) -> None:
        self._texts = searched_texts(corpus, topics)
        self._years = corpus["year"].to_numpy(dtype=np.float32, na_value=np.nan)
        self._code_kinds = corpus["code_kind"].to_numpy(dtype=object)
        self._lock = Lock()
        self._database = open_tables(FIELDS, stored=False)
        folded = zip(*(map(fold, self._texts[field]) for field in FIELDS), strict=True)
        fill_tables(self._database, FIELDS, list(folded))
        self._database.commit()

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
            ranked[rows],
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
        for name in [field] if field else FIELDS:
            for row, searched in enumerate(self._texts[name]):
                if searched and not mask[row]:
                    mask[row] = finder.occurs(searched)
        found = int(mask.sum())
        rarity = math.log((len(self) - found + 0.5) / (found + 0.5))
        return mask * max(rarity, float(np.finfo(np.float32).tiny))


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


def searched_texts(corpus: pd.DataFrame, topics: Sequence[str]) -> dict[str, list[str]]:
    """Return what is searched of each paper, by field: plain text without markup.

    Names and keywords are joined by ``", "``.
    """
    return {
        "title": list(map(text.plain, corpus["title"])),
        "abstract": list(map(text.plain, corpus["abstract"])),
        "authors": list(map(", ".join, corpus["authors"])),
        "keywords": list(map(", ".join, corpus["keywords"])),
        "venue": list(corpus["venue"]),
        "topic": list(topics),
    }


def open_tables(columns: Sequence[str], *, stored: bool) -> sqlite3.Connection:
    """Make empty full-text tables in memory, one for each of `TOKENIZERS`.

    Parameters
    ----------
    columns : sequence of str
        Of both tables.
    stored : bool
        Whether to keep the texts beside their index, as FTS5's ``highlight`` needs.
    """
    database = sqlite3.connect(":memory:", check_same_thread=False)
    content = "" if stored else ", content=''"
    for table, tokenizer in TOKENIZERS.items():
        database.execute(
            f"CREATE VIRTUAL TABLE {table} USING fts5"
            f'({", ".join(columns)}, tokenize="{tokenizer}"{content})'
        )
    return database


def fill_tables(
    database: sqlite3.Connection, columns: Sequence[str], rows: Sequence[tuple[str, ...]]
) -> None:
    """Insert rows of folded texts, one for each column, numbered from 0, into both tables.

    It is for the caller to commit them or to roll them back.
    """
    names, places = ", ".join(columns), ", ".join("?" for _ in columns)
    for table in TOKENIZERS:
        database.executemany(
            f"INSERT INTO {table} (rowid, {names}) VALUES (?, {places})",
            ((number, *row) for number, row in enumerate(rows)),
        )


def table_of(term: Words | Near) -> str:
    """Return the one of `TOKENIZERS` in which a term is to be sought."""
    parts = term.parts if isinstance(term, Near) else (term,)
    return EXACT if any(part.exact for part in parts) else STEMMED


def match_expression(term: Words | Near, *, in_field: bool = True) -> str:
    """Write a term as FTS5 wants it, restricted to its field unless told otherwise.

    Folded words hold no quote, so that quoting them is enough.
    https://www.sqlite.org/fts5.html#full_text_query_syntax
    """
    if isinstance(term, Near):
        expression = f"NEAR({' '.join(map(_quoted, term.parts))}, {term.distance})"
    else:
        expression = _quoted(term)
    return f"{term.field} : {expression}" if term.field and in_field else expression


def _quoted(words: Words) -> str:
    return f'"{words.words}"' + " *" * words.prefix
