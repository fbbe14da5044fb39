"""What a keystroke in the search box costs the server, and what must be ready before it."""

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeVar

from benchmarks.report import Report, peak_memory, say, seconds
from cache import text
from cache.build import PaperMap
from cache.store import Store
from components.coloring import color_by
from components.facets import Facet, counts, facets_of, keep_all
from components.finding import by_words
from components.map_chart import Dots
from components.markup import marked, shorten
from components.query import Query, parse_query
from components.results import PAGE_SIZE, excerpt
from components.scatter import scatter
from components.search import SearchIndex
from components.theme import LIGHT

_TYPED: Final = ("l", "lang", "language", "language m", "language model", "language models data")
_ROUNDS: Final = 3
_MEBIBYTE: Final = 2**20

_T = TypeVar("_T")


def measure(report: Report, paper_map: PaperMap, allowed: float) -> None:
    """Build what a page needs of a map, then type a query into it, one part after another.

    Parameters
    ----------
    report : Report
    paper_map : PaperMap
    allowed : float
        Seconds that a keystroke may take the server; what Streamlit does around it is not measured.
    """
    papers = len(paper_map.corpus)
    say(f"Typing a query over {papers:,} papers")
    index = _opened_index(report, paper_map)
    facets = facets_of(paper_map)
    once: list[Dots] = []
    opening = seconds(lambda: once.append(Dots.of(paper_map)))
    keystrokes = [_Keystroke(paper_map, index, facets, typed) for typed in _TYPED]
    slowest = max(keystrokes, key=lambda keystroke: keystroke.total)
    what = f"{papers:,} papers, slowest keystroke (“{slowest.typed}”) : {allowed:g} s"
    report.add(what, slowest.total, allowed, most=1)
    for part, taken in slowest.parts.items():
        report.add(f"– {part} : that keystroke", taken, slowest.total)
    report.add(
        f"{papers:,} papers, what is sent once of the map : that keystroke",
        opening,
        slowest.total,
    )
    sent, sent_once = len(slowest.figure) / _MEBIBYTE, len(once[0].content) / _MEBIBYTE
    what = f"{papers:,} papers, sent of the map at that keystroke : sent once"
    report.add(what, sent, sent_once, unit="MiB")


def measure_memory(report: Report, papers: int) -> None:
    """Tell the most memory held so far: of one map, if nothing else was measured before."""
    peak = peak_memory()
    if peak is not None:
        what = f"{papers:,} papers, peak memory : 2 GiB"
        report.add(what, peak / _MEBIBYTE, 2 * 1024, unit="MiB", most=1)


def _opened_index(report: Report, paper_map: PaperMap) -> SearchIndex:
    """Build the index of a map, keep it, and return it as it is found again."""
    papers = len(paper_map.corpus)
    names = [paper_map.both_topic_names(row) for row in range(papers)]

    def index(store: Store | None = None) -> SearchIndex:
        return SearchIndex(paper_map.corpus, names, store)

    text.parse.cache_clear()
    building = seconds(index)
    what = f"{papers:,} papers, building the index : 1 s per 10,000"
    report.add(what, building, papers / 10_000, most=1)
    with TemporaryDirectory() as folder:
        store = Store(Path(folder))
        report.add("– build it and keep it : building it", seconds(lambda: index(store)), building)
        opened: list[SearchIndex] = []
        opening = seconds(lambda: opened.append(index(store)))
        report.add("– open it again : building it", opening, building)
        kept = store.summary().indices_bytes
        searched = sum(map(len, paper_map.corpus["abstract"]))
        what = "– the file it is kept in : the abstracts"
        report.add(what, kept / _MEBIBYTE, searched / _MEBIBYTE, unit="MiB")
    return opened[0]


class _Keystroke:
    """A query as typed so far, and what the server does to show what it finds.

    Attributes
    ----------
    parts : mapping of str to float
        The seconds that each part of it takes, in the middle of a few rounds.
    figure : bytes
        What the browser is sent of the map.
    """

    def __init__(
        self, paper_map: PaperMap, index: SearchIndex, facets: Sequence[Facet], typed: str
    ) -> None:
        self.typed = typed
        self.parts: dict[str, float] = {}
        query = self._timed("parse the query", lambda: parse_query(typed))
        finding = self._timed("search", lambda: by_words(index, query))
        found = finding.mask(len(index))
        visible = self._timed("filter", lambda: keep_all(facets, {}, found))
        self._timed("count the facets", lambda: counts(facets, {}, found))
        figure = self._timed(
            "make the figure",
            lambda: scatter(
                paper_map,
                color_by(facets[0], paper_map, LIGHT),
                visible=visible,
                hits=found,
                terms=list(finding.occurs.values()),
            ),
        )
        sent = self._timed("serialise it", lambda: figure.to_json(validate=False))
        shown = finding.query or query
        rows = self._timed(
            "order the results", lambda: [int(row) for row in finding.rows if visible[row]]
        )
        page = rows[:PAGE_SIZE]
        self._timed("make the snippets", lambda: [_result(paper_map, row, shown) for row in page])
        self.figure: bytes = sent.encode()

    @property
    def total(self) -> float:
        """The seconds of all parts."""
        return sum(self.parts.values())

    def _timed(self, part: str, work: Callable[[], _T]) -> _T:
        results: list[_T] = []
        taken = []
        for _ in range(_ROUNDS):
            text.parse.cache_clear()  # it may bring up papers that were not shown before
            taken.append(seconds(lambda: results.append(work())))
        self.parts[part] = statistics.median(taken)
        return results[-1]


def _result(paper_map: PaperMap, row: int, query: Query) -> tuple[str, str]:
    """Mark what was found in a title and an abstract, as the list of results shows them."""
    paper = paper_map.corpus.iloc[row]
    return marked(shorten(paper["title"]), query, "title"), excerpt(paper, query)
