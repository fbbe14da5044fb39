"""What libraries write to their logs, kept from those whom it does not concern."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quieted(*names: str, level: int = logging.ERROR) -> Iterator[None]:
    """Let the loggers of these names tell of nothing below a level."""
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(level)
    try:
        yield
    finally:
        for name, before in levels.items():
            logging.getLogger(name).setLevel(before)
