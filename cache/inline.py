r"""How the markup of an abstract is read: rules for markdown-it, Markdown and LaTeX in one pass.

Each rule looks at one character that may begin markup, and either leaves it to the next rule or
consumes a construct whole, so a text costs time in proportion to its length whatever it holds.

markdown-it: https://markdown-it-py.readthedocs.io.
"""

import re
from functools import cache
from typing import Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

from cache.latex import SILENT_MACROS, symbol_to_unicode

_STYLES: Final = {
    **dict.fromkeys(("textbf", "bf", "bfseries"), "strong"),
    **dict.fromkeys(("emph", "textit", "textsl", "em", "it", "itshape", "sl", "slshape"), "em"),
    **dict.fromkeys(("texttt", "tt", "ttfamily", "verb"), "code"),
}
_WRAPPED: Final = {
    **dict.fromkeys(("cite", "citep", "citet", "citealp", "parencite", "textcite"), ("[", "]")),
    "enquote": ("“", "”"),
    "footnote": (" (", ")"),
}
_ARGUMENTS: Final = {
    **dict.fromkeys((*_STYLES, *_WRAPPED, "url"), (1, 0)),
    **dict.fromkeys(("href", "textcolor", "colorbox", "hyperlink", "hyperref", "raisebox"), (2, 1)),
    **dict.fromkeys(("color", "label", "vspace", "hspace", "begin", "end", "pagestyle"), (1, 1)),
}
"""How many arguments a macro takes, and the first of them that is shown."""

_ALL_ARGUMENTS: Final = (20, 0)
_UNSEEN: Final = SILENT_MACROS | frozenset(
    (
        *("bf", "bfseries", "em", "it", "itshape", "sl", "slshape", "tt", "ttfamily", "sc"),
        *("scshape", "rm", "sf", "normalfont", "small", "footnotesize", "centering"),
        *("noindent", "newline", "linebreak", "par", "xspace", "protect", "maketitle"),
        *("smallskip", "medskip"),
    )
)
_FORMULAS: Final = frozenset(
    (
        *("frac", "dfrac", "tfrac", "sqrt", "tilde", "widetilde", "hat", "widehat", "bar"),
        *("overline", "vec", "dot", "mathbb", "mathbf", "mathcal", "mathfrak", "mathrm"),
        *("mathsf", "mathit", "mathscr", "boldsymbol", "bm", "operatorname", "binom"),
    )
)
_SPACES: Final = {"\\": "\n", ",": " ", ";": " ", ":": " ", " ": " ", "\n": "\n", "/": "", "@": ""}

_DOLLARS: Final = re.compile(r"(\${1,2})((?:[^$\\]|\\.)++)\1", re.DOTALL)
_BRACKETED: Final = re.compile(r"\\\(((?:[^\\]|\\[^()])++)\\\)|\\\[((?:[^\\]|\\[^\[\]])++)\\\]")
_ENVIRONMENT: Final = re.compile(
    r"\\begin\{((?:equation|align|gather|multline|eqnarray|displaymath|math)\*?)\}"
    r"((?:[^\\]|\\(?!begin\b|end\b).)++)\\end\{\1\}",
    re.DOTALL,
)
_BEFORE_EMPHASIS: Final = frozenset("([{\"'“‘«—–-/,.:;!?>|，。：；（、")
_LOOKS_LIKE_LATEX: Final = re.compile(r"[\\^_{}=]")
_LOOKS_LIKE_PROSE: Final = re.compile(r"[A-Za-z]{3,} [A-Za-z]{2,} [A-Za-z]{2,}")

_MACRO: Final = re.compile(r"\\([A-Za-z]+)(?:\*?(?:\[[^\[\]{}]{0,200}\]){0,2}(?=\{))?")
_ACCENT: Final = re.compile(
    r"""\\(?: ['"`^~=.] \{ \\?[A-Za-z] \}
            | ' (?! (?:s|t|d|m|ll|re|ve) \b ) \\?[A-Za-z]
            | [`^~=] \\?[A-Za-z]
            | (?<= [A-Za-z{] \\ ) " \\?[A-Za-z]
            | [cvuHkrbd] \{ \\?[A-Za-z] \} )""",
    re.VERBOSE,
)
_SWITCH: Final = re.compile(r"\\([a-z]+)\b\s*")
_DASHES: Final = re.compile(r"-{2,3}(?![->])")
_BRACES: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_CODE: Final = re.compile(r"(`{1,2})(?!`)([^`]++)\1(?![`\w])")
_CLOSING_QUOTE: Final = re.compile(r"[^`'’]{1,200}(?:['’]\w[^`'’]{0,200}){0,20}(['’])(?!\w)")
_URL: Final = re.compile(
    r"://(?=[A-Za-z0-9])(?:[\w\-.~:/?#@!&'()*+,;=%]|\\[_#%&~]){1,2000}", re.ASCII
)
_MAY_BEGIN_MARKUP: Final = re.compile(
    r"[-$\\`'*_\[\]<&{}~:!](?<!-(?!-))(?<!:(?!//))(?<!!(?!\[))(?<!'(?=\w))"
)
"""Where the rules below, and those of markdown-it that are used, have anything to do. Its own
pattern also stops at most punctuation, at which all of them are then tried for nothing."""
_ADDRESS: Final = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?:[/?#:]\S*)?")


@cache
def parser() -> MarkdownIt:
    """Return the markdown-it parser that knows the inline markup of abstracts, and no blocks."""
    markdown = MarkdownIt("zero")
    markdown.normalizeLink = web_url  # type: ignore[method-assign, assignment]
    markdown.validateLink = lambda url: bool(web_url(url))  # type: ignore[method-assign]
    inline = markdown.inline
    inline.ruler.enableOnly(["text", "emphasis", "link", "image", "autolink", "entity"])
    inline.ruler2.enableOnly(["balance_pairs", "emphasis", "fragments_join"])
    inline.ruler.at("emphasis", _emphasis)
    for name, rule in {
        "math": _math,
        "accent": _accent,
        "macro": _macro,
        "punctuation": _escaped,
        "group": _group,
        "address": _address,
        "code": _code,
        "quote": _quote,
        "dash": _dash,
        "tie": _tie,
    }.items():
        inline.ruler.before("emphasis", name, rule)
    inline.terminator_re = _MAY_BEGIN_MARKUP
    return markdown


def web_url(written: str) -> str:
    r"""Return the http(s) address that was written, ``""`` if it is none.

    LaTeX escapes such as ``\_`` are undone, and closing punctuation is left out.
    """
    url = re.sub(r"\\([_#%&~{}$])|\{\}", lambda found: found[1] or "", written.strip())
    url = url[: _length_of_url(url)]
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    is_web = parts.scheme in {"http", "https"} and bool(parts.hostname)
    return url if is_web and not re.search(r"[\s\x00-\x1f\x7f<>\"]", url) else ""


def _length_of_url(text: str) -> int:
    end = len(text)
    unopened = text.count(")") - text.count("(")
    while end and (text[end - 1] in ".,;:!?'\"*_`]}>" or (text[end - 1] == ")" and unopened > 0)):
        unopened -= text[end - 1] == ")"
        end -= 1
    return end


def _emit(state: StateInline, silent: bool, text: str, end: int) -> bool:
    if not silent:
        state.append_pending(text)
    state.pos = end
    return True


def _emit_math(state: StateInline, silent: bool, source: str, end: int, display: bool) -> bool:
    if not silent:
        token = state.push("math", "math", 0)
        token.content = source.strip()
        token.block = display
    state.pos = end
    return True


def _emit_nested(state: StateInline, start: int, end: int, style: str = "") -> None:
    """Read ``start:end`` as markup of its own; past `maxNesting` it is text as written."""
    outer = state.posMax
    state.pos, state.posMax = start, end
    if style:
        state.push(f"{style}_open", style, 1)
    else:
        state.level += 1
    state.md.inline.tokenize(state)
    if style:
        state.push(f"{style}_close", style, -1)
    else:
        state.level -= 1
    state.posMax = outer


def _emit_link(state: StateInline, href: str, start: int, end: int) -> None:
    state.push("link_open", "a", 1).attrs = {"href": href}
    outer, state.linkLevel = state.linkLevel, state.linkLevel + 1
    _emit_nested(state, start, end)
    state.linkLevel = outer
    state.push("link_close", "a", -1)


def _emit_address(state: StateInline, href: str) -> None:
    state.push("link_open", "a", 1).attrs = {"href": href}
    state.push("text", "", 0).content = href
    state.push("link_close", "a", -1)


def _before(state: StateInline) -> str:
    return state.src[state.pos - 1] if state.pos else " "


def _after(state: StateInline, end: int) -> str:
    return state.src[end] if end < state.posMax else " "


def _math(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] == "$":
        return _dollars(state, silent)
    if state.src[state.pos] != "\\":
        return False
    if found := _ENVIRONMENT.match(state.src, state.pos, state.posMax):
        return _emit_math(state, silent, found[0], found.end(), display=True)
    found = _BRACKETED.match(state.src, state.pos, state.posMax)
    if found and (found[1] or _LOOKS_LIKE_LATEX.search(found[2])):
        return _emit_math(state, silent, found[1] or found[2], found.end(), display=not found[1])
    return False


def _dollars(state: StateInline, silent: bool) -> bool:
    found = _DOLLARS.match(state.src, state.pos, state.posMax)
    if not found or not _is_formula(found[2], after=_after(state, found.end())):
        return False
    return _emit_math(state, silent, found[2], found.end(), display=found[1] == "$$")


def _is_formula(content: str, after: str) -> bool:
    """Tell ``$k$`` from the amounts in ``$5 and $10``."""
    latex = bool(_LOOKS_LIKE_LATEX.search(content))
    if content[0].isspace() or content[-1].isspace():
        return latex and content[0].isspace() and content[-1].isspace() and bool(content.strip())
    if content[0].isdigit() and after.isdigit():
        return latex
    return latex or not _LOOKS_LIKE_PROSE.search(content)


def _accent(state: StateInline, silent: bool) -> bool:
    found = _ACCENT.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    return _emit(state, silent, symbol_to_unicode(found[0]) or found[0], found.end())


def _macro(state: StateInline, silent: bool) -> bool:
    found = _MACRO.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    name = found[1]
    arguments = _arguments(state, found.end(), _ARGUMENTS.get(name, _ALL_ARGUMENTS)[0])
    if not arguments:
        return _bare_macro(state, silent, name, state.pos + 1 + len(name))
    start, end = state.pos, arguments[-1][1] + 1
    if end - start == len(name) + 3:
        return _bare_macro(state, silent, name, end)
    if not silent:
        if name in _FORMULAS:
            return _emit_math(state, silent, state.src[start:end], end, display=False)
        _macro_with_arguments(state, name, arguments)
    state.pos = end
    return True


def _bare_macro(state: StateInline, silent: bool, name: str, end: int) -> bool:
    if name in _UNSEEN:
        shown = ""
    elif name == "item":
        shown = "•"
    else:
        shown = symbol_to_unicode(f"\\{name}") or (
            f"\\{name}" if name in _ARGUMENTS or _is_in_path(state) else name
        )
    return _emit(state, silent, shown, end)


def _is_in_path(state: StateInline) -> bool:
    r"""Tell ``C:\data`` from an author's own macro, which reads as the word it is named."""
    return _before(state).isalnum() or _before(state) == ":"


def _macro_with_arguments(state: StateInline, name: str, arguments: list[tuple[int, int]]) -> None:
    first = state.src[slice(*arguments[0])]
    if name == "ensuremath":
        _emit_math(state, False, first, arguments[0][1], display=False)
    elif name == "url" or (name == "href" and len(arguments) == 1):
        _emit_url(state, first)
    elif name == "href" and web_url(first):
        _emit_link(state, web_url(first), *arguments[1])
    else:
        taken, first_shown = _ARGUMENTS.get(name, _ALL_ARGUMENTS)
        shown = arguments[first_shown:] if len(arguments) == taken else arguments
        opening, closing = _WRAPPED.get(name, ("", ""))
        state.append_pending(opening)
        for start, end in shown:
            _emit_nested(state, start, end, _STYLES.get(name, ""))
        state.append_pending(closing)


def _emit_url(state: StateInline, written: str) -> None:
    written = written.strip()
    if href := web_url(written) or (_ADDRESS.fullmatch(written) and web_url(f"https://{written}")):
        _emit_address(state, href)
    else:
        state.append_pending(written)


def _arguments(state: StateInline, start: int, most: int) -> list[tuple[int, int]]:
    r"""Return where the contents of ``{a}{b}`` at `start` begin and end, of at most so many."""
    if not state.src.startswith("{", start):
        return []
    braces = _braces(state)
    arguments: list[tuple[int, int]] = []
    while len(arguments) < most and (end := braces.get(start, state.posMax)) < state.posMax:
        arguments.append((start + 1, end))
        start = end + 1
    return arguments


def _braces(state: StateInline) -> dict[int, int]:
    """Return the place of each opening brace and of the one that closes it, found once a text."""
    if "braces" not in state.env:
        pairs: dict[int, int] = {}
        opened: list[int] = []
        for found in _BRACES.finditer(state.src):
            if found[0] == "{":
                opened.append(found.start())
            elif found[0] == "}" and opened:
                pairs[opened.pop()] = found.start()
        state.env["braces"] = pairs
    braces: dict[int, int] = state.env["braces"]
    return braces


def _escaped(state: StateInline, silent: bool) -> bool:
    r"""Read ``\%``, ``\_``, ``\,`` and the like."""
    end = state.pos + 2
    if state.src[state.pos] != "\\" or end > state.posMax:
        return False
    escaped = state.src[end - 1]
    if escaped in _SPACES:
        return _emit(state, silent, _SPACES[escaped], end)
    if escaped == "-":
        is_hyphenation = _before(state).isalpha() and _after(state, end).isalpha()
        return _emit(state, silent, "" if is_hyphenation else "-", end)
    if escaped.isascii() and not escaped.isalnum() and escaped.isprintable():
        return _emit(state, silent, escaped, end)
    return False


def _group(state: StateInline, silent: bool) -> bool:
    r"""Read ``{\em words}`` and ``{\'e}``; braces that hold no macro are text."""
    opening = state.pos
    if state.src[opening] != "{" or not re.match(
        r"\\[A-Za-z'\"`^~=.]", state.src[opening + 1 : opening + 3]
    ):
        return False
    closing = _braces(state).get(opening, state.posMax)
    if closing >= state.posMax:
        return False
    if not silent:
        switch = _SWITCH.match(state.src, opening + 1, closing)
        style = _STYLES.get(switch[1], "") if switch else ""
        _emit_nested(state, switch.end() if switch and style else opening + 1, closing, style)
    state.pos = closing + 1
    return True


def _address(state: StateInline, silent: bool) -> bool:
    """Read a bare http(s) address, which begins at the colon after a scheme."""
    if state.src[state.pos] != ":" or state.linkLevel:
        return False
    scheme = re.search(r"(?<![A-Za-z])https?$", state.src[max(0, state.pos - 6) : state.pos])
    written = _URL.match(state.src, state.pos, state.posMax)
    if not scheme or not written:
        return False
    length = _length_of_url(written[0])
    href = web_url(scheme[0] + written[0][:length])
    if not href or not (silent or state.pending.endswith(scheme[0])):
        return False
    if not silent:
        state.pending = state.pending[: -len(scheme[0])]
        _emit_address(state, href)
    state.pos += length
    return True


def _code(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "`" or _before(state) == "`":
        return False
    found = _CODE.match(state.src, state.pos, state.posMax)
    if not found or found[2][-1].isspace() or "''" in found[2]:
        return False
    if not silent:
        state.push("code_inline", "code", 0).content = found[2].strip()
    state.pos = found.end()
    return True


def _quote(state: StateInline, silent: bool) -> bool:
    """Read ``LaTeX's'' quotation marks, and remember where the one that was opened closes."""
    closing: dict[int, tuple[str, int]] = state.env.setdefault("quotes", {})
    start = state.pos
    if state.src[start] == "'" and start in closing:
        mark, length = closing[start]
        return _emit(state, silent, mark, start + length)
    if state.src[start] != "`":
        return False
    if state.src.startswith("``", start):
        # A quotation is short; without a limit, marks that are never closed cost quadratic time.
        end = state.src.find("''", start, min(start + 500, state.posMax))
        closing[end] = ("”", 2)
        return _emit(state, silent, "“", start + 2)
    found = _CLOSING_QUOTE.match(state.src, start + 1, state.posMax)
    if not found or _after(state, start + 1).isspace():
        return False
    closing[found.start(1)] = ("’", 1)
    return _emit(state, silent, "‘", start + 1)


def _dash(state: StateInline, silent: bool) -> bool:
    found = _DASHES.match(state.src, state.pos, state.posMax)
    if not found or _before(state) in "-<!":
        return False
    is_option = _before(state).isspace() and _after(state, found.end()).isalpha()
    if is_option and len(found[0]) == 2:
        return False
    return _emit(state, silent, "–" if len(found[0]) == 2 else "—", found.end())


def _tie(state: StateInline, silent: bool) -> bool:
    """Read ``~`` as the space it is between words; before a number it means "about"."""
    if state.src[state.pos] != "~":
        return False
    before, after = _before(state), _after(state, state.pos + 1)
    if before.isspace() and after == "\\":
        return _emit(state, silent, "", state.pos + 1)
    is_variable = before.isalpha() and not (state.pos > 1 and state.src[state.pos - 2].isalnum())
    ties = (before.isalnum() or before in ".,;:)]}'”’") and (
        after.isalpha()
        or after in "\\$(["
        or (after.isdigit() and (before.isalpha() or before == "."))
    )
    if not ties or (is_variable and not after.islower() and after != "\\"):
        return False
    return _emit(state, silent, " ", state.pos + 1)


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Do as Markdown does, but take products, stars and indices for what they are.

    ``p*q*r``, ``A*3D``, ``w^*`` and ``f(n)*J*k`` hold no emphasis; ``**T**ask``, ``Hyper**G**raph``
    and ``*token*s`` do.
    """
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    run = state.scanDelims(state.pos, marker == "*")
    head = state.src[max(0, state.pos - 3) : state.pos].rstrip("*_")
    before, after = head[-1:] or " ", state.src[state.pos + run.length : state.pos + run.length + 2]
    opens = before.isspace() or before in _BEFORE_EMPHASIS or (run.length > 1 and before.isalpha())
    within = before.isalnum() and after[:1].isalnum() and not re.fullmatch(r"s\W?", after)
    closes = before != "^" and (run.length > 1 or not within)
    for _ in range(run.length):
        state.push("text", "", 0).content = marker
        state.delimiters.append(
            Delimiter(
                marker=ord(marker),
                length=run.length,
                token=len(state.tokens) - 1,
                end=-1,
                open=run.can_open and opens,
                close=run.can_close and closes,
            )
        )
    state.pos += run.length
    return True
