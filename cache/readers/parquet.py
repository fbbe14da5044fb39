"""Parquet, as pandas, DuckDB and Hugging Face's data sets write it."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from cache.errors import PaperskyError
from cache.papers import Record
from cache.readers.columns import (
    check_length,
    check_unpacked,
    check_width,
    column_names,
    read_fields,
    without_papers,
)
from cache.readers.fields import names_a_paper
from cache.readers.problems import Problem

if TYPE_CHECKING:
    from pyarrow import DataType
    from pyarrow.parquet import FileMetaData, ParquetFile

MAGIC: Final = b"PAR1"
_ROWS_AT_ONCE: Final = 512


def is_parquet(content: bytes) -> bool:
    """Tell Parquet by its first four bytes."""
    return content.startswith(MAGIC)


def read_parquet(content: bytes, name: str) -> Iterator[Record | Problem]:
    """Yield one record a row.

    Parameters
    ----------
    content : bytes
    name : str
        What the file is called in each record's ``source``, as ``name#record``.

    Notes
    -----
    Columns of vectors (lists of floats) are not read: no reader of papers filters by them.

    Raises
    ------
    PaperskyError
        If it cannot be opened, is too large, or has no column of titles or abstracts.
    """
    table = _open(content, name)
    check_size(table.metadata, name)
    names = [column.name for column in table.schema_arrow if not _is_vector(column.type)]
    if not names_a_paper(names):
        raise without_papers(column_names(names), name)
    number = 0
    try:
        for batch in table.iter_batches(_ROWS_AT_ONCE, columns=names, use_threads=False):
            for row in batch.to_pylist():
                number += 1
                fields = {column: _decoded(value) for column, value in row.items()}
                yield from read_fields(fields, f"{name}#{number}")
    except Exception as error:  # damage can come to light in any part of pyarrow
        if not number:
            raise _damaged(name) from error
        what = "The file is damaged, and what follows this record was left out."
        yield Problem(f"{name}#{number}", what, skipped=True)


def check_size(metadata: "FileMetaData", name: str) -> None:
    """Refuse what is too wide, too long or too large, before any of it is read.

    Raises
    ------
    PaperskyError
    """
    check_width(metadata.num_columns, name)
    check_length(metadata.num_rows, name)
    groups = range(metadata.num_row_groups)
    check_unpacked(sum(metadata.row_group(group).total_byte_size for group in groups), name)


def _open(content: bytes, name: str) -> "ParquetFile":
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 — takes 0.1 s

    try:
        return ParquetFile(io.BytesIO(content), page_checksum_verification=True)
    except Exception as error:  # damage can come to light in any part of pyarrow
        raise _damaged(name) from error


def _is_vector(kind: "DataType") -> bool:
    from pyarrow import types  # noqa: PLC0415 — takes 0.1 s

    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(is_list and types.is_floating(kind.value_type))


def _decoded(value: Any) -> Any:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _damaged(name: str) -> PaperskyError:
    return PaperskyError(
        f"{name} cannot be opened as Parquet: it is cut or damaged.", "Write or fetch it again."
    )
