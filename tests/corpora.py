"""Corpora for tests."""

from collections.abc import Iterable

import pandas as pd

from cache.papers import Record, assemble


def corpus_from_records(records: Iterable[Record]) -> pd.DataFrame:
    """Make the corpus table, as `assemble` does, and return nothing else."""
    return assemble(records).corpus
