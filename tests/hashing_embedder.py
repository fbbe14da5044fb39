"""An embedder for tests: texts that share words get similar vectors, and no model is needed."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from cache.embedding import EmbeddingSpec


class HashingEmbedder:
    """Adds up one random direction for each word of a text.

    Parameters
    ----------
    dimension : int
        Length of the vectors.
    batch_size : int
        Texts in a batch; the last texts come first, as no caller may count on an order.

    Attributes
    ----------
    ready : bool
        As if a model were loaded.
    texts : list of str
        Every text embedded so far.
    calls : int
        How often `batches` has been called.
    """

    def __init__(self, dimension: int = 64, batch_size: int = 4) -> None:
        self.spec = EmbeddingSpec(
            name="hashing",
            weights_sha256="0" * 64,
            settings_sha256="0" * 64,
            max_tokens=None,
            pooling="sum",
            normalised=True,
            dimension=dimension,
        )
        self.ready = True
        self.texts: list[str] = []
        self.calls = 0
        self._dimension = dimension
        self._batch_size = batch_size

    def batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]:
        self.calls += 1
        return self._batches(texts)

    def _batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]:
        order = np.arange(len(texts))[::-1]
        for start in range(0, len(texts), self._batch_size):
            positions = order[start : start + self._batch_size]
            self.texts += [texts[position] for position in positions]
            yield positions, np.stack([self.vector(texts[position]) for position in positions])

    def vector(self, text: str) -> npt.NDArray[np.float32]:
        """Return the vector of a text: float32, shape (d,), of length one."""
        words = text.casefold().split() or [text]
        total = np.sum([_direction(word, self._dimension) for word in words], axis=0)
        return (total / np.linalg.norm(total)).astype(np.float32)


@cache
def _direction(word: str, dimension: int) -> npt.NDArray[np.float64]:
    digest = hashlib.sha256(word.encode(errors="surrogatepass")).digest()
    return np.random.default_rng(list(digest)).normal(size=dimension)
