"""What a person did on the map, as values: what was clicked, what was enclosed, what is in view."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Point = tuple[int, int]
Mask = npt.NDArray[np.bool_]

_UNITS: Final = 10_000
"""Into so many steps the longer side of a map is divided, to write places on it down shortly."""
_FARTHEST: Final = 10 * _UNITS
_MOST_POINTS: Final = 300
_TOLERANCE: Final = 0.004
"""Of an outline's size: what a hand that draws does not mean."""
_NOT: Final = "not_"
_OUTLINE: Final = re.compile(rf"(?:{_NOT})?-?\d{{1,6}}\.-?\d{{1,6}}(?:_-?\d{{1,6}}\.-?\d{{1,6}})+")
_VIEW: Final = re.compile(r"(-?\d{1,6})\.(-?\d{1,6})\.(\d{1,6})")


@dataclass(frozen=True)
class Frame:
    """A grid over a map, in which places on it are whole numbers.

    Attributes
    ----------
    x, y : float
        Where its origin lies, in the map's units.
    unit : float
        The length of a step, in the map's units.
    """

    x: float
    y: float
    unit: float

    @classmethod
    def over(cls, coordinates: npt.NDArray[np.float32]) -> "Frame":
        """Lay a grid over the papers that have a place; `coordinates` has the shape (n, 2)."""
        placed = coordinates[~np.isnan(coordinates[:, 0])]
        if not len(placed):
            return cls(0.0, 0.0, 1 / _UNITS)
        low, high = placed.min(axis=0), placed.max(axis=0)
        return cls(float(low[0]), float(low[1]), float((high - low).max() or 1) / _UNITS)

    def to_grid(self, x: float, y: float) -> Point:
        """Return the step nearest to a place of the map."""
        return _clamped((x - self.x) / self.unit), _clamped((y - self.y) / self.unit)

    def to_map(self, point: Point) -> tuple[float, float]:
        """Return where a step lies on the map."""
        return self.x + point[0] * self.unit, self.y + point[1] * self.unit


@dataclass(frozen=True)
class View:
    """What is seen of a map, in steps of its frame: its middle, and how wide it is."""

    x: int
    y: int
    width: int

    @classmethod
    def from_chart(cls, event: Mapping[str, Any], frame: Frame) -> "View | None":
        """Read ``[x, y, width]`` in the map's units; None for the whole map."""
        moved = event.get("moved")
        numbers = _numbers(moved.get("view")) if isinstance(moved, Mapping) else []
        if len(numbers) != 3 or numbers[2] <= 0:
            return None
        return cls(
            *frame.to_grid(numbers[0], numbers[1]), max(1, _clamped(numbers[2] / frame.unit))
        )

    @classmethod
    def from_text(cls, text: str) -> "View | None":
        """Read what `to_text` wrote; None if it is not that."""
        match = _VIEW.fullmatch(text)
        view = cls(*map(int, match.groups())) if match else None
        possible = view and view.width > 0 and max(map(abs, view.to_tuple())) <= _FARTHEST
        return view if possible else None

    def to_text(self) -> str:
        """Write it shortly, in characters that an address need not escape."""
        return ".".join(map(str, self.to_tuple()))

    def to_tuple(self) -> tuple[int, int, int]:
        """Return x, y and width."""
        return self.x, self.y, self.width

    def to_chart(self, frame: Frame) -> list[float]:
        """Return ``[x, y, width]`` in the map's units."""
        return [*frame.to_map((self.x, self.y)), self.width * frame.unit]


@dataclass(frozen=True)
class Region:
    """A part of the map, drawn as a box or with a lasso.

    Attributes
    ----------
    outline : tuple of (int, int)
        In steps of the map's frame.
    adds : bool
        Whether its papers join the selection, or are taken out of it.
    """

    outline: tuple[Point, ...]
    adds: bool = True

    @classmethod
    def from_chart(cls, x: Sequence[float], y: Sequence[float], frame: Frame) -> "Region | None":
        """Take over what was drawn, as simple as its shape allows; None if it encloses nothing."""
        drawn = [frame.to_grid(*point) for point in zip(x, y, strict=False)]
        outline = _simplified(list(dict.fromkeys(drawn)))
        return cls(tuple(outline)) if len(outline) > 2 else None

    @classmethod
    def from_text(cls, text: str) -> "Region | None":
        """Read what `to_text` wrote; None if it is not that."""
        if len(text) > 16 * _MOST_POINTS or not _OUTLINE.fullmatch(text):
            return None
        pairs = [pair.split(".") for pair in text.removeprefix(_NOT).split("_")]
        outline = tuple((int(x), int(y)) for x, y in pairs)
        return cls(outline, not text.startswith(_NOT)) if len(outline) > 2 else None

    def to_text(self) -> str:
        """Write it shortly, in characters that an address need not escape."""
        points = "_".join(f"{x}.{y}" for x, y in self.outline)
        return points if self.adds else _NOT + points

    def encloses(self, coordinates: npt.NDArray[np.float32], frame: Frame) -> Mask:
        """Tell which of the places, shape (n, 2), lie inside: bool, shape (n,).

        A place is inside if a ray from it crosses the outline an odd number of times (Shimrat
        1962, https://doi.org/10.1145/368637.368653).
        """
        x, y = coordinates.astype(np.float64).T
        inside = np.zeros(len(coordinates), dtype=bool)
        corners = [frame.to_map(point) for point in self.outline]
        for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
            if y1 != y2:
                beside = x < x1 + (y - y1) * (x2 - x1) / (y2 - y1)
                inside ^= ((y1 > y) != (y2 > y)) & beside
        return inside


def enclosed(regions: Sequence[Region], coordinates: npt.NDArray[np.float32], frame: Frame) -> Mask:
    """Tell which papers a sequence of regions selects, each joined to or taken from the last."""
    selected = np.zeros(len(coordinates), dtype=bool)
    for region in regions:
        inside = region.encloses(coordinates, frame)
        selected = selected | inside if region.adds else selected & ~inside
    return selected


@dataclass(frozen=True)
class Selection:
    """Papers picked on the map.

    Attributes
    ----------
    papers : tuple of str
        Their ids.
    regions : tuple of Region
        Which enclose them, if they were drawn.
    """

    papers: tuple[str, ...]
    regions: tuple[Region, ...] = ()


@dataclass(frozen=True)
class MapEvent:
    """A click on a paper, or a box or a lasso that was drawn.

    Attributes
    ----------
    opened : str or None
        Id of the paper that was clicked.
    region : Region or None
        What was drawn.
    joins : bool
        Whether the region changes the selection there is, and does not replace it.
    dropped : bool
        Whether the selection was dropped.
    """

    opened: str | None = None
    region: Region | None = None
    joins: bool = False
    dropped: bool = False

    @classmethod
    def from_chart(
        cls, event: Mapping[str, Any], known: Collection[str], frame: Frame
    ) -> "MapEvent":
        """Read the chart's event; an id that is not in `known` is left out."""
        opened, drawn = event.get("opened"), event.get("drawn")
        if not isinstance(drawn, Mapping):
            return cls(opened=opened if opened in known else None)
        how = drawn.get("how")
        region = Region.from_chart(_numbers(drawn.get("x")), _numbers(drawn.get("y")), frame)
        if region is None:
            return cls(dropped=how not in ("add", "subtract"))
        return cls(
            region=Region(region.outline, adds=how != "subtract"), joins=how in ("add", "subtract")
        )


def _numbers(values: Any) -> list[float]:
    if not isinstance(values, list):
        return []
    numbers = [float(v) for v in values if isinstance(v, int | float)]
    return numbers if len(numbers) == len(values) and all(map(math.isfinite, numbers)) else []


def _clamped(steps: float) -> int:
    return round(min(max(steps, -_FARTHEST), _FARTHEST))


def _simplified(outline: list[Point]) -> list[Point]:
    """Leave out what lies almost on the line between its neighbours, coarser if much is left.

    Douglas and Peucker 1973, https://doi.org/10.3138/FM57-6770-U75U-7727
    """
    if len(outline) < 4:
        return outline
    points = np.array(outline, dtype=np.float64)
    tolerance = _TOLERANCE * float(np.ptp(points, axis=0).max())
    middle = int(np.argmax(np.hypot(*(points - points[0]).T)))
    halves = points[: middle + 1], np.vstack([points[middle:], points[:1]])
    while True:
        kept = [*_on_line(halves[0], tolerance)[:-1], *_on_line(halves[1], tolerance)[:-1]]
        if len(kept) <= _MOST_POINTS:
            return [(int(x), int(y)) for x, y in kept]
        tolerance = max(2 * tolerance, 1.0)


def _on_line(points: npt.NDArray[np.float64], tolerance: float) -> list[tuple[float, float]]:
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    stretches = [(0, len(points) - 1)]
    while stretches:
        start, stop = stretches.pop()
        if stop - start < 2:
            continue
        along = points[stop] - points[start]
        apart = points[start + 1 : stop] - points[start]
        length = float(np.hypot(*along))
        off = (
            np.abs(apart[:, 0] * along[1] - apart[:, 1] * along[0]) / length
            if length
            else (np.hypot(*apart.T))
        )
        farthest = int(np.argmax(off))
        if off[farthest] > tolerance:
            at = start + 1 + farthest
            keep[at] = True
            stretches += [(start, at), (at, stop)]
    return [(float(x), float(y)) for x, y in points[keep]]
