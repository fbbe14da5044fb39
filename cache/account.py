"""What became of the documents: an account that names the papers behind each of its numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, repeat

from cache.language import is_english
from cache.papers import embedded_texts
from cache.readers import Reading
from cache.readers.problems import Problem
from cache.tokens import TokenLimit


@dataclass(frozen=True)
class DocumentCount:
    """What one document gave.

    Attributes
    ----------
    name : str
    records : int
        How many it held, those of papers that other records tell of as well included.
    papers : tuple of str
        The ids of its papers.
    """

    name: str
    records: int
    papers: tuple[str, ...]


@dataclass(frozen=True)
class Account:
    """What was understood, repaired and left out. Papers are given by their ids, in table order.

    Attributes
    ----------
    papers : int
        How many there are.
    documents : tuple of DocumentCount
    skipped : tuple of Problem
        Records and documents that were left out, and why.
    no_papers : tuple of Problem
        Records that were left out because they describe no paper, so that nothing was lost.
    repairs : tuple of Problem
        What readers had to repair, and how.
    merged : tuple of str
        Papers that more than one record told of.
    surplus : int
        How many records were merged into others.
    repaired : tuple of str
        Papers of `repairs`, and those whose title, abstract or venue was mended.
    without_title : tuple of str
        Papers whose title was derived from their abstract.
    without_abstract : tuple of str
    truncated : tuple of str or None
        Papers with more text than the model reads; None if its tokens cannot be counted.
    not_english : tuple of str
    without_code : tuple of str
        Papers without a link to code or a project page.
    """

    papers: int
    documents: tuple[DocumentCount, ...]
    skipped: tuple[Problem, ...]
    no_papers: tuple[Problem, ...]
    repairs: tuple[Problem, ...]
    merged: tuple[str, ...]
    surplus: int
    repaired: tuple[str, ...]
    without_title: tuple[str, ...]
    without_abstract: tuple[str, ...]
    truncated: tuple[str, ...] | None
    not_english: tuple[str, ...]
    without_code: tuple[str, ...]

    @property
    def kinds(self) -> Mapping[str, tuple[str, ...] | None]:
        """The papers of which there is something to know, by what that is."""
        return {
            "with a title derived from the abstract": self.without_title,
            "without an abstract": self.without_abstract,
            "longer than what the model reads": self.truncated,
            "not in English": self.not_english,
            "without a link to code": self.without_code,
            "merged from several records": self.merged,
            "with text that was repaired": self.repaired,
        }

    @property
    def records(self) -> int:
        """How many records were read."""
        return sum(document.records for document in self.documents)


def account_for(reading: Reading, limit: TokenLimit | None) -> Account:
    """Give the account of what was read.

    Parameters
    ----------
    reading : Reading
    limit : TokenLimit or None
        Of the model that is to embed the papers; None if it is not known.
    """
    corpus = reading.corpus
    ids = corpus["id"].tolist()
    texts = embedded_texts(corpus)
    repairs = tuple(
        problem for problem in reading.problems if not (problem.skipped or problem.no_paper)
    )
    told = _are_told_of(reading, repairs)
    return Account(
        papers=len(corpus),
        documents=_documents(reading),
        skipped=reading.skipped,
        no_papers=tuple(problem for problem in reading.problems if problem.no_paper),
        repairs=repairs,
        merged=_chosen(ids, [len(rows) > 1 for rows in reading.records]),
        surplus=sum(len(rows) - 1 for rows in reading.records),
        repaired=_chosen(
            ids,
            [is_told or paper in reading.mended for is_told, paper in zip(told, ids, strict=True)],
        ),
        without_title=_chosen(ids, ~corpus["title_given"]),
        without_abstract=_chosen(ids, [not abstract for abstract in corpus["abstract"]]),
        truncated=None if limit is None else _chosen(ids, limit.exceeded_by(texts)),
        not_english=_chosen(ids, [not is_english(text) for text in texts]),
        without_code=_chosen(ids, corpus["code_kind"] == "none"),
    )


def _chosen(ids: Sequence[str], which: Iterable[bool]) -> tuple[str, ...]:
    return tuple(compress(ids, which))


def _documents(reading: Reading) -> tuple[DocumentCount, ...]:
    papers: list[list[str]] = [[] for _ in reading.documents]
    document_of = list(
        chain.from_iterable(
            repeat(number, len(document.records))
            for number, document in enumerate(reading.documents)
        )
    )
    for paper, rows in zip(reading.corpus["id"], reading.records, strict=True):
        for number in sorted({document_of[row] for row in rows}):
            papers[number].append(paper)
    return tuple(
        DocumentCount(document.name, len(document.records), tuple(its_papers))
        for document, its_papers in zip(reading.documents, papers, strict=True)
    )


def _are_told_of(reading: Reading, problems: Sequence[Problem]) -> list[bool]:
    places = {problem.source for problem in problems}
    records = chain.from_iterable(document.records for document in reading.documents)
    is_told = [record.get("source") in places for record in records]
    return [any(is_told[row] for row in rows) for rows in reading.records]
