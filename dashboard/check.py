"""What `papersky check` prints of an account."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from cache.account import Account
from cache.readers.problems import Problem

_SHOWN_SOURCES: Final = 3
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def describe(account: Account, sources: Mapping[str, str]) -> Iterator[str]:
    """Yield the account, line by line; what files hold cannot steer the terminal.

    Parameters
    ----------
    account : Account
    sources : mapping of str to str
        Where each paper stands, by its id.
    """
    for line in _lines(account, sources):
        yield _UNPRINTABLE.sub(" ", line)


def _lines(account: Account, sources: Mapping[str, str]) -> Iterator[str]:
    yield (
        f"{_count(account.papers, 'paper')} in {_count(account.records, 'record')} "
        f"of {_count(len(account.documents), 'document')}"
    )
    for document in account.documents:
        yield f"  {document.records:>7,}  {document.name}"
    yield "Of these papers"
    for what, papers in account.kinds.items():
        if papers is None:
            yield f"  unknown  {what}"
        else:
            yield f"  {len(papers):>7,}  {what}{_some([sources[paper] for paper in papers])}"
    yield from _problems("Repaired", account.repairs)
    yield from _problems("No papers", account.no_papers)
    yield from _problems("Left out", account.skipped)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _some(sources: Sequence[str]) -> str:
    if not sources:
        return ""
    more = "; …" if len(sources) > _SHOWN_SOURCES else ""
    return f": {'; '.join(sources[:_SHOWN_SOURCES])}{more}"


def _problems(heading: str, problems: Sequence[Problem]) -> Iterator[str]:
    if problems:
        yield f"{heading} ({len(problems):,})"
    for problem in problems:
        yield f"  {problem.source}: {problem.what}"
