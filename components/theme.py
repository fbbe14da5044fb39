"""The colours of a map, by day and by night."""

from dataclasses import dataclass
from typing import Final

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
    """The colours of a map (CSS colours).

    Attributes
    ----------
    palette : tuple of str
        For what has no order; as many in every theme.
    scale : tuple of (float, float)
        Where Viridis begins and ends, in [0, 1], for what goes from low to high.
    unclustered, dimmed, text, card, ring : str
        Of dots without a value, dots filtered out, names, the cards that hovering shows, and rings.
    terms : tuple of str
        As strong as a ring needs; in the order of `components.markup.TERM_COLORS`.
    """

    palette: tuple[str, ...]
    scale: tuple[float, float]
    unclustered: str
    dimmed: str
    text: str
    card: str
    ring: str
    terms: tuple[str, ...]


LIGHT: Final = Theme(
    LIGHT_PALETTE, (0.85, 0.0),
    "#8A8F9C", "rgba(120,128,145,0.22)", "#1B2133", "#FFFFFF", "#111827",
    ("#E07B00", "#1769E0", "#15803D", "#7C3AED", "#D32F2F"),
)  # fmt: skip
DARK: Final = Theme(
    DARK_PALETTE, (0.3, 1.0),
    "#7C8598", "rgba(148,160,185,0.20)", "#E8ECF6", "#141B31", "#FFFFFF",
    ("#FFA928", "#58A6FF", "#4FD67F", "#BC8CFF", "#FF7B72"),
)  # fmt: skip
