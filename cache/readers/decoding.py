"""From bytes to text, whatever encoding an export was saved in."""

import codecs
from typing import Final

from cache.errors import PaperskyError
from cache.readers.problems import Problem

_BYTE_ORDER_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CANDIDATES: Final = (
    *("cp1252", "cp1250", "gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"),
    *("cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256"),
)
"""What programs save text as, where it is not Unicode; the most common first."""
_SAMPLE: Final = 200_000
_WAY_OUT: Final = "Open it in an editor and save it as UTF-8."


def decode(content: bytes, name: str) -> tuple[str, tuple[Problem, ...]]:
    r"""Return the text of a document, its lines ending in ``\n``, and what was guessed about it.

    It is UTF-8, or what its byte order mark says, or else what charset-normalizer
    (https://charset-normalizer.readthedocs.io) takes it for.

    Raises
    ------
    PaperskyError
        If the content is not text, naming the document, the line and the way out.
    """
    marked = (codec for mark, codec in _BYTE_ORDER_MARKS.items() if content.startswith(mark))
    encoding = next(marked, "utf-8")
    if encoding != "utf-16" and b"\0" in content:
        raise PaperskyError(
            f"{name} is not text: it holds binary data.",
            "Export the list again, as BibTeX, RIS, CSV or JSON for example.",
        )
    try:
        text, problems = content.decode(encoding), tuple[Problem, ...]()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        if encoding == "utf-16":
            raise PaperskyError(f"{name} is not valid UTF-16 (line {line}).", _WAY_OUT) from error
        text, problem = _guessed(content, name, line)
        problems = (problem,)
    return text.replace("\r\n", "\n").replace("\r", "\n"), problems


def _guessed(content: bytes, name: str, line: int) -> tuple[str, Problem]:
    """Decode what is not UTF-8; `line` is the first that is not."""
    text = content.decode("utf-8", errors="replace")
    damaged = text.count("\ufffd")
    whole = len(text) - len(text.encode("ascii", "ignore")) - damaged
    # In other encodings next to nothing happens to look like a character of UTF-8.
    if whole >= damaged:
        what = f"Some characters, the first in line {line}, are not UTF-8; they show as \ufffd."
        return text, Problem(name, what, skipped=False)
    encoding = _likeliest_encoding(content)
    if encoding is None:
        raise PaperskyError(
            f"{name} is not valid UTF-8 (line {line}), nor text in another encoding.", _WAY_OUT
        )
    what = f"Its encoding was guessed to be {encoding}; if letters are wrong, save it as UTF-8."
    return content.decode(encoding, errors="replace"), Problem(name, what, skipped=False)


def _likeliest_encoding(content: bytes) -> str | None:
    from charset_normalizer import from_bytes  # noqa: PLC0415 — only for what is not UTF-8

    # Lines of plain ASCII tell nothing, and would drown the few that do.
    telling = b"\n".join(line for line in content.split(b"\n") if not line.isascii())
    matches = list(from_bytes(telling[:_SAMPLE], cp_isolation=list(_CANDIDATES)))
    if not matches:
        return None
    best = matches[0]
    as_good = {
        other.encoding
        for other in matches
        if (other.chaos, other.coherence) == (best.chaos, best.coherence)
    }
    return next((name for name in _CANDIDATES if name in as_good), best.encoding)
