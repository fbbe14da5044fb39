"""Embedders that a Dask worker makes for itself when a test tells it to."""

import hashlib
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from hashing_embedder import HashingEmbedder

HELD = "held "
PATIENCE = 120.0


class Gated(HashingEmbedder):
    """Keeps partitions of held texts until the gate is open, and notes who has got which.

    Parameters
    ----------
    folder : Path
        Where each note is a file named after a process and the first text that it was given, and
        the gate is a file `open`.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(batch_size=256)
        self._folder = folder

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        if texts[0].startswith(HELD):
            (self._folder / f"{os.getpid()}-{texts[0].split()[-1]}").touch()
            wait_until((self._folder / "open").exists)
        return super().batches(texts)


class Deadly(HashingEmbedder):
    """Ends the process that embeds with it."""

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        os.kill(os.getpid(), signal.SIGKILL)
        return super().batches(texts)


class Own(HashingEmbedder):
    """Has other weights in each process."""

    def __init__(self) -> None:
        super().__init__()
        weights = hashlib.sha256(str(os.getpid()).encode()).hexdigest()
        self.spec = replace(self.spec, weights_sha256=weights)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what is bound to come, however slow the machine."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
