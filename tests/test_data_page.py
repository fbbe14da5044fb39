"""The page that accounts for the data, without a browser."""

from pathlib import Path

import pytest
from conftest import SEEDS
from hashing_embedder import HashingEmbedder
from streamlit.testing.v1 import AppTest

from cache.readers import read
from cache.store import Store
from dashboard import state
from dashboard.jobs import MapJob, current


def data_page() -> None:
    from dashboard import jobs
    from dashboard.pages.data import draw_data_page

    draw_data_page(jobs.current(), show_map=lambda: None)


def open_data(path: Path, root: Path) -> AppTest:
    MapJob(read([path]), HashingEmbedder(), Store(root)).start().wait()
    return AppTest.from_function(data_page, default_timeout=30).run()


def count(app: AppTest, what: str) -> str:
    return next(b.label for b in app.button if (b.key or "").startswith(f"count-{what}"))


def shown(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown).replace("\\", "")


def test_the_account_of_the_seeds(own_cache: Path) -> None:
    app = open_data(SEEDS, own_cache)

    assert not app.exception
    assert "**38** papers from 38 records" in shown(app)
    assert count(app, "without a link to code") == "29"
    assert count(app, "without an abstract") == "0"
    assert count(app, "with a title derived from the abstract") == "38"
    assert count(app, "in 000_5e81508af0465b3b.txt") == "19"


def test_a_count_opens_its_papers(own_cache: Path) -> None:
    app = open_data(SEEDS, own_cache)
    [button] = [b for b in app.button if (b.key or "") == "count-without a link to code"]

    button.click().run()

    assert len(app.session_state[state.SELECTION]) == 29


@pytest.mark.parametrize("name", ["<b>bold</b>.txt", "[x](javascript:alert(1)).txt", "*a*.txt"])
def test_the_name_of_a_document_is_shown_as_it_is(
    name: str, tmp_path: Path, own_cache: Path
) -> None:
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / name.replace("/", "")).write_text("We study dots.")

    app = open_data(folder, own_cache)

    assert name.replace("/", "") in shown(app)


def test_what_was_left_out_is_listed_with_the_reason(tmp_path: Path, own_cache: Path) -> None:
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "good.txt").write_text("We study dots.")
    (folder / "bad.txt").write_bytes(b"\0\1\2")

    app = open_data(folder, own_cache)

    [problems] = app.dataframe
    assert list(problems.value["where"]) == ["bad.txt"]
    assert "binary" in problems.value["what"].iloc[0] or "text" in problems.value["what"].iloc[0]
    [warning] = app.warning
    assert "bad\\.txt" in warning.value


def test_the_share_of_papers_in_no_topic_is_told(own_cache: Path) -> None:
    app = open_data(SEEDS, own_cache)

    loose = int(count(app, "in no topic"))
    assert f"({loose / 38:.0%} of the map)" in shown(app)


def test_how_far_the_map_can_be_trusted_is_told(own_cache: Path) -> None:
    app = open_data(SEEDS, own_cache)
    paper_map = current().wait()

    assert f"**{paper_map.recall:.0%}** of a paper’s 15 nearest" in shown(app)
    assert f"trustworthiness is **{paper_map.trustworthiness:.3f}**:" in shown(app)


def test_what_made_the_map_is_told(own_cache: Path) -> None:
    app = open_data(SEEDS, own_cache)

    [made] = [c.value for c in app.caption if c.value.startswith("Model")]
    assert "hashing" in made
    assert "000000000000" in made
    assert "Seed: 42" in made
    assert current().wait().key[:12] in made
