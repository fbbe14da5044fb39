"""What counts as a word, whatever its case, accents and script: one answer for all of search."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import regex  # type: ignore[import-untyped]

_NON_ASCII_RUN: Final = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_CLUSTER: Final = regex.compile(r"\X")
_SIGN_OR_NOT: Final = re.compile(r"[+#]|[^+#]+")
_STANDS_ALONE: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{So}+#]"
)
"""Characters that are a word by themselves: scripts written without spaces (Korean adds its
particles to the word), so that a phrase of them is a substring search; emoji; and the signs that
tell C++ and C# from C."""

_SIGNS: Final = "+#"
_BYTES: Final = bytes(
    code if code > 127 or chr(code).isalnum() or chr(code) in _SIGNS else ord(" ")
    for code in range(256)
).lower()
"""For each byte of UTF-8 the one that stands for it in folded text: those of ASCII become a small
letter, a digit, a sign or a space."""
_ACCENT_CLASS: Final = 10
"""Marks of this canonical combining class and above are accents and vowel points; those below
(kana voicing, viramas) make another letter. https://www.unicode.org/reports/tr44/"""

_WITHOUT_DECOMPOSITION: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)

FUNCTION_WORDS: Final = frozenset(
    """
    a about above across after against all also although among an and any are as at be because been
    before being between both but by can could do does each for from had has have having here how
    however if in into is it its itself may might more most much not of on only or other our over
    own same should since so some such than that the their them then there these they this those
    through thus to too under until up upon us very via was we were what when where whether which
    while who whose why will with within without would yet you your
    """.split()  # noqa: SIM905 - easier to read and to amend
)
"""English words, folded, that tell nothing of what a text is about."""

_Piece: TypeAlias = tuple[str, int, int]
"""Folded text, and the slice of the original that it stands for."""


@dataclass(frozen=True)
class FoldedText:
    """Text as it is searched, and where each of its characters was.

    Attributes
    ----------
    text : str
        The words of the original, folded, parted by one or more spaces.
    starts, ends : tuple of int
        For each character of `text`, the slice of the original that it stands for.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def fold(text: str) -> str:
    """Return the words of a text in lower case, without accents, parted by spaces.

    A word is a run of letters, numbers and marks; `_STANDS_ALONE` names what is one by itself.

    Examples
    --------
    >>> fold("Rényi's C++").split()
    ['renyi', 's', 'c', '+', '+']
    """
    if not text.isascii():
        text = _NON_ASCII_RUN.sub(lambda run: _fold_run(run[0])[0], text)
    return _fold_ascii(text)


def fold_with_offsets(text: str) -> FoldedText:
    """Fold a text as `fold` does, keeping where each character came from."""
    pieces: list[_Piece] = []
    done = 0
    for run in _NON_ASCII_RUN.finditer(text):
        pieces += _ascii_pieces(text, done, run.start())
        _, clusters = _fold_run(run[0])
        pieces += [(part, run.start() + at, run.start() + end) for part, at, end in clusters]
        done = run.end()
    pieces += _ascii_pieces(text, done, len(text))
    starts: list[int] = []
    ends: list[int] = []
    for part, start, end in pieces:
        if len(part) == end - start:
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        else:
            starts += [start] * len(part)
            ends += [end] * len(part)
    return FoldedText("".join(part for part, _, _ in pieces), tuple(starts), tuple(ends))


def has_words(text: str) -> bool:
    """Tell whether there is more to a text than spaces, punctuation and signs."""
    return bool(fold(text).strip(f" {_SIGNS}"))


def _fold_ascii(text: str) -> str:
    """Fold the ASCII characters of a text; as bytes that is ten times faster."""
    text = text.encode().translate(_BYTES).decode()
    for sign in _SIGNS:
        text = text.replace(sign, f" {sign} ")
    return text


def _ascii_pieces(text: str, start: int, end: int) -> list[_Piece]:
    return [
        (_fold_ascii(piece[0]), piece.start(), piece.end())
        for piece in _SIGN_OR_NOT.finditer(text, start, end)
    ]


@lru_cache(maxsize=65_536)
def _fold_run(run: str) -> tuple[str, tuple[_Piece, ...]]:
    clusters = tuple(
        (_fold_cluster(match[0]), match.start(), match.end()) for match in _CLUSTER.finditer(run)
    )
    return "".join(part for part, _, _ in clusters), clusters


def _fold_cluster(cluster: str) -> str:
    decomposed = unicodedata.normalize("NFKD", cluster).casefold()
    kept = "".join(char for char in decomposed if not _is_ignored(char))
    composed = unicodedata.normalize("NFC", kept).translate(_WITHOUT_DECOMPOSITION).lower()
    word = "".join(_separate(char) for char in composed)
    return f" {word} " if _STANDS_ALONE.match(cluster) else word


def _is_ignored(char: str) -> bool:
    return (
        unicodedata.combining(char) >= _ACCENT_CLASS
        or unicodedata.category(char) == "Cf"
        or "\ufe00" <= char <= "\ufe0f"  # variation selectors
    )


def _separate(char: str) -> str:
    if _STANDS_ALONE.match(char):
        return f" {char} "
    return char if unicodedata.category(char)[0] in "LNM" else " "
