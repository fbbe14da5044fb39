import json
from pathlib import Path

import pandas as pd
import pytest
from corpora import corpus_from_records
from maps import map_of, seeds_map

from cache.errors import PaperskyError
from components.export import COLUMNS, check_target, to_table, write_table


def test_a_table_has_a_row_for_every_paper_of_the_seeds() -> None:
    table = to_table(seeds_map())

    assert list(table.columns) == list(COLUMNS)
    assert len(table) == 38


def test_csv_and_json_hold_the_same_papers(tmp_path: Path) -> None:
    paper_map = seeds_map()
    write_table(paper_map, tmp_path / "papers.csv")
    write_table(paper_map, tmp_path / "papers.json")

    from_csv = pd.read_csv(tmp_path / "papers.csv")
    from_json = pd.DataFrame(json.loads((tmp_path / "papers.json").read_text("utf-8")))

    columns = ["id", "title", "topic", "code_kind", "year", "source"]
    expected = to_table(paper_map)[columns].to_numpy().tolist()
    assert from_csv[columns].to_numpy().tolist() == expected
    assert from_json[columns].to_numpy().tolist() == expected


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_of_a_sheet_runs_as_a_formula(start: str, tmp_path: Path) -> None:
    corpus = corpus_from_records([{"id": "x", "title": f"{start}1+1", "abstract": f"{start}cmd()"}])
    write_table(map_of(corpus), tmp_path / "papers.csv")

    cells = pd.read_csv(tmp_path / "papers.csv", dtype=str).loc[0]

    assert not cells["title"].startswith(start)
    assert not cells["abstract"].startswith(start)


def test_a_paper_without_a_place_has_no_coordinates(tmp_path: Path) -> None:
    corpus = corpus_from_records([{"title": "Only a title"}, {"abstract": "We study dots."}])
    write_table(map_of(corpus), tmp_path / "papers.json")

    first, second = json.loads((tmp_path / "papers.json").read_text("utf-8"))

    assert (first["x"], first["y"]) == (None, None)
    assert second["x"] is not None


def test_authors_and_keywords_are_told_in_one_cell_each() -> None:
    paper = {"title": "A Map of Stars", "authors": ["Ada Ames", "Bo Beck"], "keywords": ["maps"]}

    table = to_table(map_of(corpus_from_records([paper, {"title": "Of Nobody"}])))

    assert table["authors"].tolist() == ["Ada Ames; Bo Beck", ""]
    assert table["keywords"].tolist() == ["maps", ""]


def test_another_format_is_refused_before_any_work() -> None:
    with pytest.raises(PaperskyError, match=r"papers\.xls .*\.csv or \.json"):
        check_target(Path("papers.xls"))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PaperskyError, match=r"papers\.csv cannot be written"):
        check_target(tmp_path / "nowhere" / "papers.csv")
