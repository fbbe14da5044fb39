"""Files with a digest before their content, which is there whole or not at all."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Final

DIGEST_BYTES: Final = hashlib.sha256().digest_size


def write(path: Path, content: bytes) -> None:
    """Write a file, so that at every moment the old or the new one is there whole.

    Raises
    ------
    OSError
        If the file cannot be written; nothing is left behind.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
    temporary = Path(name)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - already open
            file.write(hashlib.sha256(content).digest())
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path) -> memoryview | None:
    """Return the content, None if it is damaged.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    stored = memoryview(path.read_bytes())
    digest, content = stored[:DIGEST_BYTES], stored[DIGEST_BYTES:]
    return content if hashlib.sha256(content).digest() == digest else None
