import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache import neighbours
from cache.neighbours import Neighbours, approximate, exact, nearest


def unit_vectors(n: int, d: int = 16, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(n=st.integers(2, 60), k=st.integers(0, 70), seed=st.integers(0, 99))
def test_neighbours_are_those_of_a_full_sort(n, k, seed):
    vectors = unit_vectors(n, seed=seed)
    similarities = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    np.fill_diagonal(similarities, -np.inf)
    expected = -np.sort(-similarities, axis=1)[:, : min(k, n - 1)]
    found = nearest(vectors, k)
    np.testing.assert_allclose(found.similarities, expected, atol=1e-6)
    np.testing.assert_allclose(
        np.take_along_axis(similarities, found.indices.astype(int), axis=1), expected, atol=1e-6
    )


@pytest.mark.parametrize(("n", "k", "columns"), [(0, 5, 0), (1, 5, 0), (4, 0, 0), (4, 9, 3)])
def test_k_is_clipped_to_the_papers_there_are(n, k, columns):
    found = nearest(unit_vectors(n), k)
    assert found.indices.shape == found.similarities.shape == (n, columns)
    assert (found.indices.dtype, found.similarities.dtype) == (np.int32, np.float32)


def test_equal_similarities_come_in_order_of_index():
    vectors = np.eye(4, dtype=np.float32)[[0, 1, 0, 1, 0, 0]]
    found = nearest(vectors, 4)
    assert found.indices[0].tolist() == [2, 4, 5, 1]
    assert found.indices[4].tolist() == [0, 2, 5, 1]
    assert found.indices[1].tolist() == [3, 0, 2, 4]


def test_a_paper_is_not_its_own_neighbour_even_among_its_copies():
    found = nearest(np.tile(unit_vectors(1), (30, 1)), 29)
    assert all(row not in indices for row, indices in enumerate(found.indices))
    assert found.similarities.max() <= 1


def test_blocks_leave_no_seam(monkeypatch):
    vectors = unit_vectors(101)
    whole = nearest(vectors, 7)
    monkeypatch.setattr(neighbours, "BLOCK_BYTES", 4 * 101 * 10)
    parted = nearest(vectors, 7)
    np.testing.assert_array_equal(parted.indices, whole.indices)
    np.testing.assert_allclose(parted.similarities, whole.similarities, atol=1e-6)


def test_progress_is_told_of_each_block(monkeypatch):
    monkeypatch.setattr(neighbours, "BLOCK_BYTES", 4 * 101 * 50)
    told = []
    nearest(unit_vectors(101), 7, lambda *stage: told.append(stage[1:]))
    assert [done for done, _ in told] == [0, 50, 100, 101, 101]
    assert {total for _, total in told} == {101}


@pytest.fixture(scope="module")
def many() -> np.ndarray:
    """Vectors around forty centres, some of them many times over."""
    rng = np.random.default_rng(3)
    vectors = unit_vectors(40)[rng.integers(40, size=1_000)] + 0.3 * unit_vectors(1_000, seed=1)
    vectors[100:160] = vectors[100]
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def nearly(many: np.ndarray) -> Neighbours:
    return approximate(many, 15)


def test_nearly_all_neighbours_are_found_among_very_many(many, nearly):
    truly = exact(many, 15)
    # Which of its copies are nearest to a paper is a matter of taste.
    same = np.isclose(nearly.similarities, truly.similarities, atol=1e-6)
    assert same.mean() > 0.95


def test_neighbours_found_nearly_are_others_in_order_of_their_true_similarity(many, nearly):
    assert all(row not in indices for row, indices in enumerate(nearly.indices))
    assert all(len(set(indices)) == 15 for indices in nearly.indices)
    assert (np.diff(nearly.similarities, axis=1) <= 0).all()
    similarities = np.take_along_axis(many @ many.T, nearly.indices.astype(int), axis=1)
    np.testing.assert_allclose(nearly.similarities, similarities, atol=1e-6)


def test_the_same_neighbours_are_found_nearly_each_time(many, nearly):
    np.testing.assert_array_equal(approximate(many, 15).indices, nearly.indices)
