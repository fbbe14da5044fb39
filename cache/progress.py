"""How long work tells whoever waits for it where it stands."""

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called as ``progress(what, done, total)``: a phrase for a person, and counts of one unit.

``done`` never falls within one ``what``; the last call of a stage has ``done == total``.
"""


def silent(_what: str, _done: int, _total: int, /) -> None:
    """Report nothing."""
