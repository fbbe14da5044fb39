"""Embedding on many machines: the texts go out in partitions over a Dask cluster."""

import asyncio
import logging
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict
from functools import cached_property
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from cache._logs import quieted
from cache.embedding import ROWS_A_WRITE, Embedder, EmbeddingSpec
from cache.errors import PaperskyError, first_line

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["ClusterEmbedder", "embed_partition"]

Positions = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]

_CONNECTING_SECONDS: Final = 10.0
_ROUND_SECONDS: Final = 1.0
"""How long nothing arrives before the scheduler is asked whether it and its workers are there."""
_PARTITIONS_A_THREAD: Final = 2
"""One that a worker's thread works at, and one that it finds when it is done."""
_LOGGERS: Final = ("distributed", "distributed.client", "tornado.application", "asyncio")
_KEPT: Final = "What has arrived is kept, and the same command goes on from there."


class ClusterEmbedder:
    """Embeds on the workers of a Dask cluster, each of which loads the model once.

    Only a few partitions for each thread of the cluster are under way at a time. A partition whose
    worker is lost is given to another one. Workers may join and leave while the work goes on.

    Parameters
    ----------
    make : callable
        Makes the embedder that is wanted, on this machine and on each worker; pickled by name.
    scheduler : str
        Address of the scheduler, such as ``"tcp://10.0.0.5:8786"``. It is called when the first
        text is embedded.
    patience : float
        How long to wait, in seconds, for a scheduler that does not answer or has no workers.

    Raises
    ------
    PaperskyError
        If `distributed` is not installed.
    """

    def __init__(
        self, make: Callable[[], Embedder], scheduler: str, patience: float = 60.0
    ) -> None:
        if find_spec("distributed") is None:
            raise PaperskyError(
                "A Dask cluster needs the package distributed, which is not installed.",
                "Install Papersky with its extra dask: "
                "pip install --constraint constraints.txt --editable '.[dask]'",
            )
        self._make = make
        self._scheduler = scheduler
        self._patience = patience

    @cached_property
    def spec(self) -> EmbeddingSpec:
        """What decides the vectors: that of the embedder as it is made on this machine."""
        return self._make().spec

    @property
    def ready(self) -> bool:
        """Whether the next text is embedded at once; never, as a cluster has to be called."""
        return False

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[Positions, Vectors]]:
        """Embed texts; see `cache.embedding.Embedder.batches`.

        Each batch is one partition or several that arrived together, of `ROWS_A_WRITE` texts at
        least if there are as many.

        Raises
        ------
        PaperskyError
            If the scheduler cannot be reached or goes away, has no workers for as long as one is
            patient, or if a worker cannot embed or would make vectors of another spec.
        """
        with self._connected() as client:
            yield from self._arrivals(client, texts)

    def _arrivals(
        self, client: "Client", texts: Sequence[str]
    ) -> Iterator[tuple[Positions, Vectors]]:
        spec = asdict(self.spec)
        pool = client.get_executor(pure=False)
        waiting = deque(_partitions(len(texts)))
        running: dict[Future[Vectors], Positions] = {}
        while waiting or running:
            try:
                room = _PARTITIONS_A_THREAD * self._threads(client) - len(running)
            except PaperskyError:
                yield from self._arrived(running, seconds=0)
                raise
            for _ in range(min(room, len(waiting))):
                positions = waiting.popleft()
                own = [texts[position] for position in positions]
                running[pool.submit(embed_partition, self._make, spec, own)] = positions
            yield from self._arrived(running, _ROUND_SECONDS)

    def _arrived(
        self, running: dict["Future[Vectors]", Positions], seconds: float
    ) -> Iterator[tuple[Positions, Vectors]]:
        """Yield what is there at latest after some seconds, and only then raise what went wrong."""
        done, _ = wait(running, timeout=seconds, return_when=FIRST_COMPLETED)
        good = [future for future in done if not future.cancelled() and not future.exception()]
        if good:
            # All at once, as a cluster may be faster than the disk takes single partitions.
            positions = np.concatenate([running.pop(future) for future in good])
            yield positions, np.concatenate([future.result() for future in good])
        for future in done.difference(good):
            raise self._failure(None if future.cancelled() else future.exception())

    @contextmanager
    def _connected(self) -> Iterator["Client"]:
        from distributed import Client  # noqa: PLC0415 - an extra, and slow to import
        from distributed.versions import VersionMismatchWarning  # noqa: PLC0415

        # What matters of other versions is in the spec; the rest is for those who run the cluster.
        warnings.filterwarnings("ignore", category=VersionMismatchWarning)
        warnings.filterwarnings("ignore", message="Sending large graph")
        with quieted(*_LOGGERS, level=logging.CRITICAL + 1):
            seconds = min(self._patience, _CONNECTING_SECONDS)
            try:
                # In a thread, as there may be an event loop in this one.
                with ThreadPoolExecutor(1) as aside:
                    aside.submit(asyncio.run, _call(self._scheduler, seconds)).result()
                client = Client(self._scheduler, timeout=seconds, set_as_default=False)
            # Whatever the address makes the library raise.
            except Exception as error:
                raise PaperskyError(
                    f"The Dask scheduler {self._scheduler} cannot be reached: {first_line(error)}.",
                    "Start one with `dask scheduler`, or mend the address; "
                    "it is such as tcp://10.0.0.5:8786.",
                ) from error
            try:
                yield client
            finally:
                client.close()

    def _threads(self, client: "Client") -> int:
        """Return how many threads the workers have in all, having waited for the first."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                threads: int = sum(client.nthreads(callback_timeout=self._patience).values())
            # A connection can break in many ways.
            except Exception as error:
                raise self._gone() from error
            if threads:
                return threads
            if time.monotonic() > deadline:
                raise PaperskyError(
                    f"The Dask scheduler {self._scheduler} has had no workers "
                    f"for {self._patience:.0f} seconds.",
                    f"Start some with `dask worker {self._scheduler}` where Papersky is installed. "
                    f"{_KEPT}",
                )
            time.sleep(min(_ROUND_SECONDS, self._patience))

    def _failure(self, error: BaseException | None) -> PaperskyError:
        """Say why a partition failed; None if it was cancelled."""
        from distributed import KilledWorker  # noqa: PLC0415

        if error is None:
            return self._gone()
        if isinstance(error, PaperskyError):
            return error
        if isinstance(error, KilledWorker):
            return PaperskyError(
                f"Worker after worker of the Dask scheduler {self._scheduler} died over the same "
                "abstracts.",
                f"They may be short of memory: give them more of it, or fewer threads. {_KEPT}",
            )
        return PaperskyError(
            f"The Dask cluster cannot embed with Papersky: {first_line(error.__cause__ or error)}.",
            "Install this version of Papersky, with its extra dask, for the scheduler and every "
            f"worker, and start them again. {_KEPT}",
        )

    def _gone(self) -> PaperskyError:
        return PaperskyError(
            f"The Dask scheduler {self._scheduler} has gone away.",
            f"Start it and its workers again. {_KEPT}",
        )


async def _call(scheduler: str, seconds: float) -> None:
    """Make sure that a scheduler answers.

    A client of distributed would wait without end for a port at which something else listens, and
    complain on the terminal of an address that is none.
    """
    from distributed import Security  # noqa: PLC0415
    from distributed.comm import connect  # noqa: PLC0415

    arguments = Security().get_connection_args("client")
    try:
        async with asyncio.timeout(seconds + 1):
            comm = await connect(scheduler, timeout=seconds, **arguments)
    except TimeoutError as error:
        raise OSError(f"no Dask scheduler answered within {seconds:.0f} seconds") from error
    comm.abort()


_embedders: Final[dict[tuple[tuple[str, Any], ...], Embedder]] = {}
"""On a worker: those made so far, by what they were wanted to be."""
_making: Final = Lock()


def embed_partition(
    make: Callable[[], Embedder], wanted: dict[str, Any], texts: Sequence[str]
) -> Vectors:
    """Embed a partition, on a worker.

    Parameters
    ----------
    make : callable
    wanted : dict
        The fields of the `EmbeddingSpec` that the embedder must have.
    texts : sequence of str
        n texts, n > 0.

    Returns
    -------
    float32 array, shape (n, d)
        Rows in the order of the texts.

    Raises
    ------
    PaperskyError
        If the embedder that is made here is another one, or cannot be made.
    """
    try:
        batches = list(_embedder(make, wanted).batches(texts))
    except PaperskyError as error:
        raise PaperskyError(f"The worker {_address()}: {error.message}", error.hint) from error
    order = np.argsort(np.concatenate([positions for positions, _ in batches]))
    ordered: Vectors = np.concatenate([vectors for _, vectors in batches])[order]
    return ordered


def _embedder(make: Callable[[], Embedder], wanted: dict[str, Any]) -> Embedder:
    key = tuple(sorted(wanted.items()))
    with _making:
        if key not in _embedders:
            embedder = make()
            _refuse_another(asdict(embedder.spec), wanted)
            _embedders[key] = embedder
        return _embedders[key]


def _refuse_another(own: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Refuse to make vectors that would be kept under the key of others."""
    fields = sorted({name for name, _ in own.items() ^ wanted.items()})
    if fields:
        raise PaperskyError(
            "It would make other vectors than this machine, as these differ: "
            f"{', '.join(fields).replace('_', ' ')}.",
            "Install the same Papersky and the same model there, and start that worker again.",
        )


def _address() -> str:
    from distributed import get_worker  # noqa: PLC0415

    return str(get_worker().address)


def _partitions(n: int) -> list[Positions]:
    """Part 0 … n-1 evenly into `ROWS_A_WRITE` at least."""
    return np.array_split(np.arange(n), max(1, n // ROWS_A_WRITE)) if n else []
