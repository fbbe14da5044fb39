"""The cosine neighbours of every paper."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from cache.progress import Progress, silent

EXACT_UP_TO: Final = 50_000
"""Up to so many vectors all are compared with all.

At 30,000 that took 11 seconds of two cores and the descent 3, at 10,000 and 100,000 about 1
against 1 and 120 against 10; but its functions take 20 to be compiled.
"""

BLOCK_BYTES: Final = 64 * 2**20
"""Memory of one block of similarities, in bytes; a few such blocks are alive at a time."""

_SEED: Final = 42
_WHAT: Final = "Finding neighbours"


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


def nearest(vectors: npt.NDArray[np.float32], k: int, progress: Progress = silent) -> Neighbours:
    """Find the k nearest others of each vector: all of them, or nearly so among very many.

    Parameters
    ----------
    vectors : numpy.ndarray
        Shape (n, d), float32, rows finite and of length one. Neither is checked: a row of zeros is
        as near to everything as to nothing, and NaN spoils the order.
    k : int
        How many; at most n - 1 are returned, since no paper is its own neighbour.
    progress : Progress
        Told of how many vectors the neighbours are known.

    Returns
    -------
    Neighbours
        Equal similarities in order of their index.
    """
    n = len(vectors)
    k = max(0, min(k, n - 1))
    progress(_WHAT, 0, n)
    found = exact(vectors, k, progress) if n <= EXACT_UP_TO else approximate(vectors, k)
    progress(_WHAT, n, n)
    return found


def exact(vectors: npt.NDArray[np.float32], k: int, progress: Progress = silent) -> Neighbours:
    """Compare all with all; as `nearest`, with k < n."""
    n = len(vectors)
    indices = np.empty((n, k), dtype=np.int32)
    similarities = np.empty((n, k), dtype=np.float32)
    if k:
        for rows in _blocks(n):
            indices[rows], similarities[rows] = _nearest_of(vectors, rows, k)
            progress(_WHAT, rows.stop, n)
    return Neighbours(indices, similarities)


def approximate(vectors: npt.NDArray[np.float32], k: int) -> Neighbours:
    """Ask neighbours for their neighbours; as `nearest`, with k < n, but some may be missed.

    Nearest neighbour descent (Dong, Moses and Li 2011, https://doi.org/10.1145/1963405.1963487)
    as pynndescent has it; the same ones each time.
    """
    from pynndescent import NNDescent  # noqa: PLC0415 - slow to import

    n = len(vectors)
    index = NNDescent(vectors, metric="cosine", n_neighbors=k + 1, random_state=_SEED)
    candidates = index.neighbor_graph[0].astype(np.int32)
    # Each is among its own, unless it has many copies.
    others = candidates != np.arange(n)[:, np.newaxis]
    others[others.all(axis=1), -1] = False
    indices = candidates[others].reshape(n, k)
    similarities = np.empty((n, k), dtype=np.float32)
    for rows in _blocks(n):
        of_each = vectors[indices[rows]] @ vectors[rows, :, np.newaxis]
        similarities[rows] = np.clip(of_each[..., 0], -1, 1)
        # What the descent could not reach is marked by -1.
        for row in np.flatnonzero((indices[rows] < 0).any(axis=1)) + rows.start:
            indices[row], similarities[row] = _nearest_of(vectors, slice(row, row + 1), k)
    order = np.lexsort((indices, -similarities))
    return Neighbours(
        np.take_along_axis(indices, order, axis=1), np.take_along_axis(similarities, order, axis=1)
    )


def _nearest_of(
    vectors: npt.NDArray[np.float32], rows: slice, k: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Return the neighbours of some rows and their similarities, each of shape (rows, k)."""
    block = vectors[rows] @ vectors.T
    np.clip(block, -1, 1, out=block)
    block[np.arange(len(block)), np.arange(rows.start, rows.stop)] = -np.inf
    largest = _largest(block, k)
    return largest.astype(np.int32), np.take_along_axis(block, largest, axis=1)


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
