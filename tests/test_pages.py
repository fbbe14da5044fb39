"""The page as Streamlit runs it, without a browser."""

import json
import subprocess
import sys
import threading
import time
from base64 import b64decode
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SEEDS
from hashing_embedder import HashingEmbedder
from streamlit.testing.v1 import AppTest

from cache.errors import PaperskyError
from cache.readers import read
from cache.store import Store
from components.selection import View
from dashboard import state
from dashboard.jobs import MapJob, current

APP = Path(__file__).parents[1] / "dashboard" / "app.py"


def open_app(
    path: Path, root: Path, embedder: HashingEmbedder | None = None, **address: str
) -> AppTest:
    MapJob(read([path]), embedder or HashingEmbedder(), Store(root)).start().wait()
    app = AppTest.from_file(str(APP), default_timeout=30)
    for key, value in address.items():
        app.query_params[key] = value
    return app.run()


@pytest.fixture
def app(own_cache: Path) -> AppTest:
    return open_app(SEEDS, own_cache, by="words")


def search(app: AppTest, query: str) -> AppTest:
    return app.text_input(state.QUERY).set_value(query).run()


def status(app: AppTest) -> str:
    return next(m.value for m in app.markdown if m.value.startswith("**"))


def titles(app: AppTest) -> list[str]:
    return [b.label for b in app.button if (b.key or "").startswith("open-")]


def shown(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.markdown, *app.caption, *app.info])


def sent(app: AppTest) -> list[dict[str, Any]]:
    """Return what was sent to the components of our own in the browser."""
    return [json.loads(component.proto.json) for component in app.get("bidi_component")]


def ids_on_the_map() -> list[str]:
    """Return the ids that the browser fetches once of the map, in the order of its dots."""
    return list(json.loads(current().sky.dots.content)["data"][0]["customdata"])


def offered(app: AppTest, label: str) -> dict[str, int]:
    """Return the values of a facet with what each would leave."""
    [facet] = [data for data in sent(app) if data.get("label") == label]
    return {value["value"]: value["count"] for value in facet["values"]}


def choose(app: AppTest, facet: str, *values: str) -> AppTest:
    app.session_state[facet] = list(values)
    return app.run()


def chips(app: AppTest) -> list[str]:
    return [b.label for b in app.button if (b.key or "").startswith("chip-")]


def test_the_seeds_open_as_a_map_with_a_list_beside_it(app: AppTest) -> None:
    assert not app.exception
    assert status(app) == "**38** papers"
    assert len(titles(app)) == 12
    assert len(ids_on_the_map()) == 38


def test_only_the_dots_of_the_map_shown_are_handed_out(app: AppTest) -> None:
    dots = current().sky.dots

    assert current().dots(dots.digest) == dots.content
    assert current().dots("another") is None


def test_a_search_narrows_the_list_and_highlights_what_it_found(app: AppTest) -> None:
    search(app, "ConsFormer")

    assert status(app) == "**1** of 38 papers"
    assert ":orange-background[ConsFormer]" in shown(app) + titles(app)[0]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("lovelace", "Authors: Ada :orange-background[Lovelace]"),
        ("notation", r"Keywords: programs\, \*:orange-background[notation]\*"),
        ("venue:notices", ":orange-background[Notices]"),
    ],
)
def test_what_is_found_beside_title_and_abstract_is_shown_too(
    own_cache: Path, tmp_path: Path, query: str, told: str
) -> None:
    table = tmp_path / "papers.csv"
    table.write_text(
        "title,abstract,authors,keywords,venue\n"
        "On the engine,We explain engines.,Ada Lovelace,programs; *notation*,Notices\n"
        "On the loom,We explain looms.,Joseph Marie,weaving,Letters\n"
    )
    app = open_app(table, own_cache, by="words")

    search(app, query)
    assert told in shown(app)

    app.button(next(b.key for b in app.button if (b.key or "").startswith("open-"))).click().run()
    assert told.rsplit(": ", maxsplit=1)[-1] in shown(app)


def counted(app: AppTest) -> list[str]:
    """Return the terms of the query as they are counted beneath the search box."""
    return [line for m in app.sidebar.markdown for line in m.value.split(" · ") if "-back" in line]


def test_each_term_is_counted_in_its_colour_over_all_papers(app: AppTest) -> None:
    alone = [status(search(app, term)).split("**")[1] for term in ("graph", "jailbreak")]

    search(app, "graph jailbreak -image year:1990")

    assert counted(app) == [
        f":orange-background[graph] {alone[0]}",
        f":blue-background[jailbreak] {alone[1]}",
    ]


def test_terms_are_counted_when_they_are_sought_by_meaning_too(own_cache: Path) -> None:
    words, both, meaning = (
        counted(open_app(SEEDS, own_cache, by=by, q="graph networks /jail\\w+/ -image"))
        for by in ("words", "both", "meaning")
    )

    assert len(words) == 3
    assert words == both == meaning


def test_many_terms_are_not_all_counted_and_pasted_prose_is_not_at_all(app: AppTest) -> None:
    search(app, " OR ".join(f"graph{number}" for number in range(12)))
    assert len(counted(app)) == 8

    search(app, read([SEEDS]).corpus["abstract"].iat[5])
    assert counted(app) == []


def test_a_term_is_shown_as_it_was_typed(app: AppTest) -> None:
    search(app, '"](javascript:1) :red[x] <b>" OR ' + "long" * 20)

    assert counted(app) == [
        ':orange-background[\\"\\]\\(javascript\\:1\\) \\:red\\[x…] 0',
        f":blue-background[{('long' * 20)[:23]}…] 0",
    ]


def test_an_abstract_with_matches_can_be_stepped_through(app: AppTest) -> None:
    search(app, "graph")
    app.button(titles_key(app)).click().run()

    [step] = [data for data in sent(app) if "marks" in data]
    [abstract] = [m.value for m in app.main.markdown if len(m.value) > 400]
    assert step["marks"] == abstract.count("-background[") > 0

    search(app, "")
    assert not any("marks" in data for data in sent(app))


def test_papers_that_are_not_found_stay_on_the_map(app: AppTest) -> None:
    search(app, "ConsFormer")

    [figure] = [json.loads(data["figure"]) for data in sent(app) if "figure" in data]
    colors = figure["data"][0]["marker"]["color"]
    assert np.count_nonzero(np.frombuffer(b64decode(colors["bdata"]), colors["dtype"])) == 1
    assert len(b64decode(colors["bdata"])) == 38


def test_a_wrong_query_is_explained_and_hides_nothing(app: AppTest) -> None:
    search(app, "year:soon")

    assert "soon" in app.warning[0].value
    assert status(app) == "**38** papers"


def test_a_sentence_that_no_paper_has_finds_those_with_some_of_its_words(app: AppTest) -> None:
    search(app, "jailbreak attacks on zebras")

    assert any("FlipAttack" in title for title in titles(app))
    assert "some of them" in shown(app)


def test_a_filter_counts_what_each_choice_would_leave(app: AppTest) -> None:
    assert offered(app, "Code") == {
        "Repository": 7,
        "Anonymous repository": 1,
        "Project page": 1,
        "None found": 29,
    }


def test_counts_follow_the_search(app: AppTest) -> None:
    search(app, "GrokFormer")

    assert offered(app, "Code")["Repository"] == 1
    assert offered(app, "Venue") == {"ICML 2025": 1}


def test_filters_join_by_and_across_and_by_or_within(app: AppTest) -> None:
    choose(app, "code", "Repository", "Project page")
    assert status(app) == "**8** of 38 papers"

    search(app, "transformer")

    assert 0 < int(status(app).split("**")[1]) < 8


def test_show_everything_leads_back(app: AppTest) -> None:
    search(app, "graph")
    choose(app, "code", "Repository")

    app.button("everything").click().run()

    assert status(app) == "**38** papers"
    assert app.text_input(state.QUERY).value == ""
    assert app.session_state["code"] == []


def test_what_is_chosen_is_dropped_one_by_one(app: AppTest) -> None:
    app.session_state[state.SELECTION] = tuple(ids_on_the_map()[:30])
    choose(app, "code", "Repository", "Project page")
    assert chips(app) == [
        "within a selection of 30",
        "Code\\: Repository",
        "Code\\: Project page",
    ]

    app.button("chip-0").click().run()
    assert app.session_state["code"] == ["Project page"]

    app.button("chip-selection").click().run()
    assert chips(app) == ["Code\\: Project page"]


def test_the_list_goes_on_over_pages(app: AppTest) -> None:
    first = titles(app)
    app.session_state[state.PAGE_OF_RESULTS] = 4
    app.run()

    assert len(titles(app)) == 2
    assert not set(titles(app)) & set(first)


def test_a_new_search_begins_at_the_first_page(app: AppTest) -> None:
    app.session_state[state.PAGE_OF_RESULTS] = 3
    app.run()

    search(app, "learning")

    assert app.session_state[state.PAGE_OF_RESULTS] == 1


def test_a_title_of_a_whole_book_is_cut(tmp_path: Path, own_cache: Path) -> None:
    (tmp_path / "book.bib").write_text(f"@book{{b, title={{{'word ' * 5000}}}, year=2020}}")

    app = open_app(tmp_path / "book.bib", own_cache)

    assert len(titles(app)[0]) < 320


def test_a_paper_is_read_beside_the_map(app: AppTest) -> None:
    search(app, "TtBA")
    app.button(titles_key(app)).click().run()

    assert "normal\\-vector" in shown(app)
    assert "title derived from the abstract" in shown(app).replace("\\", "")
    assert "Nearest papers" in shown(app)


def titles_key(app: AppTest) -> str:
    return next(b.key for b in app.button if (b.key or "").startswith("open-") and b.key)


def test_it_is_said_where_the_link_to_code_was_found(app: AppTest) -> None:
    choose(app, "code", "Repository")

    app.button(titles_key(app)).click().run()

    assert "was found in the abstract" in shown(app)


def test_a_nearest_paper_is_one_click_away(app: AppTest) -> None:
    app.button(titles_key(app)).click().run()
    before = app.session_state[state.PAPER]

    app.button("near-open-0").click().run()

    assert app.session_state[state.PAPER] not in (before, None)


def test_one_can_step_through_the_papers_found(app: AppTest) -> None:
    search(app, "transformer")
    app.button(titles_key(app)).click().run()
    first = app.session_state[state.PAPER]

    app.button("step-Right").click().run()
    second = app.session_state[state.PAPER]
    app.button("step-Left").click().run()

    assert second != first
    assert app.session_state[state.PAPER] == first


def test_a_selection_on_the_map_narrows_the_list(app: AppTest) -> None:
    ids = ids_on_the_map()[:3]
    app.session_state[state.SELECTION] = tuple(ids)
    app.run()

    assert status(app) == "**3** of 38 papers"
    search(app, "zebra")
    assert chips(app) == ["within a selection of 3"]


def test_a_selection_says_what_sets_it_apart_and_searches_for_it(app: AppTest) -> None:
    corpus = read([SEEDS]).corpus
    graphs = corpus["id"][corpus["abstract"].str.contains("graph", case=False)]
    app.session_state[state.SELECTION] = tuple(graphs)
    app.run()

    keyword = app.button("keyword-0")
    assert "graph" in keyword.label.lower()
    keyword.click().run()
    assert app.text_input(state.QUERY).value == f'"{keyword.label}"'


def test_a_selection_is_saved_selected_again_and_forgotten(app: AppTest, own_cache: Path) -> None:
    ids = tuple(ids_on_the_map()[:3])
    app.session_state[state.SELECTION] = ids
    app.run()
    app.text_input(state.SET_NAME).set_value("To  read").run()
    app.button("chip-selection").click().run()
    again = open_app(SEEDS, own_cache, **dict(app.query_params.items()))

    again.button("select-set-0").click().run()
    assert set(again.session_state[state.SELECTION]) == set(ids)
    assert "To read · 3" in again.button("select-set-0").label.replace("\\", "")

    again.button("forget-set-0").click().run()
    assert "set" not in again.query_params


def test_the_address_says_what_was_typed_chosen_and_opened(app: AppTest) -> None:
    search(app, "graph")
    choose(app, "code", "Repository")
    app.button(titles_key(app)).click().run()

    address = {key: app.query_params[key] for key in ("q", "code", "paper")}
    assert address == {
        "q": "graph",
        "code": "Repository",
        "paper": app.session_state[state.PAPER],
    }


def test_an_address_restores_the_view_and_drops_what_is_not_there(own_cache: Path) -> None:
    app = open_app(SEEDS, own_cache, q="graph", code="Repository", paper="gone", colour="red")

    assert not app.exception
    assert app.text_input(state.QUERY).value == "graph"
    assert app.session_state["code"] == ["Repository"]
    assert app.session_state[state.PAPER] is None


def test_an_address_is_cleared_of_what_is_not_there_with_one_notice(own_cache: Path) -> None:
    app = open_app(SEEDS, own_cache, q="graph", paper="gone", colour="red")

    [notice] = [m.value for m in app.markdown if "left out" in m.value]
    assert "gone" in notice
    assert "colour" in notice
    assert list(app.query_params) == ["q", "by"]

    app.button("dismiss").click().run()
    assert "left out" not in shown(app)


def test_a_huge_address_opens_the_map(own_cache: Path) -> None:
    app = open_app(SEEDS, own_cache, q="graph " * 20_000)

    assert status(app) == "**38** papers"
    assert "a search of 120,000 characters" in shown(app).replace("\\", "")


def test_the_address_holds_zoom_selection_and_page(app: AppTest, own_cache: Path) -> None:
    app.session_state[state.VIEW] = View(4_000, 5_000, 2_500)
    app.session_state[state.PAGE_OF_RESULTS] = 2
    app.run()
    state_of_first = dict(app.query_params)
    app.session_state[state.SELECTION] = tuple(ids_on_the_map()[:20])
    app.run()

    assert state_of_first.keys() == {"view", "map", "page"}
    link = dict(app.query_params.items())
    again = open_app(SEEDS, own_cache, **link)

    assert again.session_state[state.VIEW] == View(4_000, 5_000, 2_500)
    assert status(again) == "**20** of 38 papers"
    assert again.query_params == app.query_params


def test_an_address_that_changes_by_itself_is_followed(app: AppTest) -> None:
    search(app, "graph")
    choose(app, "code", "Repository")

    app.query_params.clear()
    app.query_params["q"] = "transformer"
    app.run()

    assert app.text_input(state.QUERY).value == "transformer"
    assert app.session_state["code"] == []


def test_what_the_reader_does_counts_more_than_an_address_that_is_late(app: AppTest) -> None:
    search(app, "graph")

    app.query_params.clear()
    search(app, "graph neural")

    assert app.text_input(state.QUERY).value == "graph neural"
    assert app.query_params["q"] == "graph neural"


def by(app: AppTest) -> str:
    return str(app.session_state[state.SEARCH_BY])


def test_both_words_and_meaning_are_sought_once_the_model_is_ready(own_cache: Path) -> None:
    app = open_app(SEEDS, own_cache)
    assert by(app) == "both"

    search(app, "graph neural networks")

    assert "similarity 0." in shown(app).replace("\\", "")
    assert app.query_params[state.SEARCH_BY] == "both"


def test_only_words_are_sought_before_anybody_asked_for_meaning(own_cache: Path) -> None:
    unready = HashingEmbedder()
    app = open_app(SEEDS, own_cache, embedder=unready)
    unready.ready = False
    app.run()

    search(app, "graph")

    assert by(app) == "words"
    assert "similarity" not in shown(app)


def test_meaning_ranks_by_similarity_and_filters_still_hold(own_cache: Path) -> None:
    app = open_app(SEEDS, own_cache, by="meaning", q="graph neural networks -GrokFormer has:code")

    found = [caption.value for caption in app.caption if caption.value.startswith("similarity")]
    assert found
    assert found == sorted(found, reverse=True)
    assert all("code" in facts or "project page" in facts for facts in found)
    assert not any("GrokFormer" in title for title in titles(app))


def test_a_pasted_abstract_finds_its_paper(own_cache: Path) -> None:
    app = open_app(SEEDS, own_cache, by="meaning")
    corpus = read([SEEDS]).corpus

    search(app, corpus["abstract"].iat[5])

    assert app.button(titles_key(app)).key == "open-5"


def test_filters_alone_need_no_meaning(own_cache: Path) -> None:
    app = open_app(SEEDS, own_cache, by="meaning", q="has:code")

    assert status(app) == "**9** of 38 papers"


def test_while_the_model_loads_words_are_sought_and_it_is_said_so(own_cache: Path) -> None:
    class Loading(HashingEmbedder):
        def batches(self, texts: Any) -> Any:
            go.wait(30)
            return super().batches(texts)

    go = threading.Event()
    go.set()
    embedder = Loading()
    app = open_app(SEEDS, own_cache, embedder=embedder, by="meaning")
    embedder.ready = False
    go.clear()

    search(app, "ConsFormer")
    assert "Loading the model" in shown(app)
    assert status(app) == "**1** of 38 papers"

    go.set()
    embedder.ready = True
    while current().meaning.busy:
        time.sleep(0.01)
    app.run()
    assert "Loading the model" not in shown(app)


def test_a_model_that_cannot_be_had_leaves_the_words(own_cache: Path) -> None:
    embedder = HashingEmbedder()
    app = open_app(SEEDS, own_cache, embedder=embedder, by="both")
    embedder.spec = replace(embedder.spec, dimension=5)

    search(app, "ConsFormer")

    assert "model" in app.warning[0].value
    assert status(app) == "**1** of 38 papers"


def test_more_like_a_paper_leaves_it_out_and_stands_in_the_address(app: AppTest) -> None:
    search(app, "GrokFormer")
    app.button(titles_key(app)).click().run()
    paper = app.session_state[state.PAPER]

    app.button("more-like").click().run()

    assert app.session_state[state.PAPER] is None
    assert app.query_params[state.LIKE] == paper
    assert "similarity 0." in shown(app).replace("\\", "")
    assert not any("GrokFormer" in title for title in titles(app))
    app.button("forget-examples").click().run()
    assert status(app) == "**38** papers"


def test_more_like_a_selection_leaves_it_out(app: AppTest) -> None:
    ids = ids_on_the_map()[:2]
    app.session_state[state.SELECTION] = tuple(ids)
    app.run()

    app.button("more-like-selection").click().run()

    assert app.session_state[state.LIKE] == tuple(ids)
    assert not {"open-0", "open-1"} & {button.key for button in app.button}
    assert "Like 2 papers" in app.button("forget-examples").label


def test_a_link_to_more_like_a_paper_restores_it(own_cache: Path) -> None:
    corpus = read([SEEDS]).corpus

    app = open_app(SEEDS, own_cache, like=corpus["id"].iat[3])

    assert "similarity 0." in shown(app).replace("\\", "")


def test_an_address_with_an_unknown_way_to_search_gives_the_best_there_is(own_cache: Path) -> None:
    app = open_app(SEEDS, own_cache, by="magic", like="gone")

    assert by(app) == "both"
    assert status(app) == "**38** papers"


def test_a_session_that_uses_only_words_loads_no_model(own_cache: Path) -> None:
    script = f"""
import sys
from pathlib import Path
import numpy as np
from streamlit.testing.v1 import AppTest
from cache.embedding import SentenceTransformerEmbedder
from cache.papers import embedded_texts
from cache.readers import read
from cache.store import Store
from dashboard.jobs import MapJob
reading = read([Path({str(SEEDS)!r})])
embedder, store = SentenceTransformerEmbedder(), Store(Path({str(own_cache)!r}))
keys = [embedder.spec.key(text) for text in embedded_texts(reading.corpus)]
vectors = np.random.default_rng(0).normal(size=(len(keys), 384)).astype(np.float32)
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
store.write_vectors(keys, vectors)
MapJob(reading, embedder, store).start().wait()
app = AppTest.from_file({str(APP)!r}, default_timeout=60).run()
app.text_input("q").set_value("graph").run()
app.button(next(b.key for b in app.button if b.key.startswith("open-"))).click().run()
app.button("more-like").click().run()
assert not app.exception and app.session_state["like"]
sys.exit(bool({{"torch", "transformers", "sentence_transformers"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=APP.parents[1], check=False)

    assert done.returncode == 0


def test_text_from_a_file_is_shown_as_it_was_written(tmp_path: Path, own_cache: Path) -> None:
    hostile = "We break <script>alert(1)</script> and [x](javascript:alert(2)) and :red[this]."
    (tmp_path / "list.txt").write_text(hostile)
    app = open_app(tmp_path / "list.txt", own_cache)

    app.button(titles_key(app)).click().run()

    text = shown(app)
    assert "\\<script\\>alert\\(1\\)\\<\\/script\\>" in text
    assert "\\[x\\]\\(javascript\\:alert\\(2\\)\\)" in text
    assert "\\:red\\[this\\]" in text


@pytest.mark.parametrize("papers", [1, 2, 3, 5, 15])
def test_few_papers_open(papers: int, tmp_path: Path, own_cache: Path) -> None:
    words = ["graphs", "robots", "privacy", "language", "vision"]
    abstracts = [f"We study {words[i % 5]} of kind {i}." for i in range(papers)]
    (tmp_path / "few.txt").write_text("\n\n".join(abstracts))

    app = open_app(tmp_path / "few.txt", own_cache)

    assert not app.exception
    assert status(app) == f"**{papers}** paper{'s' if papers > 1 else ''}"
    assert len(ids_on_the_map()) == papers


def test_no_papers_explain_themselves(tmp_path: Path, own_cache: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n")

    app = open_app(tmp_path / "empty.txt", own_cache)

    assert not app.exception
    assert "empty\\.txt" in shown(app)


def test_what_was_left_out_is_shown(tmp_path: Path, own_cache: Path) -> None:
    (tmp_path / "good.txt").write_text("We study dots.")
    (tmp_path / "bad.txt").write_bytes(b"\0\1\2")

    app = open_app(tmp_path, own_cache)

    assert "1 left out" in shown(app)


def test_a_map_that_fails_is_explained(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(HashingEmbedder):
        def batches(self, texts: Any) -> Any:
            yield np.arange(len(texts)), np.full((len(texts), 4), np.nan, dtype=np.float32)

    job = MapJob(read([SEEDS]), Failing(), Store(own_cache)).start()
    with suppress(PaperskyError):
        job.wait()
    assert current() is job

    app = AppTest.from_file(str(APP), default_timeout=30).run()

    assert "model" in app.exception[0].message


def test_finer_topics_can_be_chosen_within_a_chosen_topic(own_cache: Path, tmp_path: Path) -> None:
    subjects = ("graph networks", "jailbreak attacks", "conformal sets", "robot hands")
    papers = [
        f"We study {subjects[n % 4]} and {subjects[n % 4]} kind{n % 16} kind{n % 16} case{n}."
        for n in range(160)
    ]
    (tmp_path / "papers.txt").write_text("\n\n".join(papers))
    app = open_app(tmp_path / "papers.txt", own_cache)
    paper_map = current().wait()
    label = "Within the topic"
    assert label not in {data.get("label") for data in sent(app)}

    choose(app, "topic", paper_map.topic_names[0])
    within = set(paper_map.subtopics[paper_map.topics == 0]) - {-1}
    assert len(offered(app, label)) == len(within)

    name = paper_map.subtopic_names[min(within)]
    choose(app, "subtopic", name)
    assert not app.exception
    assert status(app).startswith(f"**{(paper_map.subtopics == min(within)).sum()}** of 160")
