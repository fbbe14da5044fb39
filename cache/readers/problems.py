"""What went wrong with one record, told so that its author can find and mend it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A record that had to be repaired, or was left out.

    Attributes
    ----------
    source : str
        The file, and the line or record in it: ``"refs.bib:412, entry smith2020"``.
    what : str
        One sentence: what is wrong, and what was done about it.
    skipped : bool
        Whether the record is left out, and a paper may be lost with it.
    no_paper : bool
        Whether it is left out because it describes no paper, so that nothing is lost. If neither,
        it was repaired and the paper is there.
    """

    source: str
    what: str
    skipped: bool
    no_paper: bool = False
