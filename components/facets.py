"""Filters found in the data: what can be chosen, what a choice keeps, and how many it would."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from cache.build import UNCLUSTERED, PaperMap
from cache.duplicates import IDENTIFIERS
from cache.papers import COLUMNS, venue_and_year
from components.facet_columns import ColumnFacet, Kind, read_column

Mask = npt.NDArray[np.bool_]
Choices = Mapping[str, Collection[str]]
"""The values chosen in each facet, by its name; a facet without a choice keeps every paper."""

CODE_LABELS: Final = {
    "repository": "Repository",
    "anonymous": "Anonymous repository",
    "project page": "Project page",
    "none": "None found",
}
NO_TEXT: Final = "Unknown (no abstract)"
NO_VENUE: Final = "Unknown"
NOTHING: Final = (UNCLUSTERED, NO_TEXT, NO_VENUE, CODE_LABELS["none"])
"""Values that say that there is none."""

TOPIC: Final = "topic"
SUBTOPIC: Final = "subtopic"
"""Names of the facets of topics and of finer ones."""

_MOST_OTHERS: Final = 12
_LONGEST_LABEL: Final = 40


@dataclass(frozen=True, eq=False)
class Facet:
    """A property of papers that one can filter by.

    Attributes
    ----------
    name : str
        Stable, as it stands in links.
    label : str
        As it is shown.
    kind : {"choices", "switch", "tags", "numbers", "dates"}
        Of numbers and dates, the values are intervals.
    values : tuple of str
        What papers have, in the order in which it is shown.
    rows : int32 array, shape (m,)
        A paper …
    codes : int16 array, shape (m,)
        … and which of the values it has; it may have several, or none.
    """

    name: str
    label: str
    kind: Kind
    values: tuple[str, ...]
    rows: npt.NDArray[np.int32]
    codes: npt.NDArray[np.int16]

    def keeps(self, chosen: Collection[str], among: Mask) -> Mask:
        """Tell which papers of `among` have one of the chosen values; all if none is chosen."""
        allowed = np.array([value in chosen for value in self.values], dtype=bool)
        if not allowed.any():
            return among
        having = np.zeros_like(among)
        having[self.rows[allowed[self.codes]]] = True
        return having & among


def facets_of(paper_map: PaperMap) -> tuple[Facet, ...]:
    """Return the facets of a map: topics, code, venue, presentation, and what else papers have.

    Of the columns that `cache.papers` does not know, those that `read_column` can filter by are
    facets, those that most papers have first.
    """
    corpus = paper_map.corpus
    names = [*paper_map.topic_names, UNCLUSTERED]
    topics = [names[topic] for topic in paper_map.topics]
    code = [
        NO_TEXT if kind == "none" and not abstract else CODE_LABELS[kind]
        for kind, abstract in zip(corpus["code_kind"], corpus["abstract"], strict=True)
    ]
    return (
        _facet(TOPIC, "Topic", topics, names),
        *_subtopic(paper_map),
        _facet("code", "Code", code, [*CODE_LABELS.values(), NO_TEXT]),
        _facet("venue", "Venue", _venues(corpus)),
        *_presentation(corpus),
        *_others(corpus),
    )


def keep_all(facets: Sequence[Facet], choices: Choices, among: Mask) -> Mask:
    """Tell which papers of `among` pass every facet."""
    kept = among.copy()
    for facet in facets:
        kept = facet.keeps(choices.get(facet.name, ()), kept)
    return kept


def counts(facets: Sequence[Facet], choices: Choices, among: Mask) -> dict[str, dict[str, int]]:
    """Count the papers behind each value of each facet, given all that is chosen elsewhere."""
    return {
        facet.name: _count(facet, keep_all([f for f in facets if f is not facet], choices, among))
        for facet in facets
    }


def _count(facet: Facet, mask: Mask) -> dict[str, int]:
    found = np.bincount(facet.codes[mask[facet.rows]], minlength=len(facet.values))
    return dict(zip(facet.values, found.tolist(), strict=True))


def _facet(name: str, label: str, column: list[str], order: Sequence[str] | None = None) -> Facet:
    """Make a facet of the values that occur, in the order given, else the most frequent first."""
    frequent = pd.Series(column, dtype="str").value_counts().index
    present = set(column)
    values = [v for v in dict.fromkeys(order or ()) if v in present] if order else list(frequent)
    codes = pd.Categorical(column, categories=values).codes
    rows = np.arange(len(column), dtype=np.int32)
    return Facet(name, label, "choices", tuple(values), rows, np.asarray(codes, dtype=np.int16))


def _subtopic(paper_map: PaperMap) -> list[Facet]:
    rows = np.flatnonzero(paper_map.subtopics >= 0).astype(np.int32)
    if not len(rows):
        return []
    codes = paper_map.subtopics[rows]
    return [Facet(SUBTOPIC, "Within the topic", "choices", paper_map.subtopic_names, rows, codes)]


def _presentation(corpus: pd.DataFrame) -> list[Facet]:
    column = read_column(corpus["presentation"].tolist())
    return [_named("presentation", "Presentation", column)] if column else []


def _others(corpus: pd.DataFrame) -> list[Facet]:
    """Read the columns we do not know; their names are not ours to put among the keys of a page."""
    unknown = [name for name in corpus.columns if name not in (*COLUMNS, *IDENTIFIERS)]
    read = [(name, read_column(corpus[name].tolist())) for name in unknown]
    found = [(str(name), column) for name, column in read if column]
    found.sort(key=lambda item: -len(np.unique(item[1].rows)))
    return [_named(f"by-{name}", _label(name), column) for name, column in found[:_MOST_OTHERS]]


def _named(name: str, label: str, column: ColumnFacet) -> Facet:
    return Facet(name, label, column.kind, column.values, column.rows, column.codes)


def _label(name: str) -> str:
    words = " ".join(re.sub(r"_+", " ", name).split())[:_LONGEST_LABEL]
    return words[:1].upper() + words[1:]


def _venues(corpus: pd.DataFrame) -> list[str]:
    return [
        venue_and_year(venue, year) if venue else NO_VENUE
        for venue, year in zip(corpus["venue"], corpus["year"], strict=True)
    ]
