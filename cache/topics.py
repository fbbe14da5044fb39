"""Topics: papers that lie together on the map, and what to call them."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from cache.neighbours import Neighbours
from cache.topic_names import name_topics

TOPICS_VERSION: Final = 1
"""Changes whenever the same map would be cut or named otherwise; part of the cache key."""

UNCLUSTERED: Final = -1
"""Label of a paper that belongs to no topic."""

LEAST_PAPERS: Final = 3
"""Fewest papers that make a topic."""


@dataclass(frozen=True, eq=False)
class Topics:
    """A cut of the map into topics, the largest first.

    Attributes
    ----------
    labels : numpy.ndarray
        Shape (n,), int16: index into `names`, or `UNCLUSTERED`.
    names : tuple of str
        One for each topic, no two the same.
    """

    labels: npt.NDArray[np.int16]
    names: tuple[str, ...]


def find_topics(
    coordinates: npt.NDArray[np.float32], neighbours: Neighbours, texts: Sequence[str]
) -> Topics:
    """Find the topics a reader would see on the map, and name them in the papers' own words.

    The map is cut into regions (Ward clusters of the coordinates), then each paper's true
    neighbours vote: a paper whose neighbours lie in another region goes there, and one whose
    neighbours are scattered is left unclustered.

    Parameters
    ----------
    coordinates : numpy.ndarray
        Shape (n, 2), float32.
    neighbours : Neighbours
        Of the vectors that were laid out.
    texts : sequence of str
        n texts without markup, title and abstract each; may be empty.

    Returns
    -------
    Topics
        The same for the same input. No topics for fewer than `LEAST_PAPERS` papers.
    """
    regions = _regions(coordinates)
    labels = _ordered(_vote(regions, neighbours))
    return Topics(labels, name_topics(labels, texts))


def topic_count(n: int) -> int:
    """Return into how many topics n papers are cut: 7 of 38, 13 of 300, 30 of 3,231, 54 of 20,000.

    Topics grow with the corpus, but so does their number, as far as names fit on a map.
    """
    return max(1, min(round(2 * float(np.cbrt(n))), n // (LEAST_PAPERS + 1)))


def _regions(coordinates: npt.NDArray[np.float32]) -> npt.NDArray[np.intp]:
    n = len(coordinates)
    count = topic_count(n)
    if n < LEAST_PAPERS:
        return np.full(n, UNCLUSTERED, dtype=np.intp)
    if count == 1:
        return np.zeros(n, dtype=np.intp)
    from sklearn.cluster import AgglomerativeClustering  # noqa: PLC0415 - slow to import
    from sklearn.neighbors import kneighbors_graph  # noqa: PLC0415 - slow to import

    # Merging only neighbours on the map spares the memory of all pairs.
    touching = kneighbors_graph(coordinates, min(10, n - 1))
    with warnings.catch_warnings():
        # Islands of the map are connected by their nearest papers, with a warning.
        warnings.simplefilter("ignore")
        model = AgglomerativeClustering(count, linkage="ward", connectivity=touching)
        labels: npt.NDArray[np.intp] = model.fit_predict(coordinates)
    return labels


def _vote(regions: npt.NDArray[np.intp], neighbours: Neighbours) -> npt.NDArray[np.intp]:
    """Let neighbours confirm each paper's region (2 of 5), move it (half), or set it free."""
    n, k = neighbours.indices.shape
    count = int(regions.max(initial=UNCLUSTERED)) + 1
    # More voters than half a topic would outvote a small topic that is all of one mind.
    voters = min(k, max(5, n // (2 * count))) if count else 0
    if not voters:
        return regions
    votes = np.zeros((n, count), dtype=np.int32)
    for column in neighbours.indices[:, :voters].T:
        np.add.at(votes, (np.arange(n), regions[column]), 1)
    shares = votes / voters
    confirmed = shares[np.arange(n), regions] >= 0.4
    moved = np.where(shares.max(axis=1) >= 0.5, shares.argmax(axis=1), UNCLUSTERED)
    return np.where(confirmed, regions, moved)


def _ordered(labels: npt.NDArray[np.intp]) -> npt.NDArray[np.int16]:
    """Count topics from the largest, equal ones by their first paper, and dissolve small ones."""
    kept, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    large = (kept != UNCLUSTERED) & (sizes >= LEAST_PAPERS)
    order = np.lexsort((first[large], -sizes[large]))
    ordered = np.full(len(labels), UNCLUSTERED, dtype=np.int16)
    for number, label in enumerate(kept[large][order]):
        ordered[labels == label] = number
    return ordered
