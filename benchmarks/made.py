"""Papers made up from the sentences of seeds/: the same ones every time, and as many as wanted."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from cache.build import NEIGHBOURS, PaperMap
from cache.papers import assemble
from cache.readers import read
from cache.topics import topic_counts

SEEDS: Final = Path(__file__).parents[1] / "seeds"

_SEED: Final = 7
_SENTENCES: Final = 8
_OWN: Final = 5
"""Of so many sentences of an abstract, so many are of the paper's own area."""
_TITLE_WORDS: Final = 5
_CODE_SHARE: Final = 0.2
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_SPREAD: Final = 1.5
"""Length of what is a vector's own beside its centre of length one: cosines of about 0.3 within an
area, as among abstracts of one topic."""


def records(count: int) -> Iterator[dict[str, Any]]:
    """Yield so many papers; each area is what one of the seeds is about, and begins their ids."""
    abstracts = read([SEEDS]).corpus["abstract"].tolist()
    areas = [_SENTENCE_END.split(abstract) for abstract in abstracts if abstract]
    everything = [sentence for area in areas for sentence in area]
    rng = np.random.default_rng(_SEED)
    for number in range(count):
        area = int(rng.integers(len(areas)))
        chosen = [
            *_drawn(areas[area], _OWN, rng),
            *_drawn(everything, _SENTENCES - _OWN, rng),
        ]
        code = f"https://github.com/made/paper-{number}" if rng.random() < _CODE_SHARE else ""
        yield {
            "id": f"{area:02}-{number:06}",
            "title": f"{_words(chosen[0], rng)}: {_words(chosen[-1], rng)} {number}",
            "abstract": " ".join(chosen),
            "authors": [f"Ada Author{rng.integers(count)}", f"Bo Bylaw{rng.integers(count)}"],
            "keywords": [f"area {area}", f"method {rng.integers(200)}"],
            "venue": f"Venue {rng.integers(12)}",
            "year": int(rng.integers(2015, 2026)),
            "code_url": code,
            "rating": float(np.round(rng.normal(6, 1.2), 1)),
        }


def table(count: int) -> pd.DataFrame:
    """Return so many papers as a list of them is published, to be written to a file."""
    made = pd.DataFrame(list(records(count)))
    for column in ("authors", "keywords"):
        made[column] = made[column].map("; ".join)
    return made


def vectors(ids: Sequence[str], dimension: int) -> npt.NDArray[np.float32]:
    """Return a vector of length one for each paper, around the centre of its area."""
    rng = np.random.default_rng(_SEED)
    areas = np.array([int(paper.partition("-")[0]) for paper in ids])
    centres = _unit(rng.normal(size=(int(areas.max()) + 1, dimension)))
    own = _SPREAD * _unit(rng.normal(size=(len(ids), dimension)))
    return _unit(centres[areas] + own).astype(np.float32)


def large_map(count: int) -> PaperMap:
    """Return a map of so many papers, whose places are drawn at random around their topics."""
    corpus = assemble(records(count)).corpus
    n = len(corpus)
    rng = np.random.default_rng(_SEED)
    coarse, fine = topic_counts(n)
    subtopics = rng.integers(fine, size=n).astype(np.int16)
    centres = rng.uniform(-0.9, 0.9, size=(fine, 2))
    places = centres[subtopics] + rng.normal(scale=0.03, size=(n, 2))
    return PaperMap(
        corpus=corpus,
        coordinates=places.astype(np.float32),
        neighbours=rng.integers(n, size=(n, NEIGHBOURS), dtype=np.int32),
        similarities=np.full((n, NEIGHBOURS), 0.5, dtype=np.float32),
        topics=(subtopics % coarse).astype(np.int16),
        topic_names=tuple(f"Topic {number}" for number in range(coarse)),
        embedding_keys=("",) * n,
        subtopics=subtopics,
        subtopic_names=tuple(f"Finer topic {number}" for number in range(fine)),
        kept_near=np.zeros(n, dtype=np.int16),
        recall=None,
        trustworthiness=None,
        judged=0,
        made_with={},
        key=f"made-{n}",
    )


def _drawn(sentences: Sequence[str], count: int, rng: np.random.Generator) -> list[str]:
    return [sentences[at] for at in rng.permutation(len(sentences))[:count]]


def _words(sentence: str, rng: np.random.Generator) -> str:
    words = re.findall(r"\w+", sentence)
    start = int(rng.integers(max(1, len(words) - _TITLE_WORDS)))
    return " ".join(words[start : start + _TITLE_WORDS])


def _unit(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    unit: npt.NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
