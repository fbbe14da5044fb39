"""The entries of a BibTeX file, so that one that is broken costs none of the others."""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bibtexparser.model import Block, ImplicitComment, ParsingFailedBlock, String
from bibtexparser.model import Entry as RawEntry
from bibtexparser.splitter import Splitter

from cache.readers.problems import Problem

_MONTHS: Final = {
    month[:3].lower(): month
    for month in (
        *("January", "February", "March", "April", "May", "June", "July", "August"),
        *("September", "October", "November", "December"),
    )
}
_LONGEST_ABBREVIATED: Final = 500
"""Characters. Abbreviations that are made of abbreviations could else double without end."""

_ENTRY_START: Final = re.compile(r"@\w+\s*[{(]\s*[^\s,{}()=\"@]+\s*,")
_DELIMITER: Final = re.compile(r"(?<!\\)[{}\"]")
_WORD: Final = re.compile(r"[^\s#{}\"]+")
_CONCATENATION: Final = re.compile(r"\s*#\s*")
_NEXT_FIELD: Final = re.compile(r"\s*([A-Za-z][\w-]*)\s*=\s*")
_FIELD: Final = re.compile(r"=\s*[{\"]")
_LINE_COMMENT: Final = re.compile(r"^[ \t]*%.*$", re.MULTILINE)
_REASONS: Final = {
    "Unexpected block start": "a brace or a quote is not closed before the next entry begins",
    "Unexpectedly reached end": "the file ends before it is closed",
    "Expected comma after entry key": "it has no citation key",
    "Expected a `=`": "a field has a name but no value",
}
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())  # its warnings are our problems


@dataclass(frozen=True)
class Entry:
    """One entry with its values, abbreviations written out.

    Attributes
    ----------
    kind, key : str
        As in ``@kind{key, …}``; the kind in lower case.
    line : int
        Where it begins, counted from 1.
    fields : Mapping
        By lower-case name. Braces inside a value are kept.
    repairs : tuple of str
        What had to be repaired, one sentence each.
    """

    kind: str
    key: str
    line: int
    fields: Mapping[str, str]
    repairs: tuple[str, ...] = ()


def read_entries(text: str, name: str) -> Iterator[Entry | Problem]:
    """Yield every entry in order, and a problem for each one that cannot be read.

    Parameters
    ----------
    text : str
        The whole file.
    name : str
        What the file is called in problems.
    """
    blocks = _split(text)
    yield from _read(blocks, name, _strings(blocks), above=0)


def _split(text: str) -> list[Block]:
    # A key or a field that is there twice is no reason to leave the second out.
    blocks: list[Block] = Splitter(text).split().blocks
    return [getattr(block, "ignore_error_block", None) or block for block in blocks]


def _strings(blocks: Sequence[Block]) -> dict[str, str]:
    strings = dict(_MONTHS)
    for block in blocks:
        if isinstance(block, String):
            value, _ = _evaluate(block.value, 0, strings)
            if len(value) <= _LONGEST_ABBREVIATED:
                strings[block.key.lower()] = value
    return strings


def _read(
    blocks: Sequence[Block], name: str, strings: Mapping[str, str], above: int
) -> Iterator[Entry | Problem]:
    """Yield what the blocks hold; `above` lines of the file stand above the first of them."""
    before: Block | None = None
    for block, after in zip(blocks, [*blocks, None][1:], strict=True):
        line = above + (block.start_line or 0) + 1
        if isinstance(block, RawEntry):
            whole = _rejoined(block, after)
            repairs = ("A closing brace too many was taken out.",) if whole else ()
            yield _entry(whole or block, line, strings, repairs)
        elif isinstance(block, ParsingFailedBlock):
            yield from _recovered(block, name, line, strings)
        elif isinstance(block, ImplicitComment) and _is_stray(block, before):
            yield Problem(
                f"{name}:{line}",
                "These fields belong to no entry, so they were left out.",
                skipped=True,
            )
        before = block


def _rejoined(entry: RawEntry, after: Block | None) -> RawEntry | None:
    """Return the entry with what a brace too many has cut off, None if nothing was cut off."""
    if not isinstance(after, ImplicitComment) or not _holds_fields(after.comment):
        return None
    match _split((entry.raw or "").rstrip()[:-1] + "\n" + after.comment):
        case [RawEntry() as whole]:
            return whole
    return None


def _is_stray(comment: ImplicitComment, before: Block | None) -> bool:
    """Tell fields outside an entry from a comment, and from what was reported already."""
    if isinstance(before, ParsingFailedBlock) or not _holds_fields(comment.comment):
        return False
    return not (isinstance(before, RawEntry) and _rejoined(before, comment))


def _holds_fields(comment: str) -> bool:
    return bool(_FIELD.search(_LINE_COMMENT.sub("", comment)))


def _recovered(
    block: ParsingFailedBlock, name: str, line: int, strings: Mapping[str, str]
) -> Iterator[Entry | Problem]:
    """Report a broken entry, and read those that it has swallowed."""
    text = block.raw or ""
    starts = [found.start() for found in _ENTRY_START.finditer(text) if found.start()]
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        piece = text[start:end]
        blocks = _split(piece) if start else [block]
        broken = next((inner for inner in blocks if isinstance(inner, type(block))), None)
        if broken is None:
            yield from _read(blocks, name, strings, line - 1)
        else:
            key = _ENTRY_START.match(piece)
            yield Problem(
                f"{name}:{line}" + (f", entry {_key(key[0])}" if key else ""),
                f"This entry was left out: {_reason(broken)}.",
                skipped=True,
            )
        line += piece.count("\n")


def _key(start: str) -> str:
    return re.split(r"[{(]", start, maxsplit=1)[1].strip(" \t\r\n,")


def _reason(block: ParsingFailedBlock) -> str:
    told = getattr(block.error, "abort_reason", "")
    return next(
        (reason for start, reason in _REASONS.items() if told.startswith(start)),
        "it is not well formed",
    )


def _entry(
    entry: RawEntry, line: int, strings: Mapping[str, str], repairs: tuple[str, ...]
) -> Entry:
    fields: dict[str, str] = {}
    for field in entry.fields:
        key, value, at = field.key.lower(), field.value, 0
        while key:
            begin = at
            text, at = _evaluate(value, begin, strings)
            further = _NEXT_FIELD.match(value, at)
            if further is None and value[at:].strip():
                text = value[begin:].strip()  # words without braces around them
            if fields.setdefault(key, text) != text:
                repairs += (f"Of two values of {key} the first was kept.",)
            if further:
                repairs += (f"A comma was missing after {key}.",)
            key, at = (further[1].lower(), further.end()) if further else ("", at)
    return Entry(entry.entry_type.lower(), entry.key, line, fields, repairs)


def _evaluate(value: str, at: int, strings: Mapping[str, str]) -> tuple[str, int]:
    """Return the text of the value that begins at a place, and where it ends.

    A value is made of braced or quoted texts, numbers and abbreviations, joined by ``#``.
    """
    pieces = []
    while at < len(value):
        if value[at] in '{"':
            end = _closing(value, at)
            pieces.append(value[at + 1 : end])
            at = end + 1
        else:
            word = _WORD.match(value, at)
            if word is None:
                break
            pieces.append(strings.get(word[0].lower(), word[0]))
            at = word.end()
        joint = _CONCATENATION.match(value, at)
        if joint is None:
            break
        at = joint.end()
    return "".join(pieces), at


def _closing(value: str, opening: int) -> int:
    depth = 0
    quoted = value[opening] == '"'
    for found in _DELIMITER.finditer(value, opening + 1):
        if found[0] == "{":
            depth += 1
        elif depth == 0 and (found[0] == '"') == quoted:
            return found.start()
        elif found[0] == "}":
            depth = max(depth - 1, 0)
    # Quotes may hold a lone brace; the last of them then ends the value.
    return max(value.rfind('"') if quoted else -1, opening + 1)
