"""The same paper, met more than once: recognised, and made one with the fullest fields."""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from cache.links import CODE_KINDS

Paper = Mapping[str, Any]
"""A completed record, under the names of `cache.papers.COLUMNS`."""

IDENTIFIERS: Final = ("doi", "openreview", "arxiv")
"""Columns that name one work in all the world, the most lasting first."""

_TELLING_TITLE: Final = 20
"""Letters. Shorter titles ("Withdrawn", "Editorial") are given to more than one paper."""
_TELLING_ABSTRACT: Final = 100
"""Letters. Shorter abstracts ("Summary form only given.") say nothing of their paper."""
_TITLES_OF_ONE_PAPER: Final = 3
"""What more titles share is no paper's own: the DOI of a volume, a publisher's notice."""

_NOT_SAID: Final = re.compile(r"\\[A-Za-z]+\*?|https?://[^\s{}]+")
_NO_LETTERS: Final = bytes(code for code in range(256) if code > 127 or not chr(code).isalnum())
_PREPRINT: Final = re.compile(r"arxiv|corr|preprint|ssrn|openreview", re.IGNORECASE)


def letters(words: str) -> str:
    """Return what two spellings of the same text share: letters and digits, folded.

    Markup, LaTeX macros, accents, punctuation, spaces and addresses do not count. Greek and other
    signs count only in text that is not mainly Latin, for in Latin text they may be LaTeX as well.
    """
    said = _NOT_SAID.sub("", words) if "\\" in words or "://" in words else words
    if said.isascii():
        return said.lower().encode().translate(None, _NO_LETTERS).decode()
    folded = unicodedata.normalize("NFKD", said).casefold()
    plain = folded.encode("ascii", "ignore")
    latin = plain.translate(None, _NO_LETTERS).decode()
    if len(latin) >= len(folded) - len(plain):
        return latin
    return "".join(filter(str.isalnum, folded))


@dataclass(frozen=True)
class Said:
    """What decides whether two papers are one, but for their identifiers.

    Attributes
    ----------
    title, abstract : str
        Their `letters`; no title if it was derived.
    detail : str
        Digest of all that is known.
    digest : str
        16 hexadecimal digits: of the abstract if that is telling, so that a paper keeps its digest
        when its title is found; else of a telling title; else `detail`.
    """

    title: str
    abstract: str
    detail: str
    digest: str

    @classmethod
    def by(cls, paper: Paper) -> "Said":
        """Read a paper's text."""
        title = letters(paper["title"]) if paper["title_given"] else ""
        abstract = letters(paper["abstract"])
        text = (title or paper["title"], abstract or paper["abstract"])
        detail = _digest(repr((*text, paper.get("year"), (paper.get("authors") or [""])[0])))
        if len(abstract) >= _TELLING_ABSTRACT:
            return cls(title, abstract, detail, _digest(abstract))
        if len(title) >= _TELLING_TITLE:
            return cls(title, abstract, detail, _digest(title))
        return cls(title, abstract, detail, detail)


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode(errors="replace")).hexdigest()[:16]


def same_papers(papers: Sequence[Paper], said: Sequence[Said]) -> list[list[int]]:
    """Group the rows of what is one paper, in linear time.

    Parameters
    ----------
    papers : sequence of Paper
    said : sequence of Said
        What each says.

    Returns
    -------
    list of list of int
        Ascending within a group, and groups by their first row; each row is in one group. Which
        papers are together does not depend on their order.
    """
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, paper in enumerate(papers):
        for key in _keys(paper, said[row]):
            holders[key].append(row)
    parents = list(range(len(papers)))
    for (kind, *_), rows in holders.items():
        if len(rows) > 1 and _is_one(kind, [said[row] for row in rows]):
            for row in rows[1:]:
                parents[_root(parents, row)] = _root(parents, rows[0])
    groups: dict[int, list[int]] = defaultdict(list)
    for row in range(len(papers)):
        groups[_root(parents, row)].append(row)
    return list(groups.values())


def _keys(paper: Paper, said: Said) -> Iterator[tuple[str, ...]]:
    yield "text", said.digest
    for column in IDENTIFIERS:
        if paper.get(column):
            yield column, str(paper[column]).lower() if column == "doi" else str(paper[column])
    if len(said.title) >= _TELLING_TITLE:
        yield "title", said.title
    elif said.title and paper.get("year"):
        yield "short title", said.title, str(paper["year"])


def _is_one(kind: str, holders: Sequence[Said]) -> bool:
    """Tell whether what papers have in common makes them one."""
    if kind == "short title":
        return len({said.abstract for said in holders if said.abstract}) <= 1
    return len({said.title for said in holders if said.title}) <= _TITLES_OF_ONE_PAPER


def _root(parents: list[int], row: int) -> int:
    while parents[row] != row:
        parents[row] = parents[parents[row]]
        row = parents[row]
    return row


def fullest(papers: Sequence[Paper]) -> dict[str, Any]:
    """Make one paper of several records of it; their order does not count.

    Returns
    -------
    dict
        A given title before a derived one, the longest abstract and lists, venue, year and
        presentation from one and the same record (a venue before a preprint server), the best
        code link, every source, and all else from the fullest record that has it.
    """
    if len(papers) == 1:
        return dict(papers[0])
    ranked = sorted(papers, key=_fullness)
    whole = {
        column: value for paper in reversed(ranked) for column, value in paper.items() if value
    }
    titled = max(ranked, key=_worth_of_title)
    coded = min(ranked, key=lambda paper: CODE_KINDS.index(paper["code_kind"]))
    return {
        **whole,
        **{column: titled[column] for column in ("title", "title_given")},
        **{column: coded[column] for column in ("code_url", "code_kind")},
        **_appearance(ranked),
        "abstract": max((paper["abstract"] for paper in ranked), key=len),
        **{
            column: max((paper.get(column) or [] for paper in ranked), key=len)
            for column in ("authors", "keywords")
        },
        "source": "; ".join(sorted({paper.get("source", "") for paper in ranked} - {""})),
    }


def _fullness(paper: Paper) -> tuple[int, int, str]:
    filled = sum(bool(value) for value in paper.values())
    return -filled, -len(paper["abstract"]), repr(sorted(paper.items(), key=lambda item: item[0]))


def _worth_of_title(paper: Paper) -> int:
    return bool(paper["title_given"]) * (1 + (len(letters(paper["title"])) >= _TELLING_TITLE))


def _appearance(ranked: Sequence[Paper]) -> dict[str, Any]:
    placed = [paper for paper in ranked if paper.get("venue")]
    published = [paper for paper in placed if not _PREPRINT.search(paper["venue"])]
    first = next(iter(published or placed or ranked))
    venue = first.get("venue", "")
    alike = [first, *(paper for paper in ranked if paper.get("venue", "") in ("", venue))]
    return {
        "venue": venue,
        "year": next((paper["year"] for paper in [*alike, *ranked] if paper.get("year")), None),
        "presentation": next(filter(None, (paper.get("presentation") for paper in alike)), ""),
    }
