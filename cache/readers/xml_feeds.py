"""XML: arXiv's Atom feed and the volumes of the ACL Anthology."""

import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring, iterparse

from cache.errors import PaperskyError
from cache.papers import Record
from cache.readers.columns import read_fields
from cache.readers.problems import Problem
from cache.readers.values import unwrapped

_BEGINS: Final = re.compile(
    r"\s*<(?:\?xml|!--|!DOCTYPE|(?:feed|collection|html|rss)[\s>])", re.IGNORECASE
)
_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_ARXIV: Final = "{http://arxiv.org/schemas/atom}"
_ANTHOLOGY: Final = "https://aclanthology.org/"
_DEEPEST_MARKUP: Final = 20
_LONGEST_TAG: Final = 10_000
_MARKUP: Final = {"i": r"\emph{%s}", "b": r"\textbf{%s}", "tt": r"\texttt{%s}", "tex-math": "$%s$"}
_HINT: Final = "Papersky reads arXiv's Atom feeds and the XML of the ACL Anthology."


@dataclass(frozen=True)
class _Format:
    record_tag: str
    fields: Callable[[Element, Element | None], dict[str, Any]]


def is_xml(text: str) -> bool:
    """Tell XML (and HTML) by how it begins; an abstract may begin with a tag, too."""
    return bool(_BEGINS.match(text[:1_000]))


def read_xml(text: str, name: str) -> Iterator[Record | Problem]:
    """Yield one record a paper; each is parsed alone, so that a broken one costs no other.

    Parameters
    ----------
    text : str
        The whole file.
    name : str
        What it is called in each record's ``source``, as ``name:line``.

    Raises
    ------
    PaperskyError
        If it is no XML, not XML of papers, or declares entities, which can make a small file
        expand to gigabytes.
    """
    root = _root(text, name)
    form = _FORMATS.get(root.tag)
    if form is None:
        kind = root.tag.rpartition("}")[2]
        raise PaperskyError(f"{name} is no list of papers but XML of <{kind}>.", _HINT)
    starts = [found.start() for found in re.finditer(rf"<{form.record_tag}[\s>]", text)]
    head = text[: starts[0]] if starts else text
    opening = _opening_tag(head, root.tag.rpartition("}")[2])
    line = 1 + head.count("\n")
    volume = _volume(head)
    for start, after in zip(starts, [*starts, len(text)][1:], strict=True):
        piece, closing, below = text[start:after].partition(f"</{form.record_tag}>")
        yield from _read_paper(opening, piece + closing, form, volume, f"{name}:{line}")
        volume = _volume(below) if "<volume" in below else volume
        line += text.count("\n", start, after)


def _root(text: str, name: str) -> Element:
    try:
        _, root = next(iter(iterparse(io.StringIO(text), events=("start",))))
    except DefusedXmlException as error:
        raise PaperskyError(
            f"{name} declares XML entities, which can expand without limit, so it was not read.",
            "Save it without its DOCTYPE.",
        ) from error
    except (ParseError, StopIteration) as error:
        raise PaperskyError(f"{name} is not well-formed XML ({error}).", _HINT) from error
    element: Element = root
    return element


def _opening_tag(head: str, tag: str) -> str:
    """Return the root's tag as it is written: it declares the namespaces of all below."""
    found = re.search(rf"<{re.escape(tag)}(?:\s[^>]*)?>", head)
    return found[0] if found and len(found[0]) <= _LONGEST_TAG else f"<{tag}>"


def _read_paper(
    opening: str, piece: str, form: _Format, volume: Element | None, source: str
) -> Iterator[Record | Problem]:
    root_tag = re.split(r"[\s>]", opening[1:], maxsplit=1)[0]
    element = _parsed(f"{opening}{piece}</{root_tag}>")
    if element is None or not len(element):
        what = "This paper is not well-formed XML, so it was left out."
        yield Problem(source, what, skipped=True)
    else:
        yield from read_fields(form.fields(element[0], volume), source)


def _parsed(text: str) -> Element | None:
    try:
        element: Element = fromstring(text)
    except (ParseError, DefusedXmlException):
        return None
    return element


def _volume(text: str) -> Element | None:
    """Return what the last volume that begins in the text says of itself."""
    begin = text.rfind("<volume")
    end = text.find("</meta>", begin)
    return _parsed(f"{text[begin:end]}</meta></volume>") if 0 <= begin < end else None


def _of_arxiv(entry: Element, _: Element | None) -> dict[str, Any]:
    def told(tag: str) -> str:
        return " ".join((entry.findtext(tag) or "").split())

    links = {link.get("title", link.get("rel")): link.get("href") for link in _all(entry, "link")}
    address = told(f"{_ATOM}id")
    primary = entry.find(f"{_ARXIV}primary_category")
    return {
        "title": told(f"{_ATOM}title"),
        "abstract": unwrapped(entry.findtext(f"{_ATOM}summary") or ""),
        "authors": [
            " ".join((author.findtext(f"{_ATOM}name") or "").split())
            for author in _all(entry, "author")
        ],
        "keywords": [category.get("term", "") for category in _all(entry, "category")],
        "venue": "arXiv" if "arxiv.org" in address else "",
        "published": told(f"{_ATOM}published") or told(f"{_ATOM}updated"),
        "url": links.get("alternate") or address,
        "pdf": links.get("pdf"),
        "doi": told(f"{_ARXIV}doi"),
        "journal reference": told(f"{_ARXIV}journal_ref"),
        "comment": told(f"{_ARXIV}comment"),
        "primary category": "" if primary is None else primary.get("term", ""),
    }


def _all(entry: Element, tag: str) -> list[Element]:
    return entry.findall(f"{_ATOM}{tag}")


def _of_the_anthology(paper: Element, volume: Element | None) -> dict[str, Any]:
    meta = None if volume is None else volume.find("meta")
    about = {} if meta is None else {child.tag: _marked_up(child) for child in meta}
    place = _marked_up(paper.find("url"))
    is_local = bool(place) and "://" not in place
    code = paper.find("pwccode")
    return {
        "id": _marked_up(paper.find("bibkey")) or place,
        "title": _marked_up(paper.find("title")),
        "abstract": _marked_up(paper.find("abstract")),
        "authors": [
            " ".join(filter(None, (author.findtext("first"), author.findtext("last"))))
            for author in paper.findall("author")
        ],
        "venue": _venue(about),
        "year": about.get("year"),
        "url": f"{_ANTHOLOGY}{place}" if is_local else place,
        "pdf": f"{_ANTHOLOGY}{place}.pdf" if is_local else "",
        "code": "" if code is None else code.get("url"),
        "doi": _marked_up(paper.find("doi")),
        "pages": _marked_up(paper.find("pages")),
        "award": _marked_up(paper.find("award")),
        "volume": "" if volume is None else volume.get("id"),
    }


def _venue(about: Mapping[str, str]) -> str:
    """Return ``ACL`` for the Anthology's ``acl``, ``Findings`` for ``findings``."""
    short = about.get("venue", "")
    if not short:
        return about.get("booktitle", "")
    return short.upper() if len(short) <= 6 else short.capitalize()


def _marked_up(element: Element | None, depth: int = 0) -> str:
    """Return the text with its emphasis and formulas in LaTeX, which titles and abstracts speak."""
    if element is None:
        return ""
    if depth > _DEEPEST_MARKUP:
        return "".join(element.itertext())
    parts = [element.text or ""]
    for child in element:
        parts += [_MARKUP.get(child.tag, "%s") % _marked_up(child, depth + 1), child.tail or ""]
    inner = "".join(parts)
    return inner if depth else " ".join(inner.split())


_FORMATS: Final = {
    f"{_ATOM}feed": _Format("entry", _of_arxiv),
    "collection": _Format("paper", _of_the_anthology),
}
