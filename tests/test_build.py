"""From papers to a map, and from a map to the next one."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from corpora import corpus_from_records
from hashing_embedder import HashingEmbedder

from cache.build import PaperMap, build
from cache.projection import ProjectionSpec
from cache.store import Store

SUBJECTS = ("graph neural networks", "jailbreak attacks", "conformal prediction", "robot hands")


def papers(numbers: list[int]) -> pd.DataFrame:
    """Papers on four subjects, each with words of its own."""
    return corpus_from_records(
        [
            {
                "id": f"p{number}",
                "title": f"Paper {number}",
                "abstract": f"{SUBJECTS[number % 4]} {SUBJECTS[number % 4]} case{number}",
            }
            for number in numbers
        ]
    )


@pytest.fixture
def store(own_cache: Path) -> Store:
    return Store(own_cache)


def lay_out(numbers: list[int], store: Store, spec: ProjectionSpec | None = None) -> PaperMap:
    return build(papers(numbers), HashingEmbedder(), store, spec)


def places(paper_map: PaperMap) -> dict[str, bytes]:
    return {
        paper: place.tobytes()
        for paper, place in zip(paper_map.corpus["id"], paper_map.coordinates, strict=True)
    }


def topics(paper_map: PaperMap) -> dict[str, str]:
    return {paper: paper_map.topic_name(row) for row, paper in enumerate(paper_map.corpus["id"])}


def test_another_order_of_the_papers_moves_none(store: Store) -> None:
    before = lay_out(list(range(40)), store)
    after = lay_out(list(range(40))[::-1], store)

    assert after.key != before.key
    assert places(after) == places(before)
    assert topics(after) == topics(before)
    assert after.topic_names == before.topic_names


@pytest.mark.parametrize("left", [[0, 1, 2], list(range(0, 40, 2)), list(range(39))])
def test_removing_papers_moves_none_of_the_others(left: list[int], store: Store) -> None:
    before = lay_out(list(range(40)), store)
    after = lay_out(left, store)

    assert places(after).items() <= places(before).items()


def test_adding_papers_moves_none_of_those_that_are_there(store: Store) -> None:
    before = lay_out(list(range(40)), store)
    after = lay_out([40, *range(40), 41], store)

    assert places(before).items() <= places(after).items()
    assert topics(before).items() <= topics(after).items()
    assert after.placed.all()


def test_a_paper_that_joins_lies_with_its_subject(store: Store) -> None:
    lay_out(list(range(40)), store)
    after = lay_out([*range(40), 40, 41, 42, 43], store)

    for new in range(40, 44):
        apart = np.hypot(*(after.coordinates[:40] - after.coordinates[new]).T)
        assert int(apart.argmin()) % 4 == new % 4
        assert after.topic_name(new) in {after.topic_name(row) for row in range(new % 4, 40, 4)}


def test_only_texts_of_new_papers_are_embedded(store: Store) -> None:
    lay_out(list(range(40)), store)
    embedder = HashingEmbedder()
    build(papers([*range(40), 40]), embedder, store)

    assert len(embedder.texts) == 1


def test_a_map_of_mostly_new_papers_owes_nothing_to_the_earlier_one(
    store: Store, tmp_path: Path
) -> None:
    lay_out(list(range(20)), store)

    fresh = lay_out(list(range(40)), Store(tmp_path / "empty"))
    assert places(lay_out(list(range(40)), store)) == places(fresh)


def test_another_spec_begins_anew(store: Store, tmp_path: Path) -> None:
    lay_out(list(range(40)), store)
    other = ProjectionSpec(seed=7)

    fresh = lay_out(list(range(41)), Store(tmp_path / "empty"), other)
    assert places(lay_out(list(range(41)), store, other)) == places(fresh)


def test_the_map_that_shares_most_papers_is_continued(store: Store) -> None:
    lay_out(list(range(10, 40)), store)
    more = lay_out(list(range(39)), Store(store.root / "apart"))
    store.write_map(more.key, *_kept(more, store.root / "apart"))

    after = lay_out(list(range(40)), store)
    assert places(more).items() <= places(after).items()


def _kept(paper_map: PaperMap, root: Path) -> tuple[object, object]:
    entry = Store(root).read_map(paper_map.key)
    assert entry is not None
    return entry.arrays, entry.meta


def test_papers_of_one_text_keep_a_place_each(store: Store) -> None:
    corpus = papers([*range(20)])
    twice = pd.concat([corpus, corpus.iloc[:1].assign(id="twin")], ignore_index=True)
    before = build(twice, HashingEmbedder(), store)
    after = build(twice.iloc[::-1].reset_index(drop=True), HashingEmbedder(), store)

    assert len(set(places(after).values())) == 21
    assert set(places(after).values()) == set(places(before).values())


def test_a_damaged_map_is_not_continued(store: Store) -> None:
    lay_out(list(range(40)), store)
    [kept] = store.root.glob("maps-*/*.map")
    kept.write_bytes(kept.read_bytes()[:-200])

    assert lay_out(list(range(41)), store).placed.all()
