"""The papers that are measured, with their vectors, so that each stage may begin where it likes."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks import made
from benchmarks.report import say
from cache.embedding import SentenceTransformerEmbedder, embed
from cache.papers import embedded_texts
from cache.readers import read
from cache.store import Store

_MADE: Final = 3_000


@dataclass(frozen=True, eq=False)
class Subject:
    """Papers that all have text.

    Attributes
    ----------
    paths : sequence of Path
        Where they are read from.
    corpus : pandas.DataFrame
        n papers.
    texts : sequence of str
        What is embedded of each.
    vectors : float32 array, shape (n, d)
    made : bool
        Whether the papers and the vectors are made up.
    """

    paths: Sequence[Path]
    corpus: pd.DataFrame
    texts: Sequence[str]
    vectors: npt.NDArray[np.float32]
    made: bool

    def store(self, root: Path) -> Store:
        """Return a cache that holds the vectors, and no map."""
        store = Store(root)
        spec = SentenceTransformerEmbedder().spec
        store.write_vectors([spec.key(text) for text in self.texts], self.vectors)
        return store


def subject(paths: Sequence[Path], folder: Path) -> Subject:
    """Read papers, or make some up, and get their vectors.

    What ``$PAPERSKY_CACHE`` keeps need not be embedded again; else all is kept in `folder`.
    """
    if not paths:
        say(f"Making up {_MADE:,} papers")
        listed = folder / "made.csv"
        made.table(_MADE).to_csv(listed, index=False)
        corpus = read([listed]).corpus
        texts = embedded_texts(corpus)
        dimension = SentenceTransformerEmbedder().spec.dimension or 384
        vectors = made.vectors(corpus["id"].tolist(), dimension)
        return Subject([listed], corpus, texts, vectors, made=True)
    corpus = read(paths).corpus
    texts = embedded_texts(corpus)
    placed = [bool(text) for text in texts]
    corpus, texts = corpus[placed].reset_index(drop=True), [text for text in texts if text]
    kept = Path(os.environ.get("PAPERSKY_CACHE") or folder / "kept")
    say(f"Embedding those of {len(texts):,} papers that are not kept yet")
    vectors = embed(texts, SentenceTransformerEmbedder(), Store(kept))
    return Subject(paths, corpus, texts, vectors, made=False)
