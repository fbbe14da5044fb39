"""Find topics with BERTopic's defaults, and judge the words of topics, its own and given ones.

Run by `benchmarks.topics` in the peers' environment, with a folder that holds vectors.npy and
papers.json; writes topics.json there.
"""

import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from bertopic import BERTopic
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel
from umap import UMAP

_TOP: Final = 10
_SEEDS: Final = 5
"""What BERTopic finds differs much from seed to seed."""


def main(folder: Path) -> None:
    vectors = np.load(folder / "vectors.npy")
    papers = json.loads((folder / "papers.json").read_text())
    judge = Judge([words_of(text) for text in papers["texts"]])
    result = {
        "given": {name: judge.of(phrases) for name, phrases in papers["phrases"].items()},
        "found": [_found(papers["texts"], vectors, seed, judge) for seed in range(_SEEDS)],
    }
    (folder / "topics.json").write_text(json.dumps(result))


def _found(texts: list[str], vectors: Any, seed: int, judge: "Judge") -> dict[str, Any]:
    """Fit a model with its defaults, but for a seed: without one no run can be had again."""
    start = time.perf_counter()
    layout = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=seed)
    model = BERTopic(umap_model=layout)
    labels, _ = model.fit_transform(texts, embeddings=vectors)
    taken = time.perf_counter() - start
    words = [[word for word, _ in model.get_topic(topic)] for topic in range(max(labels) + 1)]
    return {"seconds": taken, "labels": [int(label) for label in labels], **judge.of(words)}


class Judge:
    """Judges topics by their first ten words.

    Coherence is the mean NPMI of two words by the papers that have them (Röder, Both and Hinneburg
    2015, https://doi.org/10.1145/2684822.2685324, as gensim computes it); diversity the share of
    different ones among the words of all topics (Dieng, Ruiz and Blei 2020,
    https://doi.org/10.1162/tacl_a_00325).
    """

    def __init__(self, texts: Sequence[list[str]]) -> None:
        self._texts = texts
        self._dictionary = Dictionary(texts)

    def of(self, topics: Sequence[Sequence[str]]) -> dict[str, float]:
        """Judge topics by their ranked words or phrases."""
        words = [words for words in map(_first_words, topics) if len(words) > 1]
        coherence = CoherenceModel(
            topics=words,
            texts=self._texts,
            dictionary=self._dictionary,
            coherence="c_npmi",
            window_size=max(map(len, self._texts)),
            processes=1,
        ).get_coherence()
        every = [word for topic in words for word in topic]
        return {"coherence": float(coherence), "diversity": len(set(every)) / len(every)}


def _first_words(phrases: Sequence[str]) -> list[str]:
    words = [word for phrase in phrases for word in words_of(phrase)]
    return list(dict.fromkeys(words))[:_TOP]


def words_of(text: str) -> list[str]:
    """Part a text into words as BERTopic does: "state-of-the-art" is one, without its hyphens."""
    plain = re.sub(r"[^a-z0-9 ]+", "", re.sub(r"\s", " ", text.lower()))
    return re.findall(r"\b\w\w+\b", plain)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
