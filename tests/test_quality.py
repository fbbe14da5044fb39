"""How far a map can be trusted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.manifold import trustworthiness

from cache import quality
from cache.neighbours import nearest
from cache.quality import judge


def papers(n: int, d: int = 12, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@settings(deadline=None)
@given(n=st.integers(0, 80), k=st.integers(1, 15), seed=st.integers(0, 5))
def test_trustworthiness_is_that_of_scikit_learn(n, k, seed):
    vectors = papers(n, seed=seed)
    points = vectors[:, :2].copy()
    judged = judge(vectors, nearest(vectors, k), points)
    if n < 3:
        assert judged.trustworthiness is None
    else:
        used = min(k, n - 1, (n - 1) // 2)
        expected = trustworthiness(vectors, points, n_neighbors=used, metric="cosine")
        assert judged.trustworthiness == pytest.approx(expected, abs=1e-4)
        assert judged.judged == n


def test_a_map_that_is_the_truth_keeps_every_neighbour():
    angles = np.sort(np.random.default_rng(1).uniform(0, 2 * np.pi, 60))
    points = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    judged = judge(points, nearest(points, 5), points)
    assert judged.kept_near.tolist() == [5] * 60
    assert judged.recall == 1
    assert judged.trustworthiness == 1


def test_what_is_kept_is_counted_for_each_paper():
    vectors = papers(50)
    points = papers(50, 2, seed=3)
    neighbours = nearest(vectors, 7)
    judged = judge(vectors, neighbours, points)
    apart = np.hypot(*(points[:, np.newaxis] - points).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    near = apart.argsort(axis=1)[:, :7]
    kept = [len({*a} & {*b}) for a, b in zip(near, neighbours.indices, strict=True)]
    assert judged.kept_near.tolist() == kept
    assert judged.recall == pytest.approx(sum(kept) / (50 * 7))


def test_a_large_map_is_judged_by_a_sample(monkeypatch):
    vectors = papers(900)
    points = vectors[:, :2].copy()
    exact = judge(vectors, nearest(vectors, 10), points)
    monkeypatch.setattr(quality, "JUDGED_ALL", 500)
    monkeypatch.setattr(quality, "JUDGED_SAMPLE", 400)
    sampled = judge(vectors, nearest(vectors, 10), points)
    assert sampled.judged == 400
    assert sampled.trustworthiness == pytest.approx(exact.trustworthiness, abs=0.03)
    assert sampled.kept_near.tolist() == exact.kept_near.tolist()


@pytest.mark.parametrize("n", [0, 1])
def test_a_paper_alone_has_nothing_to_be_judged_by(n):
    judged = judge(papers(n), nearest(papers(n), 15), np.zeros((n, 2), np.float32))
    assert (judged.recall, judged.trustworthiness, judged.judged) == (None, None, 0)
    assert judged.kept_near.tolist() == [0] * n
