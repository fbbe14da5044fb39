"""The one error a reader of papers is ever shown."""


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
