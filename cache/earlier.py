"""What an earlier map says of a corpus that has most papers in common with it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cache.projection import UMAP_LEAST
from cache.store import MEMBERS, Store, pack_members
from cache.topics import JOINING, TopicLevels, Topics

_LEAST_KEPT: Final = 2 / 3
"""Share of papers that must have a place already for the others to join them.

Where more join, they lie worse than on a new map (trustworthiness more than 0.01 below).
"""

_LEAST_SETTLED: Final = 0.8
"""Share of papers, now and then, that must be those among which the topics were found."""


@dataclass(frozen=True, eq=False)
class EarlierMap:
    """An earlier map, in the order of a corpus of n papers.

    Attributes
    ----------
    coordinates : float32 array, shape (n, 2)
        NaN for papers that were not on it.
    topics : TopicLevels
        `JOINING` for papers that were not on it.
    settled : bool array, shape (n,)
        Papers that were there when its topics were found.
    settlers : int
        How many papers were there then.
    """

    coordinates: npt.NDArray[np.float32]
    topics: TopicLevels
    settled: npt.NDArray[np.bool_]
    settlers: int

    @property
    def topics_hold(self) -> bool:
        """Whether the papers are still mostly those among which the topics were found."""
        most = max(len(self.settled), self.settlers)
        return int(self.settled.sum()) >= _LEAST_SETTLED * most


def find_earlier(store: Store, family: str, keys: Sequence[str]) -> EarlierMap | None:
    """Return the kept map that shares most papers with a corpus, None if too few are shared.

    Parameters
    ----------
    store : Store
    family : str
        Of maps made in the same way.
    keys : sequence of str
        n keys of embeddings, in the corpus's order; some may be equal.
    """
    entry = store.most_alike(family, keys)
    if entry is None:
        return None
    rows = _match(pack_members(keys), entry.arrays[MEMBERS])
    kept = rows >= 0
    share = kept.mean()
    if share < _LEAST_KEPT or (share < 1 and kept.sum() < UMAP_LEAST):
        return None

    def taken(values: npt.NDArray[Any], missing: float) -> npt.NDArray[Any]:
        found = np.full((len(rows), *values.shape[1:]), missing, dtype=values.dtype)
        found[kept] = values[rows[kept]]
        return found

    return EarlierMap(
        taken(entry.arrays["coordinates"], np.nan),
        TopicLevels(
            Topics(taken(entry.arrays["topics"], JOINING), tuple(entry.meta["topic_names"])),
            Topics(taken(entry.arrays["subtopics"], JOINING), tuple(entry.meta["subtopic_names"])),
        ),
        taken(entry.arrays["settled"], False),
        entry.meta["settlers"],
    )


def _match(members: npt.NDArray[np.uint8], earlier: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Return where each member was, -1 if nowhere: int, shape (n,); equal ones in order."""
    places: defaultdict[bytes, list[int]] = defaultdict(list)
    for row in range(len(earlier))[::-1]:
        places[earlier[row].tobytes()].append(row)
    found = [places[member.tobytes()] for member in members]
    return np.array([rows.pop() if rows else -1 for rows in found], dtype=np.intp)
