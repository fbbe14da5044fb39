"""What to call a topic: the phrases that set its papers apart, spelt as the papers spell them."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cache.topic_words import SILENT_WORDS, WEAK_WORDS

NAME_LENGTH: Final = 40
"""Most characters of a name of several phrases; a single phrase may be longer."""

MOST_PHRASES: Final = 3

_WORD: Final = re.compile(r"[^\W_]+(?:[-‐‑'’][^\W_]+)*")
_CLAUSE: Final = re.compile(r"[.,;:!?()\[\]{}<>\"“”/|\n—–]|\s-+\s|['’]s?(?!\w)")
_DIMENSIONS: Final = frozenset({"2d", "3d", "4d"})
_LONGEST: Final = 4
_COMMONNESS: Final = 1.2
"""Exponent of a phrase's share of a topic's papers; at 1 names were often right for a few only."""


def name_topics(labels: npt.NDArray[np.int16], texts: Sequence[str]) -> tuple[str, ...]:
    """Name each topic by one to three phrases that set it apart.

    Phrases of up to four words are ranked by class-based TF-IDF (Grootendorst 2022,
    https://arxiv.org/abs/2203.05794), counting the papers in which they occur and not the times,
    so that no single paper names a topic. Each phrase serves only the topic where it ranks
    highest, so that no two names share one.

    Parameters
    ----------
    labels : numpy.ndarray
        Shape (n,), integers: topics counted from 0, and -1 for papers without one.
    texts : sequence of str
        n texts without markup; may be empty.

    Returns
    -------
    tuple of str
        One name for each topic; "Topic 3" for the third if its texts say nothing.
    """
    return name_levels([labels], texts)[0]


def name_levels(
    levels: Sequence[npt.NDArray[np.int16]], texts: Sequence[str]
) -> list[tuple[str, ...]]:
    """Name the topics of several cuts, as `name_topics` does, the coarsest cut first.

    A phrase that names a topic names none of a later cut.

    Parameters
    ----------
    levels : sequence of numpy.ndarray
        Labels of each cut, shape (n,), as `name_topics` takes them.
    texts : sequence of str
        n texts without markup; may be empty.
    """
    if all(labels.max(initial=-1) < 0 for labels in levels):
        return [() for _ in levels]
    phrases, uses = _count(texts)
    chosen: list[list[list[str]]] = []
    taken: set[str] = set()
    for labels in levels:
        named = _phrases_of(labels, phrases, uses, taken)
        chosen.append(named)
        taken.update(phrase for topic in named for phrase in topic)
    spellings = _spellings(taken, texts)
    return [
        tuple(
            _title([spellings[phrase] for phrase in topic]) or f"Topic {number}"
            for number, topic in enumerate(named, start=1)
        )
        for named in chosen
    ]


def rank_phrases(labels: npt.NDArray[np.int16], texts: Sequence[str], most: int) -> list[list[str]]:
    """Return the phrases that `name_topics` chooses from, the best first, as the papers spell them.

    Parameters
    ----------
    labels : numpy.ndarray
        Shape (n,), integers: topics counted from 0, and -1 for papers without one.
    texts : sequence of str
        n texts without markup; may be empty.
    most : int
        How many phrases to return of each topic; there may be fewer.
    """
    phrases, uses = _count(texts)
    scores, _ = _scored(labels, phrases, uses)
    ranked = [[phrases[i] for i in _best(topic, most)] for topic in scores]
    spellings = _spellings({phrase for topic in ranked for phrase in topic}, texts)
    return [[spellings[phrase] for phrase in topic] for topic in ranked]


def _phrases_of(
    labels: npt.NDArray[np.int16], phrases: list[str], uses: Any, taken: Collection[str]
) -> list[list[str]]:
    """Return the phrases that name each topic, none of those taken."""
    scores, papers = _scored(labels, phrases, uses)
    scores[:, np.array([phrase in taken for phrase in phrases], dtype=np.bool_)] = 0
    return [_choose(phrases, *topic) for topic in zip(scores, papers, strict=True)]


def _scored(
    labels: npt.NDArray[np.int16], phrases: list[str], uses: Any
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the phrases' scores, and how many papers use them: both of shape (topics, phrases)."""
    count = int(labels.max(initial=-1)) + 1
    if not phrases or not count:
        return np.zeros((count, len(phrases))), np.zeros((count, len(phrases)))
    papers = np.vstack(
        [np.asarray(uses[labels == topic].sum(axis=0)).ravel() for topic in range(count)]
    )
    sizes = np.bincount(labels[labels >= 0], minlength=count)
    return _scores(phrases, papers, np.asarray(uses.sum(axis=0)).ravel(), sizes), papers


def _count(texts: Sequence[str]) -> tuple[list[str], Any]:
    """Return the phrases, and which text uses which: a sparse matrix, shape (texts, phrases)."""
    from sklearn.feature_extraction.text import CountVectorizer  # noqa: PLC0415 - slow to import

    # Phrases rarer than one paper in a thousand would only cost memory.
    counter = CountVectorizer(
        analyzer=_normal_phrases, binary=True, min_df=max(1, len(texts) // 1000), dtype=np.float64
    )
    try:
        uses = counter.fit_transform(texts)
    except ValueError:  # what scikit-learn raises for texts without a single phrase
        return [], None
    return list(counter.get_feature_names_out()), uses


def _scores(
    phrases: Sequence[str],
    papers: npt.NDArray[np.float64],
    everywhere: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.intp],
) -> npt.NDArray[np.float64]:
    """Return class-based TF-IDF, shape (topics, phrases), zero where another topic ranks higher."""
    share = papers / sizes[:, np.newaxis]
    worth = np.array([_worth(phrase.split(" ")) for phrase in phrases])
    scores: npt.NDArray[np.float64] = (
        share**_COMMONNESS * np.log1p(sizes.mean() / everywhere) * worth
    )
    # One paper's words name no topic while others share any.
    scores[papers < 2] *= 1e-3
    scores[np.arange(len(scores))[:, np.newaxis] != scores.argmax(axis=0)] = 0
    return scores


def _worth(words: Sequence[str]) -> float:
    """Return how much more a phrase tells than a word of the same score, by our reading."""
    return (1.0 if len(words) == 1 else 1.5) * (0.7 if WEAK_WORDS.issuperset(words) else 1.0)


def _choose(
    phrases: Sequence[str], scores: npt.NDArray[np.float64], papers: npt.NDArray[np.float64]
) -> list[str]:
    """Pick the best phrases that say something new, down to half as telling as the first."""
    best = _best(scores, 50)
    chosen: list[str] = []
    for i in best:
        if scores[i] < scores[best[0]] / 2 or len(chosen) == MOST_PHRASES:
            break
        phrase = _whole(i, best, phrases, papers)
        if not any(_overlap(phrase, other) for other in chosen):
            chosen.append(phrase)
    return chosen


def _best(scores: npt.NDArray[np.float64], most: int) -> list[int]:
    return [int(i) for i in np.argsort(-scores, kind="stable")[:most] if scores[i] > 0]


def _whole(
    i: int, best: Sequence[int], phrases: Sequence[str], papers: npt.NDArray[np.float64]
) -> str:
    """Return the longer phrase of which this one is mostly a part: "graph neural" of networks."""
    longer = [
        j for j in best if f" {phrases[i]} " in f" {phrases[j]} " and papers[j] >= 0.6 * papers[i]
    ]
    return phrases[max(longer, key=lambda j: phrases[j].count(" "))]


def _overlap(phrase: str, other: str) -> bool:
    """Whether two phrases share a word or its stem, or one abbreviates the other."""
    words, others = re.split("[ -]", phrase), re.split("[ -]", other)
    if any(a[:5] == b[:5] for a in words for b in others):
        return True
    initials, other_initials = ("".join(w[0] for w in ws) for ws in (words, others))
    return _abbreviates(phrase, other_initials) or _abbreviates(other, initials)


def _abbreviates(phrase: str, initials: str) -> bool:
    return len(initials) > 1 and " " not in phrase and initials in phrase[: len(initials) + 1]


# Words and phrases of a text


def phrases_of(text: str, longest: int) -> Iterator[tuple[str, str]]:
    """Yield the telling phrases of up to so many words, in normal form and as written."""
    for run in _runs(text):
        for normal, written in _parts(run):
            if normal.count(" ") < longest:
                yield normal, written


def _normal_phrases(text: str) -> list[str]:
    return [normal for run in _runs(text) for normal, _ in _parts(run)]


def _parts(run: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the phrases of a stretch of words, each in its normal form and as written."""
    for start in range(len(run)):
        for stop in range(start + 1, min(start + _LONGEST, len(run)) + 1):
            normal, written = zip(*run[start:stop], strict=True)
            if not _says_nothing(normal):
                yield " ".join(normal), " ".join(written)


def _runs(text: str) -> Iterator[list[tuple[str, str]]]:
    """Yield stretches of telling words, normal and as written, between stops and silent words."""
    for clause in _CLAUSE.split(text):
        run: list[tuple[str, str]] = []
        for word in _WORD.findall(clause):
            normal = _normal(word)
            if normal:
                run.append((normal, word))
            elif run:
                yield run
                run = []
        if run:
            yield run


def _says_nothing(words: Sequence[str]) -> bool:
    return len(set(words)) < len(words) or (len(words) == 1 and words[0] in WEAK_WORDS)


@lru_cache(maxsize=100_000)
def _normal(word: str) -> str:
    """Return the word in lower case and singular, or ``""`` if it ends a phrase."""
    folded = word.casefold().replace("’", "'").replace("‐", "-").replace("‑", "-")
    singular = _singular(folded)
    nameless = len(singular) < 2 or not (singular[0].isalpha() or singular in _DIMENSIONS)
    return "" if nameless or _is_silent(folded) or _is_silent(singular) else singular


def _singular(word: str) -> str:
    """Fold the plural; what is no plural may lose its s too, since nobody reads normal forms."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word.removesuffix("s")


def _is_silent(word: str) -> bool:
    if word in WEAK_WORDS:
        return False
    return not _stop_words().isdisjoint(_base_forms(word))


def _base_forms(word: str) -> Iterator[str]:
    """Yield the word, and what it may be the past or the participle of."""
    yield word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            yield from (stem, stem + "e")
            if stem[-2:-1] == stem[-1:]:
                yield stem[:-1]


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS  # noqa: PLC0415 - slow to import

    return SILENT_WORDS.union(ENGLISH_STOP_WORDS)


# Spelling


def _spellings(phrases: Collection[str], texts: Sequence[str]) -> dict[str, str]:
    """Return how the papers most often write each phrase."""
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    cases: dict[str, Counter[str]] = defaultdict(Counter)
    words = {word for phrase in phrases for word in phrase.split(" ")}
    for text in texts:
        for run in _runs(text):
            for normal, written in run:
                if normal in words:
                    cases[written.casefold()][written] += 1
            for normals, writtens in _parts(run):
                if normals in phrases:
                    forms[normals][writtens.casefold()] += 1
    return {
        phrase: " ".join(_cased(cases[word]) for word in _commonest(forms[phrase]).split(" "))
        for phrase in phrases
    }


def _commonest(counts: Counter[str]) -> str:
    return min(counts, key=lambda form: (-counts[form], -len(form), form))


def _cased(counts: Counter[str]) -> str:
    """Return the commonest spelling, but no capitals that headings or first words alone give."""
    commonest = _commonest(counts)
    lower = commonest.lower()
    return lower if commonest.istitle() and counts[lower] >= 0.1 * counts.total() else commonest


def _title(phrases: Sequence[str]) -> str:
    """Join phrases as far as the name stays short, with a capital at the front.

    After the first, a lone word in lower case adds more doubt than sense ("generative models,
    aligns"); an acronym, a proper or a compound word does not.
    """
    name = ""
    for phrase in phrases:
        if name and phrase.isalpha() and phrase.islower():
            continue
        longer = f"{name}, {phrase}" if name else phrase
        if not name or len(longer) <= NAME_LENGTH:
            name = longer
    first_word = name.partition(" ")[0]
    return name[:1].upper() + name[1:] if first_word.islower() else name
