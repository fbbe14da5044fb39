"""What the reading panel says of a paper's place on the map."""

import pytest

from components.detail import told_near


@pytest.mark.parametrize(
    ("kept", "says"),
    [(15, "all of its 15"), (0, "none of its 15"), (3, "3 of its 15"), (9, "9 of its 15")],
)
def test_it_says_how_many_of_the_nearest_papers_are_near(kept: int, says: str) -> None:
    assert says in told_near(kept, 15)


def test_it_warns_of_a_place_that_misleads() -> None:
    assert "trust the list" in told_near(0, 15)
    assert "trust the list" in told_near(3, 15)
    assert "trust the list" not in told_near(9, 15)
