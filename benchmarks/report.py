"""What was measured, as one Markdown table, and on what machine."""

import os
import platform
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Final

_LIBRARIES: Final = (
    *("numpy", "pandas", "scikit-learn", "umap-learn", "numba", "torch"),
    *("plotly", "streamlit"),
)


@dataclass
class Report:
    """Rows of two things measured in the same run, and their ratio."""

    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(
        self,
        what: str,
        measured: float,
        against: float,
        *,
        unit: str = "s",
        most: float | None = None,
        least: float | None = None,
    ) -> None:
        """Add a row.

        Parameters
        ----------
        what : str
            Names both, with a colon between them.
        measured, against : float
            In `unit`.
        unit : str
        most, least : float, optional
            What the ratio should keep to; where it does not, the row says so.
        """
        ratio = measured / against
        target = f"≤ {most:g}" if most is not None else f"≥ {least:g}" if least is not None else ""
        missed = (most is not None and ratio > most) or (least is not None and ratio < least)
        values = (_written(measured, unit), _written(against, unit), f"{ratio:.4f}")
        row = (what, *values, f"{target}, missed" if missed else target)
        self.rows.append(row)
        say(f"  {' | '.join(row)}")

    def markdown(self) -> str:
        """Return the table."""
        head = [("what", "measured", "against", "ratio", "target"), ("---", *["---:"] * 3, "---")]
        return "\n".join(f"| {' | '.join(row)} |" for row in [*head, *self.rows])


def seconds(work: Callable[[], object]) -> float:
    """Return how long a piece of work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median_seconds(work: Callable[[], object], rounds: int) -> float:
    """Return how long a piece of work takes in the middle of some rounds."""
    return statistics.median(seconds(work) for _ in range(rounds))


def say(what: str) -> None:
    """Tell on standard error what is going on."""
    print(what, file=sys.stderr, flush=True)


def peak_memory() -> int | None:
    """Return the most bytes that this process has held so far; None where nobody counts them."""
    try:
        import resource
    except ImportError:  # on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def machine() -> str:
    """Describe what it was measured on, in a sentence without names."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    libraries = ", ".join(f"{name} {version(name)}" for name in _LIBRARIES)
    return (
        f"{cores} cores ({_processor()}), {platform.system()}, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {libraries}"
    )


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    lines = described.read_text().splitlines() if described.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _written(value: float, unit: str) -> str:
    if unit == "s" and value < 0.1:
        return f"{1000 * value:.2f} ms"
    return f"{value:.3f} {unit}".rstrip()
