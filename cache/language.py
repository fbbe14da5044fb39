"""Whether a text is English, which is what the default model has learnt to read."""

from functools import cache
from typing import TYPE_CHECKING, Final

import regex  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_FUNCTION_WORDS: Final = frozenset(
    (
        *("a", "also", "an", "and", "are", "as", "at", "be", "both", "but", "by", "can", "for"),
        *("from", "has", "have", "in", "is", "it", "its", "not", "of", "on", "or", "our", "such"),
        *("than", "that", "the", "their", "these", "this", "to", "we", "which", "with"),
    )
)
"""No more of them, since “was”, “so”, “over” or “under” are words of other languages as well."""
_BEGINNING: Final = 600
"""Characters that are looked at; more would tell no more."""
_FEWEST_WORDS: Final = 20
_ENGLISH_SHARE: Final = 0.15
"""Share of function words: of 23,000 English abstracts, all but ten in 10,000 have more."""
_SURE: Final = 0.5
_ENGLISH: Final = frozenset(("en", "pcm", "sco"))
_FOREIGN_LETTERS: Final = regex.compile(
    r"(?V1)[\p{L}--[\p{Latin}\p{Greek}\p{Common}]]|\p{Greek}{3,}"
)


def is_english(text: str) -> bool:
    """Tell whether a text is English, for all one can see; names and formulas are.

    Parameters
    ----------
    text : str
        Plain.

    Notes
    -----
    Function words settle nearly all abstracts. Of the rest, what is mainly in another script is in
    another language, though a classifier may be in doubt which; Greek letters alone are signs. What
    is left is asked of py3langid (https://pypi.org/project/py3langid), a naive Bayes classifier of
    byte n-grams after Lui and Baldwin, "langid.py: An Off-the-shelf Language Identification Tool",
    ACL 2012.
    """
    words = text[:_BEGINNING].lower().split()
    known = sum(map(_FUNCTION_WORDS.__contains__, words))
    if len(words) >= _FEWEST_WORDS and known >= _ENGLISH_SHARE * len(words):
        return True
    foreign = sum(map(len, _FOREIGN_LETTERS.findall(text[:_BEGINNING])))
    if 2 * foreign > sum(map(str.isalpha, text[:_BEGINNING])):
        return False
    language, probability = _identifier().classify(text[:_BEGINNING])
    return language in _ENGLISH or probability < _SURE


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415 — loads for 0.9 s

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
