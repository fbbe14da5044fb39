"""Embeddings on disk: one SQLite file that several processes may use at once."""

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from cache import _disk
from cache.errors import PaperskyError

T = TypeVar("T")
Vector = npt.NDArray[np.float32]

FILE_NAME: Final = "embeddings-v1.sqlite"
"""Named after the version of its format, so that another version is left alone."""

# One tree and no index beside it, which damage could make disagree; pages so large that a vector
# of a thousand numbers needs none of its own.
_TABLE: Final = """
    CREATE TABLE IF NOT EXISTS vectors (
        key BLOB PRIMARY KEY, vector BLOB, checksum INTEGER, used INTEGER
    ) WITHOUT ROWID
"""
_PAGE_BYTES: Final = 16_384
_KEYS_A_QUERY: Final = 500
_BUSY_SECONDS: Final = 60.0
_BUSY: Final = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_REFUSED: Final = {
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
}
# A text in a damaged file, even that of an error, may be no UTF-8.
_FAILURES: Final = (sqlite3.DatabaseError, UnicodeDecodeError)


class VectorFile:
    """Vectors by key, each with a checksum and the day on which it was last used.

    Each call opens the file anew, so that threads may share one object and a process may end at
    any moment. Days are counted from 1 January 1970.

    Parameters
    ----------
    path : Path
        Made if it is not there.
    report : callable
        Told in one sentence of each damage found.

    Raises
    ------
    PaperskyError
        By every method, if the file cannot be used: disk full, not writable, held by another.
    """

    def __init__(self, path: Path, report: Callable[[str], None]) -> None:
        self._path = path
        self._report = report
        self._run(lambda _database: None)

    def read(self, keys: Sequence[str], dimension: int | None, today: int) -> dict[str, Vector]:
        """Return the vectors that are known, float32, shape (d,) each, and note their use today.

        Damaged ones are reported, deleted and left out.
        """
        found, damaged = self._run(lambda database: _read(database, keys, dimension, today))
        if damaged:
            self._report(
                f"{damaged} of the embeddings kept in {self._path} "
                f"{'was' if damaged == 1 else 'were'} damaged; they are computed again."
            )
            # Where one row is damaged, the tree that holds them all may be too.
            if self._run(lambda _database: self._replace_if_damaged()):
                self.write(list(found), list(found.values()), today)
        return found

    def write(self, keys: Sequence[str], vectors: Iterable[Vector], today: int) -> None:
        """Keep one vector of shape (d,) under each key, all in one transaction."""
        blobs = [(bytes.fromhex(key), _bytes(row)) for key, row in zip(keys, vectors, strict=True)]
        rows = [(key, data, _checksum(key, data), today) for key, data in blobs]

        def insert(database: sqlite3.Connection) -> None:
            with _transaction(database):
                database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)

        self._run(insert)

    def used(self, today: int) -> tuple[int, int | None, int | None]:
        """Return how many vectors there are, and the first and last day of last use."""
        # Days that no clock can have shown are damage, and spoil nothing but themselves.
        query = """
            SELECT count(*), min(used) FILTER (WHERE used BETWEEN 0 AND ?1),
                max(used) FILTER (WHERE used BETWEEN 0 AND ?1)
            FROM vectors
        """
        count, first, last = self._run(
            lambda database: database.execute(query, (today,)).fetchone()
        )
        return count, first, last

    def delete(self, before: int | None) -> int:
        """Delete vectors last used before a day, or all; give the space back; return how many."""

        def delete(database: sqlite3.Connection) -> int:
            with _transaction(database):
                deleted = database.execute(
                    "DELETE FROM vectors WHERE ?1 IS NULL OR used < ?1", (before,)
                ).rowcount
            # If another process is in the way, the space is used again later.
            with suppress(sqlite3.OperationalError):
                database.execute("VACUUM")
            return deleted

        return self._run(delete)

    def size(self) -> int:
        """Return how many bytes the file takes, its journals included."""
        return sum(path.stat().st_size for path in self.files() if path.exists())

    def files(self) -> list[Path]:
        """Return the file and its journals, which are not always there."""
        return [self._path.with_name(self._path.name + end) for end in ("", "-wal", "-shm")]

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do the work on the open file; if that turns out damaged, on a new one."""
        try:
            try:
                with self._open() as database:
                    return work(database)
            except _FAILURES as error:
                if not self._means_damage(error):
                    raise
                self._replace_if_damaged()
                with self._open() as database:
                    return work(database)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._refusal(error) from error
        except OSError as error:
            raise _disk.out_of_reach(self._path, error) from error

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
        with closing(database):
            _prepare(database)
            yield database

    def _replace_if_damaged(self) -> bool:
        """Move the file aside, unless it is sound: another process may have replaced it already."""
        if self._is_sound():
            return False
        file, *journals = self.files()
        aside = file.with_name(f"{file.name}.damaged")
        file.replace(aside)
        for journal in journals:
            journal.unlink(missing_ok=True)
        self._report(
            f"The embeddings kept in {file} were damaged; they are computed again, "
            f"and the damaged file is now called {aside.name}."
        )
        return True

    def _is_sound(self) -> bool:
        try:
            with self._open() as database:
                database.execute("SELECT key, vector, checksum, used FROM vectors LIMIT 1")
                database.execute("DELETE FROM vectors WHERE false")
                return bool(database.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",))
        except _FAILURES as error:
            if not self._means_damage(error):
                raise
            return False

    def _means_damage(self, error: Exception) -> bool:
        if _code(error) == sqlite3.SQLITE_READONLY:
            # SQLite also says so of a version number in the file that it does not know.
            return os.access(self._path, os.W_OK)
        return _code(error) not in _BUSY | _REFUSED

    def _refusal(self, error: Exception) -> PaperskyError:
        if _code(error) == sqlite3.SQLITE_FULL:
            return _disk.disk_full(self._path)
        if _code(error) in _BUSY:
            return _disk.busy(self._path, _BUSY_SECONDS)
        return _disk.unusable(self._path, str(error))


def _prepare(database: sqlite3.Connection) -> None:
    if database.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        database.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        _switch_to_wal(database)
    # With a write-ahead log this loses the last writes, never the file, if the power fails.
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(_TABLE)


def _switch_to_wal(database: sqlite3.Connection) -> None:
    """Switch, waiting ourselves: SQLite does not wait if two processes switch at once."""
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if _code(error) not in _BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _read(
    database: sqlite3.Connection, keys: Sequence[str], dimension: int | None, today: int
) -> tuple[dict[str, Vector], int]:
    """Return the sound vectors, and how many were damaged and deleted."""
    found: dict[str, Vector] = {}
    damaged: list[tuple[bytes]] = []
    stale: list[tuple[int, bytes]] = []
    for key, data, checksum, used in _rows(database, list(dict.fromkeys(keys))):
        if not _intact(key, data, checksum, dimension):
            damaged.append((key,))
            continue
        found[key.hex()] = np.frombuffer(data, dtype="<f4")
        if used != today:
            stale.append((today, key))
    if damaged or stale:
        # A full disk or a busy neighbour must not keep anyone from reading.
        with suppress(sqlite3.OperationalError), _transaction(database):
            database.executemany("DELETE FROM vectors WHERE key = ?", damaged)
            database.executemany("UPDATE vectors SET used = ? WHERE key = ?", stale)
    return found, len(damaged)


def _rows(database: sqlite3.Connection, keys: list[str]) -> Iterator[tuple[Any, ...]]:
    for start in range(0, len(keys), _KEYS_A_QUERY):
        some = [bytes.fromhex(key) for key in keys[start : start + _KEYS_A_QUERY]]
        # In a damaged row a blob may pass for text, which Python would refuse to decode.
        yield from database.execute(
            "SELECT CAST(key AS BLOB), CAST(vector AS BLOB), CAST(checksum AS INTEGER), "
            f"CAST(used AS INTEGER) FROM vectors WHERE key IN ({', '.join('?' * len(some))})",
            some,
        )


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    with database:
        yield


def _bytes(vector: Vector) -> bytes:
    return vector.astype("<f4").tobytes()


def _checksum(key: bytes, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(key))


def _intact(key: bytes, data: bytes | None, checksum: int | None, dimension: int | None) -> bool:
    return (
        data is not None
        and checksum == _checksum(key, data)
        and (dimension is None or len(data) == 4 * dimension)
    )


def _code(error: Exception) -> int:
    """Return SQLite's primary result code, 0 for errors that Python itself raised."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
