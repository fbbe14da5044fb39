"""The installed command, served and used in a real browser."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import SEEDS
from playwright.sync_api import Browser, Page, expect, sync_playwright

from cache.readers import read

pytestmark = pytest.mark.browser

SECONDS = 180
"""How long a first start may take on a slow machine, compilation included."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def cache_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@contextmanager
def served(cache_root: Path, *paths: Path) -> Iterator[str]:
    """Serve lists, else the seeds, with the very command a user types."""
    port = free_port()
    command = Path(sys.executable).parent / "papersky"
    server = subprocess.Popen(
        [command, *paths, "--port", str(port), "--no-browser"],
        env={**os.environ, "PAPERSKY_CACHE": str(cache_root)},
        stderr=subprocess.PIPE,
    )
    address = f"http://localhost:{port}"
    try:
        wait_for(address, server)
        yield address
    finally:
        server.terminate()
        server.communicate(timeout=30)


@pytest.fixture(scope="module")
def address(cache_root: Path) -> Iterator[str]:
    with served(cache_root) as address:
        yield address


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(SECONDS * 5):
        if server.poll() is not None:
            pytest.fail(f"papersky ended: {server.communicate()[1].decode()}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health"):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail("papersky did not answer")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None and not os.environ.get("CI"):
        pytest.skip("needs Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader"],
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    page = opened(browser, address)
    yield page
    page.close()


@pytest.fixture
def page_to_change(browser: Browser, cache_root: Path) -> Iterator[Page]:
    """A page of a server of its own, since a server shows all its readers the same papers."""
    with served(cache_root) as address:
        page = opened(browser, address)
        yield page
        page.close()


def opened(browser: Browser, address: str) -> Page:
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(20_000)
    page.goto(address)
    page.wait_for_selector(".papersky-map .main-svg", timeout=SECONDS * 1000)
    return page


def dot(page: Page, paper: str) -> dict[str, float]:
    """Return where in the window a paper's dot lies."""
    place: dict[str, float] = page.evaluate(
        """paper => {
            const map = document.querySelector(".papersky-map");
            const dots = map._fullData[0], layout = map._fullLayout;
            const box = map.getBoundingClientRect();
            const i = Array.from(dots.customdata).indexOf(paper);
            return {
                x: box.left + layout._size.l + layout.xaxis.d2p(dots.x[i]),
                y: box.top + layout._size.t + layout.yaxis.d2p(dots.y[i]),
            };
        }""",
        paper,
    )
    return place


def view(page: Page) -> Any:
    return page.evaluate(
        """() => {
            const layout = document.querySelector(".papersky-map")._fullLayout;
            return [...layout.xaxis.range, ...layout.yaxis.range].map(x => +x.toFixed(4));
        }"""
    )


def settled_view(page: Page) -> Any:
    """Return the view once the wheel's zoom has come to rest."""
    before = None
    while (now := view(page)) != before:
        before = now
        page.wait_for_timeout(300)
    return now


def wait_until_drawn(page: Page) -> None:
    app = page.locator("[data-testid=stApp]")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")


def search(page: Page, query: str, papers: int) -> None:
    """Search by words, and wait until the papers found are there."""
    page.get_by_role("radio", name="Words").click()
    page.get_by_role("searchbox", name="Search").fill(query)
    expect(status(page)).to_contain_text(f"{papers} of 38 papers")
    wait_until_drawn(page)


def status(page: Page) -> Any:
    return page.locator(".st-key-status")


def upload(page: Page, path: Path) -> None:
    """Choose a file, and wait until the server has it."""
    page.locator("[data-testid=stFileUploaderDropzoneInput]").set_input_files(path)
    expect(page.locator("[data-testid=stFileUploader]")).to_contain_text(path.name)
    page.wait_for_load_state("networkidle")
    wait_until_drawn(page)


def paper_about(word: str) -> tuple[str, str]:
    """Return id and abstract of the seed that has a word."""
    corpus = read([SEEDS]).corpus
    [row] = [row for row, text in enumerate(corpus["abstract"]) if word in text]
    return corpus["id"].iat[row], corpus["abstract"].iat[row]


def test_a_click_on_a_dot_shows_the_papers_abstract(page: Page) -> None:
    paper, abstract = paper_about("ConsFormer")
    place = dot(page, paper)

    page.mouse.click(place["x"], place["y"])

    expect(page.locator(".st-key-panel")).to_contain_text(abstract[:60])
    expect(page).to_have_url(re.compile(f"paper={paper}"))


def test_places_and_titles_are_fetched_once_however_often_the_map_is_drawn(page: Page) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.reload()
    page.wait_for_selector(".papersky-map .main-svg")

    search(page, "jailbreak", papers=2)

    assert len([url for url in fetched if "/papersky/dots/" in url]) == 1


def test_a_search_is_highlighted_in_the_abstract(page: Page) -> None:
    search(page, "jailbreak", papers=2)

    page.locator(".st-key-panel button").first.click()

    mark = page.locator(".st-key-panel .stMarkdownColoredBackground").first
    expect(mark).to_have_text("jailbreak", ignore_case=True)


def test_a_click_anywhere_on_an_entry_of_the_list_opens_its_paper(page: Page) -> None:
    search(page, "jailbreak", papers=2)
    entry = page.locator("[class*=st-key-result-]").first
    box = entry.bounding_box()
    assert box is not None

    page.mouse.click(box["x"] + box["width"] - 8, box["y"] + box["height"] - 8)

    expect(page).to_have_url(re.compile("paper="))


def test_arrows_lead_from_one_match_in_the_abstract_to_the_next(page: Page) -> None:
    page.set_viewport_size({"width": 1400, "height": 480})
    search(page, "graph", papers=8)
    page.locator(".st-key-panel button").first.click()
    expect(page.locator(".st-key-near-0")).to_be_visible()
    wait_until_drawn(page)
    marks = page.locator(".st-key-abstract-read .stMarkdownColoredBackground")
    current = page.locator(".stMarkdownColoredBackground[aria-current]")
    count = marks.count()
    assert count > 1
    expect(page.locator(".papersky-stepper")).to_contain_text(f"{count} matches")

    page.get_by_role("button", name="Next match").click()
    expect(marks.first).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="Previous match").click()

    expect(page.locator(".papersky-stepper")).to_contain_text(f"match {count} of {count}")
    expect(marks.last).to_have_attribute("aria-current", "true")
    expect(marks.last).to_be_in_viewport(ratio=1)
    expect(current).to_have_count(1)
    page.get_by_role("button", name="Next match").click()
    expect(marks.first).to_be_in_viewport(ratio=1)

    page.locator(".st-key-step-Right").get_by_role("button").click()
    expect(page.locator(".papersky-stepper")).to_contain_text("match")
    expect(current).to_have_count(0)


def test_a_formula_is_drawn_as_mathematics(page: Page) -> None:
    search(page, "FlipAttack", papers=1)

    page.locator(".st-key-panel button").first.click()

    expect(page.locator(".st-key-panel .katex").first).to_be_visible()


def test_filtering_keeps_the_zoom(page: Page) -> None:
    box = page.locator(".papersky-map").bounding_box()
    assert box is not None
    home = view(page)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -400)
    page.wait_for_function(
        "x => document.querySelector('.papersky-map')._fullLayout.xaxis.range[0] != x", arg=home[0]
    )
    zoomed = settled_view(page)

    page.locator(".st-key-code button").first.click()
    expect(status(page)).to_contain_text("of 38 papers")

    assert zoomed != home
    assert view(page) == pytest.approx(zoomed, abs=0.002)


def test_a_lasso_selects_and_filtering_keeps_the_selection(page: Page) -> None:
    box = page.locator(".papersky-map").bounding_box()
    assert box is not None
    page.locator(".modebar-btn[data-val=lasso]").click()
    left, top = box["x"] + 5, box["y"] + 60
    right, bottom = box["x"] + box["width"] - 5, box["y"] + box["height"] - 5
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        page.mouse.move(x, y, steps=4)
    page.mouse.up()
    expect(status(page)).to_contain_text("within a selection of")

    page.locator(".st-key-code button").first.click()

    expect(page.locator(".st-key-code button").first).to_have_attribute("aria-pressed", "true")
    expect(status(page)).to_contain_text("within a selection of")
    wait_until_drawn(page)
    page.get_by_role("button", name="Show everything").click()
    expect(status(page)).to_have_text("38 papers")


def test_a_link_restores_search_filter_and_paper(page: Page, address: str) -> None:
    paper, abstract = paper_about("GrokFormer")

    page.goto(f"{address}/?q=graph&code=Repository&paper={paper}")

    expect(page.locator(".st-key-panel")).to_contain_text(abstract[:40])
    expect(page.get_by_role("searchbox", name="Search")).to_have_value("graph")
    expect(page.locator(".st-key-code button").first).to_have_attribute("aria-pressed", "true")


def test_only_and_all_but_are_one_click_each(page: Page) -> None:
    rows = page.locator(".st-key-code .row")
    rows.nth(0).hover()
    rows.nth(0).get_by_role("button", name="Only Repository").click()
    expect(status(page)).to_contain_text("7 of 38 papers")
    wait_until_drawn(page)

    rows.nth(0).get_by_role("button", name="All but Repository").click()
    expect(status(page)).to_contain_text("31 of 38 papers")

    expect(page).to_have_url(re.compile(r"\?but-code=Repository$"))
    wait_until_drawn(page)
    page.get_by_role("button", name="Code: all but Repository").click()
    expect(status(page)).to_have_text("38 papers")


def test_the_map_is_coloured_by_any_filter_and_the_link_restores_it(
    page: Page, browser: Browser
) -> None:
    page.get_by_role("button", name="Colour the map by Code").click()
    expect(page).to_have_url(re.compile(r"\?color=code$"))

    again = opened(browser, page.url)

    for shown in (page, again):
        button = shown.get_by_role("button", name="Colour the map by Code")
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(shown.get_by_role("group", name="Code").locator(".dot").first).to_be_visible()
        expect(shown.get_by_role("group", name="Topic").locator(".dot").first).to_be_hidden()
    again.close()


def test_values_without_papers_fold_away_once_the_pointer_has_left(page: Page) -> None:
    rows = page.locator(".st-key-code .row")
    assert rows.count() == 4
    rows.nth(0).hover()

    search(page, "GrokFormer", papers=1)
    assert rows.count() == 4
    page.mouse.move(700, 500)

    expect(rows).to_have_count(1)
    page.get_by_role("button", name="3 without papers").first.click()
    expect(rows).to_have_count(4)


def draw_lasso(page: Page, left: float, right: float, *, key: str | None = None) -> None:
    """Enclose the map's whole height between two shares of its width."""
    box = page.locator(".papersky-map").bounding_box()
    assert box is not None
    x = [box["x"] + 5 + share * (box["width"] - 10) for share in (left, right)]
    top, bottom = box["y"] + 60, box["y"] + box["height"] - 5
    if key:
        page.keyboard.down(key)
    page.mouse.move(x[0], top)
    page.mouse.down()
    for corner in ((x[1], top), (x[1], bottom), (x[0], bottom), (x[0], top)):
        page.mouse.move(*corner, steps=4)
    page.mouse.up()
    if key:
        page.keyboard.up(key)


def selected(page: Page) -> int:
    match = re.search(r"selection of (\d+)", status(page).inner_text())
    return int(match[1]) if match else 0


def test_further_lassos_join_and_take_away_and_the_link_restores_them(
    page: Page, browser: Browser
) -> None:
    page.locator(".modebar-btn[data-val=lasso]").click()
    draw_lasso(page, 0, 0.5)
    expect(status(page)).to_contain_text("within a selection of")
    wait_until_drawn(page)
    half = selected(page)

    draw_lasso(page, 0.5, 1, key="Shift")
    expect(status(page)).to_contain_text("within a selection of 38")
    wait_until_drawn(page)
    draw_lasso(page, 0.5, 1, key="Alt")
    expect(status(page)).to_contain_text(f"within a selection of {half}")
    wait_until_drawn(page)

    again = opened(browser, page.url)
    assert again.url == page.url
    expect(status(again)).to_contain_text(f"within a selection of {half}")
    again.close()


def zoom_in(page: Page) -> Any:
    box = page.locator(".papersky-map").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -400)
    expect(page).to_have_url(re.compile("view="))
    return settled_view(page)


def test_a_link_restores_the_zoom(page: Page, browser: Browser) -> None:
    zoomed = zoom_in(page)

    again = opened(browser, page.url)
    again.wait_for_timeout(500)

    assert settled_view(again) == pytest.approx(zoomed, abs=0.01)
    again.close()


def test_dots_grow_as_fewer_are_in_view(page: Page) -> None:
    size = "1 / document.querySelector('.papersky-map')._fullData[0].marker.sizeref"
    before = page.evaluate(size)

    for _ in range(2):
        page.locator(".modebar-btn[data-val=in]").click()
        settled_view(page)

    page.wait_for_function(f"before => {size} > 1.05 * before", arg=before)


def test_back_and_forward_of_the_browser_follow(page: Page) -> None:
    home = settled_view(page)
    zoomed = zoom_in(page)
    page.locator(".st-key-code button").first.click()
    expect(page).to_have_url(re.compile("code=Repository"))
    wait_until_drawn(page)

    page.go_back()
    expect(status(page)).to_have_text("38 papers")
    assert settled_view(page) == pytest.approx(zoomed, abs=0.01)
    page.go_back()
    page.wait_for_timeout(1000)
    assert settled_view(page) == pytest.approx(home, abs=0.01)
    page.go_forward()
    page.go_forward()

    expect(status(page)).to_contain_text("7 of 38 papers")


def test_the_data_page_leaves_the_map_as_it_was(page: Page) -> None:
    search(page, "jailbreak", papers=2)
    page.locator(".st-key-pages").get_by_text("Data").click()
    expect(page.locator(".st-key-data")).to_be_visible()

    page.locator(".st-key-pages").get_by_text("Map").click()

    expect(status(page)).to_contain_text("2 of 38 papers")
    expect(page).to_have_url(re.compile("q=jailbreak"))


def test_escape_leads_back_to_the_list(page: Page) -> None:
    page.locator(".st-key-panel button").first.click()
    expect(page.locator(".st-key-near-0")).to_be_visible()
    wait_until_drawn(page)

    page.keyboard.press("Escape")

    expect(page.locator(".st-key-way-back")).to_be_hidden()


def test_nothing_is_asked_of_another_machine(browser: Browser, address: str) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.goto(address)
    page.wait_for_selector(".papersky-map .main-svg", timeout=SECONDS * 1000)
    page.wait_for_timeout(1000)

    elsewhere = [url for url in asked if not url.startswith((address, "data:", "blob:"))]
    assert elsewhere == []
    page.close()


def test_names_of_topics_never_lie_over_one_another(page: Page) -> None:
    boxes = page.evaluate(
        """() => [...document.querySelectorAll(".papersky-map .annotation")]
            .filter(label => label.style.visibility !== "hidden")
            .map(label => label.getBoundingClientRect().toJSON())"""
    )

    assert len(boxes) > 1
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = a["right"] <= b["left"] or b["right"] <= a["left"]
            assert apart or a["bottom"] <= b["top"] or b["bottom"] <= a["top"]


def test_lists_can_be_dropped_and_join_the_map(page_to_change: Page, tmp_path: Path) -> None:
    page = page_to_change
    more = tmp_path / "more.bib"
    more.write_text("@article{dots, title={On Dots}, abstract={We study dots on maps.}}")
    page.locator(".st-key-pages").get_by_text("Data").click()

    upload(page, more)
    page.get_by_role("button", name="Build the map").click()

    expect(page.locator(".st-key-data")).to_contain_text("39 papers", timeout=60_000)
    page.locator("[class*='st-key-count-in-more']").get_by_role("button").click()
    expect(status(page)).to_contain_text("1 of 39 papers")
    expect(page.locator(".st-key-panel")).to_contain_text("On Dots")


def test_a_broken_upload_changes_nothing_and_says_why(page: Page, tmp_path: Path) -> None:
    broken = tmp_path / "broken.xml"
    broken.write_text("<html>not papers</html>")
    page.locator(".st-key-pages").get_by_text("Data").click()

    upload(page, broken)
    page.get_by_role("button", name="Build the map").click()

    expect(page.locator("[data-testid=stAlert]")).to_contain_text("broken.xml")
    expect(page.locator(".st-key-data")).to_contain_text("Nothing was changed")


def test_names_between_colons_are_shown_and_copied_as_they_were_written(
    browser: Browser, cache_root: Path, tmp_path: Path
) -> None:
    abstract = "We study :smile: and :heart: at 10:30:00 and 1:100:1, beside :material_home: dots."
    (tmp_path / "dots.txt").write_text(abstract)
    with served(cache_root, tmp_path / "dots.txt") as address:
        page = opened(browser, address)

        page.locator("[class*=st-key-open-]").get_by_role("button").click()

        read = page.locator(".st-key-abstract-read")
        expect(read).to_contain_text(":smile: and :heart: at 10:30:00 and 1:100:1")
        expect(read).to_contain_text(re.compile(r":\W?material_home: dots"))
        page.close()
