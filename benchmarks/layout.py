"""How long a map takes beyond embedding, how true it is, and how it bears papers that join it."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.report import Report, say, seconds
from benchmarks.subject import Subject
from cache.build import NEIGHBOURS, PaperMap, build
from cache.embedding import SentenceTransformerEmbedder
from cache.neighbours import nearest
from cache.projection import ProjectionSpec, project
from cache.quality import judge

_ALLOWED: Final = 10.0
"""Seconds for all but embedding, of about 3,000 papers."""

_ALLOWED_JOINING: Final = 5.0
_JOINING: Final = 0.01
_MOST_MOVED: Final = 0.02
_MOST_TRUST_LOST: Final = 0.01
_WARMING: Final = 500
_SEED: Final = 7


def measure(report: Report, subject: Subject, folder: Path) -> PaperMap:
    """Lay the papers out, likewise with umap-learn alone, and return the map."""
    paper_map = _measure_start(report, subject, folder / "fresh")
    _measure_quality(report, subject)
    _measure_joining(report, subject, paper_map, folder / "joined")
    return paper_map


def _measure_start(report: Report, subject: Subject, root: Path) -> PaperMap:
    """Build the map, then run the command once with vectors but no map, and once with both."""
    say(f"Laying out {len(subject.corpus):,} papers")
    maps: list[PaperMap] = []
    store, embedder = subject.store(root / "built"), SentenceTransformerEmbedder()
    taken = seconds(lambda: maps.append(build(subject.corpus, embedder, store)))
    report.add(f"from vectors to a map with topics : {_ALLOWED:g} s", taken, _ALLOWED, most=1)
    subject.store(root)
    papersky = Path(sys.executable).parent / "papersky"
    options = ["--to", str(root / "papers.json"), "--cache-dir", str(root)]
    command = [str(papersky), "export", *map(str, subject.paths), *options]

    def export() -> object:
        return subprocess.run(command, check=True, capture_output=True)

    first, second = seconds(export), seconds(export)
    report.add("the command with the map kept : with vectors kept", second, first)
    return maps[0]


def _measure_quality(report: Report, subject: Subject) -> None:
    say("Comparing with umap-learn alone")
    vectors = subject.vectors
    for lay_out in (_ours, _plain_umap):
        lay_out(vectors[:_WARMING])  # what is compiled or loaded at first use is not compared
    maps: list[npt.NDArray[np.float32]] = []
    ours = seconds(lambda: maps.append(_ours(vectors)))
    plain = seconds(lambda: maps.append(_plain_umap(vectors)))
    report.add("neighbours and layout : umap-learn alone", ours, plain)
    neighbours = nearest(vectors, NEIGHBOURS)
    mine, other = (judge(vectors, neighbours, places) for places in maps)
    for what, left, right in (
        ("trustworthiness", mine.trustworthiness, other.trustworthiness),
        ("recall of 15 neighbours", mine.recall, other.recall),
    ):
        if left is not None and right is not None:
            report.add(f"{what} : that of umap-learn alone", left, right, unit="", least=1)


def _ours(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return project(vectors, nearest(vectors, NEIGHBOURS), ProjectionSpec())


def _plain_umap(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Lay out with umap-learn's defaults, but for the metric and a seed."""
    from umap import UMAP

    places: npt.NDArray[np.float32] = UMAP(
        metric="cosine", random_state=ProjectionSpec().seed, n_jobs=1
    ).fit_transform(vectors)
    return places


def _measure_joining(report: Report, subject: Subject, fresh: PaperMap, root: Path) -> None:
    """Take 1 % of the papers away, lay out the others, and let the 1 % join."""
    n = len(subject.corpus)
    rng = np.random.default_rng(_SEED)
    joining = np.zeros(n, dtype=bool)
    joining[rng.choice(n, max(1, round(_JOINING * n)), replace=False)] = True
    say(f"Letting {int(joining.sum())} papers join a map of the others")
    store, embedder = subject.store(root), SentenceTransformerEmbedder()
    before = build(subject.corpus[~joining].reset_index(drop=True), embedder, store)
    maps: list[PaperMap] = []
    taken = seconds(lambda: maps.append(build(subject.corpus, embedder, store)))
    after = maps[0]
    moved = np.hypot(*(after.coordinates[~joining] - before.coordinates).T)
    width = float(np.ptp(before.coordinates[:, 0]))
    what = f"1 % join, all but their embedding : {_ALLOWED_JOINING:g} s"
    report.add(what, taken, _ALLOWED_JOINING, most=1)
    what = "1 % join, median movement of the others : the map's width"
    report.add(what, float(np.median(moved)), width, unit="", most=_MOST_MOVED)
    if after.trustworthiness is not None and fresh.trustworthiness is not None:
        report.add(
            "1 % join, trustworthiness : that of a map laid out anew",
            after.trustworthiness,
            fresh.trustworthiness,
            unit="",
            least=round(1 - _MOST_TRUST_LOST / fresh.trustworthiness, 4),
        )
