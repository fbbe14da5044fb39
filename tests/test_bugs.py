"""The log that a bug leaves."""

import subprocess
import sys
from pathlib import Path

from dashboard import bugs


def test_a_bug_is_written_to_the_cache_folder(own_cache: Path) -> None:
    log = bugs.record(ValueError("a half pair \ud800"))

    assert log.parent == own_cache
    assert "ValueError: a half pair \\ud800" in log.read_text("utf-8")


def test_a_bug_is_written_to_the_cache_folder_that_was_named(tmp_path: Path) -> None:
    script = (
        "import sys; from dashboard import bugs, cli;"
        "cli.app(['cache', '--cache-dir', sys.argv[1], 'clear'], standalone_mode=False);"
        "print(bugs.record(ValueError()))"
    )
    named = tmp_path / "named"

    ran = subprocess.run(
        [sys.executable, "-c", script, named], capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == str(named / "papersky.log")
    assert (named / "papersky.log").exists()


def test_the_log_does_not_grow_without_end(own_cache: Path) -> None:
    error = ValueError("dots" * 50_000)
    for _ in range(20):
        log = bugs.record(error)

    assert sum(file.stat().st_size for file in own_cache.glob("papersky.log*")) < 3e6
    assert log.read_text("utf-8")
