"""From embeddings to places on the map."""

import io
import re
import warnings
from dataclasses import dataclass
from typing import Any, Final

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

_REFINING_EPOCHS: Final = 300
_REFINING_RATE: Final = 0.5
"""How long and how fast UMAP moves papers that join a map, begun where their neighbours lie.

With them, maps of 3,230 papers that 1 % or any one of five venues (13 to 31 %) had joined were
within 0.01 of the trustworthiness (k = 15) of the map laid out anew; a third of the epochs, or
another rate, lost up to half as much again.
"""

_JOINING_EXTENT: Final = 20.0
"""Width of a map in UMAP's own unit while papers join it."""

_WHAT: Final = "Laying out the map"
_EPOCHS: Final = re.compile(r"(\d+)/(\d+)")

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
        Told how far the layout is, in papers.

    Returns
    -------
    numpy.ndarray
        Shape (n, 2), float32, finite: the middle of the map at the origin, its width `EXTENT`, no
        taller than wide. Main axis and direction follow from the data alone.
    """
    n = len(vectors)
    progress(_WHAT, 0, n)
    if _all_alike(vectors):
        points = _spiral(n)
    elif n < UMAP_LEAST:
        points = _principal_plane(vectors)
    else:
        points = _umap(vectors, neighbours, spec, progress)
    placed = _normalise(_separate(points))
    progress(_WHAT, n, n)
    return placed


def extend(
    vectors: npt.NDArray[np.float32],
    neighbours: Neighbours,
    coordinates: npt.NDArray[np.float32],
    spec: ProjectionSpec,
    progress: Progress = silent,
) -> npt.NDArray[np.float32]:
    """Place papers that join a map, and move none that is there.

    New papers begin in the middle of their true neighbours; then UMAP refines their places, as it
    does for what it calls transform, but drawn by one another too.

    Parameters
    ----------
    vectors : numpy.ndarray
        Shape (n, d), d >= 2, float32, rows finite and of length one.
    neighbours : Neighbours
        Of these vectors, with ``min(spec.n_neighbors, n) - 1`` columns at least.
    coordinates : numpy.ndarray
        Shape (n, 2), float32: the map as it was, NaN for papers that join it. At least two papers
        are there.
    spec : ProjectionSpec
        How the map was laid out.
    progress : Progress
        Told how far the layout is, in papers.

    Returns
    -------
    numpy.ndarray
        Shape (n, 2), float32, finite. Papers that were there keep their coordinates, byte for byte.
    """
    n = len(vectors)
    kept = ~np.isnan(coordinates[:, 0])
    if kept.all():
        return coordinates
    progress(_WHAT, 0, n)
    points = _beside_neighbours(coordinates, neighbours)
    points = _separate(_refine(points, kept, neighbours, spec, progress), movable=~kept)
    placed = np.where(kept[:, np.newaxis], coordinates, points.astype(np.float32))
    progress(_WHAT, n, n)
    return placed


def _beside_neighbours(
    coordinates: npt.NDArray[np.float32], neighbours: Neighbours
) -> npt.NDArray[np.float64]:
    """Place those with most neighbours on the map first, as others may be their neighbours."""
    points = coordinates.astype(np.float64)
    # Of two neighbours, the more similar one says more of where a paper belongs.
    weights = np.maximum(neighbours.similarities.astype(np.float64), 1e-3) ** 4
    waiting = np.flatnonzero(np.isnan(points[:, 0]))
    while len(waiting):
        there = ~np.isnan(points[neighbours.indices[waiting], 0])
        support = there.sum(axis=1)
        if not support.any():
            points[waiting] = np.nanmedian(points, axis=0)
            break
        ready = support >= min(3, support.max())
        rows = waiting[ready]
        shares = weights[rows] * there[ready]
        shares /= shares.sum(axis=1, keepdims=True)
        around = np.nan_to_num(points[neighbours.indices[rows]])
        points[rows] = (around * shares[..., np.newaxis]).sum(axis=1)
        waiting = waiting[~ready]
    return points


def _refine(
    points: npt.NDArray[np.float64],
    kept: npt.NDArray[np.bool_],
    neighbours: Neighbours,
    spec: ProjectionSpec,
    progress: Progress,
) -> npt.NDArray[np.float64]:
    """Let UMAP move the papers that are not kept."""
    umap_ = _umap_module()
    from umap.layouts import optimize_layout_euclidean  # noqa: PLC0415 - slow to import

    n = len(points)
    size = min(spec.n_neighbors, n - 1)
    indices, distances = _umap_neighbours(neighbours, size)
    graph = umap_.fuzzy_simplicial_set(
        points, size, None, "cosine", knn_indices=indices, knn_dists=distances
    )[0].tocsr()
    order = np.argsort(~kept, kind="stable")
    first = int(kept.sum())
    edges = graph[order[first:]][:, order].tocoo()
    strong = edges.data >= edges.data.max() / _REFINING_EPOCHS
    scale = _JOINING_EXTENT / max(float(np.ptp(points[kept], axis=0).max()), 1e-9)
    layout = np.ascontiguousarray(points[order] * scale, dtype=np.float32)
    noise = np.random.default_rng(spec.seed).normal(scale=1e-3, size=(n - first, 2))
    layout[first:] += noise
    # UMAP holds still what is in the second table only. The first is a view of its end, so that
    # papers which join see one another move.
    optimize_layout_euclidean(
        layout[first:],
        layout,
        edges.row[strong],
        edges.col[strong],
        _REFINING_EPOCHS,
        n,
        edges.data.max() / edges.data[strong].astype(np.float64),
        *umap_.find_ab_params(1.0, spec.min_dist),
        np.random.default_rng(spec.seed).integers(2**31, size=3),
        initial_alpha=_REFINING_RATE,
        tqdm_kwds=_told_to(progress, n),
    )
    refined = np.empty_like(points)
    refined[order] = layout / scale
    return refined


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
    vectors: npt.NDArray[np.float32],
    neighbours: Neighbours,
    spec: ProjectionSpec,
    progress: Progress,
) -> npt.NDArray[np.float64]:
    size = min(spec.n_neighbors, len(vectors) - 1)
    with warnings.catch_warnings():
        # UMAP warns that it cannot place new papers by these neighbours; nobody asks it to.
        warnings.simplefilter("ignore")
        model = _umap_module().UMAP(
            n_neighbors=size,
            min_dist=spec.min_dist,
            metric="cosine",
            init=_initial(vectors, spec.seed),
            precomputed_knn=_umap_neighbours(neighbours, size),
            # By default UMAP cuts off papers that point in opposite directions, and loses them.
            disconnection_distance=np.inf,
            random_state=spec.seed,
            n_jobs=1,
            tqdm_kwds=_told_to(progress, len(vectors)),
        )
        points: npt.NDArray[np.float64] = model.fit_transform(vectors).astype(np.float64)
    return points


class _Epochs(io.TextIOBase):
    """Reads what tqdm would show of UMAP's epochs, and tells of as large a part of the papers."""

    def __init__(self, progress: Progress, papers: int) -> None:
        self._progress = progress
        self._papers = papers

    def write(self, shown: str, /) -> int:
        if epochs := _EPOCHS.search(shown):
            done, total = map(int, epochs.groups())
            self._progress(_WHAT, self._papers * done // total, self._papers)
        return len(shown)


def _told_to(progress: Progress, papers: int) -> dict[str, Any]:
    """Return the arguments with which UMAP hands its epochs to tqdm."""
    return {
        "file": _Epochs(progress, papers),
        "bar_format": "{n_fmt}/{total_fmt}",
        "mininterval": 0.5,
        "disable": False,
    }


def _umap_module() -> Any:
    """Import what UMAP is made of."""
    with warnings.catch_warnings():
        # It warns that TensorFlow is missing.
        warnings.simplefilter("ignore")
        from umap import umap_  # noqa: PLC0415 - slow to import

    # Compiling these takes longer than the layout, and UMAP does it anew in each process; numba
    # keeps them where UMAP has it keep its other functions.
    umap_.smooth_knn_dist.enable_caching()
    umap_.compute_membership_strengths.enable_caching()
    return umap_


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


def _separate(
    points: npt.NDArray[np.float64], movable: npt.NDArray[np.bool_] | None = None
) -> npt.NDArray[np.float64]:
    """Push papers, or those that are movable, apart until neighbouring dots can be told apart.

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
        if movable is not None:
            once &= movable[near.row] | movable[near.col]
        if not once.any():
            break
        _push(moved, near.row[once], near.col[once], gap)
        if movable is not None:
            moved[~movable] = points[~movable]
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
