"""How much of the machine's own speed embedding uses."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.report import Report, say
from benchmarks.subject import Subject
from cache.embedding import DEFAULT_MODEL, SentenceTransformerEmbedder
from cache.tokens import TokenLimit

_HIDDEN, _FEED_FORWARD, _LAYERS = 384, 1536, 6
_MATRIX: Final = 512
"""Small enough that the products hardly need the cache that cores, and others, share."""
_PRODUCTS: Final = 800
_SAMPLE: Final = 1_000
_TURN: Final = 500
_SEED: Final = 7


def measure(report: Report, subject: Subject) -> None:
    """Compare with the arithmetic that a sample takes at the speed of a product of matrices.

    Both in seconds of the processor, since seconds of the clock depend on what else the machine
    does: the same program read anything from 0.7 to 1.1 beside others. What they leave out,
    processors that stand idle, is a row of its own.
    """
    rng = np.random.default_rng(_SEED)
    count = min(_SAMPLE, len(subject.texts))
    texts = [subject.texts[row] for row in rng.choice(len(subject.texts), count, replace=False)]
    say(f"Embedding {count} papers")
    embedder = SentenceTransformerEmbedder()
    _embed(embedder, texts[:8])
    multiplying, embedding = [_multiplied()], []
    for start in range(0, count, _TURN):
        # In turns, so that a machine that grows slower slows both.
        embedding.append(_spent(partial(_embed, embedder, texts[start : start + _TURN])))
        multiplying.append(_multiplied())
    products, papers = sum(multiplying, _Spent()), sum(embedding, _Spent())
    flops_a_second = 2 * _MATRIX**3 * _PRODUCTS * len(multiplying) / products.processor
    least = _flops(texts) / flops_a_second
    what = f"arithmetic's least : embedding {count:,} papers, of the processor's time"
    report.add(what, least, papers.processor, least=0.85)
    what = "processors busy embedding : multiplying matrices"
    report.add(what, papers.busy, products.busy, unit="")


@dataclass(frozen=True)
class _Spent:
    """Seconds by the clock, and of all processors together."""

    clock: float = 0.0
    processor: float = 0.0

    def __add__(self, other: "_Spent") -> "_Spent":
        return _Spent(self.clock + other.clock, self.processor + other.processor)

    @property
    def busy(self) -> float:
        """How many processors were at work, on average."""
        return self.processor / self.clock


def _spent(work: Callable[[], object]) -> _Spent:
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return _Spent(time.perf_counter() - clock, time.process_time() - processor)


def _embed(embedder: SentenceTransformerEmbedder, texts: Sequence[str]) -> None:
    for _ in embedder.batches(texts):
        pass


def _flops(texts: Sequence[str]) -> float:
    """Return the multiplies and adds for each weight of a layer, and for attention over a text."""
    tokens = _token_counts(texts)
    weights = 4 * _HIDDEN**2 + 2 * _HIDDEN * _FEED_FORWARD
    return _LAYERS * float(np.sum(2.0 * tokens * weights + 4.0 * tokens**2 * _HIDDEN))


def _token_counts(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    from tokenizers import Tokenizer

    limit = TokenLimit.of(DEFAULT_MODEL)
    if limit is None:
        raise RuntimeError("the model that comes along has a limit")
    tokenizer = Tokenizer.from_file(str(limit.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit.tokens)
    return np.array([len(encoding.ids) for encoding in tokenizer.encode_batch(list(texts))])


def _multiplied() -> _Spent:
    """Return what some products of matrices take, each core at products of its own."""
    import torch

    def multiply(_number: int) -> None:
        torch.mm(a, b)

    threads = torch.get_num_threads()
    a, b = torch.rand(_MATRIX, _MATRIX), torch.rand(_MATRIX, _MATRIX)
    multiply(0)
    try:
        with ThreadPoolExecutor(threads, initializer=partial(torch.set_num_threads, 1)) as pool:
            return _spent(lambda: list(pool.map(multiply, range(_PRODUCTS))))
    finally:
        torch.set_num_threads(threads)
