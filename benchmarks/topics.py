"""How topics compare with those that BERTopic's defaults find in the same vectors and texts."""

import json
import statistics
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks import peers
from benchmarks.report import Report, say, seconds
from benchmarks.subject import Subject
from cache.build import PaperMap, build
from cache.embedding import SentenceTransformerEmbedder
from cache.topic_names import rank_phrases

_SCRIPT: Final = Path(peers.__file__).with_name("model_topics.py")
_PHRASES: Final = 30
"""More than enough for ten different words."""
_SHARED: Final = 0.005
_NUMBER: Final = "their number"
_SHARE: Final = "share of papers in one"

Labels = npt.NDArray[np.integer[Any]]
Areas = Mapping[str, npt.NDArray[np.str_]]


def measure(report: Report, subject: Subject, paper_map: PaperMap, folder: Path) -> None:
    """Compare how long topics take, their words, and what they share with the corpus's own areas.

    Of BERTopic, each figure is the middle one of some seeds.
    """
    python = peers.program("python")
    if python is None:
        say("BERTopic is not installed; `make bench` does that")
        return
    say(f"Finding topics of {len(subject.corpus):,} papers with BERTopic")
    levels: dict[str, Labels] = {"topics": paper_map.topics}
    if paper_map.subtopic_names:
        levels["finer topics"] = paper_map.subtopics
    judged = _judged(python, subject, levels, folder)
    store, embedder = subject.store(folder / "store"), SentenceTransformerEmbedder()
    taken = seconds(lambda: build(subject.corpus, embedder, store))
    theirs = statistics.median(run["seconds"] for run in judged["found"])
    report.add("from vectors to a map with topics : to BERTopic's topics", taken, theirs)
    areas = {} if subject.made else _areas(subject.corpus)
    runs = [_figures(np.array(run.pop("labels")), run, areas) for run in judged["found"]]
    for name, labels in levels.items():
        for what, ours in _figures(labels, judged["given"][name], areas).items():
            other = statistics.median(run[what] for run in runs)
            # What made-up papers say tells nothing of topics.
            least = None if subject.made or what in {_NUMBER, _SHARE} else 1
            report.add(f"{name}, {what} : BERTopic's", ours, other, unit="", least=least)


def _judged(
    python: Path, subject: Subject, levels: Mapping[str, Labels], folder: Path
) -> dict[str, Any]:
    """Return what the script in the peers' environment says of our topics and BERTopic's."""
    phrases = {
        name: rank_phrases(labels.astype(np.int16), subject.texts, _PHRASES)
        for name, labels in levels.items()
    }
    folder.mkdir()
    np.save(folder / "vectors.npy", subject.vectors)
    papers = {"texts": list(subject.texts), "phrases": phrases}
    (folder / "papers.json").write_text(json.dumps(papers))
    command = [str(python), str(_SCRIPT), str(folder)]
    subprocess.run(command, check=True, capture_output=True, env=peers.surroundings(folder))
    judged: dict[str, Any] = json.loads((folder / "topics.json").read_text())
    return judged


def _figures(labels: Labels, words: Mapping[str, float], areas: Areas) -> dict[str, float]:
    return {
        _NUMBER: float(labels.max() + 1),
        _SHARE: float(np.mean(labels >= 0)),
        "NPMI of their first ten words": words["coherence"],
        "diversity of these words": words["diversity"],
        **{f"NMI with {what}": _agreement(known, labels) for what, known in areas.items()},
    }


def _areas(corpus: pd.DataFrame) -> Areas:
    """Return what the corpus tells of areas, ``""`` for papers of which it tells nothing.

    Neither is an area in the strict sense. A venue has a field, but a wide one. A keyword is narrow
    and one of several: the rarest is taken that one paper in 200 has.
    """
    venues = corpus["venue"].fillna("").to_numpy(dtype=str)
    return {
        what: known
        for what, known in (
            ("venues", venues),
            ("authors' keywords", _shared_keywords(corpus["keywords"].tolist())),
        )
        if len(set(known.tolist()) - {""}) > 1
    }


def _shared_keywords(given: Sequence[Sequence[str]]) -> npt.NDArray[np.str_]:
    keywords = [{keyword.casefold() for keyword in of_paper} for of_paper in given]
    papers = Counter(keyword for of_paper in keywords for keyword in of_paper)
    least = max(2, _SHARED * len(given))
    shared = [
        [keyword for keyword in of_paper if papers[keyword] >= least] for of_paper in keywords
    ]
    return np.array([min(those, key=lambda k: (papers[k], k), default="") for those in shared])


def _agreement(known: npt.NDArray[np.str_], labels: Labels) -> float:
    """Return the NMI over papers of which something is known, unclustered ones being a cluster."""
    from sklearn.metrics import normalized_mutual_info_score

    told = known != ""
    return float(normalized_mutual_info_score(known[told], labels[told]))
