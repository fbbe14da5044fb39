r"""Text as publishers, databases and PDF converters spoil it, made good again.

What `cache.text` reads as markup (Markdown, LaTeX, maths) stays as it was published; here only
goes what no author wrote. HTML and JATS become the LaTeX they stand for.
"""

import re
import sys
import unicodedata
from collections.abc import Callable
from html.entities import html5
from typing import Final

from cache import text
from cache.tags import mend_tags

_UNUSUAL: Final = re.compile(r"[^ -%'-;=-~]")  # neither printable ASCII, nor any of it but & and <
_ENTITY: Final = re.compile(
    r"&(?:amp;)*(#\d{1,7};|#[xX][\da-fA-F]{1,6};|[A-Za-z][A-Za-z\d]{1,31};)"
)
_CODE: Final = re.compile(r"(`[^`\n]+`)")
_HYPHEN_OF_A_PDF: Final = re.compile(r"(?<=[^\W\d_])\x02(?=[^\W\d_])")
_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]"
)
_SPACE: Final = re.compile(r"[^\S \n]")
_LINE_BREAK: Final = re.compile(r" *\n[ \n]*")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MAYBE_MOJIBAKE: Final = re.compile("[\x80-\x9f]|[\xc2-\xf4][^\x00-\x7f]")  # UTF-8 as Latin-1
_ESTIMATOR: Final = re.compile(r"(?<!\w)[ÂÃ](?= )")
_LIGATURES: Final = re.compile("[ﬀ-ﬆ]")
_PREFIX: Final = re.compile(
    r"""\W{0,4}(?:
        (?i:abstract|summary|résumé|resumen|zusammenfassung)
            (?:\s*[:.]\W{0,3}(?=\s)|\s*—|\s[-–]\s|[*_:]{2,5}|\n\n)\s*
        | \\(?:textbf|emph|textit)\{(?i:abstract)\W{0,2}\}\W{0,2}(?=\s)\s*
        | ABSTRACT\b\W*
        | Abstract\s+(?=(?:A|An|As|At|By|For|From|Here|If|In|It|Many|Most|On|One|Our|Over|Recent
            |Recently|Since|The|There|These|This|To|Various|We|When|While|With)\s)
        | [【\[]?\s*摘\s*要\s*[】\]:：]\s*
    )""",
    re.VERBOSE,
)
_FINAL_STOP: Final = re.compile(r"(?<=[^\W_]|[\])}$”’\"'])\s?[.。]$")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:al|etc|vs|Inc|Ltd|Co|Corp|Jr|Sr|St|ed|vol|no)|\.\w+)\.$"
)
_NUMBER_OF_A_NAMESAKE: Final = re.compile(r"\s+0\d{3}$")
_NAME_MARKUP: Final = re.compile(r"[\\${}~]")
_SUFFIX_OF_A_NAME: Final = re.compile(
    r"(?:jr|sr|ii|iii|iv|ph\.?d|m\.?d|inc|ltd|llc|gmbh|corp)\.?$", re.IGNORECASE
)


def mend(words: str) -> str:
    """Mend running text.

    Parameters
    ----------
    words : str
        As it was read.

    Returns
    -------
    str
        Without entities, HTML and JATS tags, mojibake, ligatures, soft hyphens and other
        characters that are not seen; paragraphs parted by a blank line, no other line breaks.
        Clean text comes back as it is but for the space around it.

    Notes
    -----
    Mojibake is undone by ftfy (https://ftfy.readthedocs.io), which acts on what can hardly be
    anything else.
    """
    if not _UNUSUAL.search(words):
        return words.strip()
    if "&" in words:
        words = _outside_code(_mend_entities, words)
    if not words.isascii():
        words = _mend_encoding(words)
    words = _mend_characters(words)
    if "<" in words:
        words = _outside_code(mend_tags, words)
    return _LINE_BREAK.sub(_folded, words).strip() if "\n" in words else words.strip()


def mend_abstract(words: str) -> str:
    """Mend an abstract, and leave out the word "Abstract" before it."""
    words = mend(words)
    prefix = _PREFIX.match(words)
    return words[prefix.end() :] if prefix and prefix.end() < len(words) else words


def mend_title(words: str) -> str:
    """Mend a title: one line, without a full stop at its end."""
    words = " ".join(mend(words).split())
    if words.endswith((".", "。")) and not _ABBREVIATION.search(words):
        words = _FINAL_STOP.sub("", words)
    return words


def mend_label(words: str) -> str:
    """Mend a venue or a keyword: one line of plain text."""
    words = " ".join(mend(words).split())
    if _NAME_MARKUP.search(words):
        words = " ".join(text.plain(words).replace("{", "").replace("}", "").split())
    return words


def mend_name(name: str) -> str:
    """Mend the name of a person: given name first, without the number DBLP gives to namesakes."""
    name = _NUMBER_OF_A_NAMESAKE.sub("", mend_label(name))
    parts = [part.strip() for part in name.split(",")]
    if len(parts) == 2 and all(parts) and not _SUFFIX_OF_A_NAME.match(parts[1]):
        return f"{parts[1]} {parts[0]}"
    if len(parts) == 3 and all(parts) and _SUFFIX_OF_A_NAME.match(parts[1]):
        return f"{parts[2]} {parts[0]} {parts[1]}"
    return name


def _outside_code(mended: Callable[[str], str], words: str) -> str:
    """Mend what stands outside of Markdown's code, which may well speak of entities and tags."""
    if "`" not in words:
        return mended(words)
    pieces = _CODE.split(words)
    return "".join(piece if number % 2 else mended(piece) for number, piece in enumerate(pieces))


def _mend_entities(words: str) -> str:
    return _ENTITY.sub(lambda found: html5.get(found[1]) or _numbered(found[1]) or found[0], words)


def _numbered(entity: str) -> str:
    if not entity.startswith("#"):
        return ""
    point = int(entity[2:-1], 16) if entity[1] in "xX" else int(entity[1:-1])
    is_character = 0 < point < 0xD800 or 0xDFFF < point <= sys.maxunicode
    return chr(point) if is_character else ""


def _mend_encoding(words: str) -> str:
    broken = _SURROGATE.search(words)
    if not broken and not _MAYBE_MOJIBAKE.search(words):
        return words
    # Costs 40 ms, and hardly a text needs it.
    from ftfy import fix_encoding  # noqa: PLC0415
    from ftfy.badness import is_bad  # noqa: PLC0415
    from ftfy.fixes import fix_surrogates  # noqa: PLC0415

    words = fix_surrogates(words) if broken else words
    # An estimator with a hat or a tilde looks like half of a two-byte character.
    return fix_encoding(words) if is_bad(_ESTIMATOR.sub("", words)) else words


def _mend_characters(words: str) -> str:
    words = _LIGATURES.sub(lambda found: unicodedata.normalize("NFKC", found[0]), words)
    words = _HYPHEN_OF_A_PDF.sub("-", words.replace("\r\n", "\n").replace("\r", "\n"))
    return _SPACE.sub(" ", _INVISIBLE.sub("", words))


def _folded(line_break: re.Match[str]) -> str:
    return "\n\n" if line_break[0].count("\n") > 1 else " "
