r"""HTML, JATS and MathML tags in running text, turned into the LaTeX they stand for.

Only tags that format text are touched, and only in pairs: ``a < b``, ``<subject, relation>`` and
the ``<think>`` of a language model are what their authors wrote.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cache.inline import web_url

_WRAPPED: Final[Mapping[str, tuple[str, str]]] = {
    **dict.fromkeys(("em", "i", "italic", "cite", "dfn"), (r"\emph{", "}")),
    **dict.fromkeys(("b", "bold", "strong"), (r"\textbf{", "}")),
    **dict.fromkeys(("code", "tt", "monospace", "kbd", "samp"), ("`", "`")),
    "sub": ("$_{", "}$"),
    "sup": ("$^{", "}$"),
    "q": ("“", "”"),
    "tex-math": ("$", "$"),
}
_BREAKING: Final = frozenset(
    (
        *("p", "br", "break", "hr", "div", "sec", "section", "title", "blockquote", "disp-formula"),
        *("ul", "ol", "li", "list", "list-item", "dl", "dt", "dd"),
        *("h1", "h2", "h3", "h4", "h5", "h6"),
    )
)
_VANISHING: Final = frozenset(
    (
        *("a", "ext-link", "uri", "url", "xref", "span", "font", "u", "underline", "small", "big"),
        *("sc", "roman", "sans-serif", "styled-content", "fixed-case", "abbr", "acronym", "var"),
        *("mark", "ins", "nobr", "center", "inline-formula", "alternatives", "named-content"),
    )
)
_NEED_NO_PARTNER: Final = frozenset(("br", "break", "hr"))
_NEED_NO_END: Final = frozenset(("p", "li"))
_LONGEST_EMPHASIS: Final = 2_000
_LONGEST_INDEX: Final = 60

_NAMES: Final = "|".join(sorted({*_WRAPPED, *_BREAKING, *_VANISHING}, key=len, reverse=True))
_ATTRIBUTES: Final = r"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>=`]+))*"""
_TAG: Final = re.compile(
    rf"<(?P<closing>/?)(?:jats:)?(?P<name>{_NAMES})(?P<attributes>{_ATTRIBUTES})\s*(?P<alone>/?)>",
    re.IGNORECASE,
)
_HREF: Final = re.compile(r"""href\s*=\s*["']?([^\s"'<>]+)""", re.IGNORECASE)
_DELIMITED: Final = re.compile(r"\$|\\\(|\\\[|\\begin\b")

# None of these holds another of its kind: looking no further than to the next one's beginning
# keeps the time in proportion to the text, however many are never closed.
_ALTERNATIVES: Final = re.compile(
    r"<(jats:)?alternatives>((?:(?!<(?:jats:)?alternatives>).){0,5000}?)</(?:jats:)?alternatives>",
    re.DOTALL,
)
_TEX: Final = re.compile(
    r"<(?:jats:)?tex-math\b[^<>]*>(?:(?!<(?:jats:)?tex-math\b).)*?</(?:jats:)?tex-math>", re.DOTALL
)
_MATHML: Final = re.compile(
    r"<(mml:|m:)?math\b[^<>]*>((?:(?!<(?:mml:|m:)?math\b).){0,5000}?)</(?:mml:|m:)?math>",
    re.DOTALL | re.IGNORECASE,
)
_MATHML_TAG: Final = re.compile(r"<(/?)(?:mml:|m:)?([a-z]+)\b([^<>]*?)(/?)>", re.IGNORECASE)
_MATHML_LATEX: Final = {
    "msup": "{0}^{{{1}}}",
    "msub": "{0}_{{{1}}}",
    "msubsup": "{0}_{{{1}}}^{{{2}}}",
    "mfrac": r"\frac{{{0}}}{{{1}}}",
    "mroot": r"\sqrt[{1}]{{{0}}}",
    "mover": r"\overset{{{1}}}{{{0}}}",
    "munder": r"\underset{{{1}}}{{{0}}}",
    "munderover": "{0}_{{{1}}}^{{{2}}}",
}


def mend_tags(words: str) -> str:
    r"""Replace formatting tags: ``<em>k</em>`` by ``\emph{k}``, ``x<sub>2</sub>`` by ``x$_{2}$``.

    Parameters
    ----------
    words : str

    Returns
    -------
    str
        With a blank line where a tag begins or ends a paragraph. Tags without their counterpart,
        and all that only looks like tags, stay. Of a formula given both in MathML and in TeX, the
        TeX is kept.
    """
    if "math" in words:
        words = _ALTERNATIVES.sub(_tex_alone, words)
        words = _MATHML.sub(lambda found: f"${_mathml_to_latex(found[2])}$", words)
    tags = list(_TAG.finditer(words))
    replacements = dict(_replacements(words, tags))
    pieces: list[str] = []
    end = 0
    for number, tag in enumerate(tags):
        pieces += (words[end : tag.start()], replacements.get(number, tag[0]))
        end = tag.end()
    return "".join([*pieces, words[end:]])


def _replacements(words: str, tags: Sequence[re.Match[str]]) -> Iterator[tuple[int, str]]:
    """Yield the numbers of the tags that go, and what comes in their place."""
    opened: dict[str, list[int]] = defaultdict(list)
    for number, tag in enumerate(tags):
        name = tag["name"].lower()
        if name in _NEED_NO_PARTNER or tag["alone"]:
            yield number, "\n\n" if name in _BREAKING else ""
        elif not tag["closing"]:
            opened[name].append(number)
        elif opened[name]:
            begin = opened[name].pop()
            content = words[tags[begin].end() : tag.start()]
            if marks := _marks(name, tags[begin]["attributes"], content):
                yield begin, marks[0]
                yield number, marks[1]
        elif name in _NEED_NO_END and _begins_anew(words, tag):
            yield number, "\n\n"
    for name in _NEED_NO_END:
        for number in opened[name]:
            if _begins_anew(words, tags[number]):
                yield number, "\n\n"


def _begins_anew(words: str, tag: re.Match[str]) -> bool:
    before = words[max(0, tag.start() - 3) : tag.start()].rstrip()
    return not before or before.endswith((".", "!", "?", ":", ";", ">"))


def _marks(name: str, attributes: str, content: str) -> tuple[str, str] | None:
    """Return what stands for a pair of tags, None if the pair is only spoken of."""
    if name in _BREAKING:
        return "\n\n", "\n\n"
    if content[:1].isspace() and content[-1:].isspace():
        return None
    if name in _WRAPPED:
        return _WRAPPED[name] if _can_be_wrapped(name, content) else ("", "")
    found = _HREF.search(attributes)
    href = web_url(found[1]) if found else ""
    if href and "://" not in content and _can_be_wrapped(name, content):
        return f"\\href{{{href}}}{{", "}"
    return "", ""


def _can_be_wrapped(name: str, content: str) -> bool:
    if name == "tex-math":
        return not _DELIMITED.match(content.lstrip())
    if name in {"sub", "sup"}:
        return 0 < len(content) <= _LONGEST_INDEX and "$" not in content and _is_balanced(content)
    if _WRAPPED.get(name, "")[:1] == ("`",):
        return bool(content) and len(content) <= _LONGEST_EMPHASIS and "`" not in content
    return bool(content) and len(content) <= _LONGEST_EMPHASIS and _is_balanced(content)


def _is_balanced(content: str) -> bool:
    return content.count("{") == content.count("}") and not content.endswith("\\")


def _tex_alone(alternatives: re.Match[str]) -> str:
    tex = _TEX.search(alternatives[2])
    return tex[0] if tex else alternatives[2]


def _mathml_to_latex(source: str) -> str:
    """Write Presentation MathML (https://www.w3.org/TR/mathml-core/) as LaTeX."""
    opened: list[tuple[str, list[str]]] = [("", [])]
    end = 0
    for tag in _MATHML_TAG.finditer(source):
        opened[-1][1].append(" ".join(source[end : tag.start()].split()))
        end = tag.end()
        name = tag[2].lower()
        if not tag[1] and not tag[4]:
            opened.append((name, []))
        elif tag[1] and len(opened) > 1:
            name, children = opened.pop()
            opened[-1][1].append(_element_to_latex(name, [child for child in children if child]))
    opened[-1][1].append(" ".join(source[end:].split()))
    return "".join(part for _, parts in opened for part in parts)


def _element_to_latex(name: str, children: Sequence[str]) -> str:
    if name == "annotation":  # says the formula once more, in another language
        return ""
    if name == "msqrt":
        return rf"\sqrt{{{''.join(children)}}}"
    try:
        return _MATHML_LATEX[name].format(*children)
    except (KeyError, IndexError):
        return "".join(children)
