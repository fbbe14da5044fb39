"""Search by meaning: the papers whose vectors point the same way as that of a query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from components.search import Mask

Rows: TypeAlias = npt.NDArray[np.int32]
Vectors: TypeAlias = npt.NDArray[np.float32]

MOST_FOUND: Final = 50
"""How many papers meaning finds at most: everything is similar to some degree."""

LEAST_SIMILARITY: Final = 0.25
"""The cosine similarity below which a paper is not found. With the default model and 3,230 papers
of machine learning, each of 150 keywords of their authors finds papers above it, and of the papers
with that keyword three quarters lie above; 40 subjects of daily life find 4 papers on average,
most of them none. Models that find everything similar are limited by `MOST_FOUND` alone."""

RRF_K: Final = 60
"""Smooths reciprocal ranks, so that no single first place outweighs agreement. Cormack, Clarke and
Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods"
(SIGIR 2009), https://doi.org/10.1145/1571941.1572114"""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Some papers of a corpus, best first.

    Attributes
    ----------
    rows : int32 array, shape (k,)
        Each paper once; those with the same score in the corpus's own order.
    scores : float32 array, shape (k,)
        Not increasing; what they measure is for who ranked to say.
    """

    rows: Rows
    scores: npt.NDArray[np.float32]


def most_similar(
    vectors: Vectors,
    query: npt.NDArray[np.float32],
    among: Mask,
    most: int = MOST_FOUND,
    least: float = LEAST_SIMILARITY,
) -> Ranking:
    """Rank papers by their cosine similarity to a query.

    Parameters
    ----------
    vectors : float32 array, shape (n, d)
        Of length one; zeros for a paper without text, which is never found.
    query : float32 array, shape (d,)
        Of length one.
    among : bool array, shape (n,)
        The papers that may be found.
    most : int, optional
        How many are found at most.
    least : float, optional
        How similar they are at least.

    Returns
    -------
    Ranking
        Its scores are the similarities, in [-1, 1].
    """
    similarities = np.clip(vectors @ query, -1, 1)
    candidates = among & (similarities >= least) & vectors.any(axis=1)
    rows = np.flatnonzero(candidates)
    rows = rows[np.argsort(-similarities[rows], kind="stable")][:most]
    return Ranking(rows.astype(np.int32), similarities[rows])


def more_like(vectors: Vectors, examples: Sequence[int], among: Mask) -> Ranking:
    """Rank papers by their cosine similarity to the mean of some examples, which are left out.

    Parameters
    ----------
    vectors : float32 array, shape (n, d)
        As for `most_similar`.
    examples : sequence of int
        Rows of the examples. If none of them has text, nothing is found.
    among : bool array, shape (n,)
        The papers that may be found.

    Returns
    -------
    Ranking
        As of `most_similar`.
    """
    total = vectors[list(examples)].sum(axis=0)
    length = float(np.linalg.norm(total))
    others = among.copy()
    others[list(examples)] = False
    if not length:
        others[:] = False
        length = 1.0
    return most_similar(vectors, (total / length).astype(np.float32), others)


def fuse(*rankings: Rows) -> Ranking:
    """Merge rankings by the sum of their reciprocal ranks.

    Parameters
    ----------
    *rankings : int32 array
        Rows of papers, best first, each once.

    Returns
    -------
    Ranking
        Every paper of any ranking; scores are the sums of 1 / (`RRF_K` + rank), ranks from 1.
    """
    if not any(map(len, rankings)):
        return Ranking(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32))
    rows, places = np.unique(np.concatenate(rankings), return_inverse=True)
    reciprocal = [1 / (RRF_K + np.arange(1, len(ranking) + 1)) for ranking in rankings]
    scores = np.bincount(places, weights=np.concatenate(reciprocal))
    order = np.argsort(-scores, kind="stable")
    return Ranking(rows[order].astype(np.int32), scores[order].astype(np.float32))
