"""The page as Streamlit runs it, without a browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SEEDS
from hashing_embedder import HashingEmbedder
from streamlit.testing.v1 import AppTest

from cache.readers import read
from cache.store import Store
from dashboard import state
from dashboard.jobs import MapJob

APP = Path(__file__).parents[1] / "dashboard" / "app.py"


def open_app(*paths: Path, root: Path) -> AppTest:
    job = MapJob(read(paths), HashingEmbedder(), Store(root)).start()
    job.wait()
    return AppTest.from_file(str(APP), default_timeout=30).run()


@pytest.fixture
def seeds_app(own_cache: Path) -> AppTest:
    return open_app(SEEDS, root=own_cache)


def status(app: AppTest) -> str:
    return next(m.value for m in app.markdown if "papers" in m.value)


def titles(app: AppTest) -> list[str]:
    return [b.label for b in app.button if (b.key or "").startswith("open-")]


def chart_data(app: AppTest) -> dict[str, Any]:
    """Return what was sent to the map in the browser."""
    chart = app.get("bidi_component")[0]
    return dict(json.loads(chart.proto.json))


def test_the_seeds_open_as_a_map_with_a_list_beside_it(seeds_app: AppTest) -> None:
    assert not seeds_app.exception
    assert status(seeds_app) == "**38** papers"
    assert len(titles(seeds_app)) == 12


def test_a_search_narrows_the_list_and_says_how_far(seeds_app: AppTest) -> None:
    seeds_app.text_input(state.QUERY).set_value("ConsFormer").run()

    assert status(seeds_app) == "**1** of 38 papers"
    assert "ConsFormer" in titles(seeds_app)[0]
    assert ":orange-background[ConsFormer]" in titles(seeds_app)[0]
