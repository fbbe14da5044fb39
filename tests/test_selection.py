from components.selection import MapEvent


def test_a_click_opens_a_paper() -> None:
    assert MapEvent.from_chart({"opened": "a"}, {"a", "b"}) == MapEvent(opened="a")


def test_a_lasso_selects_papers() -> None:
    event = MapEvent.from_chart({"selected": ["a", "b"]}, {"a", "b", "c"})

    assert event == MapEvent(selected=("a", "b"))


def test_an_empty_lasso_drops_the_selection() -> None:
    assert MapEvent.from_chart({"opened": None, "selected": []}, {"a"}).selected == ()


def test_papers_that_are_not_there_are_left_out() -> None:
    event = MapEvent.from_chart({"opened": "gone", "selected": ["a", "gone"]}, {"a"})

    assert event == MapEvent(opened=None, selected=("a",))
