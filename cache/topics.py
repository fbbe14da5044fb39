"""Topics: papers that lie together on the map, and what to call them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from cache.neighbours import Neighbours
from cache.topic_names import name_levels

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TOPICS_VERSION: Final = 3
"""Changes whenever the same map would be cut or named otherwise; part of the cache key."""

UNCLUSTERED: Final = -1
"""Label of a paper that belongs to no topic."""

JOINING: Final = -2
"""In place of a label, says that a paper was not on the map when its topics were found."""

LEAST_PAPERS: Final = 3
"""Fewest papers that make a topic."""


_MOST_COARSE: Final = 16
"""Most topics at the coarse level: as many names as a whole map has room for."""


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


@dataclass(frozen=True, eq=False)
class TopicLevels:
    """Two cuts of one map: the papers of a fine topic are all in one coarse topic.

    Attributes
    ----------
    coarse : Topics
    fine : Topics
        Without any topic where a second level would say little more than the first.
    """

    coarse: Topics
    fine: Topics


def find_topics(
    coordinates: npt.NDArray[np.float32], neighbours: Neighbours, texts: Sequence[str]
) -> TopicLevels:
    """Find the topics a reader would see on the map, and name them in the papers' own words.

    The map is cut into regions (two cuts of one tree of Ward clusters of the coordinates), then
    each paper's true neighbours vote: a paper whose neighbours lie in another region goes there,
    and one whose neighbours are scattered is left unclustered.

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
    TopicLevels
        The same for the same input. No topics for fewer than `LEAST_PAPERS` papers.
    """
    count, fine_count = topic_counts(len(coordinates))
    regions, fine_regions = _regions(coordinates, count, fine_count)
    labels = _vote(regions, neighbours)
    coarse = _ordered(labels)
    fine = _ordered(_within(labels, _vote(fine_regions, neighbours), fine_regions, regions))
    fine[coarse == UNCLUSTERED] = UNCLUSTERED
    names, fine_names = name_levels([coarse, fine], texts)
    return TopicLevels(Topics(coarse, names), Topics(fine, fine_names))


def carry_topics(topics: TopicLevels, neighbours: Neighbours) -> TopicLevels:
    """Let papers join the topics of a map; those that have one keep it, name and all.

    Parameters
    ----------
    topics : TopicLevels
        The topics as they were, with `JOINING` for papers that join.
    neighbours : Neighbours
        Of all these papers.

    Returns
    -------
    TopicLevels
        Half of a new paper's nearest five decide, else it is left unclustered. Topics left with
        fewer than `LEAST_PAPERS` papers are dissolved, and the others keep their order.
    """
    coarse = _joined(topics.coarse.labels, neighbours)
    fine = _joined(topics.fine.labels, neighbours)
    return _nested(_dissolved(coarse, topics.coarse.names), Topics(fine, topics.fine.names))


def rename_topics(topics: TopicLevels, before: TopicLevels) -> TopicLevels:
    """Give topics that are mostly the papers of an earlier one its place and its name.

    Parameters
    ----------
    topics, before : TopicLevels
        Two cuts of the same papers; `before` has `JOINING` for papers that it did not know.

    Returns
    -------
    TopicLevels
        The cut of `topics`. A topic that shares more than half of all the papers in either with an
        earlier one is the same; the others fill the places left, in their own order.
    """
    return TopicLevels(_renamed(topics.coarse, before.coarse), _renamed(topics.fine, before.fine))


def topic_counts(n: int) -> tuple[int, int]:
    """Return into how many coarse and fine topics n papers are cut; 0 fine ones for one level.

    7 and none of 38, 13 and 27 of 300, 16 and 59 of 3,231, 16 and 109 of 20,000: what a whole map
    has room to name, and what a corner of it has.
    """
    root = float(np.cbrt(n))
    most = n // (LEAST_PAPERS + 1)
    coarse = max(1, min(round(2 * root), _MOST_COARSE, most))
    fine = min(round(4 * root), most)
    return coarse, fine if fine >= 2 * coarse else 0


def _regions(
    coordinates: npt.NDArray[np.float32], count: int, fine_count: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Cut the map into so many regions, and each of them into smaller ones."""
    n = len(coordinates)
    none = np.full(n, UNCLUSTERED, dtype=np.intp)
    if n < LEAST_PAPERS:
        return none, none
    if count == 1:
        return np.zeros(n, dtype=np.intp), none
    from sklearn.cluster import AgglomerativeClustering  # noqa: PLC0415 - slow to import

    # Merging only neighbours on the map spares the memory of all pairs.
    model = AgglomerativeClustering(count, linkage="ward", connectivity=_touching(coordinates))
    regions: npt.NDArray[np.intp] = model.fit_predict(coordinates)
    return regions, _cut(model.children_, n, fine_count) if fine_count else none


def _touching(coordinates: npt.NDArray[np.float32]) -> "csr_array":
    """Link each paper to those nearest on the map, and each island to those around it."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - slow to import
    from scipy.spatial import Delaunay  # noqa: PLC0415 - slow to import
    from sklearn.neighbors import kneighbors_graph  # noqa: PLC0415 - slow to import

    n = len(coordinates)
    near = csr_array(kneighbors_graph(coordinates, min(10, n - 1)))
    islands = connected_components(near, directed=False)[1]
    if not islands.any():
        return near
    # Left to scikit-learn, each island is compared with each, paper by paper. Joggled, papers in a
    # line have triangles too.
    triangles = Delaunay(coordinates, qhull_options="QJ").simplices
    first, second = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).T
    across = islands[first] != islands[second]
    bridges = (np.ones(int(across.sum())), (first[across], second[across]))
    return near + csr_array(bridges, shape=(n, n))


def _cut(merges: npt.NDArray[np.intp], n: int, count: int) -> npt.NDArray[np.intp]:
    """Return the clusters after the first n - count merges: scikit-learn's, in their order."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - slow to import

    made = merges[: n - count]
    parents = np.repeat(np.arange(n, n + len(made)), 2)
    links = coo_array((np.ones(made.size), (made.ravel(), parents)), shape=(2 * n, 2 * n))
    clusters: npt.NDArray[np.intp] = connected_components(links, directed=False)[1][:n]
    return np.unique(clusters, return_inverse=True)[1]


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


def _within(
    labels: npt.NDArray[np.intp],
    voted: npt.NDArray[np.intp],
    fine_regions: npt.NDArray[np.intp],
    regions: npt.NDArray[np.intp],
) -> npt.NDArray[np.intp]:
    """Choose a fine region inside each paper's topic: as voted, else where the paper lies."""
    if not (fine_regions >= 0).any():
        return fine_regions
    parents = np.full(int(fine_regions.max()) + 2, UNCLUSTERED, dtype=np.intp)
    parents[fine_regions] = regions
    chosen = np.where(parents[voted] == labels, voted, fine_regions)
    return np.where((parents[chosen] == labels) & (labels >= 0), chosen, UNCLUSTERED)


def _joined(labels: npt.NDArray[np.int16], neighbours: Neighbours) -> npt.NDArray[np.int16]:
    joining = labels == JOINING
    joined = np.where(joining, UNCLUSTERED, labels).astype(np.int16)
    # Twice, since those that join may be one another's neighbours.
    for _ in range(2):
        joined[joining] = _majority(joined, neighbours)[joining]
    return joined


def _majority(labels: npt.NDArray[np.int16], neighbours: Neighbours) -> npt.NDArray[np.int16]:
    """Return the topic of half of each paper's nearest five, the nearer one's of two such."""
    nearest = labels[neighbours.indices[:, :5]]
    majority = np.full(len(labels), UNCLUSTERED, dtype=np.int16)
    for column in range(nearest.shape[1])[::-1]:
        topic = nearest[:, column]
        agreeing = (nearest == topic[:, np.newaxis]).mean(axis=1)
        majority = np.where((topic >= 0) & (agreeing >= 0.5), topic, majority)
    return majority


def _nested(coarse: Topics, fine: Topics) -> TopicLevels:
    """Take papers out of fine topics that lie mostly in another coarse topic than theirs."""
    labels = fine.labels.copy()
    for topic in range(len(fine.names)):
        members = np.flatnonzero(labels == topic)
        parents = coarse.labels[members].astype(np.intp) + 1
        parent = np.bincount(parents, minlength=1).argmax()
        labels[members[(parents != parent) | (parents == 0)]] = UNCLUSTERED
    return TopicLevels(coarse, _dissolved(labels, fine.names))


def _dissolved(labels: npt.NDArray[np.int16], names: Sequence[str]) -> Topics:
    sizes = np.bincount(labels[labels >= 0], minlength=len(names))
    kept = np.flatnonzero(sizes >= LEAST_PAPERS)
    renumbered = np.full(len(names) + 1, UNCLUSTERED, dtype=np.int16)
    renumbered[kept] = np.arange(len(kept))
    return Topics(renumbered[labels], tuple(names[topic] for topic in kept.tolist()))


def _renamed(topics: Topics, before: Topics) -> Topics:
    same = _same(topics, before)
    count = len(topics.names)
    places = {new: old for new, old in same.items() if old < count}
    free = iter(sorted(set(range(count)) - set(places.values())))
    order = [places[new] if new in places else next(free) for new in range(count)]
    names = _distinct({new: before.names[old] for new, old in same.items()}, topics.names)
    renumbered = np.array([*order, UNCLUSTERED], dtype=np.int16)
    at = {place: new for new, place in enumerate(order)}
    return Topics(renumbered[topics.labels], tuple(names[at[place]] for place in range(count)))


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
