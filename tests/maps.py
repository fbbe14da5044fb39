"""Maps for tests, laid out without a model and without UMAP."""

import numpy as np
import pandas as pd
from conftest import SEEDS

from cache.build import PaperMap
from cache.readers import read


def seeds_map() -> PaperMap:
    """Return the seeds in a spiral, in three topics and a rest."""
    return map_of(read([SEEDS]).corpus)


def map_of(corpus: pd.DataFrame) -> PaperMap:
    """Lay a corpus out in a spiral; papers without text have no place."""
    n = len(corpus)
    k = min(5, n - 1) if n else 0
    angle = np.arange(n) * 2.4
    spiral = np.sqrt(np.arange(n) / max(n, 1))[:, np.newaxis]
    coordinates = (spiral * np.c_[np.cos(angle), np.sin(angle)]).astype(np.float32)
    neighbours = (np.arange(n)[:, np.newaxis] + np.arange(1, k + 1)) % max(n, 1)
    topics = (np.arange(n) % 4 - 1).astype(np.int16)
    empty = (corpus["abstract"] == "").to_numpy()
    coordinates[empty] = np.nan
    topics[empty] = -1
    return PaperMap(
        corpus=corpus,
        coordinates=coordinates,
        neighbours=np.where(empty[:, np.newaxis], -1, neighbours).astype(np.int32),
        similarities=np.linspace(0.9, 0.5, k, dtype=np.float32)[np.newaxis].repeat(n, axis=0),
        topics=topics,
        topic_names=("Graphs", "Language models", "Privacy")[: topics.max(initial=-1) + 1],
        embedding_keys=("",) * n,
        subtopics=np.where((topics == 0) & (n >= 8), np.arange(n) // 4 % 2, -1).astype(np.int16),
        subtopic_names=("Graph transformers", "Molecules") if n >= 8 else (),
        kept_near=np.where(empty, -1, np.arange(n) % (k + 1)).astype(np.int16),
        recall=0.5 if k else None,
        trustworthiness=0.75 if n > 3 else None,
        judged=n if n > 3 else 0,
        made_with={"Model": "none", "Seed": "42"},
        key="spiral",
    )
