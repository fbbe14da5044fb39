"""Where the details of a bug are written, which no user is shown."""

import traceback
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from cache.store import default_root

LARGEST_LOG: Final = 1_000_000
"""Bytes; a log that has grown beyond them is put aside, in the place of the one before."""

_folder: list[Path] = []


def keep_in(folder: Path | None) -> Path | None:
    """Have the log written to a folder from now on, if it is one, and return what was given."""
    if folder is not None:
        _folder[:] = [folder]
    return folder


def record(error: Exception) -> Path:
    """Append an error's traceback to the log in the cache folder, and return where that is."""
    log = (_folder[-1] if _folder else default_root()) / "papersky.log"
    with suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        if log.exists() and log.stat().st_size > LARGEST_LOG:
            log.replace(log.with_suffix(".log.1"))
        # What a traceback quotes may be no Unicode.
        with log.open("a", encoding="utf-8", errors="backslashreplace") as lines:
            lines.write(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S}\n")
            lines.writelines(traceback.format_exception(error))
    return log
