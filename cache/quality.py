"""How far a map can be trusted: which true neighbours it kept near."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from cache.neighbours import Neighbours

JUDGED_ALL: Final = 5_000
"""Up to so many papers all are compared with all …"""

JUDGED_SAMPLE: Final = 2_000
"""… and above it so many, drawn at random, with all."""

_BLOCK: Final = 500
_SEED: Final = 0


@dataclass(frozen=True, eq=False)
class Quality:
    """How true a layout of n papers is to their vectors.

    Attributes
    ----------
    kept_near : int16 array, shape (n,)
        How many of a paper's k nearest papers are among the k nearest on the map.
    recall : float or None
        Mean share of them, in [0, 1]; None if papers have no neighbours.
    trustworthiness : float or None
        In [0, 1], 1 if no paper lies among neighbours that are not its own; None for fewer than
        three papers.
    judged : int
        From how many papers the trustworthiness is known.
    """

    kept_near: npt.NDArray[np.int16]
    recall: float | None
    trustworthiness: float | None
    judged: int


def judge(
    vectors: npt.NDArray[np.float32],
    neighbours: Neighbours,
    coordinates: npt.NDArray[np.float32],
) -> Quality:
    """Compare the neighbours on the map with the true ones.

    Trustworthiness is that of Venna and Kaski (2001, https://doi.org/10.1007/3-540-44668-0_68),
    over as many neighbours as `neighbours` has, but fewer than half the papers.

    Parameters
    ----------
    vectors : numpy.ndarray
        Shape (n, d), float32, rows finite and of length one.
    neighbours : Neighbours
        Of the vectors: k of each.
    coordinates : numpy.ndarray
        Shape (n, 2), float32, finite.
    """
    n, k = neighbours.indices.shape
    if not k:
        return Quality(np.zeros(n, dtype=np.int16), None, None, 0)
    from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415 - slow to import

    on_map = NearestNeighbors(n_neighbors=k).fit(coordinates).kneighbors(return_distance=False)
    kept = np.zeros(n, dtype=np.int16)
    for column in on_map.T:
        kept += (neighbours.indices == column[:, np.newaxis]).any(axis=1)
    rows = np.arange(n)
    if n > JUDGED_ALL:
        rows = np.sort(np.random.default_rng(_SEED).choice(n, JUDGED_SAMPLE, replace=False))
    trusted = _trustworthiness(vectors, on_map, rows)
    return Quality(kept, float(kept.mean()) / k, trusted, len(rows) if trusted is not None else 0)


def _trustworthiness(
    vectors: npt.NDArray[np.float32], on_map: npt.NDArray[np.intp], rows: npt.NDArray[np.intp]
) -> float | None:
    n = len(vectors)
    k = min(on_map.shape[1], (n - 1) // 2)
    if not k:
        return None
    intrusion = 0
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        similarities = vectors[block] @ vectors.T
        similarities[np.arange(len(block)), block] = -np.inf
        for column in on_map[block, :k].T:
            ahead = similarities > similarities[np.arange(len(block)), column][:, np.newaxis]
            # The rank is one more than how many are ahead.
            intrusion += int(np.maximum(ahead.sum(axis=1) + 1 - k, 0).sum())
    return float(1 - 2 * intrusion / (len(rows) * k * (2 * n - 3 * k - 1)))
