"""JSON and JSON Lines, in the shapes of those who publish lists of papers."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from cache.errors import PaperskyError
from cache.papers import Record
from cache.readers.columns import read_fields, without_papers
from cache.readers.fields import names_a_paper
from cache.readers.problems import Problem
from cache.readers.records import is_reply, paper_fields

_BEGINNING: Final = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]])")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_LONE: Final = re.compile("[\ud800-\udfff]")
_OPENING: Final = re.compile(r"\s*\[")
_BETWEEN: Final = re.compile(r"[\s,\]}]*")
_NEXT_OBJECT: Final = re.compile(r"(?:\n[ \t]*|\}\s*,\s*|\[\s*)(?=\{)")
_MOST_ATTEMPTS: Final = 1_000
"""How often reading is tried again behind something broken."""
_DEEPEST_LIST: Final = 4
"""How many objects a list of papers is wrapped in at most."""
_LOOK: Final = 5
"""How many items are looked at to tell a list of papers from another."""


def is_json_lists(text: str) -> bool:
    """Tell JSON by its first two characters, which no prose begins with."""
    return _BEGINNING.match(text) is not None


def read_json_lists(text: str, name: str) -> Iterator[Record | Problem]:
    """Yield one record an object.

    Parameters
    ----------
    text : str
        A list of objects, bare or wrapped; objects by their ids; an object of columns; one object
        a line; or one after the other. Where it is broken, reading goes on with the next object.
    name : str
        What the document is called in each record's ``source``: ``name#record``, ``name:line``
        where it has an object a line or is broken.

    Raises
    ------
    PaperskyError
        If it holds no object with a title or an abstract.
    """
    try:
        whole = json.loads(text)
        if _SURROGATE.search(text):
            whole = _without_halves(whole)
    except (ValueError, RecursionError):
        yield from _read_papers(_one_by_one(text, name), name)
    else:
        numbered = enumerate(_objects(whole), start=1)
        yield from _read_papers(((f"{name}#{n}", item) for n, item in numbered), name)


def _read_papers(
    found: Iterable[tuple[str, Any] | Problem], name: str
) -> Iterator[Record | Problem]:
    """Yield papers and problems; if there is no paper, only say what there is instead."""
    held: list[Problem] = []
    names: list[str] = []
    has_papers = False
    for item in found:
        if not isinstance(item, Problem) and isinstance(item[1], Mapping):
            names = names or [str(key) for key in item[1]]
        for paper in [item] if isinstance(item, Problem) else _read_object(*item):
            if isinstance(paper, Problem) and not has_papers:
                held.append(paper)
                continue
            yield from held
            held.clear()
            has_papers = True
            yield paper
    if names and not has_papers:
        raise without_papers(names, name)
    if held:
        raise PaperskyError(
            f"{name} holds no papers. {held[0].source}: {held[0].what}",
            "A list of papers is an array of objects, or has one object a line.",
        )


def _read_object(source: str, item: Any) -> Iterator[Record | Problem]:
    if not isinstance(item, Mapping):
        yield Problem(source, "It is not an object with named fields, and was left out.", True)
    elif not is_reply(item):
        try:
            yield from read_fields(paper_fields(item), source)
        except RecursionError:
            yield Problem(source, "It is nested too deeply to be read, and was left out.", True)


def _objects(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield what a list holds; of an object its papers, in whatever way it holds them."""
    if isinstance(value, list):
        if depth == 0 or any(map(_is_paper, value[:_LOOK])):
            yield from value
    elif not isinstance(value, Mapping) or depth > _DEEPEST_LIST:
        return
    elif (rows := _rows_of_columns(value)) is not None:
        yield from rows
    elif _is_paper(value):
        yield value
    elif value and all(map(_is_paper, islice(value.values(), _LOOK))):
        for key, item in value.items():
            yield {"id": key, **item} if isinstance(item, Mapping) else item
    else:
        for item in value.values():
            yield from _objects(item, depth + 1)


def _is_paper(value: Any) -> bool:
    return isinstance(value, Mapping) and names_a_paper([str(key) for key in paper_fields(value)])


def _rows_of_columns(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Turn columns, as lists or as pandas writes them by default, into rows."""
    if not names_a_paper(list(value)):
        return None
    columns = list(value.values())
    if all(isinstance(column, list) for column in columns):
        if len({len(column) for column in columns}) > 1:
            return None
        return [dict(zip(value, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if all(isinstance(column, Mapping) for column in columns):
        keys = dict.fromkeys(key for column in columns for key in column)
        return [{name: column.get(key) for name, column in value.items()} for key in keys]
    return None


def _one_by_one(text: str, name: str) -> Iterator[tuple[str, Any] | Problem]:
    """Yield the objects of JSON Lines, or of JSON that is broken, with their lines.

    Behind something broken, objects inside it are not taken for papers: only what begins a line,
    or has a title or an abstract and half the fields of the last paper, is one.
    """
    decoder = json.JSONDecoder()
    places = _Places(text, name)
    has_halves = _SURROGATE.search(text) is not None
    start = _OPENING.match(text)
    at = start.end() if start else 0
    broken_at = -1
    attempts = 0
    is_wrapped = False
    known: frozenset[str] = frozenset()
    while (at := _skip(text, at)) < len(text) and attempts < _MOST_ATTEMPTS:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            is_wrapped = is_wrapped or (broken_at < 0 and not known)
            place = getattr(error, "pos", at)
            if place != broken_at and (not attempts or _begins_line(text, at)):
                yield Problem(places.of(at), _account_of(error, places.line(place)), skipped=True)
            broken_at = place
            attempts += 1
            at = _next_object(text, at + 1)
            continue
        if (attempts or is_wrapped) and not _is_next(text, at, value, known):
            attempts += 1
            at = _next_object(text, end - 1)
            continue
        yield places.of(at), _without_halves(value) if has_halves else value
        known = frozenset(value) if isinstance(value, Mapping) else known
        attempts = 0
        at = end
    if at < len(text):
        what = "Nothing can be made out behind what is broken; the rest was left out."
        yield Problem(places.of(at), what, skipped=True)


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at


def _next_object(text: str, at: int) -> int:
    match = _NEXT_OBJECT.search(text, at)
    return match.end() if match else len(text)


def _is_next(text: str, at: int, value: Any, known: frozenset[str]) -> bool:
    """Tell the next paper from an object inside the broken one."""
    if not isinstance(value, Mapping):
        return False
    is_like_last = 2 * len(known.intersection(value)) >= len(known)
    return _begins_line(text, at) or (is_like_last and _is_paper(value))


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n"


def _account_of(error: Exception, line: int) -> str:
    if isinstance(error, json.JSONDecodeError):
        what = error.msg.removesuffix(" at").removesuffix(" starting")
        return f"The JSON is broken at line {line} ({what}); it is left out up to the next record."
    if isinstance(error, RecursionError):
        return "The record is nested too deeply to be read, and was left out."
    return "The record holds a number too long to be read, and was left out."


class _Places:
    """Where records stand: their lines, or their numbers where they share lines.

    Asked for in the order of the text.
    """

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._at = 0
        self._line = 1
        self._number = 0

    def of(self, at: int) -> str:
        if _begins_line(self._text, at):
            return f"{self._name}:{self.line(at)}"
        self._number += 1
        return f"{self._name}#{self._number}"

    def line(self, at: int) -> int:
        if at < self._at:
            return self._line - self._text.count("\n", at, self._at)
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        return self._line


def _without_halves(value: Any) -> Any:
    """Replace halves of characters, which JSON can write and no encoding can."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_halves(item) for item in value]
    if isinstance(value, dict):
        return {_without_halves(key): _without_halves(item) for key, item in value.items()}
    return value
