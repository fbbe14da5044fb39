"""What a person did on the map, as a value."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MapEvent:
    """A click on a paper, or a set of papers enclosed by a box or a lasso.

    Attributes
    ----------
    opened : str or None
        Id of the paper that was clicked.
    selected : tuple of str or None
        Ids of the papers enclosed; empty when the selection was dropped, None when untouched.
    """

    opened: str | None = None
    selected: tuple[str, ...] | None = None

    @classmethod
    def from_chart(cls, event: Mapping[str, Any], known: Collection[str]) -> "MapEvent":
        """Read the chart's event; ids that are not in `known` are left out."""
        opened, selected = event.get("opened"), event.get("selected")
        return cls(
            opened=opened if opened in known else None,
            selected=None if selected is None else tuple(i for i in selected if i in known),
        )
