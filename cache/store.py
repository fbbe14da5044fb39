"""What has been computed, on disk: the only module that touches the cache there."""

import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt
import platformdirs

from cache import _disk, _maps, _sealed, _vectors
from cache._maps import FAMILY, MEMBERS, MapEntry

__all__ = [
    "FAMILY",
    "MEMBERS",
    "CacheSummary",
    "Freed",
    "MapEntry",
    "Store",
    "default_root",
    "pack_members",
]

_T = TypeVar("_T")

_logger: Final = logging.getLogger(__name__)

_INDICES: Final = "indices-v1"
"""Folder named after the version of its format, as are those of maps and embeddings."""
_INDEX: Final = ".index"

_DAY: Final = 24 * 60 * 60
_KEY: Final = re.compile(r"(?:[0-9a-f]{2})+")


def default_root() -> Path:
    """Return the cache folder: ``$PAPERSKY_CACHE``, else where the system keeps users' caches."""
    chosen = os.environ.get("PAPERSKY_CACHE", "").strip()
    if chosen:
        return Path(chosen).expanduser()
    return platformdirs.user_cache_path("papersky", appauthor=False)


@dataclass(frozen=True)
class CacheSummary:
    """What the cache holds.

    Attributes
    ----------
    path : Path
    embeddings, maps, indices : int
        How many of each.
    embeddings_bytes, maps_bytes, indices_bytes : int
        Space on disk.
    oldest, newest : datetime.date or None
        Days (UTC) on which the entries longest and least long unused were last used; None if
        there are no entries.
    """

    path: Path
    embeddings: int
    maps: int
    indices: int
    embeddings_bytes: int
    maps_bytes: int
    indices_bytes: int
    oldest: date | None
    newest: date | None


@dataclass(frozen=True)
class Freed:
    """How many of each were deleted, and how many bytes that gave back."""

    embeddings: int
    maps: int
    indices: int
    bytes: int


class Store:
    """Embeddings, maps and search indices under their keys; crashes and other processes do no harm.

    Keys are hex digests in lower case. Whatever is damaged is reported, put out of the way, and
    from then on as if it had never been kept. The methods may be called from several threads.

    Parameters
    ----------
    root : Path
        The cache folder; made if it is not there.
    report : callable, optional
        Told in one sentence of each damage found. By default a warning is logged.
    now : callable, optional
        The clock: seconds since 1970.

    Raises
    ------
    PaperskyError
        If the folder cannot be made or used; likewise by every method.
    """

    def __init__(
        self,
        root: Path,
        report: Callable[[str], None] = _logger.warning,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.root = root
        self._report = report
        self._now = now
        self._maps = root / _maps.FOLDER_NAME
        self._indices = root / _INDICES
        self._vectors = _vectors.VectorFile(root / _vectors.FILE_NAME, report)

    def read_vectors(
        self, keys: Sequence[str], dimension: int | None = None
    ) -> dict[str, npt.NDArray[np.float32]]:
        """Return the vectors that are kept: read-only float32, shape (d,) each.

        Parameters
        ----------
        keys : sequence of str
        dimension : int, optional
            The d they must have; others count as damaged.
        """
        return self._vectors.read(_checked(keys), dimension, self._today())

    def write_vectors(self, keys: Sequence[str], vectors: npt.NDArray[np.float32]) -> None:
        """Keep the rows of `vectors`, shape (len(keys), d): all of them or, on an error, none."""
        self._vectors.write(_checked(keys), vectors, self._today())

    def read_map(self, key: str) -> MapEntry | None:
        """Return what `write_map` kept under the key, None if there is nothing sound."""
        return self._read(self._map_path(key), _maps.read, "The map")

    def write_map(
        self, key: str, arrays: Mapping[str, npt.NDArray[Any]], meta: Mapping[str, Any]
    ) -> None:
        """Keep a map: arrays of any dtype but object, and values that JSON knows.

        Raises
        ------
        ValueError, TypeError
            For an array of objects, or a value that JSON does not know.
        """
        entry = MapEntry(arrays, meta)
        self._write(self._map_path(key), lambda path: _maps.write(path, entry))

    def read_index(self, key: str) -> memoryview | None:
        """Return what `write_index` kept under the key, None if there is nothing sound."""
        return self._read(self._index_path(key), _sealed.read, "The search index")

    def write_index(self, key: str, content: bytes) -> None:
        """Keep a search index, whatever it is made of."""
        self._write(self._index_path(key), lambda path: _sealed.write(path, content))

    def most_alike(self, family: str, members: Sequence[str]) -> MapEntry | None:
        """Return the map that shares most members with these, None if none shares any.

        Of several, the one with fewest others; of those, the one with the lowest key.

        Parameters
        ----------
        family : str
            What the map must have under `FAMILY` among its values.
        members : sequence of str
            Hex digests of one length, as `pack_members` turns them into the array that the map must
            have under `MEMBERS`.
        """
        wanted = set(_rows(pack_members(members)))
        candidates = []
        for path in sorted(self._maps.glob(f"*{_maps.SUFFIX}")):
            # One that cannot be read now is as good as none.
            with suppress(OSError):
                found = _maps.read_members(path, family)
                rows = _rows(found) if found is not None else []
                shared = len(wanted.intersection(rows))
                if shared:
                    candidates.append((-shared, len(rows), path.stem))
        found_entries = (self.read_map(key) for *_, key in sorted(candidates))
        return next((entry for entry in found_entries if entry is not None), None)

    def summary(self) -> CacheSummary:
        """Count what is kept."""
        embeddings, first, last = self._vectors.used(self._today())
        map_files, index_files = _files(self._maps), _files(self._indices)
        maps = [used for path, _, used in map_files if path.suffix == _maps.SUFFIX]
        indices = [used for path, _, used in index_files if path.suffix == _INDEX]
        days = [day for day in (first, last, *maps, *indices) if day is not None]
        return CacheSummary(
            path=self.root,
            embeddings=embeddings,
            maps=len(maps),
            indices=len(indices),
            embeddings_bytes=self._vectors.size(),
            maps_bytes=sum(size for _, size, _ in map_files),
            indices_bytes=sum(size for _, size, _ in index_files),
            oldest=_date(min(days)) if days else None,
            newest=_date(max(days)) if days else None,
        )

    def prune(self, unused_for: timedelta) -> Freed:
        """Delete what has not been used for longer; uses are known to the day."""
        return self._delete(before=self._today() - unused_for // timedelta(days=1))

    def clear(self) -> Freed:
        """Delete everything, damaged files and other versions of the format included."""
        freed = self._delete(before=None)
        live = self._vectors.files()
        patterns = ("embeddings-v*", "maps-v*/*", "indices-v*/*")
        others = [path for pattern in patterns for path in self.root.glob(pattern)]
        others_bytes = _unlink(path for path in others if path not in live)
        return replace(freed, bytes=freed.bytes + others_bytes)

    def _delete(self, before: int | None) -> Freed:
        size = self._vectors.size()
        embeddings = self._vectors.delete(before)
        files = [*_files(self._maps), *_files(self._indices)]
        paths = [path for path, _, used in files if before is None or used < before]
        files_bytes = _unlink(paths)
        return Freed(
            embeddings=embeddings,
            maps=sum(path.suffix == _maps.SUFFIX for path in paths),
            indices=sum(path.suffix == _INDEX for path in paths),
            bytes=max(size - self._vectors.size(), 0) + files_bytes,
        )

    def _read(self, path: Path, read: Callable[[Path], _T | None], what: str) -> _T | None:
        try:
            entry = read(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _disk.out_of_reach(path, error) from error
        if entry is None:
            with suppress(OSError):
                path.unlink()
            self._report(f"{what} kept in {path} was damaged; it is computed again.")
            return None
        # A folder that has become read-only must not keep anyone from reading.
        with suppress(OSError):
            if _day(path.stat().st_mtime) != self._today():
                self._note_use(path)
        return entry

    def _write(self, path: Path, write: Callable[[Path], None]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path)
            self._note_use(path)
        except OSError as error:
            raise _disk.out_of_reach(path, error) from error

    def _today(self) -> int:
        """Return the day, counted from 1 January 1970 (UTC)."""
        return _day(self._now())

    def _map_path(self, key: str) -> Path:
        return self._maps / f"{_checked([key])[0]}{_maps.SUFFIX}"

    def _index_path(self, key: str) -> Path:
        return self._indices / f"{_checked([key])[0]}{_INDEX}"

    def _note_use(self, path: Path) -> None:
        os.utime(path, (self._now(), self._now()))


def _checked(keys: Sequence[str]) -> Sequence[str]:
    """Return the keys, having made sure that none names anything outside the cache."""
    wrong = next((key for key in keys if not _KEY.fullmatch(key)), None)
    if wrong is not None:
        raise ValueError(f"not a hex digest: {wrong!r}")
    return keys


def pack_members(members: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Return hex digests of one length as bytes: uint8, shape (n, bytes of a digest)."""
    packed = np.frombuffer(bytes.fromhex("".join(_checked(members))), dtype=np.uint8)
    return packed.reshape(len(members), -1) if members else np.empty((0, 0), dtype=np.uint8)


def _rows(packed: npt.NDArray[np.uint8]) -> list[bytes]:
    return [row.tobytes() for row in packed]


def _files(folder: Path) -> list[tuple[Path, int, int]]:
    """Return path, size in bytes and day of last use of each file in a folder."""
    found = []
    for path in folder.glob("*"):
        # Another process may have deleted it just now.
        with suppress(FileNotFoundError):
            status = path.stat()
            found.append((path, status.st_size, _day(status.st_mtime)))
    return found


def _unlink(paths: Iterable[Path]) -> int:
    """Delete files; return how many bytes they took."""
    freed = 0
    for path in paths:
        with suppress(FileNotFoundError):
            size = path.stat().st_size
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise _disk.out_of_reach(path, error) from error
            freed += size
    return freed


def _day(seconds: float) -> int:
    return int(seconds // _DAY)


def _date(day: int) -> date:
    return datetime.fromtimestamp(day * _DAY, UTC).date()
