import errno
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cache.errors import PaperskyError
from cache.store import FAMILY, MEMBERS, CacheSummary, Freed, Store, default_root, pack_members

ROOT = Path(__file__).parents[1]
KEYS = ["aa01", "bb02", "cc03"]
VECTORS = np.arange(12, dtype=np.float32).reshape(3, 4)
MAP = {"coordinates": np.linspace(0, 1, 8, dtype=np.float32).reshape(4, 2)}
NAMES = {"topic_names": ["Diffusion models", "图神经网络"]}
INDEX = bytes(range(256))


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()

    def __call__(self) -> float:
        return self.seconds

    def pass_days(self, days: int) -> None:
        self.seconds += days * 24 * 60 * 60


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def reports() -> list[str]:
    return []


@pytest.fixture
def store(own_cache: Path, reports: list[str], clock: Clock) -> Store:
    return Store(own_cache, reports.append, clock)


def database_of(store: Store) -> Path:
    return next(store.root.glob("embeddings-*.sqlite"))


def map_file_of(store: Store) -> Path:
    return next(store.root.glob("maps-*/*.map"))


def index_file_of(store: Store) -> Path:
    return next(store.root.glob("indices-*/*.index"))


def flip(path: Path, position: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 1 << bit
    path.write_bytes(content)


def test_the_cache_is_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PAPERSKY_CACHE", str(tmp_path / "elsewhere"))

    assert default_root() == tmp_path / "elsewhere"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_a_choice_the_cache_is_where_the_system_keeps_caches(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv("PAPERSKY_CACHE")
    if value is not None:
        monkeypatch.setenv("PAPERSKY_CACHE", value)

    assert default_root().is_absolute()
    assert "papersky" in default_root().parts


def test_a_home_folder_in_the_environment_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERSKY_CACHE", "~/papers")

    assert default_root() == Path.home() / "papers"


@given(
    vectors=hnp.arrays(
        np.float32,
        st.tuples(st.integers(1, 20), st.just(5)),
        elements=st.floats(width=32, allow_nan=False),
    ),
    others=st.integers(0, 5),
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_vectors_come_back_bit_for_bit(store: Store, vectors: np.ndarray, others: int) -> None:
    keys = [f"{row:04x}" for row in range(len(vectors))]
    store.write_vectors(keys, vectors)

    found = store.read_vectors(keys + [f"ff{n:02x}" for n in range(others)], 5)

    assert list(found) == keys
    assert np.stack([found[key] for key in keys]).tobytes() == vectors.tobytes()
    assert found[keys[0]].dtype == np.float32


def test_more_vectors_than_one_query_can_name_come_back(store: Store) -> None:
    keys = [f"{row:08x}" for row in range(1_234)]
    store.write_vectors(keys, np.arange(1_234, dtype=np.float32)[:, np.newaxis])

    found = store.read_vectors(keys)

    assert [found[key][0] for key in keys] == list(range(1_234))


def test_nothing_is_known_at_first(store: Store) -> None:
    assert store.read_vectors(KEYS) == {}
    assert store.read_map("aa01") is None
    assert store.read_index("aa01") is None


def test_a_vector_written_again_is_replaced(store: Store) -> None:
    store.write_vectors(KEYS, VECTORS)
    store.write_vectors(KEYS[:1], VECTORS[2:])

    np.testing.assert_array_equal(store.read_vectors(KEYS)["aa01"], VECTORS[2])


def test_the_next_run_finds_what_the_last_one_kept(store: Store) -> None:
    store.write_vectors(KEYS, VECTORS)
    store.write_map("aa01", MAP, NAMES)
    store.write_index("aa01", INDEX)

    later = Store(store.root)

    np.testing.assert_array_equal(later.read_vectors(KEYS)["bb02"], VECTORS[1])
    assert later.read_map("aa01") is not None
    assert later.read_index("aa01") == INDEX


@given(
    st.dictionaries(
        st.text(max_size=8) | st.sampled_from(["file", "meta", "allow_pickle", "arr_0"]),
        hnp.arrays(
            st.sampled_from([np.float32, np.int16, np.int64, np.bool_]),
            hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4),
        ),
        max_size=4,
    ),
    st.dictionaries(
        st.text(max_size=5),
        st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text(), max_size=3),
        max_size=4,
    ),
)
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_map_comes_back_as_it_was(
    store: Store, arrays: dict[str, np.ndarray], meta: dict[str, object]
) -> None:
    store.write_map("aa01", arrays, meta)

    entry = store.read_map("aa01")

    assert entry is not None
    assert entry.meta == meta
    assert entry.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        assert entry.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(entry.arrays[name], array)


def test_objects_are_never_pickled(store: Store) -> None:
    with pytest.raises(ValueError, match="allow_pickle"):
        store.write_map("aa01", {"names": np.array([{"a": 1}], dtype=object)}, {})

    assert store.summary().maps == 0
    assert list((store.root / "maps-v1").iterdir()) == []


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "AA", "abc", "aa/bb", "aa\n"])
def test_only_hex_digests_are_keys(store: Store, key: str) -> None:
    for use in (
        lambda: store.read_vectors([key]),
        lambda: store.write_vectors([key], VECTORS[:1]),
        lambda: store.read_map(key),
        lambda: store.write_map(key, MAP, NAMES),
        lambda: store.read_index(key),
        lambda: store.write_index(key, INDEX),
    ):
        with pytest.raises(ValueError, match="hex digest"):
            use()


def test_a_folder_that_cannot_be_made_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(PaperskyError) as caught:
        Store(tmp_path / "file" / "cache")

    assert str(tmp_path / "file" / "cache") in caught.value.message
    assert "--cache-dir" in caught.value.hint
    assert "PAPERSKY_CACHE" in caught.value.hint


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_folder_that_cannot_be_written_is_named_with_the_way_out(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(PaperskyError, match="--cache-dir"):
        Store(tmp_path)


def test_a_cache_that_was_deleted_meanwhile_is_begun_anew(store: Store) -> None:
    store.write_vectors(KEYS, VECTORS)
    for path in sorted(store.root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    store.root.rmdir()

    assert store.read_vectors(KEYS) == {}
    store.write_map("aa01", MAP, NAMES)
    assert store.read_map("aa01") is not None


# Damage


def test_a_file_that_is_no_database_is_moved_aside_and_reported_once(
    store: Store, reports: list[str]
) -> None:
    store.write_vectors(KEYS, VECTORS)
    database_of(store).write_bytes(b"not a database, but long enough to look like one" * 100)

    assert store.read_vectors(KEYS) == {}
    store.write_vectors(KEYS, VECTORS)
    assert len(store.read_vectors(KEYS)) == 3

    assert len(reports) == 1
    assert "damaged" in reports[0]
    assert str(database_of(store)) in reports[0]
    assert database_of(store).with_name("embeddings-v1.sqlite.damaged").exists()


def test_a_damaged_file_is_noticed_on_opening(
    own_cache: Path, store: Store, reports: list[str]
) -> None:
    store.write_vectors(KEYS, VECTORS)
    database_of(store).write_bytes(b"\0" * 8_192)

    assert Store(own_cache, reports.append).read_vectors(KEYS) == {}
    assert len(reports) == 1


def test_a_database_with_other_columns_is_not_misread(store: Store, reports: list[str]) -> None:
    path = database_of(store)
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE vectors (key BLOB, numbers TEXT)")
    other.close()

    assert store.read_vectors(KEYS) == {}
    store.write_vectors(KEYS, VECTORS)

    assert len(store.read_vectors(KEYS)) == 3
    assert len(reports) == 1


def test_a_damaged_vector_is_reported_and_forgotten(store: Store, reports: list[str]) -> None:
    store.write_vectors(KEYS, VECTORS)
    content = database_of(store).read_bytes()
    flip(database_of(store), content.index(VECTORS[1].tobytes()) + 3)

    assert store.read_vectors(KEYS).keys() == {"aa01", "cc03"}
    assert store.read_vectors(KEYS).keys() == {"aa01", "cc03"}
    assert len(reports) == 1
    assert "1 of the embeddings" in reports[0]


def test_a_vector_of_another_dimension_is_damaged(store: Store, reports: list[str]) -> None:
    store.write_vectors(KEYS, VECTORS)
    store.write_vectors(["dd04"], np.ones((1, 7), dtype=np.float32))

    assert store.read_vectors([*KEYS, "dd04"], 4).keys() == set(KEYS)
    assert len(reports) == 1


def test_a_vector_under_the_key_of_another_is_damaged(store: Store) -> None:
    store.write_vectors(KEYS, VECTORS)
    with sqlite3.connect(database_of(store)) as database:
        database.execute("DELETE FROM vectors WHERE key = x'bb02'")
        database.execute("UPDATE vectors SET key = x'bb02' WHERE key = x'aa01'")
    database.close()

    assert store.read_vectors(KEYS).keys() == {"cc03"}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database with `VECTORS` in it."""
    store = Store(tmp_path_factory.mktemp("sound"), now=Clock())
    store.write_vectors(KEYS, VECTORS)
    return database_of(store).read_bytes()


def assert_usable_and_right(root: Path, content: bytes) -> None:
    """Lay a database of a cache with this content, and work with that cache."""
    root.mkdir(exist_ok=True)
    for path in root.iterdir():
        path.unlink()
    (root / "embeddings-v1.sqlite").write_bytes(content)
    store = Store(root, report=lambda _: None, now=Clock())

    for key, vector in store.read_vectors(KEYS, 4).items():
        np.testing.assert_array_equal(vector, VECTORS[KEYS.index(key)])
    # What only writing brings to light is mended by the next reading.
    for _ in range(2):
        store.write_vectors(KEYS, VECTORS)
        found = store.read_vectors(KEYS, 4)
        assert all((found[key] == VECTORS[KEYS.index(key)]).all() for key in found)
    store.write_vectors(KEYS, VECTORS)
    assert len(store.read_vectors(KEYS, 4)) == 3
    store.summary()


@given(st.data())
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_flipped_bit_gives_wrong_vectors_or_stops_work(
    tmp_path: Path, sound: bytes, data: st.DataObject
) -> None:
    filled = [position for position, byte in enumerate(sound) if byte]
    position = data.draw(st.sampled_from(filled) | st.integers(0, len(sound) - 1))
    content = bytearray(sound)
    content[position] ^= 1 << data.draw(st.integers(0, 7))

    assert_usable_and_right(tmp_path / "cache", bytes(content))


def test_what_is_sound_in_a_damaged_file_is_kept(store: Store, reports: list[str]) -> None:
    keys = [f"{row:04x}" for row in range(200)]
    vectors = np.random.default_rng(0).random((200, 384), dtype=np.float32)
    store.write_vectors(keys, vectors)
    # One byte of a vector and one of the tree that only a check of all of it finds.
    content = database_of(store).read_bytes()
    flip(database_of(store), content.index(vectors[7].tobytes()))
    flip(database_of(store), content.index(bytes.fromhex(keys[9]) + vectors[9].tobytes()))

    kept = store.read_vectors(keys, 384)

    assert len(kept) >= 190
    assert len(reports) == 2
    assert store.read_vectors(keys, 384).keys() == kept.keys()
    assert len(reports) == 2


@given(st.data())
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_cut_database_gives_no_wrong_vectors_and_stops_no_work(
    tmp_path: Path, sound: bytes, data: st.DataObject
) -> None:
    end = data.draw(st.integers(0, len(sound) - 1))

    assert_usable_and_right(tmp_path / "cache", sound[:end])


@given(st.data())
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_damaged_map_is_reported_once_and_forgotten(
    store: Store, reports: list[str], data: st.DataObject
) -> None:
    reports.clear()
    store.write_map("aa01", MAP, NAMES)
    path = map_file_of(store)
    position = data.draw(st.integers(0, path.stat().st_size - 1))
    if data.draw(st.booleans()):
        flip(path, position)
    else:
        os.truncate(path, position)

    assert store.read_map("aa01") is None
    assert store.read_map("aa01") is None
    assert len(reports) == 1
    assert str(path) in reports[0]


@given(st.data())
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_damaged_index_is_reported_once_and_forgotten(
    store: Store, reports: list[str], data: st.DataObject
) -> None:
    reports.clear()
    store.write_index("aa01", INDEX)
    path = index_file_of(store)
    position = data.draw(st.integers(0, path.stat().st_size - 1))
    if data.draw(st.booleans()):
        flip(path, position)
    else:
        os.truncate(path, position)

    assert store.read_index("aa01") is None
    assert store.read_index("aa01") is None
    assert len(reports) == 1
    assert str(path) in reports[0]


def test_another_version_of_the_format_is_ignored(store: Store, reports: list[str]) -> None:
    store.write_vectors(KEYS, VECTORS)
    store.write_map("aa01", MAP, NAMES)
    database_of(store).rename(store.root / "embeddings-v0.sqlite")
    (store.root / "maps-v1").rename(store.root / "maps-v0")
    store.write_index("aa01", INDEX)
    (store.root / "indices-v1").rename(store.root / "indices-v0")

    assert store.read_vectors(KEYS) == {}
    assert store.read_map("aa01") is None
    assert store.read_index("aa01") is None
    assert reports == []
    assert (store.root / "embeddings-v0.sqlite").exists()


# A full disk


def test_a_full_disk_is_said_with_the_way_out_and_breaks_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write_vectors(KEYS, VECTORS)
    connect = sqlite3.connect

    def small_disk(*args: object, **options: object) -> sqlite3.Connection:
        database: sqlite3.Connection = connect(*args, **options)  # type: ignore[call-overload]
        pages = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {pages}")
        return database

    many = [f"{row:04x}" for row in range(500)]
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", small_disk)
        with pytest.raises(PaperskyError, match="disk is full") as caught:
            store.write_vectors(many, np.ones((500, 384), dtype=np.float32))

    assert "--cache-dir" in caught.value.hint
    assert store.read_vectors(many) == {}
    assert len(store.read_vectors(KEYS)) == 3


def test_a_disk_too_full_for_a_map_keeps_the_old_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write_map("aa01", MAP, NAMES)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(PaperskyError, match="disk is full"):
            store.write_map("aa01", {}, {})

    entry = store.read_map("aa01")
    assert entry is not None
    assert entry.meta == NAMES
    assert len(list((store.root / "maps-v1").iterdir())) == 1


# Several processes

WRITER = """
import sys
import numpy as np
from pathlib import Path
from cache.store import Store

store = Store(Path(sys.argv[1]))
for n in range(int(sys.argv[2]), int(sys.argv[3])):
    store.write_vectors([f"{n:08x}"], np.full((1, 384), n, dtype=np.float32))
    store.write_map(f"{n % 3:08x}", {"n": np.full(20_000, n)}, {"n": n})
    store.write_index(f"{n % 3:08x}", bytes([n % 251]) * 100_000)
    print(n, flush=True)
"""


def start_writer(root: Path, start: int, stop: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(root), str(start), str(stop)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_may_create_and_fill_one_cache_at_once(
    own_cache: Path, reports: list[str]
) -> None:
    writers = [start_writer(own_cache, 100 * n, 100 * n + 20) for n in range(3)]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors

    keys = [f"{100 * n + m:08x}" for n in range(3) for m in range(20)]
    store = Store(own_cache, reports.append)
    assert len(store.read_vectors(keys, 384)) == 60
    assert all(store.read_map(f"{n:08x}") and store.read_index(f"{n:08x}") for n in range(3))
    assert reports == []


def test_threads_may_share_one_store(store: Store) -> None:
    def write(start: int) -> None:
        for n in range(start, start + 10):
            store.write_vectors([f"{n:04x}"], VECTORS[:1])

    threads = [Thread(target=write, args=(100 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert store.summary().embeddings == 40


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_process_killed_while_writing_loses_nothing_it_acknowledged(
    own_cache: Path, reports: list[str]
) -> None:
    acknowledged: list[int] = []
    for round_ in range(4):
        writer = start_writer(own_cache, 10_000 * round_, 10_000 * (round_ + 1))
        assert writer.stdout is not None
        lines = [writer.stdout.readline()]
        time.sleep(0.03 * round_)
        writer.kill()
        lines += writer.communicate(timeout=60)[0].splitlines()
        acknowledged += [int(line) for line in lines]

    store = Store(own_cache, reports.append)
    found = store.read_vectors([f"{n:08x}" for n in acknowledged], 384)
    entries = [store.read_map(f"{n:08x}") for n in range(3)]

    assert len(acknowledged) >= 4
    assert all((found[f"{n:08x}"] == n).all() for n in acknowledged)
    assert all(entry is None or (entry.arrays["n"] == entry.meta["n"]).all() for entry in entries)
    indices = [store.read_index(f"{n:08x}") for n in range(3)]
    assert all(index is None or len(set(index)) == 1 for index in indices)
    assert reports == []


# Summary, prune, clear


def test_the_summary_counts_and_dates_what_is_kept(store: Store, clock: Clock) -> None:
    store.write_vectors(KEYS, VECTORS)
    clock.pass_days(3)
    store.write_map("aa01", MAP, NAMES)
    clock.pass_days(2)
    store.write_index("aa01", INDEX)

    summary = store.summary()

    assert summary.path == store.root
    assert (summary.embeddings, summary.maps, summary.indices) == (3, 1, 1)
    assert summary.embeddings_bytes > VECTORS.nbytes
    assert summary.maps_bytes == map_file_of(store).stat().st_size
    assert summary.indices_bytes == index_file_of(store).stat().st_size
    assert (summary.oldest, summary.newest) == (date(2026, 3, 1), date(2026, 3, 6))


def test_an_empty_cache_has_no_dates(store: Store) -> None:
    assert (store.summary().oldest, store.summary().newest) == (None, None)


def test_a_damaged_date_of_use_spoils_nothing_but_itself(store: Store) -> None:
    store.write_vectors(KEYS, VECTORS)
    with sqlite3.connect(database_of(store)) as database:
        database.execute("UPDATE vectors SET used = 9e15 WHERE key = x'aa01'")
        database.execute("UPDATE vectors SET used = 'now' WHERE key = x'bb02'")
    database.close()

    summary = store.summary()

    assert summary.embeddings == 3
    assert summary.oldest == summary.newest == date(2026, 3, 1)
    assert len(store.read_vectors(KEYS)) == 3


def test_pruning_keeps_what_was_used_since(store: Store, clock: Clock) -> None:
    store.write_vectors(KEYS, VECTORS)
    store.write_map("aa01", MAP, NAMES)
    store.write_map("bb02", MAP, NAMES)
    store.write_index("aa01", INDEX)
    store.write_index("bb02", INDEX)
    clock.pass_days(20)
    store.read_vectors(KEYS[:1])
    store.read_map("bb02")
    store.read_index("bb02")
    clock.pass_days(20)

    freed = store.prune(timedelta(days=30))

    assert (freed.embeddings, freed.maps, freed.indices) == (2, 1, 1)
    assert freed.bytes > 0
    assert store.read_vectors(KEYS).keys() == {"aa01"}
    assert store.read_map("aa01") is None
    assert store.read_map("bb02") is not None
    assert store.read_index("aa01") is None
    assert store.read_index("bb02") is not None


def test_a_use_is_noted_once_a_day(store: Store, clock: Clock) -> None:
    def changes(use: Callable[[], object]) -> bool:
        before = database_of(store).read_bytes()
        use()
        return database_of(store).read_bytes() != before

    store.write_vectors(KEYS, VECTORS)

    assert not changes(lambda: store.read_vectors(KEYS))
    clock.pass_days(1)
    assert changes(lambda: store.read_vectors(KEYS))
    assert not changes(lambda: store.read_vectors(KEYS))


@pytest.mark.parametrize("folder", ["maps-v1", "indices-v1"])
def test_pruning_removes_what_a_killed_process_left_behind(
    store: Store, clock: Clock, folder: str
) -> None:
    (store.root / folder).mkdir()
    left = store.root / folder / "aa01xyz.tmp"
    left.write_bytes(b"half a map")
    os.utime(left, (clock(), clock()))
    clock.pass_days(40)

    assert store.prune(timedelta(days=30)) == Freed(embeddings=0, maps=0, indices=0, bytes=10)
    assert not left.exists()


def bytes_of(summary: CacheSummary) -> int:
    return summary.embeddings_bytes + summary.maps_bytes + summary.indices_bytes


def test_clearing_gives_the_space_back(store: Store) -> None:
    many = [f"{row:04x}" for row in range(500)]
    store.write_vectors(many, np.ones((500, 384), dtype=np.float32))
    store.write_map("aa01", MAP, NAMES)
    store.write_index("aa01", INDEX)
    before = store.summary()

    freed = store.clear()

    after = store.summary()
    assert (freed.embeddings, freed.maps, freed.indices) == (500, 1, 1)
    assert freed.bytes == bytes_of(before) - bytes_of(after)
    assert after.embeddings_bytes < 200_000
    assert (after.embeddings, after.maps, after.indices) == (0, 0, 0)
    assert (after.maps_bytes, after.indices_bytes) == (0, 0)


def test_clearing_removes_damaged_files_and_other_versions_but_nothing_else(store: Store) -> None:
    store.write_index("aa01", INDEX)
    size = store.summary().indices_bytes
    (store.root / "maps-v0").mkdir()
    others = ("embeddings-v0.sqlite", "embeddings-v1.sqlite.damaged", "maps-v0/aa01.map")
    for name in (*others, "notes.txt"):
        (store.root / name).write_bytes(b"12345")

    assert store.clear().bytes == 15 + size
    assert {path.name for path in store.root.iterdir()} == {
        "embeddings-v1.sqlite",
        "indices-v1",
        "maps-v0",
        "notes.txt",
    }


def test_a_cleared_cache_can_be_filled_again(store: Store) -> None:
    store.write_vectors(KEYS, VECTORS)
    store.clear()
    store.write_vectors(KEYS, VECTORS)

    assert len(store.read_vectors(KEYS)) == 3


# Maps that are alike


def keep_map_of(store: Store, key: str, *members: str, family: str = "a") -> None:
    arrays = {MEMBERS: pack_members(members)}
    store.write_map(key, arrays, {FAMILY: family, "name": key})


def most_alike(store: Store, *members: str) -> str | None:
    found = store.most_alike("a", members)
    return None if found is None else found.meta["name"]


def test_the_map_with_most_members_in_common_is_found(store: Store) -> None:
    keep_map_of(store, "01", "aa", "bb")
    keep_map_of(store, "02", "cc", "bb", "aa", "ff")
    assert most_alike(store, "aa", "bb", "cc") == "02"


def test_of_maps_with_as_many_the_one_with_fewest_others_is_found(store: Store) -> None:
    keep_map_of(store, "01", "aa", "bb", "cc")
    keep_map_of(store, "03", "aa", "bb")
    keep_map_of(store, "02", "aa", "bb")
    assert most_alike(store, "aa", "bb", "dd") == "02"


def test_maps_without_a_member_in_common_are_not_alike(store: Store) -> None:
    keep_map_of(store, "01", "aa")
    keep_map_of(store, "02", "bb", family="b")
    store.write_map("03", MAP, NAMES)
    assert most_alike(store, "bb") is None
    assert most_alike(store) is None


@given(at=st.integers(0, 10_000), byte=st.integers(0, 255))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_damage_anywhere_in_a_map_never_passes_for_a_map(store: Store, at: int, byte: int) -> None:
    keep_map_of(store, "01", "aa", "bb")
    path = map_file_of(store)
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= byte
    path.write_bytes(content)
    found = store.most_alike("a", ["aa"])
    assert found is None or found.arrays[MEMBERS].tobytes() == b"\xaa\xbb"
    path.unlink(missing_ok=True)
