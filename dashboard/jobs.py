"""Building a map in the background, while the terminal and the page watch."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import pandas as pd
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from cache.account import Account, account_for
from cache.build import PaperMap, build
from cache.embedding import DEFAULT_MODEL, Embedder
from cache.papers import embedded_texts
from cache.readers import Reading
from cache.store import Store
from cache.tokens import TokenLimit
from components.facets import Facet, facets_of
from components.keywords import Keywords
from components.map_chart import Dots
from components.search import SearchIndex
from components.selection import Frame
from dashboard.meaning import Meaning


@dataclass(frozen=True, eq=False)
class Sky:
    """All that a page needs of an opened corpus."""

    paper_map: PaperMap
    facets: tuple[Facet, ...]
    index: SearchIndex
    row_of: Mapping[str, int]
    frame: Frame
    keywords: Keywords

    @cached_property
    def dots(self) -> Dots:
        """What the browser fetches once of the map."""
        return Dots.of(self.paper_map)

    @classmethod
    def over(cls, paper_map: PaperMap, store: Store) -> "Sky":
        """Open the index of a map, and prepare it for filtering."""
        corpus = paper_map.corpus
        names = [paper_map.both_topic_names(row) for row in range(len(corpus))]
        return cls(
            paper_map,
            facets_of(paper_map),
            SearchIndex(corpus, names, store),
            {paper: row for row, paper in enumerate(corpus["id"])},
            Frame.over(paper_map.coordinates),
            Keywords(len(corpus), partial(_text, corpus)),
        )


def _text(corpus: pd.DataFrame, row: int) -> str:
    return embedded_texts(corpus.iloc[[row]])[0]


@dataclass(frozen=True)
class Stage:
    """What is being done, how far it is, and how long it will still take."""

    what: str
    done: int
    total: int
    seconds_left: float | None


_current: list["MapJob"] = []


def current() -> "MapJob":
    """Return the job whose map the dashboard shows."""
    return _current[-1]


class MapJob:
    """Lays a corpus out in a thread of its own.

    Parameters
    ----------
    reading : Reading
    embedder : Embedder
        For queries, and for papers if there is no other.
    store : Store
    model : str, optional
        What the embedder was made of, whose limit of tokens the account tells.
    notices : list of str, optional
        What there is to know of the cache, a sentence each; may grow.
    for_papers : Embedder, optional
        For the papers: one of the same spec that is worth its while for many texts.
    """

    def __init__(
        self,
        reading: Reading,
        embedder: Embedder,
        store: Store,
        model: str = DEFAULT_MODEL,
        notices: list[str] | None = None,
        *,
        for_papers: Embedder | None = None,
    ) -> None:
        self.reading = reading
        self.notices = notices if notices is not None else []
        self._model = model
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._outcome: PaperMap | BaseException | None = None
        self._embedder = embedder
        self._for_papers = for_papers or embedder
        self._store = store
        self._thread = threading.Thread(target=self._run, daemon=True, name="build")

    def start(self) -> "MapJob":
        """Begin, as the job whose map the dashboard shows."""
        _current[:] = [self]
        self._thread.start()
        return self

    def wait(self) -> PaperMap:
        """Return the map once it is there.

        Raises
        ------
        PaperskyError
            What `cache.build.build` raises.
        """
        self._thread.join()
        outcome = self._outcome
        if isinstance(outcome, PaperMap):
            return outcome
        raise outcome if outcome is not None else RuntimeError("the job was not started")

    def over(self, reading: Reading) -> "MapJob":
        """Return a job for another reading, with the same embedders and cache."""
        return MapJob(
            reading,
            self._embedder,
            self._store,
            self._model,
            self.notices,
            for_papers=self._for_papers,
        )

    @cached_property
    def sky(self) -> Sky:
        """The map, ready for a page.

        Raises
        ------
        PaperskyError
            As `wait`.
        """
        return Sky.over(self.wait(), self._store)

    def dots(self, digest: str) -> bytes | None:
        """Return the dots of the map, None if it is not there or its dots have another digest."""
        if not isinstance(self._outcome, PaperMap):
            return None
        return self.sky.dots.content if self.sky.dots.digest == digest else None

    @cached_property
    def account(self) -> Account:
        """What became of the documents; takes a while for thousands of papers."""
        return account_for(self.reading, TokenLimit.of(self._model))

    @cached_property
    def meaning(self) -> Meaning:
        """The vectors of the map's papers and of queries, none of which is read before."""
        return Meaning(self.wait(), self._embedder, self._store)

    @property
    def running(self) -> bool:
        """Whether the map is still being built."""
        return self._thread.is_alive()

    @property
    def stage(self) -> Stage | None:
        """Where the job stands, None before its first word."""
        if not self.bars.tasks:
            return None
        task = self.bars.tasks[-1]
        return Stage(
            task.description, int(task.completed), int(task.total or 0), task.time_remaining
        )

    def _run(self) -> None:
        try:
            self._outcome = build(
                self.reading.corpus, self._for_papers, self._store, progress=self._report
            )
        except BaseException as error:
            self._outcome = error
        finally:
            self.bars.stop()

    def _report(self, what: str, done: int, total: int) -> None:
        current = self.bars.tasks[-1] if self.bars.tasks else None
        if current is None or current.description != what:
            if not self.bars.live.is_started:
                self.bars.start()
            self.bars.add_task(what, total=total, completed=done)
        else:
            self.bars.update(current.id, completed=done, total=total)
