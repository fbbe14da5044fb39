"""What a column that nobody told us about holds, and the values one can filter it by."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

Kind = Literal["choices", "switch", "tags", "numbers", "dates"]

_MOST_CHOICES: Final = 30
_LONGEST_CHOICE: Final = 60
"""Characters. What is longer is told, not chosen."""
_LONGEST_TAG: Final = 120
_MOST_NUMBERS: Final = 6
"""As many numbers are shown one by one; more as intervals."""
_SHARES: Final = (0.2, 0.4, 0.6, 0.8)
"""Of the papers below each of the borders between intervals."""
_MOST_PERIODS: Final = 12
_NUMBERED: Final = 10
_IDENTIFIERS: Final = 0.9
"""From so many papers on, whole numbers count papers when so many of them differ."""

_TRUTH: Final[Mapping[str, str]] = {
    **dict.fromkeys(("true", "yes", "y", "是"), "Yes"),
    **dict.fromkeys(("false", "no", "n", "否"), "No"),
}
_NUMBER: Final = re.compile(r"[-+]?(?:\d{1,15}(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
_DATE: Final = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?(?:[T ]\d\d:.*)?")
_ADDRESS: Final = re.compile(r"\w+://|www\.|/\w+/")
_TAG_SEPARATOR: Final = re.compile(r"\s*[;|]\s*")


@dataclass(frozen=True, eq=False)
class ColumnFacet:
    """A column as values to choose from; a paper has none, one or several of them.

    Attributes
    ----------
    kind : {"choices", "switch", "tags", "numbers", "dates"}
        Of numbers and dates, the values are intervals.
    values : tuple of str
        In the order in which they are shown.
    rows : int32 array, shape (m,)
        A paper …
    codes : int16 array, shape (m,)
        … and which of the values it has.
    """

    kind: Kind
    values: tuple[str, ...]
    rows: npt.NDArray[np.int32]
    codes: npt.NDArray[np.int16]


def read_column(column: Sequence[Any]) -> ColumnFacet | None:
    """Tell by its content how one may filter by a column.

    Parameters
    ----------
    column : sequence
        A value of each paper: text, number, truth value or list; None, NaN and ``""`` are none.

    Returns
    -------
    ColumnFacet or None
        Yes or no become a switch, dates and numbers intervals, few values choices, lists tags. None
        for identifiers, addresses, free text, and for what all papers have alike.
    """
    filled = {row: value for row, value in enumerate(column) if not _is_missing(value)}
    if any(isinstance(value, (list, tuple)) for value in filled.values()):
        facet = _tags({row: _items(value) for row, value in filled.items()})
    else:
        texts = {row: " ".join(str(value).split()) for row, value in filled.items()}
        if any(map(_ADDRESS.match, texts.values())):
            return None
        readers = (_switch, _dates, _numbers, _choices, _tags_of_texts)
        facet = next(filter(None, (read(texts) for read in readers)), None)
    return facet if facet and _parts(facet, len(column)) else None


def _is_missing(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, (list, tuple)):
        return not value
    return bool(pd.isna(value)) if pd.api.types.is_scalar(value) else True


def _items(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, (list, tuple)) else [str(value)]


def _parts(facet: ColumnFacet, papers: int) -> bool:
    """Tell whether some choice keeps some papers and not others, more than one at a time."""
    counts = np.bincount(facet.codes, minlength=len(facet.values))
    return len(facet.rows) > 1 and bool((counts < papers).any())


def _switch(texts: Mapping[int, str]) -> ColumnFacet | None:
    truths = {row: _TRUTH.get(text.casefold(), "") for row, text in texts.items()}
    return _facet("switch", ("Yes", "No"), truths) if all(truths.values()) else None


def _dates(texts: Mapping[int, str]) -> ColumnFacet | None:
    """Part dates by year; by month, or day, if there are no more than a few of those."""
    found = {row: _DATE.fullmatch(text) for row, text in texts.items()}
    if not all(match and _is_day(match) for match in found.values()):
        return None
    for length in (len("2025-01-31"), len("2025-01"), len("2025")):
        periods = {row: text[:length] for row, text in texts.items()}
        if len(set(periods.values())) <= _MOST_PERIODS:
            break
    return _facet("dates", sorted(set(periods.values())), periods)


def _is_day(match: re.Match[str]) -> bool:
    try:
        date(int(match[1]), int(match[2]), int(match[3] or 1))
    except ValueError:
        return False
    return True


def _numbers(texts: Mapping[int, str]) -> ColumnFacet | None:
    """Part numbers into intervals with about as many papers each."""
    if not all(map(_NUMBER.fullmatch, texts.values())):
        return None
    numbers = np.array([float(text) for text in texts.values()])
    if not np.isfinite(numbers).all():
        return None
    distinct = np.unique(numbers)
    whole = bool((numbers == np.trunc(numbers)).all())
    if whole and len(numbers) >= _NUMBERED and len(distinct) > _IDENTIFIERS * len(numbers):
        return None
    edges = distinct[:-1]
    if len(distinct) > _MOST_NUMBERS:
        edges = np.unique(np.quantile(numbers, _SHARES, method="inverted_cdf"))
        edges = edges[edges < distinct[-1]] if edges[0] < distinct[-1] else distinct[-2:-1]
    intervals = np.searchsorted(edges, numbers, side="left")
    labels = [
        _interval(numbers[intervals == interval], whole) for interval in range(len(edges) + 1)
    ]
    chosen = dict(zip(texts, (labels[interval] for interval in intervals), strict=True))
    return _facet("numbers", list(dict.fromkeys(labels)), chosen)


def _interval(numbers: npt.NDArray[np.float64], whole: bool) -> str:
    low, high = (str(int(end)) if whole else f"{end:.4g}" for end in (numbers.min(), numbers.max()))
    return low if low == high else f"{low} to {high}"


def _choices(texts: Mapping[int, str]) -> ColumnFacet | None:
    counts = Counter(texts.values())
    if len(counts) > min(_MOST_CHOICES, max(1, len(texts) // 2)):
        return None
    if max(map(len, counts), default=0) > _LONGEST_CHOICE:
        return None
    return _facet("choices", _frequent_first(counts), texts)


def _tags_of_texts(texts: Mapping[int, str]) -> ColumnFacet | None:
    if not any(_TAG_SEPARATOR.search(text) for text in texts.values()):
        return None
    return _tags({row: _TAG_SEPARATOR.split(text) for row, text in texts.items()})


def _tags(lists: Mapping[int, Sequence[str]]) -> ColumnFacet | None:
    """Take the tags of most papers, if papers have most tags in common."""
    tags = [
        (row, tag)
        for row, items in lists.items()
        for tag in dict.fromkeys(" ".join(item.split()) for item in items)
        if tag
    ]
    counts = Counter(tag for _, tag in tags)
    shared = Counter({tag: count for tag, count in counts.items() if count > 1})
    if 2 * shared.total() < counts.total() or all(map(_NUMBER.fullmatch, counts)):
        return None
    if any(map(_ADDRESS.match, counts)) or max(map(len, counts), default=0) > _LONGEST_TAG:
        return None
    frequent = _frequent_first(shared)[:_MOST_CHOICES]
    return _facet("tags", frequent, tags)


def _frequent_first(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda value: (-counts[value], value))


def _facet(
    kind: Kind, values: Sequence[str], chosen: Mapping[int, str] | Sequence[tuple[int, str]]
) -> ColumnFacet:
    """Make a facet of each paper's values, leaving out those that are not among `values`."""
    pairs = chosen.items() if isinstance(chosen, Mapping) else chosen
    present = {value for _, value in pairs}
    code = {v: number for number, v in enumerate(v for v in values if v in present)}
    kept = [(row, code[value]) for row, value in pairs if value in code]
    rows, codes = zip(*kept, strict=True) if kept else ((), ())
    return ColumnFacet(
        kind, tuple(code), np.array(rows, dtype=np.int32), np.array(codes, dtype=np.int16)
    )
