"""The address: all that was typed and chosen, in a form that can be sent to others."""

import base64
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, get_args

import numpy as np

from components.coloring import can_color
from components.facets import TOPIC, Facet
from components.finding import SearchBy
from components.markup import clip
from components.selection import Region, Selection, View, enclosed
from dashboard.jobs import Sky

QUERY: Final = "q"
PAPER: Final = "paper"
SEARCH_BY: Final = "by"
LIKE: Final = "like"
PAGE: Final = "page"
_PAPERS: Final = "papers"
_OUTLINE: Final = "outline"
VIEW: Final = "view"
SET: Final = "set"
COLOR: Final = "color"
MAP: Final = "map"
"""Begins with the key of the map on which places were written down."""
_BUT: Final = "but-"

_LONGEST_QUERY: Final = 4_000
_MOST_PAPERS: Final = 1_000
"""As many papers as an address names one by one."""
_MOST_LIKE: Final = 40
_MOST_REGIONS: Final = 30
_MOST_SETS: Final = 10
_MOST_IN_SET: Final = 200
"""Larger sets are named by their outlines; if they have none, they are the session's alone."""
_SEPARATOR: Final = "~"
_JOINT: Final = "!"
"""Between the outlines of a set; neither they nor digests have it."""
LONGEST_NAME: Final = 40
_DIGEST: Final = 5
"""Characters that name a paper, of 6 bits: a thousand of them among a hundred thousand papers name
a wrong one about once in ten addresses."""
_MAP_LENGTH: Final = 8
_QUOTED: Final = 40
_TOLD: Final = 4

Params = dict[str, list[str]]


@dataclass(frozen=True)
class Place:
    """Where a reader is: all that decides what the map's page shows.

    Attributes
    ----------
    query : str
    choices : mapping of str to list of str
        The values chosen in each facet, by its name.
    regions : tuple of Region
        Which drew the selection, if it was drawn.
    selection : tuple of str
        Ids of the papers selected.
    view : View or None
        What is seen of the map; None for the whole.
    color : str
        Name of the facet that the map is coloured by.
    paper : str or None
        Id of the paper that is open.
    like : tuple of str
        Ids of the papers whose like are sought.
    search_by : SearchBy or None
        How the query is understood, None for the best there is.
    page : int
        Of the list of papers, from 1.
    sets : mapping of str to Selection
        Each selection that was saved, by its name.
    """

    query: str = ""
    choices: Mapping[str, list[str]] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()
    selection: tuple[str, ...] = ()
    view: View | None = None
    color: str = TOPIC
    paper: str | None = None
    like: tuple[str, ...] = ()
    search_by: SearchBy | None = None
    page: int = 1
    sets: Mapping[str, Selection] = field(default_factory=dict)


def write(place: Place, sky: Sky) -> Params:
    """Return the parameters of the address of a place, without those that say nothing."""
    params: Params = {}
    if 0 < len(place.query) <= _LONGEST_QUERY:
        params[QUERY] = [place.query]
        if place.search_by:
            params[SEARCH_BY] = [place.search_by]
    if place.like:
        params[LIKE] = list(place.like[:_MOST_LIKE])
    for facet in sky.facets:
        params |= _write_choice(facet, place.choices.get(facet.name, []))
    if place.regions:
        params[_OUTLINE] = [region.to_text() for region in place.regions]
    elif 0 < len(place.selection) <= _MOST_PAPERS:
        params[_PAPERS] = ["".join(map(digest, place.selection))]
    if place.view:
        params[VIEW] = [place.view.to_text()]
    written = {name: _write_set(saved) for name, saved in place.sets.items()}
    sets = [name + _SEPARATOR + papers for name, papers in written.items() if papers]
    if sets:
        params[SET] = sets[-_MOST_SETS:]
    if place.view or place.regions or any(map(_is_drawn, sets[-_MOST_SETS:])):
        params[MAP] = [sky.paper_map.key[:_MAP_LENGTH]]
    if place.color != TOPIC:
        params[COLOR] = [place.color]
    if place.paper:
        params[PAPER] = [place.paper]
    if place.page > 1:
        params[PAGE] = [str(place.page)]
    return params


def _write_choice(facet: Facet, chosen: Collection[str]) -> Params:
    """Name what is chosen, or what is not if that is less."""
    rest = [value for value in facet.values if value not in chosen]
    if not chosen:
        return {}
    if rest and len(rest) < len(chosen):
        return {_BUT + facet.name: rest}
    return {facet.name: [value for value in facet.values if value in chosen]}


def _write_set(saved: Selection) -> str:
    if len(saved.papers) <= _MOST_IN_SET:
        return "".join(map(digest, saved.papers))
    return _JOINT.join(region.to_text() for region in saved.regions)


def _is_drawn(written: str) -> bool:
    """Tell outlines, whose numbers are parted by a point, from digests."""
    return "." in written.rpartition(_SEPARATOR)[2]


def read(params: Mapping[str, Sequence[str]], sky: Sky) -> tuple[Place, list[str]]:
    """Return the place of which an address tells, and what of it this map has not.

    Parameters
    ----------
    params : mapping of str to sequence of str
        Anything at all.
    sky : Sky

    Returns
    -------
    Place
    list of str
        What was left out, a few words each.
    """
    return _Reader(params, sky).read()


class _Reader:
    """Reads one address; what it cannot use it notes."""

    def __init__(self, params: Mapping[str, Sequence[str]], sky: Sky) -> None:
        self._params = {key: list(values) for key, values in params.items()}
        self._sky = sky
        self._dropped: list[str] = []

    def read(self) -> tuple[Place, list[str]]:
        query = self._last(QUERY)
        if len(query) > _LONGEST_QUERY:
            self._dropped.append(f"a search of {len(query):,} characters")
            query = ""
        choices = {facet.name: self._choice(facet) for facet in self._sky.facets}
        same_map = self._last(MAP) == self._sky.paper_map.key[:_MAP_LENGTH]
        regions, view = self._regions(same_map), self._view(same_map)
        sets = self._sets(same_map)
        selection = self._enclosed(regions) if regions else self._named()
        if regions and not selection:
            regions = ()
        place = Place(
            query,
            choices,
            regions,
            selection,
            view,
            self._color(),
            self._paper(),
            self._like(),
            self._search_by(),
            self._page(),
            sets,
        )
        self._dropped += [f"“{_quoted(key)}”, which means nothing here" for key in self._params]
        return place, self._dropped

    def _all(self, key: str) -> list[str]:
        return self._params.pop(key, [])

    def _last(self, key: str) -> str:
        return (self._all(key) or [""])[-1]

    def _choice(self, facet: Facet) -> list[str]:
        named, but = self._all(facet.name), self._all(_BUT + facet.name)
        gone = [value for value in [*named, *but] if value not in facet.values and value]
        self._dropped += [f"{facet.label} “{_quoted(value)}”" for value in dict.fromkeys(gone)]
        wanted = set(named)
        if any(value in facet.values for value in but):
            wanted |= set(facet.values) - set(but)
        return [value for value in facet.values if value in wanted]

    def _regions(self, same_map: bool) -> tuple[Region, ...]:
        written = self._all(_OUTLINE)
        if written and not same_map:
            self._dropped.append("a selection that was drawn on another map")
            return ()
        read = [Region.from_text(text) for text in written[:_MOST_REGIONS]]
        if None in read or len(written) > _MOST_REGIONS:
            self._dropped.append("an outline that cannot be read")
        return tuple(region for region in read if region)

    def _enclosed(self, regions: tuple[Region, ...]) -> tuple[str, ...]:
        sky = self._sky
        mask = enclosed(regions, sky.paper_map.coordinates, sky.frame)
        return tuple(sky.paper_map.corpus["id"][np.flatnonzero(mask)])

    def _named(self) -> tuple[str, ...]:
        written = self._last(_PAPERS)
        if not written:
            return ()
        found, gone = named_papers(written, self._sky.row_of)
        if gone:
            self._dropped.append(f"{gone:,} selected paper{'s' * (gone != 1)}")
        return found

    def _sets(self, same_map: bool) -> dict[str, Selection]:
        sets: dict[str, Selection] = {}
        for written in self._all(SET)[:_MOST_SETS]:
            name = written.rpartition(_SEPARATOR)[0]
            saved = self._set(written, same_map)
            if 0 < len(name) <= LONGEST_NAME and saved.papers:
                sets[name] = saved
            else:
                self._dropped.append(f"the set “{_quoted(name)}”")
        return sets

    def _set(self, written: str, same_map: bool) -> Selection:
        papers = written.rpartition(_SEPARATOR)[2]
        if not _is_drawn(written):
            return Selection(named_papers(papers, self._sky.row_of)[0])
        outlines = papers.split(_JOINT)[:_MOST_REGIONS] if same_map else []
        regions = [Region.from_text(outline) for outline in outlines]
        drawn = tuple(region for region in regions if region)
        return (
            Selection(self._enclosed(drawn), drawn)
            if len(drawn) == len(outlines)
            else Selection(())
        )

    def _view(self, same_map: bool) -> View | None:
        written = self._last(VIEW)
        view = View.from_text(written)
        if written and not view:
            self._dropped.append(f"the view “{_quoted(written)}”")
        elif view and not same_map:
            self._dropped.append("a view of another map")
        return view if same_map else None

    def _color(self) -> str:
        written = self._last(COLOR)
        if any(facet.name == written and can_color(facet) for facet in self._sky.facets):
            return written
        if written:
            self._dropped.append(f"the colours “{_quoted(written)}”")
        return TOPIC

    def _paper(self) -> str | None:
        written = self._last(PAPER)
        if written and written not in self._sky.row_of:
            self._dropped.append(f"the paper “{_quoted(written)}”")
            return None
        return written or None

    def _like(self) -> tuple[str, ...]:
        written = self._all(LIKE)[:_MOST_LIKE]
        gone = [paper for paper in written if paper not in self._sky.row_of]
        self._dropped += [f"the paper “{_quoted(paper)}”" for paper in gone]
        return tuple(paper for paper in written if paper in self._sky.row_of)

    def _search_by(self) -> SearchBy | None:
        written = self._last(SEARCH_BY)
        for by in get_args(SearchBy):
            if by == written:
                return by  # type: ignore[no-any-return]
        if written:
            self._dropped.append(f"the way to search “{_quoted(written)}”")
        return None

    def _page(self) -> int:
        written = self._last(PAGE)
        if not written:
            return 1
        if written.isascii() and written.isdigit() and 0 < len(written) < 7 and int(written):
            return int(written)
        self._dropped.append(f"page “{_quoted(written)}”")
        return 1


def digest(paper: str) -> str:
    """Return a short name of a paper, from its id."""
    hashed = hashlib.sha256(paper.encode("utf-8", "surrogatepass")).digest()
    return base64.urlsafe_b64encode(hashed)[:_DIGEST].decode()


def named_papers(digests: str, ids: Iterable[str]) -> tuple[tuple[str, ...], int]:
    """Return the papers that a run of digests names, and how many of the names are no paper's."""
    wanted = {digests[at : at + _DIGEST] for at in range(0, min(len(digests), 10**4), _DIGEST)}
    names = {paper: digest(paper) for paper in ids}
    found = tuple(paper for paper, name in names.items() if name in wanted)
    return found, len(wanted - set(names.values()))


def notice(dropped: Sequence[str]) -> str:
    """Say in one sentence what was left out of an address; ``""`` if nothing was."""
    if not dropped:
        return ""
    told = list(dropped[:_TOLD])
    if len(dropped) > _TOLD:
        told.append(f"{len(dropped) - _TOLD:,} more")
    listed = " and ".join(filter(None, ["; ".join(told[:-1]), told[-1]]))
    return f"The address names what this map does not have, which was left out: {listed}."


def _quoted(text: str) -> str:
    return clip(" ".join(text[: 2 * _QUOTED].split()), _QUOTED)
