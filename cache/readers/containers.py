"""Bytes as they come: within limits, and out of the gzip they may be packed in."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, Final

from cache.errors import PaperskyError
from cache.readers.problems import Problem

LARGEST_DOCUMENT: Final = 500_000_000
"""Bytes, unpacked: some 300,000 abstracts, and what a reader may hold in memory at once."""

_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1_000_000


def read_bytes(stream: BinaryIO, name: str, limit: int = LARGEST_DOCUMENT) -> bytes:
    """Return all that a stream holds.

    Raises
    ------
    PaperskyError
        If it holds more than `limit` bytes; no more than that is read.
    """
    content = bytearray()
    while chunk := stream.read(_CHUNK):
        content += chunk
        if len(content) > limit:
            raise too_large(name, limit)
    return bytes(content)


def unpack(
    content: bytes, name: str, limit: int = LARGEST_DOCUMENT
) -> tuple[bytes, tuple[Problem, ...]]:
    """Return a document out of its gzip, if it is packed in one, and what was wrong with that.

    A file that is cut off is read as far as it goes.

    Raises
    ------
    PaperskyError
        If it unpacks to more than `limit` bytes, which is found out without holding them, or to
        gzip again, or if nothing can be unpacked.
    """
    if not content.startswith(_GZIP):
        return content, ()
    size = 0
    problems: tuple[Problem, ...] = ()
    try:
        for chunk in _chunks(content):
            size += len(chunk)
            if size > limit:
                raise too_large(name, limit, packed=True)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        if not size:
            raise PaperskyError(
                f"{name} is damaged: it cannot be unpacked ({error}).", "Fetch it anew."
            ) from error
        what = "The gzip file is damaged or cut off, so it was read only as far as it goes."
        problems = (Problem(name, what, skipped=True),)
    unpacked = bytearray()
    with suppress(EOFError, zlib.error, gzip.BadGzipFile):
        for chunk in _chunks(content):
            unpacked += chunk
    if unpacked.startswith(_GZIP):
        raise PaperskyError(f"{name} is gzip within gzip.", "Unpack it once.")
    return bytes(unpacked), problems


def _chunks(packed: bytes) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
        while chunk := stream.read1(_CHUNK):
            yield chunk


def too_large(name: str, limit: int, *, packed: bool = False) -> PaperskyError:
    """Return the error that a document is larger than the limit."""
    size = f"{limit / 1e6:,.0f} MB"
    found = f"unpacks to more than {size}" if packed else f"is larger than {size}"
    return PaperskyError(
        f"{name} {found}, which is as much as Papersky reads of one file.",
        "Split it, or leave out what is no text of papers.",
    )
