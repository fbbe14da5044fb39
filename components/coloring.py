"""What the colours of the dots mean."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from plotly.colors import sample_colorscale

from cache.build import PaperMap
from components.facets import NOTHING, SUBTOPIC, TOPIC, Facet
from components.theme import LIGHT, Theme

_NONE: Final = -1


@dataclass(frozen=True, eq=False)
class Coloring:
    """The dots in the colours of a facet's values.

    Attributes
    ----------
    facet : str
        Its name.
    colors : tuple of str
        CSS colours, the first of papers that have none of the values.
    numbers : uint8 array, shape (n,)
        Which of `colors` each paper has.
    of_values : tuple of str
        The colour of each of the facet's values.
    """

    facet: str
    colors: tuple[str, ...]
    numbers: npt.NDArray[np.uint8]
    of_values: tuple[str, ...]

    def of(self, row: int) -> str:
        """Return the colour of a paper."""
        return self.colors[int(self.numbers[row])]


def can_color(facet: Facet) -> bool:
    """Tell whether dots can be coloured by a facet: finer topics are too many to tell apart."""
    return facet.name != SUBTOPIC


def color_by(facet: Facet, paper_map: PaperMap, theme: Theme) -> Coloring:
    """Colour the papers of a map by one of its facets.

    Numbers and dates go through a scale; of other values those have a colour for which there is
    one, the first ones of the facet. Of several values of a paper the first counts.
    """
    if facet.kind in ("numbers", "dates"):
        palette = tuple(_scale(len(facet.values), theme))
        wanted = list(range(len(palette)))
    else:
        palette = theme.palette
        wanted = _numbers(facet, paper_map)
    colors = (theme.unclustered, *palette)
    numbers = np.zeros(len(paper_map.corpus), dtype=np.uint8)
    of_values = np.array(wanted, dtype=np.intp) + 1
    numbers[facet.rows[::-1]] = of_values[facet.codes[::-1]]
    return Coloring(facet.name, colors, numbers, tuple(colors[number + 1] for number in wanted))


def _scale(count: int, theme: Theme) -> list[str]:
    places = np.linspace(*theme.scale, count)
    return list(sample_colorscale("Viridis", places.tolist()))


def _numbers(facet: Facet, paper_map: PaperMap) -> list[int]:
    if facet.name == TOPIC:
        topics = _topic_numbers(paper_map)
        return [*topics, *[_NONE] * (len(facet.values) - len(topics))]
    named = [value for value in facet.values if value not in NOTHING]
    number = dict(zip(named, range(len(LIGHT.palette)), strict=False))
    return [number.get(value, _NONE) for value in facet.values]


def topic_color(paper_map: PaperMap, topic: int, theme: Theme) -> str:
    """Return the colour of a topic; -1 is none."""
    return theme.palette[_topic_numbers(paper_map)[topic]] if topic >= 0 else theme.unclustered


@lru_cache(maxsize=2)
def _topic_numbers(paper_map: PaperMap) -> list[int]:
    """Give each topic a colour: where there are too few, the one that is farthest away."""
    members = [paper_map.topics == topic for topic in range(len(paper_map.topic_names))]
    centres = np.array([np.median(paper_map.coordinates[member], axis=0) for member in members])
    numbers: list[int] = []
    for topic in range(len(centres)):
        apart = np.hypot(*(centres[:topic] - centres[topic]).T)
        nearest = np.full(len(LIGHT.palette), np.inf)
        np.minimum.at(nearest, numbers, apart)
        numbers.append(int(nearest.argmax()))
    return numbers
