"""Where the details of a bug are written, which no user is shown."""

import traceback
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from cache.store import default_root


def record(error: Exception) -> Path:
    """Append an error's traceback to the log in the cache folder, and return where that is."""
    log = default_root() / "papersky.log"
    with suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a", encoding="utf-8") as lines:
            lines.write(f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S}\n")
            lines.writelines(traceback.format_exception(error))
    return log
