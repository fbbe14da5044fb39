"""Filters found in the data: what can be chosen, what a choice keeps, and how many it would."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from cache.build import UNCLUSTERED, PaperMap

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


@dataclass(frozen=True, eq=False)
class Facet:
    """A property of papers that one can filter by.

    Attributes
    ----------
    name : str
        Stable, as it stands in links.
    label : str
        As it is shown.
    values : tuple of str
        What papers have, in the order in which it is shown.
    codes : int16 array, shape (n,)
        Which of the values each of n papers has.
    """

    name: str
    label: str
    values: tuple[str, ...]
    codes: npt.NDArray[np.int16]

    def keeps(self, chosen: Collection[str]) -> Mask:
        """Tell which papers have one of the chosen values; all if none is chosen."""
        allowed = np.array([value in chosen for value in self.values], dtype=bool)
        if not allowed.any():
            return np.ones(len(self.codes), dtype=bool)
        return np.asarray(allowed[self.codes])


def facets_of(paper_map: PaperMap) -> tuple[Facet, ...]:
    """Return the facets of a map: topic, code and venue."""
    corpus = paper_map.corpus
    names = [*paper_map.topic_names, UNCLUSTERED]
    topics = [names[topic] for topic in paper_map.topics]
    code = [
        NO_TEXT if kind == "none" and not abstract else CODE_LABELS[kind]
        for kind, abstract in zip(corpus["code_kind"], corpus["abstract"], strict=True)
    ]
    return (
        _facet("topic", "Topic", topics, names),
        _facet("code", "Code", code, [*CODE_LABELS.values(), NO_TEXT]),
        _facet("venue", "Venue", _venues(corpus)),
    )


def keep_all(facets: Sequence[Facet], choices: Choices, among: Mask) -> Mask:
    """Tell which papers of `among` pass every facet."""
    kept = among.copy()
    for facet in facets:
        kept &= facet.keeps(choices.get(facet.name, ()))
    return kept


def counts(facets: Sequence[Facet], choices: Choices, among: Mask) -> dict[str, dict[str, int]]:
    """Count the papers behind each value of each facet, given all that is chosen elsewhere."""
    return {
        facet.name: _count(facet, keep_all([f for f in facets if f is not facet], choices, among))
        for facet in facets
    }


def _count(facet: Facet, mask: Mask) -> dict[str, int]:
    found = np.bincount(facet.codes[mask], minlength=len(facet.values))
    return dict(zip(facet.values, found.tolist(), strict=True))


def _facet(name: str, label: str, column: list[str], order: Sequence[str] | None = None) -> Facet:
    """Make a facet of the values that occur, in the order given, else the most frequent first."""
    frequent = pd.Series(column, dtype="str").value_counts().index
    present = set(column)
    values = [v for v in dict.fromkeys(order or ()) if v in present] if order else list(frequent)
    codes = pd.Categorical(column, categories=values).codes
    return Facet(name, label, tuple(values), np.asarray(codes, dtype=np.int16))


def _venues(corpus: pd.DataFrame) -> list[str]:
    return [
        " ".join(filter(None, [venue, "" if pd.isna(year) else str(year)])) or NO_VENUE
        for venue, year in zip(corpus["venue"], corpus["year"], strict=True)
    ]
