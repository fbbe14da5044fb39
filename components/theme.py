"""The colours of a map, by day and by night."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from cache.build import PaperMap

# Colour-blind-safe schemes "muted" (on white) and "light" (on a dark sky) by Paul Tol, in an
# order that puts unlike colours side by side: https://personal.sron.nl/~pault/
LIGHT_PALETTE: Final = (
    "#332288", "#CC6677", "#44AA99", "#DDAA33", "#88CCEE", "#882255", "#117733", "#AA4499",
)  # fmt: skip
DARK_PALETTE: Final = (
    "#77AADD", "#EE8866", "#44BB99", "#EEDD88", "#FFAABB", "#BBCC33", "#99DDFF", "#DDA0DD",
)  # fmt: skip


@dataclass(frozen=True)
class Theme:
    """The colours of a map (CSS colours)."""

    palette: tuple[str, ...]
    unclustered: str
    dimmed: str
    text: str
    card: str
    ring: str
    terms: tuple[str, ...]


# The colours of terms follow `components.markup.TERM_COLORS`.
LIGHT: Final = Theme(
    LIGHT_PALETTE, "#8A8F9C", "rgba(120,128,145,0.22)", "#1B2133", "#FFFFFF", "#111827",
    ("#E07B00", "#1769E0", "#15803D", "#7C3AED", "#D32F2F"),
)  # fmt: skip
DARK: Final = Theme(
    DARK_PALETTE, "#7C8598", "rgba(148,160,185,0.20)", "#E8ECF6", "#141B31", "#FFFFFF",
    ("#FFA928", "#58A6FF", "#4FD67F", "#BC8CFF", "#FF7B72"),
)  # fmt: skip


def topic_color(paper_map: PaperMap, topic: int, theme: Theme) -> str:
    """Return the colour of a topic; -1 is none."""
    number = color_number(paper_map, topic)
    return theme.palette[number] if number >= 0 else theme.unclustered


def color_number(paper_map: PaperMap, topic: int) -> int:
    """Return which colour of a palette a topic has; -1 for no topic."""
    return _color_numbers(paper_map)[topic] if topic >= 0 else -1


@lru_cache(maxsize=2)
def _color_numbers(paper_map: PaperMap) -> list[int]:
    """Give each topic a colour: where there are too few, the one that is farthest away."""
    members = [paper_map.topics == topic for topic in range(len(paper_map.topic_names))]
    centres = np.array([np.median(paper_map.coordinates[member], axis=0) for member in members])
    numbers: list[int] = []
    for topic in range(len(centres)):
        apart = np.hypot(*(centres[:topic] - centres[topic]).T)
        nearest = np.full(len(LIGHT_PALETTE), np.inf)
        np.minimum.at(nearest, numbers, apart)
        numbers.append(int(nearest.argmax()))
    return numbers
