import hashlib
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from cache.neighbours import nearest
from cache.projection import EXTENT, UMAP_LEAST, ProjectionSpec, extend, project


def papers(n: int, seed: int = 0) -> np.ndarray:
    """Vectors in five bunches, as papers on five subjects would have."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(5, 24))
    vectors = (centres[np.arange(n) % 5] + 0.4 * random.normal(size=(n, 24))).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def lay_out(vectors: np.ndarray, spec: ProjectionSpec | None = None) -> np.ndarray:
    spec = spec or ProjectionSpec()
    return project(vectors, nearest(vectors, spec.n_neighbors), spec)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, UMAP_LEAST - 1, UMAP_LEAST, 38])
@pytest.mark.parametrize("alike", [False, True])
def test_any_number_of_papers_has_a_finite_landscape(n, alike):
    vectors = np.tile(papers(1), (n, 1)) if alike else papers(n)
    points = lay_out(vectors)
    assert points.shape == (n, 2)
    assert points.dtype == np.float32
    assert np.isfinite(points).all()
    if n > 1:
        width, height = np.ptp(points, axis=0)
        assert width == pytest.approx(EXTENT)
        assert height <= width
        np.testing.assert_allclose(points.max(axis=0), -points.min(axis=0), atol=1e-6)


def test_nothing_is_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lay_out(papers(20), ProjectionSpec(n_neighbors=30))


def test_subjects_stay_together_on_the_map():
    points = lay_out(papers(100))
    subjects = np.arange(100) % 5
    apart = points[:, np.newaxis] - points
    distances = np.hypot(apart[..., 0], apart[..., 1])
    np.fill_diagonal(distances, np.inf)
    assert (subjects[distances.argmin(axis=1)] == subjects).mean() > 0.95


@pytest.mark.parametrize("n", [5, 12, 40])
def test_copies_of_one_paper_can_be_told_apart(n):
    vectors = papers(n)
    vectors[: n // 2] = vectors[0]
    points = lay_out(vectors)
    assert pdist(points).min() > EXTENT / 500


def test_papers_all_alike_fill_a_disc():
    points = lay_out(np.tile(papers(1), (50, 1)))
    assert pdist(points).min() > EXTENT / 50


def test_papers_pointing_opposite_ways_keep_their_places():
    vectors = np.zeros((20, 8), dtype=np.float32)
    vectors[:, 0] = np.where(np.arange(20) < 10, 1, -1)
    points = lay_out(vectors)
    assert np.isfinite(points).all()


def test_another_seed_gives_another_map():
    vectors = papers(30)
    assert not np.array_equal(lay_out(vectors), lay_out(vectors, ProjectionSpec(seed=7)))


def test_two_processes_lay_out_the_same_map_byte_for_byte():
    script = (
        "import hashlib, sys; sys.path[:0] = ['.', 'tests']\n"
        "from test_projection import lay_out, papers\n"
        "print(hashlib.sha256(lay_out(papers(60)).tobytes()).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == hashlib.sha256(lay_out(papers(60)).tobytes()).hexdigest()


def test_progress_begins_and_ends_with_the_papers():
    calls: list[tuple[str, int, int]] = []
    vectors = papers(6)
    project(vectors, nearest(vectors, 15), ProjectionSpec(), lambda *call: calls.append(call))
    assert calls == [("Laying out the map", 0, 6), ("Laying out the map", 6, 6)]


def test_progress_goes_with_the_layout():
    calls: list[tuple[str, int, int]] = []
    vectors = papers(60)
    project(vectors, nearest(vectors, 15), ProjectionSpec(), lambda *call: calls.append(call))
    assert len(calls) > 2
    assert {(what, total) for what, _, total in calls} == {("Laying out the map", 60)}
    done = [done for _, done, _ in calls]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 60)


# Papers that join


def join(vectors: np.ndarray, joining: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The layout without some papers (NaN), and what it becomes when they join."""
    before = np.full((len(vectors), 2), np.nan, dtype=np.float32)
    before[~joining] = lay_out(vectors[~joining])
    return before, extend(vectors, nearest(vectors, 15), before, ProjectionSpec())


def test_papers_that_are_there_stay_where_they_are():
    joining = np.arange(60) % 4 == 0
    before, after = join(papers(60), joining)
    assert after.dtype == np.float32
    assert after[~joining].tobytes() == before[~joining].tobytes()
    assert np.isfinite(after).all()


def test_papers_join_their_subject():
    joining = np.arange(100) >= 80
    _, after = join(papers(100), joining)
    apart = np.hypot(*(after[joining][:, np.newaxis] - after[~joining]).transpose(2, 0, 1))
    assert (apart.argmin(axis=1) % 5 == np.flatnonzero(joining) % 5).mean() > 0.9


def test_a_copy_that_joins_does_not_cover_the_paper_that_is_there():
    vectors = papers(40)
    vectors[30:] = vectors[0]
    _, after = join(vectors, np.arange(40) >= 30)
    assert pdist(after).min() > EXTENT / 500


def test_papers_that_are_near_nothing_on_the_map_find_a_place():
    vectors = np.zeros((50, 8), dtype=np.float32)
    vectors[:30] = np.pad(papers(30)[:, :6], ((0, 0), (0, 2)))
    vectors[30:, 7] = 1
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    _, after = join(vectors, np.arange(50) >= 30)
    assert np.isfinite(after).all()


def test_the_same_papers_join_the_same_way_twice():
    joining = np.arange(60) < 6
    assert join(papers(60), joining)[1].tobytes() == join(papers(60), joining)[1].tobytes()
