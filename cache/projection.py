"""From embeddings to places on the map."""

import warnings
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from cache.neighbours import Neighbours
from cache.progress import Progress, silent

PROJECTION_VERSION: Final = 1
"""Changes whenever the same vectors and spec would be laid out otherwise; part of the cache key."""

EXTENT: Final = 2.0
"""Width of the map: x runs from -1 to 1, and y no further."""

UMAP_LEAST: Final = 16
"""Fewest papers for which UMAP is asked.

Below it the principal plane keeps more true neighbours than UMAP does, above it fewer.
"""

_GOLDEN_ANGLE: Final = np.pi * (3 - np.sqrt(5))


@dataclass(frozen=True)
class ProjectionSpec:
    """How a map is laid out; equal specs give equal maps on one machine.

    Attributes
    ----------
    n_neighbors : int
        Neighbours that UMAP keeps together, the paper itself counted, at least 2. Its default, 15,
        keeps research topics of a dozen papers apart.
    min_dist : float
        How near UMAP lets papers come, in its own unit. On 3,231 papers of seven conferences 0.05
        keeps more true neighbours than UMAP's own 0.1 (30.4 % of 15 against 29.3 %) and still
        leaves dots to tell apart.
    seed : int
        Of every random choice.
    """

    n_neighbors: int = 15
    min_dist: float = 0.05
    seed: int = 42


def project(
    vectors: npt.NDArray[np.float32],
    neighbours: Neighbours,
    spec: ProjectionSpec,
    progress: Progress = silent,
) -> npt.NDArray[np.float32]:
    """Lay papers out so that similar ones lie close together.

    UMAP (McInnes, Healy and Melville 2018, https://arxiv.org/abs/1802.03426) over exact cosine
    neighbours, begun from the principal plane of the vectors as Kobak and Linderman advise (2021,
    https://doi.org/10.1038/s41587-020-00809-z). Fewer than `UMAP_LEAST` papers are shown in the
    principal plane itself, and papers that are all alike on a spiral. Papers that would cover one
    another are moved apart by a hair.

    Parameters
    ----------
    vectors : numpy.ndarray
        Shape (n, d), d >= 2, float32, rows finite and of length one.
    neighbours : Neighbours
        Of these vectors, with ``min(spec.n_neighbors, n) - 1`` columns at least.
    spec : ProjectionSpec
        How to lay out.
    progress : Progress
        Told when the layout begins and ends, in papers.

    Returns
    -------
    numpy.ndarray
        Shape (n, 2), float32, finite: the middle of the map at the origin, its width `EXTENT`, no
        taller than wide. Main axis and direction follow from the data alone.
    """
    n = len(vectors)
    progress("Laying out the map", 0, n)
    if _all_alike(vectors):
        points = _spiral(n)
    elif n < UMAP_LEAST:
        points = _principal_plane(vectors)
    else:
        points = _umap(vectors, neighbours, spec)
    placed = _normalise(_separate(points))
    progress("Laying out the map", n, n)
    return placed


def _all_alike(vectors: npt.NDArray[np.float32]) -> bool:
    return bool(np.allclose(vectors, vectors[:1], rtol=0, atol=1e-6))


def _spiral(n: int) -> npt.NDArray[np.float64]:
    """Fill a disc evenly: Vogel's sunflower (1979, https://doi.org/10.1016/0025-5564(79)90080-4)."""
    return np.sqrt(np.arange(n))[:, np.newaxis] * _directions(np.arange(n))


def _directions(turns: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Return unit vectors, shape (len(turns), 2), turned by so many golden angles."""
    angles = turns * _GOLDEN_ANGLE
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _principal_plane(points: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Project on the two directions of largest variance, the longer tails to the right and up."""
    centred = points.astype(np.float64)
    centred -= centred.mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred).eigenvectors[:, :-3:-1]
    plane: npt.NDArray[np.float64] = centred @ axes
    plane *= np.where((plane**3).sum(axis=0) < 0, -1, 1)
    return plane


def _umap(
    vectors: npt.NDArray[np.float32], neighbours: Neighbours, spec: ProjectionSpec
) -> npt.NDArray[np.float64]:
    size = min(spec.n_neighbors, len(vectors) - 1)
    with warnings.catch_warnings():
        # UMAP warns that TensorFlow is missing, and that it cannot place new papers by these
        # neighbours; nobody asks either of it.
        warnings.simplefilter("ignore")
        from umap import UMAP, umap_  # noqa: PLC0415 - slow to import

        # Compiling these takes longer than the layout, and UMAP does it anew in each process;
        # numba keeps them where UMAP has it keep its other functions.
        umap_.smooth_knn_dist.enable_caching()
        umap_.compute_membership_strengths.enable_caching()
        model = UMAP(
            n_neighbors=size,
            min_dist=spec.min_dist,
            metric="cosine",
            init=_initial(vectors, spec.seed),
            precomputed_knn=_umap_neighbours(neighbours, size),
            # By default UMAP cuts off papers that point in opposite directions, and loses them.
            disconnection_distance=np.inf,
            random_state=spec.seed,
            n_jobs=1,
        )
        points: npt.NDArray[np.float64] = model.fit_transform(vectors).astype(np.float64)
    return points


def _initial(vectors: npt.NDArray[np.float32], seed: int) -> npt.NDArray[np.float32]:
    """Return the principal plane, shaken so that UMAP does not move equal papers as one."""
    plane = _principal_plane(vectors)
    plane *= 10 / np.abs(plane).max()
    noise = np.random.default_rng(seed).normal(scale=1e-3, size=plane.shape)
    return (plane + noise).astype(np.float32)


def _umap_neighbours(
    neighbours: Neighbours, size: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Put each paper first among its own neighbours, as UMAP counts them, with distances."""
    n = len(neighbours.indices)
    itself = np.arange(n, dtype=np.int32)[:, np.newaxis]
    indices = np.hstack([itself, neighbours.indices[:, : size - 1]])
    distances = np.maximum(1 - neighbours.similarities[:, : size - 1], 0)
    return indices, np.hstack([np.zeros((n, 1), dtype=np.float32), distances])


def _separate(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Push papers apart until neighbouring dots can be told from one another.

    The gap is one hundredth of the map's width (9 pixels of 900) for a handful of papers and falls
    with their number, so that large maps keep their shape and only equal papers part.
    """
    from sklearn.neighbors import radius_neighbors_graph  # noqa: PLC0415 - slow to import

    n = len(points)
    if n < 2:
        return points
    gap = np.ptp(points, axis=0).max() * min(0.01, 0.08 / np.sqrt(n))
    moved = points.copy()
    for _ in range(50):
        near = radius_neighbors_graph(moved, 0.99 * gap).tocoo()
        once = near.row < near.col
        if not once.any():
            break
        _push(moved, near.row[once], near.col[once], gap)
    return moved


def _push(
    points: npt.NDArray[np.float64],
    first: npt.NDArray[np.integer],
    second: npt.NDArray[np.integer],
    gap: float,
) -> None:
    between = points[second] - points[first]
    length = np.hypot(*between.T)[:, np.newaxis]
    apart = length > 1e-9 * gap
    anywhere = _directions(first.astype(np.int64) * len(points) + second)
    direction = np.where(apart, between / np.where(apart, length, 1), anywhere)
    step = direction * (gap - length) / 2
    np.add.at(points, second, step)
    np.subtract.at(points, first, step)


def _normalise(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    if not len(points):
        return np.empty((0, 2), dtype=np.float32)
    turned = _principal_plane(points)
    if np.ptp(turned[:, 1]) > np.ptp(turned[:, 0]):
        turned = turned[:, ::-1]
    low, high = turned.min(axis=0), turned.max(axis=0)
    scale = EXTENT / max(high[0] - low[0], np.finfo(np.float32).tiny)
    scaled: npt.NDArray[np.float64] = (turned - (low + high) / 2) * scale
    return scaled.astype(np.float32)
