import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.selection import Frame, MapEvent, Region, View, enclosed

FRAME = Frame(0.0, 0.0, 0.001)
GRID = np.array([(x, y) for x in range(10) for y in range(10)], dtype=np.float32)
STEPS = st.integers(-20_000, 20_000)


def box(left: float, right: float, bottom: float, top: float, how: str = "replace") -> MapEvent:
    drawn = {"x": [left, right, right, left], "y": [bottom, bottom, top, top], "how": how}
    return MapEvent.from_chart({"drawn": drawn}, set(), FRAME)


def region(*sides: float, how: str = "replace") -> Region:
    drawn = box(*sides, how=how).region
    assert drawn is not None
    return drawn


def test_a_click_opens_a_paper_that_is_there() -> None:
    assert MapEvent.from_chart({"opened": "a"}, {"a", "b"}, FRAME) == MapEvent(opened="a")
    assert MapEvent.from_chart({"opened": "gone"}, {"a"}, FRAME) == MapEvent()


def test_a_box_selects_what_lies_in_it() -> None:
    inside = GRID[region(0.5, 3.5, 1.5, 2.5).encloses(GRID, FRAME)]

    assert inside.tolist() == [[1, 2], [2, 2], [3, 2]]


def test_a_lasso_may_be_hollow() -> None:
    horseshoe = [(0, 0), (9, 0), (9, 9), (6, 9), (6, 3), (3, 3), (3, 9), (0, 9)]
    drawn = Region.from_chart(
        [p[0] - 0.5 for p in horseshoe], [p[1] - 0.5 for p in horseshoe], FRAME
    )
    assert drawn is not None

    inside = {tuple(place) for place in GRID[drawn.encloses(GRID, FRAME)].astype(int).tolist()}

    assert (4, 1) in inside
    assert (4, 5) not in inside


def test_further_regions_join_or_take_away_in_the_order_drawn() -> None:
    first, hole, back = region(-1, 9, -1, 9), region(2, 7, 2, 7, how="subtract"), region(3, 4, 3, 4)

    def among(*regions: Region) -> int:
        return int(enclosed(regions, GRID, FRAME).sum())

    assert among(first) == 81
    assert among(first, hole) < 81
    assert among(first, hole, back) > among(first, hole) == among(back, first, hole)


@pytest.mark.parametrize(
    ("how", "joins", "adds"),
    [
        ("replace", False, True),
        ("add", True, True),
        ("subtract", True, False),
    ],
)
def test_keys_decide_what_a_region_does(how: str, joins: bool, adds: bool) -> None:
    event = box(0, 1, 0, 1, how=how)

    assert event.region is not None
    assert (event.joins, event.region.adds) == (joins, adds)


def test_a_region_without_area_drops_the_selection_unless_it_was_to_join() -> None:
    assert box(1, 1, 1, 1) == MapEvent(dropped=True)
    assert box(1, 1, 1, 1, how="add") == MapEvent()
    assert MapEvent.from_chart({"drawn": {"how": "replace"}}, set(), FRAME).dropped


@pytest.mark.parametrize("drawn", [None, {}, {"x": ["a"], "y": [1]}, {"x": [float("nan")] * 3}, 7])
def test_what_is_no_outline_encloses_nothing(drawn: object) -> None:
    assert MapEvent.from_chart({"drawn": drawn}, set(), FRAME).region is None


def test_a_shaky_hand_draws_a_short_outline() -> None:
    angle = np.linspace(0, 2 * np.pi, 1000)
    shake = 1 + 0.001 * np.sin(97 * angle)
    drawn = Region.from_chart(
        (5 * shake * np.cos(angle)).tolist(), (5 * shake * np.sin(angle)).tolist(), FRAME
    )

    assert drawn is not None
    assert len(drawn.outline) < 60
    radii = np.hypot(*np.array(drawn.outline).T)
    assert 4_950 < radii.min() <= radii.max() < 5_050


@given(st.lists(st.tuples(STEPS, STEPS), min_size=3, max_size=20), st.booleans())
def test_a_region_is_read_as_it_was_written(outline: list[tuple[int, int]], adds: bool) -> None:
    drawn = Region(tuple(outline), adds)

    assert Region.from_text(drawn.to_text()) == drawn


@given(STEPS, STEPS, st.integers(1, 20_000))
def test_a_view_is_read_as_it_was_written(x: int, y: int, width: int) -> None:
    assert View.from_text(View(x, y, width).to_text()) == View(x, y, width)


@given(st.text() | st.from_regex(r"[-_.0-9not]*", fullmatch=True))
def test_any_text_is_a_region_and_a_view_or_none(text: str) -> None:
    drawn, view = Region.from_text(text), View.from_text(text)

    assert drawn is None or len(drawn.outline) > 2
    assert view is None or view.width > 0


def test_a_frame_leads_to_the_map_and_back() -> None:
    frame = Frame.over(np.array([[1, 2], [5, 4], [np.nan, np.nan]], dtype=np.float32))

    assert frame.to_grid(5, 4) == (10_000, 5_000)
    assert frame.to_map((10_000, 5_000)) == pytest.approx((5, 4))


def test_a_map_without_papers_has_a_frame() -> None:
    assert Frame.over(np.full((2, 2), np.nan, dtype=np.float32)).unit > 0


def test_the_chart_tells_what_is_seen() -> None:
    assert View.from_chart({"moved": {"view": [1, 2, 3]}}, FRAME) == View(1000, 2000, 3000)
    assert View.from_chart({"moved": {"view": None}}, FRAME) is None
    assert View.from_chart({}, FRAME) is None
