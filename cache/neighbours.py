"""Exact cosine neighbours of every paper."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

BLOCK_BYTES: Final = 64 * 2**20
"""Memory of one block of similarities, in bytes; a few such blocks are alive at a time."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest other papers of each paper, the nearest first.

    Attributes
    ----------
    indices : numpy.ndarray
        Shape (n, k), int32: rows of the vectors that were searched.
    similarities : numpy.ndarray
        Shape (n, k), float32: their cosine similarities, in [-1, 1].
    """

    indices: npt.NDArray[np.int32]
    similarities: npt.NDArray[np.float32]


def nearest(vectors: npt.NDArray[np.float32], k: int) -> Neighbours:
    """Find the k nearest others of each vector by comparing all with all.

    Exact search costs a matrix product, which two cores finish in seconds for tens of thousands of
    papers: less than building an approximate index does.

    Parameters
    ----------
    vectors : numpy.ndarray
        Shape (n, d), float32, rows finite and of length one. Neither is checked: a row of zeros is
        as near to everything as to nothing, and NaN spoils the order.
    k : int
        How many; at most n - 1 are returned, since no paper is its own neighbour.

    Returns
    -------
    Neighbours
        Equal similarities in order of their index.
    """
    n = len(vectors)
    k = max(0, min(k, n - 1))
    indices = np.empty((n, k), dtype=np.int32)
    similarities = np.empty((n, k), dtype=np.float32)
    if k:
        for rows in _blocks(n):
            block = vectors[rows] @ vectors.T
            np.clip(block, -1, 1, out=block)
            block[np.arange(len(block)), np.arange(rows.start, rows.stop)] = -np.inf
            indices[rows] = _largest(block, k)
            similarities[rows] = np.take_along_axis(block, indices[rows], axis=1)
    return Neighbours(indices, similarities)


def _blocks(n: int) -> Iterator[slice]:
    rows = max(1, BLOCK_BYTES // (4 * n))
    for start in range(0, n, rows):
        yield slice(start, min(start + rows, n))


def _largest(block: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.intp]:
    """Return the columns of the k largest values of each row, equal ones by column.

    Only values above the k-th are sorted, all that equal it included: argpartition would keep
    whichever of the equal ones it met.
    """
    n = block.shape[1]
    least = np.partition(block, n - k, axis=1)[:, n - k]
    rows, columns = np.nonzero(block >= least[:, np.newaxis])
    order = np.lexsort((-block[rows, columns], rows))
    first = np.searchsorted(rows, np.arange(len(block)))
    largest: npt.NDArray[np.intp] = columns[order][first[:, np.newaxis] + np.arange(k)]
    return largest
