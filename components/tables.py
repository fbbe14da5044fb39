"""Full-text tables of SQLite's FTS5, and what a term of a query asks of them."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from components.query import PUBLISHED, Near, Words

STEMMED: Final = "stemmed"
EXACT: Final = "exact"
TOKENIZERS: Final = {STEMMED: "porter ascii tokenchars '+#'", EXACT: "ascii tokenchars '+#'"}
"""The two tables of an index. `components.words.fold` has parted the words by spaces, so that
SQLite's own idea of a letter (which depends on its version) plays no part. Prefixes need the words
as they are written: Porter's stems do not begin with every beginning of a word."""

_PUBLISHED: Final = f"{{{' '.join(PUBLISHED)}}}"

_SEGMENTS: Final = 500
"""How many sorted parts a table may consist of. FTS5 would merge them at every 16, for which tables
that are filled once take nearly twice as long to fill; 114 parts are searched as fast as 10.
https://www.sqlite.org/fts5.html#the_automerge_configuration_option"""


def open_tables(columns: Sequence[str], *, stored: bool) -> sqlite3.Connection:
    """Make empty full-text tables in memory, one for each of `TOKENIZERS`.

    Parameters
    ----------
    columns : sequence of str
        Of both tables.
    stored : bool
        Whether to keep the texts beside their index, as FTS5's ``highlight`` needs.
    """
    database = sqlite3.connect(":memory:", check_same_thread=False)
    content = "" if stored else ", content=''"
    for table, tokenizer in TOKENIZERS.items():
        database.execute(
            f"CREATE VIRTUAL TABLE {table} USING fts5"
            f'({", ".join(columns)}, tokenize="{tokenizer}"{content})'
        )
        for option, value in (("automerge", 0), ("crisismerge", _SEGMENTS)):
            database.execute(f"INSERT INTO {table} ({table}, rank) VALUES (?, ?)", (option, value))
    database.commit()
    return database


def fill_tables(
    database: sqlite3.Connection,
    columns: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    first: int = 0,
) -> None:
    """Insert rows of folded texts, one for each column, numbered from `first`, into both tables.

    It is for the caller to commit them or to roll them back.
    """
    names, places = ", ".join(columns), ", ".join("?" for _ in columns)
    for table in TOKENIZERS:
        database.executemany(
            f"INSERT INTO {table} (rowid, {names}) VALUES (?, {places})",
            ((number, *row) for number, row in enumerate(rows, first)),
        )


def table_of(term: Words | Near) -> str:
    """Return the one of `TOKENIZERS` in which a term is to be sought."""
    parts = term.parts if isinstance(term, Near) else (term,)
    return EXACT if any(part.exact for part in parts) else STEMMED


def match_expression(term: Words | Near, *, in_field: bool = True) -> str:
    """Write a term as FTS5 wants it, restricted to its field or, if told so, to none.

    Folded words hold no quote, so that quoting them is enough.
    https://www.sqlite.org/fts5.html#full_text_query_syntax
    """
    if isinstance(term, Near):
        expression = f"NEAR({' '.join(map(_quoted, term.parts))}, {term.distance})"
    else:
        expression = _quoted(term)
    return f"{term.field or _PUBLISHED} : {expression}" if in_field else expression


def _quoted(words: Words) -> str:
    return f'"{words.words}"' + " *" * words.prefix
