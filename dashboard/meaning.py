"""What papers and queries mean, had without keeping a page waiting for the model."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from cache.build import PaperMap, corpus_vectors
from cache.embedding import Embedder, embed
from cache.store import Store
from cache.text import embedded_text

T = TypeVar("T")
Vectors: TypeAlias = npt.NDArray[np.float32]

_PATIENCE: Final = 1.0
"""How long, in seconds, a page waits for what has just been begun: enough to read the vectors of
tens of thousands of papers, too short to load a model."""


class Meaning:
    """The vectors of a map's papers and of queries, each read or computed when first asked for.

    Whatever takes long happens in a thread: until it is done, the answer is None. What failed is
    raised once, and tried again when asked for again.

    Parameters
    ----------
    paper_map : PaperMap
    embedder : Embedder
        Its model is loaded when a query's vector is asked for that the store does not hold.
    store : Store
    """

    def __init__(self, paper_map: PaperMap, embedder: Embedder, store: Store) -> None:
        self._paper_map = paper_map
        self._embedder = embedder
        self._store = store
        self._lock = threading.Lock()
        self._embedding = threading.Lock()
        self._begun: dict[str, Future[Any]] = {}
        self._vectors: Vectors | None = None

    @property
    def ready(self) -> bool:
        """Whether any query can be understood at once."""
        return self._embedder.ready

    @property
    def busy(self) -> bool:
        """Whether something is under way."""
        return any(not future.done() for future in list(self._begun.values()))

    def vectors(self) -> Vectors | None:
        """Return the papers' vectors, float32, shape (n, d): see `cache.build.corpus_vectors`.

        Raises
        ------
        PaperskyError
            What `corpus_vectors` raises.
        """
        if self._vectors is None:
            self._vectors = self._outcome(
                "papers", lambda: corpus_vectors(self._paper_map, self._embedder, self._store)
            )
        return self._vectors

    def of_query(self, typed: str) -> Vectors | None:
        """Return the vector of what was typed, float32, shape (d,); it is kept like any other.

        Raises
        ------
        PaperskyError
            What `cache.embedding.embed` raises.
        """
        text = embedded_text("", typed) or typed
        spec = self._embedder.spec
        key = spec.key(text)
        kept = self._store.read_vectors([key], spec.dimension).get(key)
        if kept is not None:
            return kept
        if not self._embedder.ready and self._outcome("model", lambda: self._embed(text)) is None:
            return None
        return self._embed(text)

    def _embed(self, text: str) -> Vectors:
        with self._embedding:
            vector: Vectors = embed([text], self._embedder, self._store)[0]
            return vector

    def _outcome(self, what: str, work: Callable[[], T]) -> T | None:
        """Begin the work unless it has begun; return what came of it, None if it is not done."""
        with self._lock:
            future = self._begun.get(what)
            begins = future is None
            if future is None:
                future = self._begun[what] = _in_background(work)
        if begins:
            wait([future], timeout=_PATIENCE)
        if not future.done():
            return None
        with self._lock:
            if self._begun.get(what) is future:
                del self._begun[what]
        result: T = future.result()
        return result


def _in_background(work: Callable[[], T]) -> Future[T]:
    """Work in a thread that keeps nobody from ending the process."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="meaning").start()
    return future
