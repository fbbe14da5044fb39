from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache.neighbours import nearest
from cache.topic_names import NAME_LENGTH, name_levels, name_topics, rank_phrases
from cache.topics import (
    JOINING,
    LEAST_PAPERS,
    UNCLUSTERED,
    TopicLevels,
    Topics,
    carry_topics,
    find_topics,
    rename_topics,
    topic_counts,
)

SEEDS = Path(__file__).parents[1] / "seeds"


def seed_texts() -> list[str]:
    paragraphs = [
        p for f in sorted(SEEDS.glob("*.txt")) for p in f.read_text("utf-8").split("\n\n")
    ]
    return [paragraph for paragraph in paragraphs if len(paragraph) > 200]


def islands(sizes: list[int], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors in bunches, and a layout that keeps the bunches."""
    random = np.random.default_rng(seed)
    bunch = np.repeat(np.arange(len(sizes)), sizes)
    vectors = np.eye(len(sizes) + 3)[bunch] + 0.1 * random.normal(size=(len(bunch), len(sizes) + 3))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    angles = bunch * 2 * np.pi / len(sizes)
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    return vectors, (points + 0.05 * random.normal(size=points.shape)).astype(np.float32)


def topics_of(sizes: list[int], texts: list[str] | None = None) -> Topics:
    return levels_of(sizes, texts).coarse


def levels_of(sizes: list[int], texts: list[str] | None = None) -> TopicLevels:
    vectors, points = islands(sizes)
    return find_topics(points, nearest(vectors, 15), texts or [""] * len(vectors))


def names_of(groups: list[list[str]]) -> tuple[str, ...]:
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups]).astype(np.int16)
    return name_topics(labels, [text for group in groups for text in group])


# Cutting the map


def test_islands_in_a_line_are_parted_too():
    vectors, points = islands([30] * 8)
    points[:, 1] = 0
    points[:, 0] += 100 * np.repeat(np.arange(8), 30)
    labels = find_topics(points, nearest(vectors, 15), [""] * 240).coarse.labels
    found = [set(island) - {UNCLUSTERED} for island in np.split(labels, 8)]
    assert all(found)
    assert sum(map(len, found)) == len(set.union(*found))


@pytest.mark.parametrize("n", range(LEAST_PAPERS))
def test_a_handful_of_papers_makes_no_topic(n):
    topics = find_topics(
        np.zeros((n, 2), np.float32), nearest(np.eye(n, 4), 15), ["words"] * n
    ).coarse
    assert topics.labels.tolist() == [UNCLUSTERED] * n
    assert topics.names == ()


@pytest.mark.parametrize("n", [3, 4, 5, 8, 15, 40, 100])
@pytest.mark.parametrize("alike", [False, True])
def test_any_number_of_papers_can_be_cut(n, alike):
    vectors, points = islands([n])
    if alike:
        vectors[:], points[:] = vectors[0], 0
    topics = find_topics(points, nearest(vectors, 15), [""] * n).coarse
    assert topics.labels.shape == (n,)
    assert topics.labels.dtype == np.int16
    sizes = np.bincount(topics.labels[topics.labels >= 0], minlength=len(topics.names))
    assert len(sizes) == len(topics.names) >= 1
    assert (sizes >= LEAST_PAPERS).all()


def test_islands_of_the_map_become_topics_with_the_largest_first():
    sizes = [9, 20, 12, 16, 14, 8]
    topics = topics_of(sizes)
    island = np.repeat(np.arange(len(sizes)), sizes)
    for label in range(len(topics.names)):
        assert len(set(island[topics.labels == label])) == 1
    found = np.bincount(topics.labels[topics.labels >= 0]).tolist()
    assert found == sorted(found, reverse=True)


def test_a_paper_whose_neighbours_lie_elsewhere_joins_their_topic():
    vectors, points = islands([20, 20, 20, 20])
    points[0] = points[20]
    topics = find_topics(points, nearest(vectors, 15), [""] * 80).coarse
    assert topics.labels[0] in topics.labels[1:20]
    assert topics.labels[0] not in topics.labels[20:40]


def test_a_paper_without_a_side_is_left_unclustered():
    vectors, points = islands([12] * 10)
    neighbours = nearest(vectors, 10)
    neighbours.indices[0] = np.arange(5, 120, 12)
    topics = find_topics(points, neighbours, [""] * 120).coarse
    assert topics.labels[0] == UNCLUSTERED
    assert (topics.labels == UNCLUSTERED).sum() < 12


@pytest.mark.parametrize(
    ("n", "least", "most"), [(38, 4, 7), (300, 8, 16), (3_231, 10, 20), (20_000, 10, 20)]
)
def test_the_number_of_topics_suits_a_whole_map(n, least, most):
    assert least <= topic_counts(n)[0] <= most


@given(st.integers(0, 200_000))
def test_a_second_level_says_more_than_the_first_or_is_not_there(n):
    coarse, fine = topic_counts(n)
    assert fine == 0 or 2 * coarse <= fine <= n / LEAST_PAPERS


def test_a_small_map_has_one_level():
    fine = levels_of([10, 10, 10]).fine
    assert fine.names == ()
    assert set(fine.labels) == {UNCLUSTERED}


@pytest.mark.parametrize("n", [100, 300])
def test_every_finer_topic_lies_within_one_topic(n):
    levels = levels_of([n // 20] * 20)
    assert len(levels.fine.names) > len(levels.coarse.names)
    for topic in range(len(levels.fine.names)):
        within = levels.coarse.labels[levels.fine.labels == topic]
        assert len(within) >= LEAST_PAPERS
        assert len(set(within) - {UNCLUSTERED}) == len(set(within)) == 1


def test_no_phrase_names_a_topic_and_one_within_it():
    subjects = ["graph transformers", "graph molecules", "privacy noise", "privacy audits"]
    texts = [f"{subject}. {subject.split()[0]}" for subject in subjects for _ in range(3)]
    coarse, fine = (np.repeat(np.arange(k), 12 // k).astype(np.int16) for k in (2, 4))
    names, finer = name_levels([coarse, fine], texts)
    assert not {n.lower() for n in names} & {n.lower() for n in finer}
    assert len(set(finer)) == 4


def test_the_same_map_is_cut_and_named_the_same_twice():
    texts = seed_texts()
    sizes = [len(texts) - 24, 8, 8, 8]
    first, second = topics_of(sizes, texts), topics_of(sizes, texts)
    assert first.labels.tobytes() == second.labels.tobytes()
    assert first.names == second.names


# Topics of a map that changes


def cut(labels: list[int], *names: str) -> TopicLevels:
    """A map of one level."""
    none = np.full(len(labels), UNCLUSTERED, dtype=np.int16)
    return TopicLevels(Topics(np.array(labels, dtype=np.int16), names), Topics(none, ()))


def test_papers_join_the_topic_of_their_neighbours_and_the_others_keep_theirs():
    vectors, _ = islands([10, 10])
    before = cut([0] * 9 + [JOINING] + [1] * 8 + [UNCLUSTERED, JOINING], "Graphs", "Privacy")
    after = carry_topics(before, nearest(vectors, 15)).coarse
    assert after.labels.tolist() == [0] * 10 + [1] * 8 + [UNCLUSTERED, 1]
    assert after.names == ("Graphs", "Privacy")


def test_a_topic_that_has_lost_its_papers_is_dissolved():
    vectors, _ = islands([2, 5, 5])
    before = cut([0] * 2 + [1] * 5 + [2] * 5, "Graphs", "Privacy", "Robots")
    after = carry_topics(before, nearest(vectors, 15)).coarse
    assert after.labels.tolist() == [UNCLUSTERED] * 2 + [0] * 5 + [1] * 5
    assert after.names == ("Privacy", "Robots")


def test_a_topic_of_mostly_the_same_papers_keeps_its_place_and_name():
    before = cut([0] * 5 + [1] * 5 + [JOINING] * 6, "Graphs", "Privacy")
    after = cut([1] * 5 + [2] * 4 + [UNCLUSTERED] + [0] * 6, "Robots", "Graph", "Private")
    renamed = rename_topics(after, before).coarse
    assert renamed.labels.tolist() == [0] * 5 + [1] * 4 + [UNCLUSTERED] + [2] * 6
    assert renamed.names == ("Graphs", "Privacy", "Robots")


def test_a_topic_takes_its_new_name_where_the_old_one_serves_another():
    before = cut([0] * 5 + [JOINING] * 5, "Graphs")
    after = cut([0] * 5 + [1] * 5, "Trees", "Graphs")
    assert rename_topics(after, before).coarse.names == ("Trees", "Graphs")


def test_papers_that_join_keep_finer_topics_within_topics():
    vectors, _ = islands([10, 10])
    coarse = Topics(np.repeat([0, 1], 10).astype(np.int16), ("Graphs", "Privacy"))
    fine = Topics(np.array([0] * 9 + [JOINING] + [1] * 9 + [0], np.int16), ("Trees", "Audits"))
    after = carry_topics(TopicLevels(coarse, fine), nearest(vectors, 15)).fine
    assert after.labels.tolist() == [0] * 10 + [1] * 9 + [UNCLUSTERED]


@given(
    st.lists(st.tuples(st.integers(-1, 4), st.integers(-2, 4)), min_size=1, max_size=40),
)
def test_renaming_changes_no_cut(pairs):
    labels, earlier = zip(*pairs, strict=True)
    names = [f"New {i}" for i in range(5)], [f"Old {i}" for i in range(5)]
    renamed = rename_topics(cut(list(labels), *names[0]), cut(list(earlier), *names[1])).coarse
    assert len(set(renamed.names)) == 5
    assert len(set(zip(labels, renamed.labels.tolist(), strict=True))) == len(set(labels))
    assert [x < 0 for x in labels] == (renamed.labels < 0).tolist()


# Naming


def test_a_topic_is_named_by_what_sets_its_papers_apart():
    attacks = ["We propose a jailbreak attack on chat models.", "Jailbreak attacks break defences."]
    conformal = ["Conformal prediction gives sets.", "We study conformal prediction under shift."]
    assert names_of([attacks, conformal]) == ("Jailbreak attacks", "Conformal prediction")


def test_phrases_are_ranked_and_the_first_names_the_topic():
    texts = ["Graph networks for molecules.", "Graph networks for traffic, and molecules."]
    texts += ["Robot grasping with tactile skin.", "Robot grasping of tactile toys."]
    labels = np.array([0, 0, 1, 1], dtype=np.int16)

    assert name_topics(labels, texts) == ("Graph networks", "Robot grasping")
    assert rank_phrases(labels, texts, most=3) == [
        ["Graph networks", "Graph", "molecules"],
        ["Robot grasping", "grasping", "Robot"],
    ]


def test_acronyms_keep_the_spelling_of_the_papers():
    name = names_of([["RLHF aligns it.", "We show that RLHF works."], ["GNNs.", "GNNs for it."]])
    assert name == ("RLHF", "GNNs")


def test_capitals_of_headings_are_not_kept():
    group = ["Conformal Prediction. It is conformal prediction.", "A conformal prediction."]
    assert names_of([group])[0].startswith("Conformal prediction")


def test_singular_and_plural_count_as_one_phrase():
    groups = [["A kernel method.", "Kernels."], ["A tensor.", "Tensors matter, kernels less."]]
    assert [name.lower().rstrip("s") for name in names_of(groups)] == ["kernel", "tensor"]


def test_an_abbreviation_is_not_repeated_in_full():
    group = ["Graph neural networks (GNNs) pass messages."] * 3
    (name,) = names_of([group])
    assert "graph neural networks" in name.lower()
    assert "GNN" not in name


@pytest.mark.parametrize(
    "text",
    [
        "In this paper, we propose a novel method with state-of-the-art results.",
        "We demonstrated, and evaluated extensively, the proposed approach (cf. above, et al).",
        "x y z 12 345 7B $",
        "",
    ],
)
def test_what_every_paper_says_names_no_topic(text):
    assert names_of([["kernel trick", "kernel trick"], [text] * 3])[1] == "Topic 2"


def test_a_word_of_one_paper_does_not_name_a_topic_whose_papers_share_another():
    group = ["zebrafish zebrafish zebrafish, kernels", "kernels and okapis", "kernels"]
    assert names_of([group]) == ("Kernels",)


def test_seeds_are_named_without_repeated_words_or_phrases():
    texts = seed_texts()
    names = name_topics((np.arange(len(texts)) % 5).astype(np.int16), texts)
    phrases = [phrase for name in names for phrase in name.lower().split(", ")]
    assert len(set(phrases)) == len(phrases)
    for name in names:
        words = name.lower().replace(",", "").split()
        assert len(set(words)) == len(words)
        assert "," not in name or len(name) <= NAME_LENGTH
        assert name[0] == name[0].upper()


@given(st.lists(st.text(max_size=60), min_size=1, max_size=12))
def test_any_text_can_be_named(texts):
    labels = (np.arange(len(texts)) % 3).astype(np.int16)
    names = name_topics(labels, texts)
    assert len(names) == labels.max() + 1
    assert all(names)
    assert len({name.casefold() for name in names}) == len(names)


def test_numbers_end_a_phrase_unless_they_count_dimensions():
    group = ["Rendering 3D Gaussian splats in 4096 pixels."] * 3
    (name,) = names_of([group])
    assert "3D Gaussian splats" in name
    assert "4096" not in name
