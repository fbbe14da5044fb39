"""The one error a reader of papers is ever shown, and what it says of others."""


class PaperskyError(Exception):
    """Something the user can mend: says what is wrong, and the way out.

    Parameters
    ----------
    message : str
        One sentence: what was found, and where.
    hint : str
        What to do about it. May be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


def first_line(error: BaseException) -> str:
    """Return what an error of a library says, as part of a sentence."""
    said = str(error).strip() or type(error).__name__
    return said.splitlines()[0].rstrip(".")
