"""From a producer's field names, in any of their common spellings, to those of the corpus table."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from cache.readers.values import as_extra, as_link, as_names, as_terms, as_text, as_year, is_missing

if TYPE_CHECKING:
    from cache.papers import Record

SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "id": (
        *("id", "uid", "citationkey", "citekey", "bibtexkey", "paperid", "key", "dblpkey"),
        *("anthologyid", "aclid", "sourceid", "submissionid", "accessionnumber", "编号"),
    ),
    "title": (
        *("title", "papertitle", "articletitle", "documenttitle", "primarytitle", "displaytitle"),
        *("ti", "t1", "displayname", "name", "标题", "题名", "题目", "论文标题"),
    ),
    "abstract": (
        *("abstract", "abstracttext", "paperabstract", "abstractnote", "abstractinvertedindex"),
        *("notesabstract", "abstracts", "ab", "n2", "summary", "description", "text"),
        *("摘要", "论文摘要"),
    ),
    "authors": (
        *("authors", "author", "authornames", "authorlist", "paperauthors", "authorships"),
        *("creators", "creator", "firstauthors", "authorfullnames", "au", "作者"),
    ),
    "keywords": (
        *("keywords", "keyword", "authorkeywords", "manualtags", "tags", "keywordlist"),
        *("automatictags", "indexterms", "indexkeywords", "kw", "关键词", "关键字"),
    ),
    "venue": (
        *("venue", "conference", "conf", "venuename", "booktitle", "publicationvenue", "journal"),
        *("journalname", "publicationtitle", "containertitle", "sourcetitle", "journalbook"),
        *("conferencename", "proceedingstitle", "secondarytitle", "eventtitle", "publication"),
        *("会议", "期刊", "来源"),
    ),
    "year": (
        *("year", "publicationyear", "pubyear", "py", "yearpublished", "年份", "年"),
        *("date", "publicationdate", "issued", "published", "pubdate", "datepublished"),
        *("coverdate", "publisheddate", "发表时间"),
    ),
    "presentation": (
        *("presentation", "presentationtype", "papertype", "decision", "status", "eventtype"),
    ),
    "url": (
        *("url", "paperurl", "site", "link", "landingpageurl", "paperlink", "openreviewurl"),
        *("forumurl", "pageurl", "ee", "arxivurl", "arxivlink", "urls", "链接"),
    ),
    "pdf_url": (
        *("pdfurl", "pdf", "pdflink", "paperpdfurl", "paperpdf", "openaccesspdf", "urlpdf"),
    ),
    "code_url": (
        *("codeurl", "github", "githuburl", "githublink", "code", "software", "codelink"),
        *("repository", "repositoryurl", "repo", "sourcecode", "implementation", "project"),
        *("projecturl", "projectpage", "projectlink", "代码"),
    ),
    "doi": ("doi", "digitalobjectidentifier"),
    "arxiv": ("arxiv", "arxivid", "eprint"),
    "openreview": ("openreview", "openreviewid", "forum", "forumid"),
}
"""Column → the names producers give it, folded by `fold`, the most telling first."""

_WEAK: Final = frozenset(("name", "displayname", "description", "text"))
"""What many things have besides papers: a title or an abstract only beside a surer other."""

_LEFT_OUT: Final = frozenset(
    (
        *("file", "fileattachments", "linkattachments", "attachments"),
        *("unnamed0", "indexlevel0", "level0"),
    )
)
"""Paths on the producer's own disk, which concern nobody else, and pandas' numbers of rows."""

_TEXTS: Final = ("title", "abstract")
_RESERVED: Final = frozenset((*SPELLINGS, "title_given", "code_kind", "source"))

_DOI: Final = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}|\\^`?#]+", re.IGNORECASE)
_AFTER_DOI: Final = re.compile(r"(?:\.pdf|/(?:full|pdf|abstract|meta))?[.,;)\]']*$", re.IGNORECASE)
_ARXIV: Final = re.compile(
    r"(?:arxiv(?:\.org/(?:abs|pdf|html)/|[:.\s/])\s*|^)"
    r"(\d\d(?:0[1-9]|1[0-2])\.\d{4,5}"
    r"|(?:astro-ph|cond-mat|cs|econ|eess|gr-qc|hep-(?:ex|lat|ph|th)|math|math-ph|nlin|nucl-(?:ex|th)"
    r"|physics|q-bio|q-fin|quant-ph|stat)(?:\.[a-z-]+)?/\d{7})(?!\d)",
    re.IGNORECASE,
)
"""Both schemes of https://info.arxiv.org/help/arxiv_identifier.html, without the version."""
_OPENREVIEW: Final = re.compile(
    r"openreview\.net/(?:forum|pdf|attachment|revisions)\?(?:\w+=[\w-]*&)*id=([\w-]+)"
)
_OPENREVIEW_ID: Final = re.compile(r"[\w-]{6,20}")

_PRESENTATION: Final = re.compile(
    r"\b(oral|spotlight|highlight|poster|talk|demo|keynote|tutorial|withdraw|reject)", re.IGNORECASE
)
_PRESENTATION_NAMES: Final = {"withdraw": "withdrawn", "reject": "rejected"}

_Candidates = list[tuple[int, str, Any]]


def record(fields: Mapping[str, Any], source: str) -> "Record | None":
    """Read one paper's fields.

    Parameters
    ----------
    fields : mapping of str to Any
        As its producer names them; case, spaces and punctuation in names do not count.
    source : str
        Where the paper stands.

    Returns
    -------
    Record or None
        Under the names of `cache.papers.COLUMNS`, and ``doi``, ``arxiv`` and ``openreview`` where
        they are found: bare, without version, a DOI in lower case. What is missing is left out.
        All other fields are kept under their own names, ``given NAME`` if that is taken. None
        where there is neither title nor abstract.
    """
    found: dict[str, _Candidates] = {}
    extra: dict[str, Any] = {}
    for name, value in fields.items():
        if is_missing(value):
            continue
        column, rank = _column_of(name)
        if column:
            found.setdefault(column, []).append((rank, name, value))
        elif rank == 0:
            extra[name] = value
    if not names_a_paper([name for column in _TEXTS for _, name, _ in found.get(column, ())]):
        return None
    paper: dict[str, Any] = {}
    for column, candidates in found.items():
        _fill(paper, extra, column, sorted(candidates, key=_rank))
    if not ("title" in paper or "abstract" in paper):
        return None
    _identify(paper)
    for name, value in extra.items():
        if (kept := as_extra(value)) is not None:
            paper.setdefault(_free_name(name), kept)
    return {**paper, "source": source}


def names_a_paper(names: Sequence[str]) -> bool:
    """Tell whether columns of these names hold a title or an abstract."""
    return any(_column_of(name)[0] in _TEXTS and fold(name) not in _WEAK for name in names)


def known_names(names: Sequence[str]) -> int:
    """Count the names that stand for a column of the corpus table."""
    return sum(bool(_column_of(name)[0]) for name in names)


@lru_cache(maxsize=4_096)
def fold(name: str) -> str:
    """Return a field's name without what does not count in it."""
    return re.sub(r"[\W_]+", "", name.casefold())


_COLUMN_OF_SPELLING: Final = {
    spelling: (column, rank)
    for column, spellings in SPELLINGS.items()
    for rank, spelling in enumerate(spellings)
}


@lru_cache(maxsize=4_096)
def _column_of(name: str) -> tuple[str, int]:
    """Return the column a name stands for and how telling it is; -1 if it is to be left out."""
    folded = fold(name)
    if folded in _LEFT_OUT:
        return "", -1
    return _COLUMN_OF_SPELLING.get(folded, ("", 0))


def _rank(candidate: tuple[int, str, Any]) -> int:
    return candidate[0]


def _fill(
    paper: dict[str, Any], extra: dict[str, Any], column: str, candidates: _Candidates
) -> None:
    """Take the most telling of the fields for a column; the others stay under their own names."""
    read = _READERS[column]
    for _, name, value in candidates:
        understood = None if column in paper else read(value)
        if understood:
            paper[column] = understood
            is_whole = column != "year" or str(value).strip().removesuffix(".0") == str(understood)
        else:
            is_whole = value in (0, "0", "0.0")
        if not is_whole:
            extra[name] = value


def _free_name(name: str) -> str:
    shown = " ".join(name.split())[:80]
    return f"given {shown}" if shown in _RESERVED or not shown else shown


def _identify(paper: dict[str, Any]) -> None:
    """Find the identifiers that links hold, and the links that identifiers make."""
    places = [paper[column] for column in ("url", "pdf_url", "doi", "id") if column in paper]
    for column, read in (("doi", _doi), ("arxiv", _arxiv), ("openreview", _openreview)):
        if column not in paper:
            found = next(filter(None, map(read, places)), "")
            if found:
                paper[column] = found
    if "url" in paper:
        return
    for column, address in (
        ("openreview", "https://openreview.net/forum?id="),
        ("arxiv", "https://arxiv.org/abs/"),
        ("doi", "https://doi.org/"),
    ):
        if column in paper:
            paper["url"] = address + paper[column]
            return


def _doi(value: Any) -> str:
    match = _DOI.search(as_text(value))
    return _AFTER_DOI.sub("", match[0]).lower() if match else ""


def _arxiv(value: Any) -> str:
    match = _ARXIV.search(as_text(value))
    return match[1] if match else ""


def _openreview(value: Any) -> str:
    match = _OPENREVIEW.search(as_text(value))
    return match[1] if match else ""


def _openreview_id(value: Any) -> str:
    text = as_text(value)
    return _openreview(text) or (text if _OPENREVIEW_ID.fullmatch(text) else "")


def _line(value: Any) -> str:
    return " ".join(as_text(value).split())


def _presentation(value: Any) -> str:
    """Return how a paper was presented, or that it was not; ``""`` if that is not what is said."""
    match = _PRESENTATION.search(as_text(value))
    if match is None:
        return ""
    word = match[1].lower()
    return _PRESENTATION_NAMES.get(word, word)


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "id": _line,
    "title": _line,
    "abstract": as_text,
    "authors": as_names,
    "keywords": as_terms,
    "venue": _line,
    "year": as_year,
    "presentation": _presentation,
    "url": as_link,
    "pdf_url": as_link,
    "code_url": as_link,
    "doi": _doi,
    "arxiv": _arxiv,
    "openreview": _openreview_id,
}
