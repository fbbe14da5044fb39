import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache import neighbours
from cache.neighbours import nearest


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
