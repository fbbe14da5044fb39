"""Topics: papers that lie together on the map, and what to call them."""

import warnings
from collections import Counter
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

JOINING: Final = -2
"""In place of a label, says that a paper was not on the map when its topics were found."""

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


def carry_topics(topics: Topics, neighbours: Neighbours) -> Topics:
    """Let papers join the topics of a map; those that have one keep it, name and all.

    Parameters
    ----------
    topics : Topics
        The topics as they were, with `JOINING` for papers that join.
    neighbours : Neighbours
        Of all these papers.

    Returns
    -------
    Topics
        Half of a new paper's nearest five decide, else it is left unclustered. Topics left with
        fewer than `LEAST_PAPERS` papers are dissolved, and the others keep their order.
    """
    labels = topics.labels.astype(np.intp)
    joining = topics.labels == JOINING
    labels[joining] = UNCLUSTERED
    # Twice, since those that join may be one another's neighbours.
    for _ in range(2):
        labels[joining] = _majority(labels, neighbours)[joining]
    sizes = np.bincount(labels[labels >= 0], minlength=len(topics.names))
    kept = np.flatnonzero(sizes >= LEAST_PAPERS)
    renumbered = np.full(len(topics.names) + 1, UNCLUSTERED, dtype=np.int16)
    renumbered[kept] = np.arange(len(kept))
    return Topics(renumbered[labels], tuple(topics.names[topic] for topic in kept))


def rename_topics(topics: Topics, before: Topics) -> Topics:
    """Give topics that are mostly the papers of an earlier one its place and its name.

    Parameters
    ----------
    topics, before : Topics
        Two cuts of the same papers; `before` has `JOINING` for papers that it did not know.

    Returns
    -------
    Topics
        The cut of `topics`. A topic that shares more than half of all the papers in either with an
        earlier one is the same; the others fill the places left, in their own order.
    """
    same = _same(topics, before)
    count = len(topics.names)
    places = {new: old for new, old in same.items() if old < count}
    free = iter(sorted(set(range(count)) - set(places.values())))
    order = [places[new] if new in places else next(free) for new in range(count)]
    names = _distinct({new: before.names[old] for new, old in same.items()}, topics.names)
    renumbered = np.array([*order, UNCLUSTERED], dtype=np.int16)
    at = {place: new for new, place in enumerate(order)}
    return Topics(renumbered[topics.labels], tuple(names[at[place]] for place in range(count)))


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


def _majority(labels: npt.NDArray[np.intp], neighbours: Neighbours) -> npt.NDArray[np.intp]:
    """Return the topic of half of each paper's nearest five, the lower number of two such."""
    nearest = labels[neighbours.indices[:, :5]]
    majority = np.full(len(labels), UNCLUSTERED, dtype=np.intp)
    for column in range(nearest.shape[1])[::-1]:
        topic = nearest[:, column]
        agreeing = (nearest == topic[:, np.newaxis]).mean(axis=1)
        majority = np.where((topic >= 0) & (agreeing >= 0.5), topic, majority)
    return majority


def _same(topics: Topics, before: Topics) -> dict[int, int]:
    """Return which topics are which earlier ones, by the share of papers common to both."""
    # More than half of the union can be common to one pair only.
    sizes = np.bincount(topics.labels[topics.labels >= 0], minlength=len(topics.names))
    earlier = np.bincount(before.labels[before.labels >= 0], minlength=len(before.names))
    both = (topics.labels >= 0) & (before.labels >= 0)
    common = np.zeros((len(sizes), len(earlier)))
    np.add.at(common, (topics.labels[both], before.labels[both]), 1)
    union = sizes[:, np.newaxis] + earlier - common
    return {int(new): int(old) for new, old in np.argwhere(common > union / 2)}


def _distinct(kept: dict[int, str], names: Sequence[str]) -> list[str]:
    """Let topics keep earlier names as far as no two would be called the same."""
    kept = dict(kept)
    while True:
        chosen = [kept.get(topic, name) for topic, name in enumerate(names)]
        counts = Counter(name.casefold() for name in chosen)
        clashing = [topic for topic in kept if counts[chosen[topic].casefold()] > 1]
        if not clashing:
            return chosen
        for topic in clashing:
            del kept[topic]


def _ordered(labels: npt.NDArray[np.intp]) -> npt.NDArray[np.int16]:
    """Count topics from the largest, equal ones by their first paper, and dissolve small ones."""
    kept, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    large = (kept != UNCLUSTERED) & (sizes >= LEAST_PAPERS)
    order = np.lexsort((first[large], -sizes[large]))
    ordered = np.full(len(labels), UNCLUSTERED, dtype=np.int16)
    for number, label in enumerate(kept[large][order]):
        ordered[labels == label] = number
    return ordered
