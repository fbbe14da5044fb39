"""What is found: by words, by meaning, by both, or by likeness to some papers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import numpy as np

from components.meaning import (
    MOST_FOUND,
    Ranking,
    Rows,
    Vectors,
    fuse,
    more_like,
    most_similar,
)
from components.query import Query, Regex, Term, is_prose, relaxed, restrictions
from components.search import Hits, Mask, SearchIndex

SearchBy: TypeAlias = Literal["words", "both", "meaning"]

MOST_COUNTED: Final = 8
"""Of so many terms the papers are counted at least: those a reader still tells apart."""


@dataclass(frozen=True, eq=False)
class Finding:
    """The papers of a corpus that are found.

    Attributes
    ----------
    rows : int32 array, shape (k,)
        Best first.
    query : Query or None
        Whose words show why they were found.
    similarities : mapping of int to float
        By row: cosine similarity to what is sought, of those found by meaning.
    loosened : bool
        Whether some of the words were enough, because no paper has them all.
    occurs : mapping of Term to bool array, shape (n,)
        In which of all n papers a term of `query` occurs: the first `MOST_COUNTED` at least.
    """

    rows: Rows
    query: Query | None = None
    similarities: Mapping[int, float] = field(default_factory=dict)
    loosened: bool = False
    occurs: Mapping[Term, Mask] = field(default_factory=dict)

    @property
    def told_apart(self) -> tuple[Term, ...]:
        """The terms that are counted and have a colour each; pasted prose has too many."""
        if self.query is None or is_prose(self.query.text):
            return ()
        return self.query.terms[:MOST_COUNTED]

    @property
    def counts(self) -> dict[Term, int]:
        """In how many of all papers the terms of `occurs` occur."""
        return {term: int(where.sum()) for term, where in self.occurs.items()}

    def mask(self, papers: int) -> Mask:
        """Tell which of a number of papers were found: bool, shape (papers,)."""
        mask = np.zeros(papers, dtype=bool)
        mask[self.rows] = True
        return mask


def by_words(index: SearchIndex, query: Query) -> Finding:
    """Find the papers with all words of a query; if there are none, those with some of them.

    Raises
    ------
    QueryError
        As `SearchIndex.search` does; so do the functions below.
    """
    hits = index.search(query)
    looser = relaxed(query)
    if len(hits.rows) or looser is query:
        return Finding(hits.rows, query, occurs=_occurs(hits))
    hits = index.search(looser)
    return Finding(hits.rows, looser, loosened=True, occurs=_occurs(hits))


def by_meaning(index: SearchIndex, query: Query, vectors: Vectors, meant: Vectors) -> Finding:
    """Find the papers most similar to a query among those that its restrictions leave.

    Parameters
    ----------
    index : SearchIndex
    query : Query
    vectors : float32 array, shape (n, d)
        Of the papers, as `components.meaning.most_similar` wants them.
    meant : float32 array, shape (d,)
        That of what `components.query.meant` says.
    """
    left = index.search(restrictions(query))
    found = most_similar(vectors, meant, left.mask)
    shown = relaxed(query)
    # No restriction drops a regular expression, the one kind of term that is slow to count.
    occurs = _occurs(left)
    for term in shown.terms[:MOST_COUNTED]:
        if not isinstance(term, Regex) and term not in occurs:
            occurs[term] = index.occurs(term)
    return Finding(found.rows, shown, _similarities(found), occurs=occurs)


def by_both(index: SearchIndex, query: Query, vectors: Vectors, meant: Vectors) -> Finding:
    """Merge what words find and what meaning finds; parameters as for `by_meaning`.

    Papers that have only some of the words count as far as meaning reaches: nearly every paper
    shares some word with a pasted abstract.
    """
    words = by_words(index, query)
    alike = most_similar(vectors, meant, index.search(restrictions(query)).mask)
    few = words.loosened or is_prose(query.text)
    merged = fuse(words.rows[:MOST_FOUND] if few else words.rows, alike.rows)
    return Finding(merged.rows, relaxed(query), _similarities(alike), words.loosened, words.occurs)


def like(vectors: Vectors, examples: Sequence[int], among: Finding | None) -> Finding:
    """Find the papers most like some examples, by their rows, which are themselves left out.

    Parameters
    ----------
    vectors : float32 array, shape (n, d)
    examples : sequence of int
    among : Finding or None
        What may be found; None for every paper.
    """
    n = len(vectors)
    allowed = np.ones(n, dtype=bool) if among is None else among.mask(n)
    found = more_like(vectors, examples, allowed)
    if among is None:
        return Finding(found.rows, similarities=_similarities(found))
    return Finding(found.rows, among.query, _similarities(found), occurs=among.occurs)


def _occurs(hits: Hits) -> dict[Term, Mask]:
    return dict(zip(hits.query.terms, hits.occurs, strict=True))


def _similarities(ranking: Ranking) -> dict[int, float]:
    return dict(zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True))
