"""A map as a table in a file."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pandas as pd

from cache.build import PaperMap
from cache.errors import PaperskyError
from cache.papers import LIST_COLUMNS

COLUMNS: Final = (
    "id", "title", "title_given", "abstract", "venue", "year", "topic", "x", "y",
    "code_kind", "code_url", "source", "authors", "keywords", "url", "pdf_url", "subtopic",
)  # fmt: skip

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def to_table(paper_map: PaperMap) -> pd.DataFrame:
    """Return one row a paper, with the columns of `COLUMNS`.

    Lists are joined by "; ". A paper without place has no x, y.
    """
    topics = [paper_map.topic_name(row) for row in range(len(paper_map.corpus))]
    subtopics = [paper_map.subtopic_name(row) for row in range(len(paper_map.corpus))]
    table = paper_map.corpus.assign(
        topic=pd.array(topics, dtype="str"),
        subtopic=pd.array(subtopics, dtype="str"),
        x=paper_map.coordinates[:, 0],
        y=paper_map.coordinates[:, 1],
        **{name: paper_map.corpus[name].map("; ".join).astype("str") for name in LIST_COLUMNS},
    )
    return table[list(COLUMNS)]


def check_target(path: Path) -> None:
    """Make sure that a table can be written there, before any work.

    Raises
    ------
    PaperskyError
        If the path ends in anything but .csv or .json, or its folder is not there.
    """
    if path.suffix.lower() not in _WRITERS:
        raise PaperskyError(
            f"{path} names no kind of table that can be written.",
            f"Let it end in {' or '.join(_WRITERS)}.",
        )
    if not path.parent.is_dir():
        raise PaperskyError(
            f"{path} cannot be written: there is no folder {path.parent}.",
            "Choose another place with --to.",
        )


def write_table(paper_map: PaperMap, path: Path) -> None:
    """Write the table as CSV or JSON, by the ending of the path.

    Raises
    ------
    PaperskyError
        What `check_target` raises, or if the file cannot be written.
    """
    check_target(path)
    try:
        _WRITERS[path.suffix.lower()](to_table(paper_map), path)
    except OSError as error:
        raise PaperskyError(
            f"{path} cannot be written: {error.strerror or error}.",
            "Choose another place with --to.",
        ) from error


def _write_csv(table: pd.DataFrame, path: Path) -> None:
    texts: pd.Index[str] = table.select_dtypes("str").columns
    disarmed = table.assign(**{name: table[name].map(_disarm) for name in texts})
    # Spreadsheets take a file for UTF-8 only if it begins with a byte order mark.
    disarmed.to_csv(path, index=False, encoding="utf-8-sig", quoting=csv.QUOTE_NONNUMERIC)


def _write_json(table: pd.DataFrame, path: Path) -> None:
    table.to_json(path, orient="records", indent=1, force_ascii=False)


def _disarm(cell: str) -> str:
    """Keep a spreadsheet from running text as a formula.

    See https://owasp.org/www-community/attacks/CSV_Injection.
    """
    return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell


_WRITERS: Final[Mapping[str, Callable[[pd.DataFrame, Path], None]]] = {
    ".csv": _write_csv,
    ".json": _write_json,
}
