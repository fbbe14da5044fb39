"""The stages from papers to a map, each computed once and kept."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from cache.earlier import EarlierMap, find_earlier
from cache.embedding import Embedder, EmbeddingSpec, embed
from cache.neighbours import nearest
from cache.papers import embedded_texts
from cache.progress import Progress, silent
from cache.projection import PROJECTION_VERSION, ProjectionSpec, extend, project
from cache.quality import judge
from cache.store import FAMILY, MEMBERS, MapEntry, Store, pack_members
from cache.topics import TOPICS_VERSION, carry_topics, find_topics, rename_topics

NEIGHBOURS: Final = 15
"""How many nearest papers a map keeps of each paper: what UMAP looks at by default."""

_MAP_VERSION: Final = 3
_LIBRARIES: Final = ("numpy", "pynndescent", "scikit-learn", "umap-learn")
"""Those that decide what a map looks like."""


@dataclass(frozen=True, eq=False)
class PaperMap:
    """A corpus, laid out.

    Attributes
    ----------
    corpus : pandas.DataFrame
        n papers, as `cache.papers` describes.
    coordinates : float32 array, shape (n, 2)
        Where each paper lies; NaN for a paper without text, which has no place.
    neighbours : int32 array, shape (n, k)
        Rows of the nearest papers by cosine similarity, nearest first; -1 where there is none.
    similarities : float32 array, shape (n, k)
        Their cosine similarities; NaN where there is none.
    topics : int16 array, shape (n,)
        Each paper's topic; -1 for unclustered papers.
    topic_names : tuple of str
    embedding_keys : tuple of str
        Under which the store keeps each paper's vector; ``""`` for a paper without text.
    subtopics : int16 array, shape (n,)
        Each paper's finer topic, all of whose papers are in one topic; -1 if it has none.
    subtopic_names : tuple of str
        Empty on maps too small for two levels of topics.
    kept_near : int16 array, shape (n,)
        How many of the k nearest papers are among the k nearest on the map; -1 for a paper that has
        no place.
    recall, trustworthiness, judged
        Of the whole map, as `cache.quality.Quality` describes them.
    made_with : mapping of str to str
        What made the map: model, weights, seed and versions, to be shown.
    key : str
        Hex digest of the texts, the model and every parameter. What is kept under it may also owe
        something to the map that was there before.
    """

    corpus: pd.DataFrame
    coordinates: npt.NDArray[np.float32]
    neighbours: npt.NDArray[np.int32]
    similarities: npt.NDArray[np.float32]
    topics: npt.NDArray[np.int16]
    topic_names: tuple[str, ...]
    embedding_keys: tuple[str, ...]
    subtopics: npt.NDArray[np.int16]
    subtopic_names: tuple[str, ...]
    kept_near: npt.NDArray[np.int16]
    recall: float | None
    trustworthiness: float | None
    judged: int
    made_with: Mapping[str, str]
    key: str

    def nearest(self, row: int) -> npt.NDArray[np.int32]:
        """Return the rows of a paper's nearest papers, nearest first: int32, shape (up to k,)."""
        rows = self.neighbours[row]
        return np.asarray(rows[rows >= 0])

    @property
    def placed(self) -> npt.NDArray[np.bool_]:
        """Which papers have a place on the map: bool, shape (n,)."""
        return np.asarray(~np.isnan(self.coordinates[:, 0]))

    def topic_name(self, row: int) -> str:
        """Return the name of a paper's topic, ``"unclustered"`` if it has none."""
        topic = int(self.topics[row])
        return self.topic_names[topic] if topic >= 0 else UNCLUSTERED

    def subtopic_name(self, row: int) -> str:
        """Return the name of a paper's finer topic, ``""`` if it has none."""
        subtopic = int(self.subtopics[row])
        return self.subtopic_names[subtopic] if subtopic >= 0 else ""

    def both_topic_names(self, row: int) -> str:
        """Return the names of a paper's topic and its finer one, for it to be searched by."""
        return "; ".join(filter(None, [self.topic_name(row), self.subtopic_name(row)]))


UNCLUSTERED: Final = "unclustered"


def build(
    corpus: pd.DataFrame,
    embedder: Embedder,
    store: Store,
    spec: ProjectionSpec | None = None,
    progress: Progress = silent,
) -> PaperMap:
    """Lay a corpus out, computing only what the store does not hold.

    If the store holds a map of mostly the same papers, they keep their places and their topics, and
    the others join them.

    Parameters
    ----------
    corpus : pandas.DataFrame
        As `cache.papers.assemble` makes it.
    embedder : Embedder
        Loads its model only if a text is not embedded yet.
    store : Store
    spec : ProjectionSpec, optional
    progress : Progress, optional

    Raises
    ------
    PaperskyError
        If the model is not there or gives no usable vectors, or the store cannot be written.
    """
    spec = spec or ProjectionSpec()
    texts = embedded_texts(corpus)
    rows = np.flatnonzero([bool(text) for text in texts])
    placed_texts = [texts[row] for row in rows]
    embedding_keys = [embedder.spec.key(text) if text else "" for text in texts]
    keys = [embedding_keys[row] for row in rows]
    family = _family(spec)
    key = hashlib.sha256(json.dumps([family, keys]).encode()).hexdigest()
    entry = store.read_map(key)
    if entry is None:
        vectors = embed(placed_texts, embedder, store, progress)
        earlier = find_earlier(store, family, keys)
        entry = _lay_out(placed_texts, vectors, earlier, spec, progress)
        entry = MapEntry(
            {**entry.arrays, MEMBERS: pack_members(keys)}, {**entry.meta, FAMILY: family}
        )
        store.write_map(key, entry.arrays, entry.meta)
    made_with = _made_with(embedder.spec, spec)
    return _paper_map(corpus, rows, entry, embedding_keys, made_with, key=key)


def corpus_vectors(
    paper_map: PaperMap, embedder: Embedder, store: Store
) -> npt.NDArray[np.float32]:
    """Return the vectors that a map was made of, computing only what the store has lost.

    Returns
    -------
    float32 array, shape (n, d)
        Of length one; zeros for a paper without text.

    Raises
    ------
    PaperskyError
        If something is lost and the model is not there, or the store cannot be used.
    """
    placed = [key for key in paper_map.embedding_keys if key]
    vectors = store.read_vectors(placed, embedder.spec.dimension)
    if any(key not in vectors for key in placed):
        texts = [text for text in embedded_texts(paper_map.corpus) if text]
        vectors = dict(zip(placed, embed(texts, embedder, store), strict=True))
    dimension = len(vectors[placed[0]]) if placed else 0
    everyone = np.zeros((len(paper_map.corpus), dimension), dtype=np.float32)
    for row, key in enumerate(paper_map.embedding_keys):
        if key:
            everyone[row] = vectors[key]
    return everyone


def _lay_out(
    texts: list[str],
    vectors: npt.NDArray[np.float32],
    earlier: EarlierMap | None,
    spec: ProjectionSpec,
    progress: Progress,
) -> MapEntry:
    neighbours = nearest(vectors, NEIGHBOURS, progress)
    if earlier is None:
        coordinates = project(vectors, neighbours, spec, progress)
    else:
        coordinates = extend(vectors, neighbours, earlier.coordinates, spec, progress)
    progress("Naming topics", 0, 1)
    settled, settlers = np.ones(len(texts), dtype=np.bool_), len(texts)
    if earlier is not None and earlier.topics_hold:
        topics = carry_topics(earlier.topics, neighbours)
        settled, settlers = earlier.settled, earlier.settlers
    else:
        topics = find_topics(coordinates, neighbours, texts)
        if earlier is not None:
            topics = rename_topics(topics, earlier.topics)
    progress("Naming topics", 1, 1)
    quality = judge(vectors, neighbours, coordinates)
    arrays: dict[str, npt.NDArray[Any]] = {
        "coordinates": coordinates,
        "neighbours": neighbours.indices,
        "similarities": neighbours.similarities,
        "topics": topics.coarse.labels,
        "subtopics": topics.fine.labels,
        "settled": settled,
        "kept_near": quality.kept_near,
    }
    meta = {
        "topic_names": list(topics.coarse.names),
        "subtopic_names": list(topics.fine.names),
        "settlers": settlers,
        "recall": quality.recall,
        "trustworthiness": quality.trustworthiness,
        "judged": quality.judged,
    }
    return MapEntry(arrays, meta)


def _paper_map(
    corpus: pd.DataFrame,
    rows: npt.NDArray[np.intp],
    entry: MapEntry,
    embedding_keys: Sequence[str],
    made_with: Mapping[str, str],
    *,
    key: str,
) -> PaperMap:
    """Give what was computed of the papers with text its place among all papers."""
    n, arrays = len(corpus), entry.arrays

    def spread(values: npt.NDArray[Any], missing: float) -> npt.NDArray[Any]:
        everyone = np.full((n, *values.shape[1:]), missing, dtype=values.dtype)
        everyone[rows] = values
        return everyone

    return PaperMap(
        corpus=corpus,
        coordinates=spread(arrays["coordinates"], np.nan),
        neighbours=spread(rows[arrays["neighbours"]].astype(np.int32), -1),
        similarities=spread(arrays["similarities"], np.nan),
        topics=spread(arrays["topics"], -1),
        topic_names=tuple(entry.meta["topic_names"]),
        embedding_keys=tuple(embedding_keys),
        subtopics=spread(arrays["subtopics"], -1),
        subtopic_names=tuple(entry.meta["subtopic_names"]),
        kept_near=spread(arrays["kept_near"], -1),
        recall=entry.meta["recall"],
        trustworthiness=entry.meta["trustworthiness"],
        judged=entry.meta["judged"],
        made_with=made_with,
        key=key,
    )


def _made_with(embedding: EmbeddingSpec, spec: ProjectionSpec) -> dict[str, str]:
    libraries = ", ".join(f"{name} {number}" for name, number in _versions().items())
    return {
        "Model": embedding.name,
        "Weights": f"SHA-256 {embedding.weights_sha256[:12]}…",
        "Seed": str(spec.seed),
        "Libraries": libraries,
    }


def _versions() -> dict[str, str]:
    return {name: version(name) for name in _LIBRARIES}


def _family(spec: ProjectionSpec) -> str:
    """Return the hex digest of all that decides a map but its papers."""
    decides: dict[str, Any] = {
        "neighbours": NEIGHBOURS,
        "projection": asdict(spec),
        "versions": [_MAP_VERSION, PROJECTION_VERSION, TOPICS_VERSION],
        "libraries": _versions(),
    }
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()
