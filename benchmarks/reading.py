"""How long papers take to be read, mended and merged."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import pandas as pd

from benchmarks.report import Report, median_seconds, say
from benchmarks.subject import Subject
from cache.readers import read

_ROUNDS: Final = 3
_PANDAS: Final[Mapping[str, Callable[..., object]]] = {
    ".csv": pd.read_csv,
    ".jsonl": partial(pd.read_json, lines=True),
}


def measure(report: Report, subject: Subject) -> None:
    """Compare with what pandas takes for the same file, and a second per 10,000 papers."""
    for path in subject.paths:
        kind = next((suffix for suffix in path.suffixes if suffix in _PANDAS), None)
        if kind is None:
            continue
        say(f"Reading {path.name}")
        taken = median_seconds(partial(read, [path]), _ROUNDS)
        pandas = median_seconds(partial(_PANDAS[kind], path), _ROUNDS)
        allowed = 3 * pandas + len(subject.corpus) / 10_000
        what = f"reading {path.name} : 3 × pandas + 1 s per 10,000"
        report.add(what, taken, allowed, most=1)
