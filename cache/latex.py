"""What LaTeX looks like in Unicode: formulas, accents and symbols."""

import logging
import re
from functools import cache, lru_cache
from typing import Any, Final

from pylatexenc import latex2text, latexwalker, macrospec

LONGEST_FORMULA: Final = 2_000
"""Characters. A longer one stays LaTeX: no reader is helped, and deep ones exhaust the stack."""

DEEPEST_FORMULA: Final = 10
"""Braces within braces. The converter tries anew at each, so time may double with every level."""

_STYLES: Final = (
    *("text", "textbf", "textit", "textrm", "textsc", "textsf", "textsl", "texttt", "textup"),
    *("mbox", "emph", "underline", "ensuremath", "smash", "bm", "boldsymbol", "operatorname"),
    *("mathbf", "mathds", "mathit", "mathop", "mathrm", "mathsf", "mathtt"),
)
_OPERATORS: Final = ("arg", "argmax", "argmin", "deg", "dim", "hom", "ker", "lg", "Pr", "sup")
SILENT_MACROS: Final = frozenset(
    (
        *("left", "right", "middle", "limits", "nolimits", "nonumber", "displaystyle", "textstyle"),
        *(size + side for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")),
    )
)
"""What guides the setting of a formula and prints nothing itself."""
logging.getLogger("pylatexenc").addHandler(logging.NullHandler())  # malformed macros are no news

_COMPOUND: Final = re.compile(r"[^\w.]")


@lru_cache(maxsize=20_000)
def formula_to_unicode(source: str) -> str:
    r"""Write a formula in plain characters, as closely as they allow.

    Parameters
    ----------
    source : str
        LaTeX without delimiters.

    Returns
    -------
    str
        ``\frac{1}{1-\gamma}`` becomes ``1/(1-γ)``. What cannot be read as LaTeX comes back as it
        is, and so does a formula that would be empty.

    Notes
    -----
    Built on pylatexenc (https://pylatexenc.readthedocs.io), whose own rules leave out the ``\|`` of
    a norm, the rest of a line after ``%`` and the brackets that ``n^{1/3}`` needs on one line.
    """
    if len(source) > LONGEST_FORMULA or not _is_shallow(source):
        return source
    escaped = re.sub(r"(\\.)|%", lambda found: found[1] or r"\%", source, flags=re.DOTALL)
    return " ".join(_convert(escaped, *_maths()).split()) or source


@lru_cache(maxsize=5_000)
def symbol_to_unicode(macro: str) -> str:
    r"""Return what one macro of running text prints, ``""`` if it is not known.

    Parameters
    ----------
    macro : str
        With its argument, such as ``\'{e}``, ``\v{c}``, ``\ss`` or ``\alpha``.
    """
    parser, printer = _prose()
    specification = parser.get_macro_spec(macro[1:])
    if specification and specification.args_parser.argspec:
        return ""
    printed = _convert(macro, parser, printer)
    # Structure (\section) and computed text (\today) print longer.
    return printed if len(printed) <= 4 and "\n" not in printed else ""


def _is_shallow(source: str) -> bool:
    depth = 0
    for delimiter in re.findall(r"\\begin\b|\\end\b|\\left\b|\\right\b|\\.|[{}]", source):
        depth += {"{": 1, "}": -1, r"\begin": 1, r"\end": -1, r"\left": 1, r"\right": -1}.get(
            delimiter, 0
        )
        if not 0 <= depth <= DEEPEST_FORMULA:
            return False
    return depth == 0


def _convert(source: str, parser: Any, printer: latex2text.LatexNodes2Text) -> str:
    try:
        walker = latexwalker.LatexWalker(source, latex_context=parser)
        printed: str = printer.nodelist_to_text(walker.get_latex_nodes()[0])
    except Exception:
        # A macro that lacks an argument surfaces as whatever the converter stumbles over: index,
        # key, type and attribute errors have all been seen. The caller then keeps the source.
        return ""
    return printed


class _Printer(latex2text.LatexNodes2Text):  # type: ignore[misc]
    """Keeps an exponent or index of several characters together."""

    def group_node_to_text(self, node: Any) -> str:
        printed: str = super().group_node_to_text(node)
        source = node.parsing_state.s
        if node.pos and source[node.pos - 1] in "^_" and not source[: node.pos].endswith(r"\_"):
            return _bracketed(printed)
        return printed


def _bracketed(printed: str) -> str:
    return f"({printed})" if _COMPOUND.search(printed) and len(printed) > 1 else printed


def _fraction(node: Any, l2tobj: Any) -> str:
    above, below = (l2tobj.nodelist_to_text([part]) for part in node.nodeargd.argnlist[:2])
    return f"{_bracketed(above)}/{_bracketed(below)}"


def _unknown(node: Any) -> str:
    has_argument = node.parsing_state.s.startswith("{", node.pos + node.len)
    return "" if has_argument else str(node.macroname)


@cache
def _prose() -> tuple[Any, latex2text.LatexNodes2Text]:
    return latexwalker.get_default_latex_context_db(), latex2text.LatexNodes2Text()


@cache
def _maths() -> tuple[Any, latex2text.LatexNodes2Text]:
    parser = latexwalker.get_default_latex_context_db()
    parser.add_context_category(
        "papers",
        macros=[
            *(macrospec.std_macro(name, "*{") for name in _STYLES),
            *(macrospec.std_macro(name, "{{") for name in ("frac", "dfrac", "tfrac", "binom")),
            *(macrospec.std_macro(name, "") for name in SILENT_MACROS),
            macrospec.std_macro("label", "{"),
        ],
        prepend=True,
    )
    printer = latex2text.get_default_latex_context_db()
    printer.add_context_category(
        "papers",
        macros=[
            *(latex2text.MacroTextSpec(name, "%(2)s") for name in _STYLES),
            *(latex2text.MacroTextSpec(name, name) for name in _OPERATORS),
            *(latex2text.MacroTextSpec(name, _fraction) for name in ("frac", "dfrac", "tfrac")),
            *(latex2text.MacroTextSpec(name) for name in (*SILENT_MACROS, "label")),
            latex2text.MacroTextSpec("binom", "(%s choose %s)"),
            latex2text.MacroTextSpec("|", "‖"),
        ],
        prepend=True,
    )
    printer.set_unknown_macro_spec(latex2text.MacroTextSpec("", _unknown))
    return parser, _Printer(latex_context=printer, strict_latex_spaces="based-on-source")
