"""What a sentence-transformers model is, read from its files without loading it."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Final

from cache.errors import PaperskyError

_SETTINGS: Final = ("*.json", "*.txt", "*.model")
# Pickled weights only where a model has no others, as transformers does it.
_WEIGHTS: Final = ("*.safetensors", "*pytorch_model*.bin")
_NO_LIMIT: Final = 10**9
_POOLING_FLAGS: Final = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


@dataclass(frozen=True)
class ModelDescription:
    """What decides the vectors of a model.

    Attributes
    ----------
    weights_sha256 : str
        Digest of the file of weights; if there are several, of their digests.
    settings_sha256 : str
        Digest of the files that say how text becomes tokens and tokens a vector.
    max_tokens : int or None
        How many tokens of a text are read; None if the files set no limit.
    pooling : str
        How the vectors of the tokens become one, such as ``"mean"``.
    dimension : int or None
        Length of the vectors; None if the files do not say.
    """

    weights_sha256: str
    settings_sha256: str
    max_tokens: int | None
    pooling: str
    dimension: int | None


@dataclass(frozen=True)
class _Module:
    kind: str
    folder: Path
    config: dict[str, Any]


def describe(folder: Path) -> ModelDescription:
    """Describe the model in a folder that sentence-transformers or transformers has saved.

    Raises
    ------
    PaperskyError
        If it holds no model, or one whose files are incomplete or damaged.
    """
    try:
        modules = _modules(folder)
        folders = list(dict.fromkeys([folder, *(module.folder for module in modules)]))
        pooling = _pooling(modules)
        return ModelDescription(
            weights_sha256=_weights_digest(folders),
            settings_sha256=_settings_digest(folders),
            max_tokens=_max_tokens(modules[0]),
            pooling="+".join(pooling),
            dimension=_dimension(modules, len(pooling)),
        )
    except (OSError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise PaperskyError(
            f"The model in {folder} cannot be used: {error}.",
            "Give the folder of a complete sentence-transformers model, or its name.",
        ) from error


def _modules(folder: Path) -> list[_Module]:
    listed = folder / "modules.json"
    if listed.exists():
        parts = [(part["type"], part["path"]) for part in json.loads(listed.read_bytes())]
    elif (folder / "config.json").exists():
        # What sentence-transformers makes of a model of transformers.
        parts = [("Transformer", ""), ("Pooling", "1_Pooling")]
    else:
        raise FileNotFoundError("it has neither a modules.json nor a config.json")
    if not parts:
        raise ValueError("its modules.json is empty")
    for _, path in parts:
        if PurePath(path).is_absolute() or ".." in PurePath(path).parts:
            raise ValueError(f"it wants files from elsewhere: {path!r}")
    return [
        _Module(kind.rpartition(".")[2], folder / path, _config(folder / path / "config.json"))
        for kind, path in parts
    ]


def _config(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_bytes())) if path.exists() else {}


def _weights_digest(folders: list[Path]) -> str:
    for pattern in _WEIGHTS:
        files = [path for folder in folders for path in sorted(folder.glob(pattern))]
        if files:
            digests = [_sha256(path) for path in files]
            return digests[0] if len(digests) == 1 else _sha256_of("\n".join(digests))
    raise FileNotFoundError("it has no weights, neither model.safetensors nor another file")


def _settings_digest(folders: list[Path]) -> str:
    files = [(folder, path) for folder in folders for end in _SETTINGS for path in folder.glob(end)]
    return _sha256_of(
        "\n".join(
            f"{folder.relative_to(folders[0]).as_posix()}/{path.name} {_sha256(path)}"
            for folder, path in sorted(files)
        )
    )


def _max_tokens(transformer: _Module) -> int | None:
    """Return what sentence-transformers would take for the limit."""
    own: dict[str, Any] = {}
    for path in sorted(transformer.folder.glob("sentence_*_config.json")):
        own |= _config(path)
    stated = own.get("max_seq_length")
    limits = (
        [stated]
        if stated
        else [
            _config(transformer.folder / "tokenizer_config.json").get("model_max_length"),
            transformer.config.get("max_position_embeddings"),
        ]
    )
    # Files say that there is none as -1 or as 10 to the power of 30.
    return min((int(limit) for limit in limits if limit and 0 < limit < _NO_LIMIT), default=None)


def _pooling(modules: list[_Module]) -> list[str]:
    config = next((module.config for module in modules if module.kind == "Pooling"), {})
    stated = config.get("pooling_mode")
    if stated:
        return [stated] if isinstance(stated, str) else list(stated)
    return [name for flag, name in _POOLING_FLAGS.items() if config.get(flag)] or ["mean"]


def _dimension(modules: list[_Module], pooled: int) -> int | None:
    for module in reversed(modules):
        if module.kind == "Dense":
            return int(module.config["out_features"])
        if module.kind == "Pooling":
            own = module.config
            size = own.get("embedding_dimension") or own.get("word_embedding_dimension")
            size = size or modules[0].config.get("hidden_size")
            return int(size) * pooled if size else None
    return None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sha256_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
