"""What to tell a person when the cache folder cannot be used."""

import errno
from pathlib import Path

from cache.errors import PaperskyError


def out_of_reach(path: Path, error: OSError) -> PaperskyError:
    """Say why the system refused to make, read or write `path`."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return disk_full(path)
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return unusable(path, "what should be its folder is a file")
    return unusable(path, error.strerror or str(error))


def disk_full(path: Path) -> PaperskyError:
    """Say that there is no room for `path`."""
    return PaperskyError(
        f"The disk is full: {path} cannot be written. What was kept before is sound.",
        "Free some space (`papersky cache` shows what can go), or choose a folder on another disk "
        "with --cache-dir or PAPERSKY_CACHE.",
    )


def busy(path: Path, seconds: float) -> PaperskyError:
    """Say that another process did not let go of `path` for so long."""
    return PaperskyError(
        f"Another process has kept {path} to itself for {seconds:.0f} seconds.",
        "Wait for it to end, or choose another folder with --cache-dir or PAPERSKY_CACHE.",
    )


def unusable(path: Path, reason: str) -> PaperskyError:
    """Say that `path` cannot be used."""
    return PaperskyError(
        f"The cache cannot use {path}: {reason}.",
        "Choose a folder that you may write to, with --cache-dir or PAPERSKY_CACHE.",
    )
