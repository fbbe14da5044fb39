"""What sets some papers apart from the rest: the words and phrases they use more than it does."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from cache.topic_names import phrases_of

MOST_KEYWORDS: Final = 8

_LONGEST: Final = 2
_SAMPLE: Final = 2_000
"""As many papers are read of each side; more would cost time and change no keyword."""
_PRIOR: Final = 10.0
"""How many papers' worth of the corpus's own usage is mixed into either side."""
_SIGNIFICANT: Final = 1.96
"""Standard errors by which usage must differ: less happens by chance once in forty times."""
_LEAST_PAPERS: Final = 2


class Keywords:
    """Finds the keywords of any part of a corpus.

    Parameters
    ----------
    count : int
        How many papers there are.
    text_of : callable
        Returns the text of the paper in a row, without markup; asked once for each row needed.
    """

    def __init__(self, count: int, text_of: Callable[[int], str]) -> None:
        self._count = count
        self._text_of = text_of
        self._phrases = lru_cache(maxsize=None)(self._read)

    def of(self, rows: Sequence[int]) -> tuple[str, ...]:
        """Return up to `MOST_KEYWORDS` words and phrases of two words, the most telling first.

        Ranked by the z-score of the log-odds ratio with an informative Dirichlet prior (Monroe,
        Colaresi and Quinn 2008, https://doi.org/10.1093/pan/mpn018), counting the papers that use a
        phrase and not the times. Empty if there is no rest, or nothing sets the papers apart.
        """
        inside = set(rows)
        these = _sample(sorted(inside))
        others = _sample([row for row in range(self._count) if row not in inside])
        if len(these) < _LEAST_PAPERS or not others:
            return ()
        ours, theirs = self._usage(these), self._usage(others)
        scores = {
            phrase: _z_score(papers, len(these), theirs[phrase], len(others))
            for phrase, papers in ours.items()
            if papers >= _LEAST_PAPERS
        }
        best = sorted(
            (phrase for phrase, score in scores.items() if score > _SIGNIFICANT),
            key=lambda phrase: (-scores[phrase], phrase),
        )
        return tuple(self._spelt(phrase, these) for phrase in _unlike(best, ours))

    def _read(self, row: int) -> dict[str, str]:
        return dict(phrases_of(self._text_of(row), _LONGEST))

    def _usage(self, rows: Iterable[int]) -> Counter[str]:
        return Counter(phrase for row in rows for phrase in self._phrases(row))

    def _spelt(self, phrase: str, rows: Iterable[int]) -> str:
        found = (self._phrases(row).get(phrase) for row in rows)
        written = Counter(form for form in found if form)
        return max(written, key=lambda form: (written[form], form))


def _sample(rows: Sequence[int]) -> list[int]:
    """Return rows from all over, the same ones each time."""
    if len(rows) <= _SAMPLE:
        return list(rows)
    return [rows[at] for at in np.linspace(0, len(rows) - 1, _SAMPLE).astype(int)]


def _z_score(ours: int, of_ours: int, theirs: int, of_theirs: int) -> float:
    share = (ours + theirs) / (of_ours + of_theirs)
    a = ours + _PRIOR * share
    b = theirs + _PRIOR * share
    odds = math.log(a / (of_ours + _PRIOR - a + 1)) - math.log(b / (of_theirs + _PRIOR - b + 1))
    return odds / math.sqrt(1 / a + 1 / b)


def _unlike(best: Sequence[str], usage: Counter[str]) -> list[str]:
    """Pick the best that share no word with a better one, the longer where that is as common."""
    picked: list[str] = []
    taken: set[str] = set()
    for phrase in best:
        whole = next(
            (
                p
                for p in best
                if f" {phrase} " in f" {p} " and usage[p] > 0.6 * usage[phrase] and p != phrase
            ),
            phrase,
        )
        words = {word[:6] for word in whole.split(" ")}
        if not words & taken:
            picked.append(whole)
            taken |= words
        if len(picked) == MOST_KEYWORDS:
            break
    return picked
