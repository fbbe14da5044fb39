"""What producers write into one field, made the type that the corpus table wants.

Every function takes any value that JSON, a spreadsheet or Parquet can hold, and answers with
something empty where the value says nothing.
"""

import ast
import json
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Final

from cache.inline import web_url

NOTHING: Final = frozenset(
    (
        *("", "null", "nan", "nat", "none", "n/a", "na", "<na>", "nil", "undefined", "[]", "{}"),
        *("#n/a", "#null!", "#ref!", "#value!", "#name?", "#div/0!", "#num!"),
    )
)
"""How producers write that they have no value, case-folded."""

_RULES: Final = "-–—: "
_FIRST_OF_NOTHING: Final = frozenset(text[0] for text in NOTHING if text) | {*_RULES, ";", "0"}
_LONGEST_NOTHING: Final = max(map(len, NOTHING))
_NOTHING_IN_A_LIST: Final = NOTHING | {"0", "0.0"}

_NAME_SEPARATORS: Final = (";", "；", "|", "\n", "、", "，")
_TERM_SEPARATORS: Final = (*_NAME_SEPARATORS, ",")

_NAME_KEYS: Final = (
    *("name", "display_name", "fullname", "full_name", "literal", "text", "title", "value"),
    *("author", "raw_author_name", "tag", "term", "category", "url"),
)
_GIVEN_KEYS: Final = ("given", "firstName", "first_name", "first")
_FAMILY_KEYS: Final = ("family", "lastName", "last_name", "last")
_MOST_NUMBERS: Final = 32
"""A longer list of numbers is a vector or a histogram, nothing to filter papers by."""
_LONGEST_LITERAL: Final = 100_000

_PARAGRAPH_BREAK: Final = re.compile(r"\n\s*\n")
_YEAR: Final = re.compile(
    r"(?<!\d)(?:1[5-9]|20|21)\d\d(?:(?!\d)|(?=(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)))"
)
_LINK: Final = re.compile(r"https?://(?:\\[_#%&~{}$]|[^\s\"<>{}|\\^`])+", re.IGNORECASE)
_LINK_WITHOUT_SCHEME: Final = re.compile(r"(?:www\.|(?:[\w-]+\.)+[a-z]{2,}/)\S+", re.IGNORECASE)
_PARTICLES: Final = frozenset(
    (
        *("van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le"),
        *("el", "al", "ben", "bin", "ibn", "ter", "ten", "zu", "af", "av"),
    )
)


def unwrapped(text: str) -> str:
    """Join the lines that a file has wrapped; blank lines still part paragraphs."""
    paragraphs = (" ".join(part.split()) for part in _PARAGRAPH_BREAK.split(text))
    return "\n\n".join(filter(None, paragraphs))


def is_missing(value: Any) -> bool:
    """Tell whether a field says nothing: empty, a word for nothing, or a list of such."""
    if isinstance(value, str):
        return _is_missing_text(value.strip())
    if value is None or isinstance(value, bool):
        return value is None
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(is_missing, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(is_missing, value))
    return False


def _is_missing_text(text: str) -> bool:
    if not text:
        return True
    if text[0].lower() not in _FIRST_OF_NOTHING:
        return False
    if ";" in text:
        return all(part.strip(_RULES).lower() in _NOTHING_IN_A_LIST for part in text.split(";"))
    if text[0] in _RULES:
        return not text.strip(_RULES)
    return len(text) <= _LONGEST_NOTHING and text.lower() in NOTHING


def as_text(value: Any) -> str:
    """Return running text; of a list its items as paragraphs, of an inverted index its words.

    A number stands for text only if it is not 0, which producers write for "not known".
    """
    if isinstance(value, str):
        text = value.strip()
        return "" if text == "0" or _is_missing_text(text) else text
    if is_missing(value) or isinstance(value, bool) or value == 0:
        return ""
    if isinstance(value, Mapping):
        return _uninverted(value) or as_text(_named(value))
    if isinstance(value, (list, tuple)):
        return "\n\n".join(filter(None, map(as_text, value)))
    return str(value)


def _uninverted(index: Mapping[str, Any]) -> str:
    """Put the words of OpenAlex's ``abstract_inverted_index`` back in their order.

    See https://docs.openalex.org/api-entities/works/work-object#abstract_inverted_index.
    """
    if not all(isinstance(places, list) for places in index.values()):
        return ""
    words = [
        (place, str(word))
        for word, places in index.items()
        for place in places
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(words, key=lambda placed: placed[0]))


def as_names(value: Any) -> list[str]:
    """Return the names of people, as they are written.

    A string is a list where it has semicolons, bars, line breaks or ``and``; commas part only
    what cannot be ``Last, First``.
    """
    return _unique(_names(value))


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _split_names(value.strip())
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from [item] if isinstance(item, str) else _names(item)
    elif isinstance(value, Mapping):
        person = _person(value)
        yield from [person] if person else _names(_named(value))


def _person(value: Mapping[str, Any]) -> str:
    given, family = (
        next((as_text(value[key]) for key in keys if key in value), "")
        for keys in (_GIVEN_KEYS, _FAMILY_KEYS)
    )
    particle = as_text(value.get("non-dropping-particle"))
    return " ".join(filter(None, (given, particle, family))) if family else ""


def _split_names(text: str) -> list[str]:
    if _is_literal(text) and (items := _literal(text)):
        return list(_names(items))
    for separator in _NAME_SEPARATORS:
        if separator in text:
            return text.split(separator)
    names = re.split(r"\s(?:and|AND|&)\s", text)
    if len(names) > 1 and "," in names[-1]:
        return names
    last = names[1:]
    listed = [part.strip().removeprefix("and ") for part in names[0].split(",")]
    return [*(listed if _are_whole_names(listed) else names[:1]), *last]


def _are_whole_names(parts: list[str]) -> bool:
    """Tell "Ada Byron, Alan Turing" from "Byron, Ada" and "van der Berg, Jan Piet"."""
    if parts[0].split(" ", 1)[0].lower() in _PARTICLES:
        return False
    return all(len(part.split()) > 1 for part in parts if part)


def as_terms(value: Any) -> list[str]:
    """Return keywords or tags; a string is parted at semicolons, bars, lines, else commas."""
    if isinstance(value, str):
        text = value.strip()
        if _is_literal(text) and (items := _literal(text)):
            return as_terms(items)
        separator = next((mark for mark in _TERM_SEPARATORS if mark in text), ";")
        return _unique(text.split(separator))
    return _unique(_labels(value))


def _labels(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        named = _named(value)
        yield from [named] if isinstance(named, str) else _labels(named)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _labels(item)
    elif text := as_text(value):
        yield text


def _unique(items: Iterable[str]) -> list[str]:
    stripped = (item.strip(" \t\r\n,;") for item in items)
    return list(dict.fromkeys(item for item in stripped if as_text(item)))


def _named(value: Mapping[str, Any]) -> Any:
    """Return what an object calls itself by; None if it has no name."""
    return next((value[key] for key in _NAME_KEYS if not is_missing(value.get(key))), None)


def _is_literal(text: str) -> bool:
    """Tell the printed form of a list, as pandas writes lists into CSV."""
    return text[:1] == "[" and text[-1:] == "]" and len(text) < _LONGEST_LITERAL


def _literal(text: str) -> list[Any]:
    for parse in (json.loads, ast.literal_eval):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python's, on backslashes in strings
                value = parse(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        return value if isinstance(value, list) else []
    return []


def as_year(value: Any) -> int | None:
    """Return the first year from 1500 to 2199 in a number, a date or CSL's ``date-parts``."""
    if isinstance(value, date):
        return value.year
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return next(filter(None, map(as_year, value)), None)
    match = _YEAR.search(str(value)[:100])
    return int(match[0]) if match else None


def as_link(value: Any) -> str:
    """Return the first http(s) address in a field; ``""`` if there is none."""
    if isinstance(value, Mapping):
        return as_link(value.get("url") or _named(value))
    if isinstance(value, (list, tuple)):
        return next(filter(None, map(as_link, value)), "")
    text = as_text(value)
    if match := _LINK.search(text):
        return web_url(match[0].split(";http")[0])
    if match := _LINK_WITHOUT_SCHEME.match(text):
        return web_url(f"https://{match[0]}")
    return ""


def as_extra(value: Any) -> Any:
    """Return what a column that we do not know may hold: a scalar, or a list of scalars.

    Nested objects are reduced to their names; what has none, and long lists of numbers, is None.
    """
    if isinstance(value, str):
        return None if is_missing(value) else value.strip()
    if isinstance(value, Mapping):
        return as_extra(_named(value))
    if isinstance(value, (list, tuple)):
        return _extra_list(value)
    return None if is_missing(value) else _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat().removesuffix("T00:00:00")
    is_number = isinstance(value, float) or (isinstance(value, int) and abs(value) < 2**63)
    return value if is_number else str(value)


def _extra_list(values: list[Any] | tuple[Any, ...]) -> list[Any] | None:
    numbers = sum(isinstance(value, (int, float)) for value in values[: _MOST_NUMBERS + 1])
    if numbers > _MOST_NUMBERS:
        return None
    items = [as_extra(value) for value in values]
    return [item for item in items if item is not None and not isinstance(item, list)] or None
