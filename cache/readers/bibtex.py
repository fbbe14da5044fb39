"""BibTeX, as PMLR, the ACL Anthology and Zotero write it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bibtexparser.middlewares.names import (
    parse_single_name_into_parts,
    split_multiple_persons_names,
)

from cache.papers import Record
from cache.readers.bibtex_entries import Entry, read_entries
from cache.readers.columns import read_fields
from cache.readers.problems import Problem
from cache.readers.values import unwrapped
from cache.text import plain

_FIRST_LINES: Final = 20
_BEGINS: Final = re.compile(r"@\s*[A-Za-z]+(?:\s*\{|\()")
_OF_ANOTHER_KIND: Final = re.compile(r"[,\t<\[\"{]")
_CONTAINERS: Final = frozenset(("proceedings", "collection", "mvproceedings", "set", "xdata"))
_BOOKKEEPING: Final = frozenset(
    (
        *("crossref", "file", "owner", "timestamp", "urldate", "biburl", "bibsource"),
        *("date-added", "date-modified", "bdsk-file-1", "bdsk-url-1"),
        *("archiveprefix", "eprinttype"),
    )
)
"""Fields by which a program or a person keeps a list; they say nothing of the paper."""

_MARK: Final = re.compile(r"\$+|\\[A-Za-z]+\*?|\\.|[{}]", re.DOTALL)
_TAKES_ARGUMENT: Final = re.compile(r"\\[A-Za-z'\"`^~=.]")
_ESCAPE: Final = re.compile(r"\{\\text(\w+)\}|\\([${}_^~&#%])")
_ESCAPED: Final = dict(
    zip(
        ("backslash", "asciitilde", "asciicircum", "bar", "less", "greater"), "\\~^|<>", strict=True
    )
)


def is_bibtex(text: str) -> bool:
    """Tell BibTeX by its first line but for remarks."""
    for line in text[:10_000].splitlines()[:_FIRST_LINES]:
        if _BEGINS.match(line.lstrip()):
            return True
        if not line.lstrip().startswith("%") and _OF_ANOTHER_KIND.search(line):
            return False
    return False


def read_bibtex(text: str, name: str) -> Iterator[Record | Problem]:
    """Yield one record an entry, with what it inherits, and one problem an entry that gives none.

    Parameters
    ----------
    text : str
        The whole file.
    name : str
        What it is called in each record's ``source``, as ``name:line, entry key``.
    """
    found = list(read_entries(text, name))
    by_key = {entry.key.lower(): entry for entry in found if isinstance(entry, Entry)}
    seen: dict[str, int] = {}
    volume: Entry | None = None
    for entry in found:
        if isinstance(entry, Problem):
            yield entry
        elif entry.kind in _CONTAINERS:
            volume = entry
            what = f"An entry of the kind @{entry.kind} describes no paper, so none was made of it."
            yield Problem(_source(entry, name), what, skipped=False, no_paper=True)
        else:
            first = seen.setdefault(entry.key, entry.line)
            yield from _read_entry(entry, _parent(entry, by_key, volume), first, name)


def _parent(entry: Entry, by_key: Mapping[str, Entry], volume: Entry | None) -> Entry | None:
    """Return the volume an entry refers to, or, as PMLR has it, the one it silently follows."""
    reference = entry.fields.get("crossref")
    if reference is not None:
        return by_key.get(reference.strip().lower())
    lonely = not {"booktitle", "journal", "journaltitle"} & entry.fields.keys()
    return volume if lonely and entry.kind == "inproceedings" else None


def _read_entry(
    entry: Entry, parent: Entry | None, first_line: int, name: str
) -> Iterator[Record | Problem]:
    source = _source(entry, name)
    fields = _mapped({**(_inherited(parent) if parent else {}), **entry.fields})
    for repair in entry.repairs:
        yield Problem(source, repair, skipped=False)
    if entry.key and first_line == entry.line:
        fields["id"] = entry.key
    elif entry.key:
        yield Problem(
            source,
            f"This key is that of the entry in line {first_line} as well, so the paper was kept "
            "without it.",
            skipped=False,
        )
    yield from read_fields(fields, source)


def _source(entry: Entry, name: str) -> str:
    return f"{name}:{entry.line}, entry {entry.key}".removesuffix(", entry ")


def _inherited(parent: Entry) -> dict[str, str]:
    fields = {
        key: value for key, value in parent.fields.items() if key in ("year", "date", "publisher")
    }
    names = (parent.fields.get(key) for key in ("shortname", "booktitle", "title"))
    return fields | {"booktitle": next(filter(None, names), "")}


def _mapped(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields in words that `record` knows, without the braces of BibTeX."""
    mapped: dict[str, Any] = {}
    for key, value in fields.items():
        if key in ("title", "abstract"):
            mapped[key] = unwrapped(_unescaped(_unbraced(value)))
        elif key in ("author", "editor"):
            mapped[key] = _names(value)
        elif key in ("keywords", "keyword"):
            mapped["keywords"] = [_shown(term) for term in re.split(r"[;,\n]", value)]
        elif key in ("url", "pdf", "software", "doi", "eprint", "openreview", "code"):
            mapped[key] = re.sub(r"\\([_%&#~])", r"\1", _unbraced(value)).strip()
        elif key not in _BOOKKEEPING:
            mapped[key] = _shown(value)
    return mapped


def _names(value: str) -> list[str]:
    """Return people as ``First Last``; names of groups stand in braces and stay whole."""
    names = []
    for written in split_multiple_persons_names(unwrapped(value)):
        name = plain(written) if "\\" in written else written
        parts = parse_single_name_into_parts(name, strict=False)
        names.append(" ".join(_unbraced(parts.merge_first_name_first).split()))
    return [name for name in names if name and name != "others"]


def _shown(value: str) -> str:
    return plain(unwrapped(_unbraced(value))) if "\\" in value or "{" in value else unwrapped(value)


def _unescaped(value: str) -> str:
    r"""Undo what Zotero does to text that was LaTeX already.

    It writes ``$\alpha$`` as ``\${\textbackslash}alpha\$``, and ``<`` as ``{\textless}``.
    """
    was_latex = r"{\textbackslash}" in value

    def plainly(found: re.Match[str]) -> str:
        name, sign = found.groups()
        return _ESCAPED.get(name, found[0]) if name else sign if was_latex else found[0]

    return _ESCAPE.sub(plainly, value) if "\\" in value else value


def _unbraced(value: str) -> str:
    r"""Take out the braces that only keep capitals, as in ``{LMRL} Gym``.

    Those that belong to maths or to a macro stay, as in ``$n^{1.5}$``, ``\'{e}`` or ``{\aa}``.
    """
    if "{" not in value and "}" not in value:
        return value
    kept: list[str] = []
    is_kept: list[bool] = []
    end = 0
    in_maths = False
    last = ""  # the macro, or the brace around its first argument, before this place
    for found in _MARK.finditer(value):
        between, mark = value[end : found.start()], found[0]
        end = found.end()
        stays = True
        if mark == "{":
            is_argument = bool(last) and not (between if last == "}" else between.strip())
            stays = in_maths or is_argument or bool(_TAKES_ARGUMENT.match(value, end))
            is_kept.append(stays)
        elif mark == "}":
            stays = is_kept.pop() if is_kept else False
        elif mark[0] == "$" or mark in (r"\(", r"\)"):
            in_maths = not in_maths
        last = mark if stays and (mark == "}" or _TAKES_ARGUMENT.match(mark)) else ""
        kept += [between, mark] if stays else [between]
    return "".join(kept) + value[end:]
