"""Tables: one paper a row, under columns whose names we know."""

from collections.abc import Iterator

from cache.papers import Record
from cache.readers.delimited import is_delimited, read_delimited
from cache.readers.parquet import is_parquet, read_parquet
from cache.readers.problems import Problem
from cache.readers.workbooks import is_workbook, read_workbook


def is_tables(content: str | bytes) -> bool:
    """Tell a delimited table (text), an Excel workbook or Parquet (bytes) by its beginning."""
    if isinstance(content, str):
        return is_delimited(content)
    return is_parquet(content) or is_workbook(content)


def read_tables(content: str | bytes, name: str) -> Iterator[Record | Problem]:
    """Yield one record a row, and a problem for each row that is none or had to be repaired.

    Parameters
    ----------
    content : str or bytes
        The text of a delimited table, or the bytes of a workbook or of Parquet.
    name : str
        What the document is called in each record's ``source``, as ``name:row``.

    Raises
    ------
    PaperskyError
        If the content cannot be opened, or has no column of titles or abstracts.
    """
    if isinstance(content, str):
        return read_delimited(content, name)
    return read_parquet(content, name) if is_parquet(content) else read_workbook(content, name)
