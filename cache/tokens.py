"""How much of a text a model reads, told without loading the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from cache._model_folder import describe
from cache._sentence_transformer import find_model

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_MARKS: Final = 4
"""More than any tokenizer puts around a text."""


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
        """Tell which texts are longer than what is read of them: bool, shape (n,).

        A token is at least a character, and a word at least a token, which settles many.
        """
        words = np.array([len(text.split()) for text in texts], dtype=np.int64)
        exceeded = words > self.tokens
        unsettled = [
            row
            for row, text in enumerate(texts)
            if not exceeded[row] and len(text) >= self.tokens - _MARKS
        ]
        if unsettled:
            clean = [texts[row].encode(errors="replace").decode() for row in unsettled]
            encodings = _tokenizer(self.tokenizer).encode_batch_fast(clean)
            exceeded[unsettled] = [len(encoding.ids) > self.tokens for encoding in encodings]
        return exceeded


@cache
def _tokenizer(file: Path) -> "Tokenizer":
    from tokenizers import Tokenizer  # noqa: PLC0415 — only who counts needs it

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
