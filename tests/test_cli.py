"""The command as a user types it, with the real model."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import SEEDS

pytestmark = pytest.mark.model

PAPERSKY = Path(sys.executable).parent / "papersky"
HEAVY = ("torch", "transformers", "sentence_transformers", "umap", "numba", "distributed")


def papersky(*arguments: object, cache: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PAPERSKY, *map(str, arguments)],
        check=False,
        env={**os.environ, "PAPERSKY_CACHE": str(cache)},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=300,
    )


def python(program: str, cache: Path, arguments: Sequence[str] = ()) -> str:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PAPERSKY_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A cache in which the seeds are laid out, and the table that was exported then."""
    folder = tmp_path_factory.mktemp("warm")
    ran = papersky("export", SEEDS, "--to", folder / "papers.json", cache=folder / "cache")
    assert ran.returncode == 0, ran.stderr
    return folder / "cache", folder / "papers.json"


def test_export_writes_a_row_for_every_paper(warm: tuple[Path, Path]) -> None:
    rows = json.loads(warm[1].read_text("utf-8"))

    assert len(rows) == 38
    assert {row["code_kind"] for row in rows} == {
        "repository", "anonymous", "project page", "none",
    }  # fmt: skip
    assert all(-1 <= row["x"] <= 1 for row in rows)
    assert 3 <= len({row["topic"] for row in rows}) <= 9


def test_the_same_papers_give_the_same_map_in_another_process(
    warm: tuple[Path, Path], tmp_path: Path
) -> None:
    again = tmp_path / "again.json"

    papersky("export", SEEDS, "--to", again, cache=tmp_path / "another-cache")

    assert again.read_bytes() == warm[1].read_bytes()


def test_a_warm_start_computes_nothing_and_imports_nothing_heavy(warm: tuple[Path, Path]) -> None:
    program = f"""
import sys
from pathlib import Path
from streamlit.testing.v1 import AppTest
from cache.embedding import SentenceTransformerEmbedder
from cache.readers import read
from cache.store import Store, default_root
from dashboard import cli, server
from dashboard.jobs import MapJob

job = MapJob(read([cli.SEEDS]), SentenceTransformerEmbedder(), Store(default_root())).start()
job.wait()
app = AppTest.from_file({str(Path(__file__).parents[1] / "dashboard" / "app.py")!r}).run(timeout=60)
assert not app.exception
assert job.stage is None, job.stage
print(sorted(set({HEAVY!r}) & set(sys.modules)))
"""
    assert python(program, warm[0]).strip() == "[]"


@pytest.mark.parametrize(
    "arguments", [["--cache-dir", "{}", "clear"], ["clear", "--cache-dir", "{}"]]
)
def test_only_the_cache_that_was_named_is_cleared(
    arguments: list[str], warm: tuple[Path, Path], tmp_path: Path
) -> None:
    mine = shutil.copytree(warm[0], tmp_path / "mine")
    named = shutil.copytree(warm[0], tmp_path / "named")

    papersky("cache", *(word.format(named) for word in arguments), cache=mine)

    assert re.search(r"embeddings +38", papersky("cache", cache=mine).stdout)
    assert re.search(r"embeddings +0", papersky("cache", cache=named).stdout)


def test_the_cache_command_counts_prunes_and_clears(warm: tuple[Path, Path]) -> None:
    cache = warm[0]

    shown = papersky("cache", cache=cache).stdout
    assert str(cache) in shown
    assert re.search(r"embeddings +38", shown)
    assert re.search(r"maps +1", shown)
    assert re.search(r"indices +[01]", shown)

    pruned = papersky("cache", "prune", cache=cache).stderr
    assert "0 embeddings, 0 maps and 0 search indices" in pruned
    assert "38 embeddings, 1 maps and" in papersky("cache", "clear", cache=cache).stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["export", "nowhere.txt", "--to", "x.csv"], "There is no file or folder nowhere.txt."),
        (["export", "--to", "x.csv", "--model", "/nowhere/model"], "There is no model folder"),
        (["export", "--to", "papers.xls"], "papers.xls names no kind of table"),
        (["export", "--to", "x.csv", "--cache-dir", "/dev/null/cache"], "The cache cannot use"),
        (
            ["export", "--to", "nowhere/x.csv"],
            "nowhere/x.csv cannot be written: there is no folder",
        ),
        (["check", "nowhere.txt"], "There is no file or folder nowhere.txt."),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_a_failure(
    arguments: list[str], sentence: str, tmp_path: Path
) -> None:
    ran = papersky(*arguments, cache=tmp_path / "cache")

    assert ran.returncode == 1
    assert ran.stderr.startswith(sentence)
    assert "Traceback" not in ran.stderr


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        ran = papersky("--port", port, "--no-browser", cache=tmp_path / "cache")

    assert ran.returncode == 1
    assert ran.stderr.startswith(f"Port {port} cannot be used")
    assert "--port" in ran.stderr


def test_a_binary_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "papers.txt").write_bytes(b"\x00\x01\x02\xff" * 100)

    ran = papersky("export", tmp_path / "papers.txt", "--to", "x.csv", cache=tmp_path / "cache")

    assert ran.returncode == 1
    assert "papers.txt" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_standard_input_is_read(tmp_path: Path) -> None:
    ran = papersky("check", "-", cache=tmp_path / "cache", stdin="We study dots. They shine.\n")

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("1 paper in 1 record of 1 document")


def test_check_fails_if_anything_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(
        "@article{a, title={Dots}, abstract={We study dots.}}\n@article{b, title={Open\n"
    )

    ran = papersky("check", tmp_path / "refs.bib", cache=tmp_path / "cache")

    assert ran.returncode == 1
    assert "refs.bib:2" in ran.stdout


@pytest.mark.parametrize("command", ["open", "export", "check", "cache"])
def test_the_readme_knows_every_command(command: str) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")

    assert re.search(rf"papersky \[?{command}\b", readme)
