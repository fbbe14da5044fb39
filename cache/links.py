"""Where a paper's code is: links to repositories and project pages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from cache.inline import web_url
from cache.text import Span, parse

CODE_KINDS: Final = ("repository", "anonymous", "project page", "none")
"""From the best a reader can hope for to nothing."""

_KIND_OF_HOST: Final = {
    **dict.fromkeys(
        (
            *("github.com", "gist.github.com", "git.io", "gitlab.com", "bitbucket.org"),
            *("codeberg.org", "sourceforge.net", "gitee.com", "huggingface.co", "hf.co"),
            *("modelscope.cn", "code.google.com"),
        ),
        "repository",
    ),
    "anonymous.4open.science": "anonymous",
    "sites.google.com": "project page",
}
_PAGE_DOMAINS: Final = (
    *("github.io", "gitlab.io", "bitbucket.io", "codeberg.page", "sourceforge.net"),
    *("sourceforge.io", "netlify.app", "vercel.app", "pages.dev", "web.app", "hf.space"),
    *("readthedocs.io", "notion.site", "wixsite.com", "weebly.com"),
)
_SELF_HOSTED: Final = re.compile(r"(?:gitlab|gitea|git)\..+\..+")

_MENTIONS: Final = (*_KIND_OF_HOST, *_PAGE_DOMAINS, "gitlab.", "gitea.", "git.")
_HOST: Final = "|".join(re.escape(host) for host in (*_KIND_OF_HOST, *_PAGE_DOMAINS))
_WRITTEN: Final = re.compile(
    rf"(?<![\w@/.:-])(?:https?://)?(?:[a-z0-9-]+\.){{0,3}}(?:{_HOST})(?![\w-]|\.\w)"
    r"(?:/[\w\-.~:/?#@!&'()*+,;=%]*)?",
    re.IGNORECASE | re.ASCII,
)

_OF_CODE: Final = re.compile(
    r"\b(?:codes?|codebase|implementations?|source|software|repo(?:sitory)?|github|gitlab|scripts?"
    r"|open[- ]?sourced?)\b|代码|源码|开源",
    re.IGNORECASE,
)
_OF_OWN: Final = re.compile(
    r"\b(?:available|accessible|released?|publish(?:ed)?|provided?|found|project|web ?sites?"
    r"|web ?pages?|pages?|demos?|videos?|visit|toolbox|library|package|models?|data(?:sets?)?"
    r"|benchmarks?)\b",
    re.IGNORECASE,
)
_OF_OTHERS: Final = re.compile(
    r"\b(?:we|our \w+)\s+(?:use[sd]?|employ(?:s|ed)?|buil[dt]s?|adopt(?:s|ed)?|follow(?:s|ed)?)\b"
    r"|\b(?:based|built) (?:on|upon)\b",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?。！？]['\")\]]*(?:\s+(?=\S)|(?<=[。！？]))|\n\n")
_ADDRESS: Final = re.compile(r"(?<!\S)(?=[^\s/]*[.:])[^\s/]*+/\S*")
_CONTEXT: Final = 300
"""Characters on either side of a link in which its sentence is sought."""


@dataclass(frozen=True)
class CodeLink:
    """A link to a paper's code.

    Parameters
    ----------
    url : str
        http(s), without the punctuation around it and without ``.git``.
    kind : str
        One of `CODE_KINDS`, never ``"none"``.
    """

    url: str
    kind: str

    @classmethod
    def of(cls, url: str) -> "CodeLink | None":
        """Recognise a URL by its host name; None if it is not known to hold code.

        The scheme may be missing where the host is known.
        """
        written = url.strip()
        address = _clean(written if "://" in written else f"https://{written}")
        parts = urlsplit(address)
        if "@" in parts.netloc:
            return None
        host = (parts.hostname or "").removeprefix("www.")
        if host.endswith(tuple(f".{domain}" for domain in _PAGE_DOMAINS)):
            return cls(address, "project page")
        kind = _KIND_OF_HOST.get(host, "repository" if _SELF_HOSTED.fullmatch(host) else "none")
        return cls(address, kind) if kind != "none" and parts.path.strip("/") else None


def find_code_link(abstract: str) -> CodeLink | None:
    """Return the link that best leads to the paper's own code, None if there is none.

    Parameters
    ----------
    abstract : str
        As published: links may be bare, with or without scheme, in Markdown or in LaTeX.

    Returns
    -------
    CodeLink or None
        A link whose sentence speaks of the paper's code or page comes before all others, a
        repository before an anonymous one before a project page, the sentence on code before the
        one on data; of equals the first. Of links no sentence introduces, the last.
    """
    lowered = abstract.lower()
    if not any(mention in lowered for mention in _MENTIONS):
        return None
    spans = parse(abstract)
    text = "".join(span.plain for span in spans)
    candidates = []
    for place, (at, link) in enumerate(_links(spans)):
        ownership = _ownership(text, at)
        if ownership > 0 or not _is_account(link):
            order = -place if ownership > 0 else place
            rank = (ownership > 0, -CODE_KINDS.index(link.kind), ownership, order)
            candidates.append((rank, link))
    return max(candidates, key=lambda candidate: candidate[0], default=(None, None))[1]


def _links(spans: tuple[Span, ...]) -> Iterator[tuple[int, CodeLink]]:
    """Yield each link to code and its offset in the plain text, in the order of the text."""
    at = 0
    for span in spans:
        if span.kind == "link":
            found = [(0, span.href)]
        else:
            found = [(match.start(), match[0]) for match in _WRITTEN.finditer(span.plain)]
        for offset, url in found:
            if link := CodeLink.of(url):
                yield at + offset, link
        at += len(span.plain)


def _ownership(text: str, at: int) -> int:
    """Tell from the words of its sentence whose a link is: 2 our code, 1 ours, 0 not said."""
    before = _SENTENCE_END.split(text[max(0, at - _CONTEXT) : at])[-1]
    after = _SENTENCE_END.split(text[at : at + _CONTEXT])[0]
    sentence = _ADDRESS.sub("", before + after)
    if _OF_OTHERS.search(before):
        return 0
    if _OF_CODE.search(sentence):
        return 2
    return 1 if _OF_OWN.search(sentence) else 0


def _clean(written: str) -> str:
    parts = urlsplit(web_url(written))
    path = re.sub(r"\.git/?$", "", parts.path)
    return urlunsplit(parts._replace(path=path))


def _is_account(link: CodeLink) -> bool:
    """Tell ``github.com/someone``, where a repository may or may not be, from a repository."""
    parts = urlsplit(link.url)
    return parts.hostname == "github.com" and "/" not in parts.path.strip("/")
