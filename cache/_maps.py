"""Maps on disk: one file each."""

import io
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from cache import _sealed

FOLDER_NAME: Final = "maps-v1"
"""Named after the version of its format, so that another version is left alone."""

SUFFIX: Final = ".map"

MEMBERS: Final = "members"
"""Name of the array of a map's members: a row of bytes each, in any order."""

FAMILY: Final = "family"
"""Name, among the values, of what maps must have in common to be likened."""

_DAMAGE: Final = (
    *(ValueError, LookupError, TypeError, AttributeError, EOFError, RuntimeError, MemoryError),
    *(BadZipFile, zlib.error),
)
"""What reading a part of a damaged file raises, as no digest guards it."""


@dataclass(frozen=True, eq=False)
class MapEntry:
    """What is kept of a map.

    Attributes
    ----------
    arrays : mapping of str to numpy.ndarray
        Of any shape and any dtype but object.
    meta : mapping of str to JSON values
    """

    arrays: Mapping[str, npt.NDArray[Any]]
    meta: Mapping[str, Any]


def write(path: Path, entry: MapEntry) -> None:
    """Write an entry, so that at every moment the old or the new one is there whole.

    Raises
    ------
    ValueError
        For an array of objects, or a value that JSON does not know.
    OSError
        If the file cannot be written; nothing is left behind.
    """
    _sealed.write(path, _pack(entry))


def read(path: Path) -> MapEntry | None:
    """Return the entry, None if it is damaged.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    content = _sealed.read(path)
    return None if content is None else _unpack(content)


def read_members(path: Path, family: str) -> npt.NDArray[np.uint8] | None:
    """Return a map's members, and read no more of it; None if it has none or another family.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    with path.open("rb") as file:
        file.seek(_sealed.DIGEST_BYTES)
        try:
            with np.load(file, allow_pickle=False) as stored:
                about = json.loads(stored["arr_0"].tobytes())
                if about["meta"].get(FAMILY) != family or MEMBERS not in about["names"]:
                    return None
                members = stored[f"arr_{about['names'].index(MEMBERS) + 1}"]
        except _DAMAGE:
            return None  # as `read` will tell
    well_formed = members.ndim == 2 and members.dtype == np.uint8
    return members if well_formed else None


def _pack(entry: MapEntry) -> bytes:
    header = json.dumps({"names": list(entry.arrays), "meta": dict(entry.meta)}, allow_nan=False)
    buffer = io.BytesIO()
    np.savez(
        buffer,
        np.frombuffer(header.encode(), dtype=np.uint8),
        *entry.arrays.values(),
        allow_pickle=False,
    )
    return buffer.getvalue()


def _unpack(content: memoryview) -> MapEntry:
    with np.load(io.BytesIO(content), allow_pickle=False) as members:
        header, *arrays = members.values()
    about = json.loads(header.tobytes())
    return MapEntry(dict(zip(about["names"], arrays, strict=True)), about["meta"])
