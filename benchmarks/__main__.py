"""Measure Papersky on a corpus and print one table.

Each row is a ratio of two things measured in the same run, so that it means the same on any
machine. Run as ``python -m benchmarks [PATH…]``; without a path it measures the papers in seeds/.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from rich.console import Console
from rich.table import Table

from cache.build import PaperMap, build
from cache.embedding import DEFAULT_MODEL, SentenceTransformerEmbedder
from cache.papers import embedded_texts
from cache.readers import read
from cache.store import Store
from cache.tokens import TokenLimit
from components.query import parse_query
from components.scatter import scatter
from components.search import SearchIndex

SEEDS = Path(__file__).parents[1] / "seeds"
HIDDEN, FEED_FORWARD, LAYERS = 384, 1536, 6
MATRIX = 1024


def main(paths: Sequence[Path]) -> None:
    corpus = read(paths or [SEEDS]).corpus
    texts = [text for text in embedded_texts(corpus) if text]
    table = Table("what", "measured", "against", "ratio", title=f"{len(corpus):,} papers")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _reading(table, paths, len(corpus))
        _embedding(table, texts)
        cold = _seconds(lambda: _export(paths, root))
        warm = _seconds(lambda: _export(paths, root))
        _row(table, "warm start : cold build", warm, cold)
        store = Store(root)
        paper_map = build(corpus, SentenceTransformerEmbedder(), store)
        _interaction(table, paper_map, warm)
    Console().print(table)


def _reading(table: Table, paths: Sequence[Path], papers: int) -> None:
    """Read, mend and merge, against what pandas takes for the file plus a second per 10,000."""
    for path in paths:
        if ".csv" in path.suffixes:
            taken = _seconds(lambda path=path: read([path]))
            allowed = 3 * _seconds(lambda path=path: pd.read_csv(path)) + papers / 10_000
            _row(table, f"reading {path.name} : 3 x pandas + 1 s per 10,000", taken, allowed)


def _embedding(table: Table, texts: Sequence[str]) -> None:
    """Embed for the first time, against the arithmetic that takes at the machine's own speed."""
    embedder = SentenceTransformerEmbedder()
    for _ in embedder.batches(texts[:8]):
        pass
    taken = _seconds(lambda: [None for _ in embedder.batches(texts)])
    tokens = _token_counts(texts)
    # A multiply and an add for each weight of a layer, and for the attention over the text.
    weights = 4 * HIDDEN**2 + 2 * HIDDEN * FEED_FORWARD
    flops = LAYERS * float(np.sum(2.0 * tokens * weights + 4.0 * tokens**2 * HIDDEN))
    _row(table, "arithmetic's least : embedding", flops / _flops_per_second(), taken)


def _token_counts(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    from tokenizers import Tokenizer

    limit = TokenLimit.of(DEFAULT_MODEL)
    if limit is None:
        raise RuntimeError("the model that comes along has a limit")
    tokenizer = Tokenizer.from_file(str(limit.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit.tokens)
    return np.array([len(encoding.ids) for encoding in tokenizer.encode_batch(list(texts))])


def _flops_per_second() -> float:
    import torch

    a, b = torch.rand(MATRIX, MATRIX), torch.rand(MATRIX, MATRIX)
    torch.mm(a, b)
    rounds = 40
    return 2 * MATRIX**3 * rounds / _seconds(lambda: [torch.mm(a, b) for _ in range(rounds)])


def _interaction(table: Table, paper_map: PaperMap, warm: float) -> None:
    names = [paper_map.topic_name(row) for row in range(len(paper_map.corpus))]
    index = SearchIndex(paper_map.corpus, names)
    everything = np.ones(len(names), dtype=bool)
    hits = index.search(parse_query("graph neural network"))
    searching = _seconds(lambda: index.search(parse_query("graph neural network")))
    drawing = _seconds(
        lambda: scatter(paper_map, visible=everything, hits=hits.mask).to_json(validate=False)
    )
    _row(table, "search : warm start", searching, warm)
    _row(table, "figure : warm start", drawing, warm)


def _export(paths: Sequence[Path], root: Path) -> None:
    command = [Path(sys.executable).parent / "papersky", "export", *paths]
    target = root / "papers.json"
    subprocess.run([*command, "--to", target, "--cache-dir", root], check=True, capture_output=True)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _row(table: Table, what: str, left: float, right: float) -> None:
    table.add_row(what, f"{left:.3f} s", f"{right:.3f} s", f"{left / right:.3f}")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
