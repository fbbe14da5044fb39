"""How much of the machine's own speed embedding uses."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.report import Report, say, seconds
from benchmarks.subject import Subject
from cache.embedding import DEFAULT_MODEL, SentenceTransformerEmbedder
from cache.tokens import TokenLimit

_HIDDEN, _FEED_FORWARD, _LAYERS = 384, 1536, 6
_MATRIX: Final = 1024
_PRODUCTS: Final = 50
_SAMPLE: Final = 192
_CHUNK: Final = 96
_SEED: Final = 7


def measure(report: Report, subject: Subject) -> None:
    """Compare with the arithmetic that a sample takes at the speed of a product of matrices."""
    import torch

    rng = np.random.default_rng(_SEED)
    count = min(_SAMPLE, len(subject.texts))
    texts = [subject.texts[row] for row in rng.choice(len(subject.texts), count, replace=False)]
    say(f"Embedding {count} papers")
    embedder = SentenceTransformerEmbedder()
    _embed(embedder, texts[:8])
    embedding, multiplying = 0.0, _multiplying()
    for start in range(0, count, _CHUNK):
        # In turns, so that other work on the machine slows both alike.
        chunk = texts[start : start + _CHUNK]
        embedding += seconds(partial(_embed, embedder, chunk))
        multiplying += _multiplying()
    turns = 1 + -(-count // _CHUNK)
    products = turns * _PRODUCTS * torch.get_num_threads()
    speed = products * 2 * _MATRIX**3 / multiplying
    tokens = _token_counts(texts)
    # A multiply and an add for each weight of a layer, and for the attention over the text.
    weights = 4 * _HIDDEN**2 + 2 * _HIDDEN * _FEED_FORWARD
    flops = _LAYERS * float(np.sum(2.0 * tokens * weights + 4.0 * tokens**2 * _HIDDEN))
    what = f"arithmetic's least : embedding {count} papers"
    if flops / speed > embedding:
        # Nothing is faster than its own arithmetic: other work slowed the products more.
        report.add(f"{what} (disturbed, says nothing)", flops / speed, embedding)
    else:
        report.add(what, flops / speed, embedding, least=0.85)


def _embed(embedder: SentenceTransformerEmbedder, texts: Sequence[str]) -> None:
    for _ in embedder.batches(texts):
        pass


def _token_counts(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    from tokenizers import Tokenizer

    limit = TokenLimit.of(DEFAULT_MODEL)
    if limit is None:
        raise RuntimeError("the model that comes along has a limit")
    tokenizer = Tokenizer.from_file(str(limit.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit.tokens)
    return np.array([len(encoding.ids) for encoding in tokenizer.encode_batch(list(texts))])


def _multiplying() -> float:
    """Return the seconds of some products of matrices, each core at products of its own."""
    import torch

    threads = torch.get_num_threads()

    def multiply(_number: int) -> None:
        torch.set_num_threads(1)
        for _ in range(_PRODUCTS):
            torch.mm(a, b)

    a, b = torch.rand(_MATRIX, _MATRIX), torch.rand(_MATRIX, _MATRIX)
    torch.mm(a, b)
    try:
        with ThreadPoolExecutor(threads) as pool:
            return seconds(lambda: list(pool.map(multiply, range(threads))))
    finally:
        torch.set_num_threads(threads)
