"""How much of a text a model reads, told without loading the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cache._model_folder import describe
from cache._sentence_transformer import find_model

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True)
class TokenLimit:
    """How many tokens of a text a model reads.

    Parameters
    ----------
    tokens : int
        Those that mark beginning and end included.
    tokenizer : Path
        The model's ``tokenizer.json``.
    """

    tokens: int
    tokenizer: Path

    @classmethod
    def of(cls, model: str | Path) -> "TokenLimit | None":
        """Read it from a model's files; None if they set no limit or hold no such tokenizer.

        Parameters
        ----------
        model : str or Path
            A folder, or a name such as `cache.embedding.DEFAULT_MODEL`.

        Raises
        ------
        PaperskyError
            If there is no such model.
        """
        folder = find_model(model)
        tokenizers = sorted(folder.rglob("tokenizer.json"))
        tokens = describe(folder).max_tokens
        return cls(tokens, tokenizers[0]) if tokens and tokenizers else None

    def exceeded_by(self, texts: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Tell which texts are longer than what is read of them: bool, shape (n,)."""
        tokenizer = _tokenizer(self.tokenizer)
        clean = [text.encode(errors="replace").decode() for text in texts]
        return np.array(_lengths(tokenizer, clean), dtype=np.int64) > self.tokens


def _lengths(tokenizer: "Tokenizer", texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text, by its words where a tokenizer never looks beyond a space.

    BERT's is one of those. 20,000 abstracts use each of their words 28 times on average, so that
    counting it once takes a quarter of the time.
    """
    from tokenizers.normalizers import BertNormalizer  # noqa: PLC0415 — only who counts needs it
    from tokenizers.pre_tokenizers import BertPreTokenizer  # noqa: PLC0415

    if not (
        isinstance(tokenizer.normalizer, BertNormalizer)
        and isinstance(tokenizer.pre_tokenizer, BertPreTokenizer)
    ):
        return [len(encoding) for encoding in tokenizer.encode_batch_fast(texts)]
    words = list(set(chain.from_iterable(text.split(" ") for text in texts)))
    encodings = tokenizer.encode_batch_fast(words, add_special_tokens=False)
    length_of = dict(zip(words, map(len, encodings), strict=True))
    marks = tokenizer.num_special_tokens_to_add(is_pair=False)
    return [marks + sum(map(length_of.__getitem__, text.split(" "))) for text in texts]


@cache
def _tokenizer(file: Path) -> "Tokenizer":
    from tokenizers import Tokenizer  # noqa: PLC0415 — only who counts needs it

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
