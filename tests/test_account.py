import subprocess
import sys
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import pytest
from conftest import SEEDS
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from typer.testing import CliRunner

from cache._sentence_transformer import find_model
from cache.account import Account, account_for
from cache.embedding import DEFAULT_MODEL
from cache.language import is_english
from cache.readers import read
from cache.readers.problems import Problem
from cache.tokens import TokenLimit
from dashboard.check import describe
from dashboard.cli import app

LIST = """
@article{dots24, title = {Constellations of Dots on a Plane}, year = {2024},
  abstract = {We study <em>dots</em>. They shine.}, url = {https://github.com/a/b}}
@article{lamps23, title = {A Harbour for Lamps that Turn}, year = {2023}}
@article{nothing, year = {2023}}
"""
GERMAN = "Wir untersuchen, wie Punkte auf einer Ebene als Sternbilder gesehen werden."

LIMIT = TokenLimit(256, find_model(DEFAULT_MODEL) / "tokenizer.json")


@cache
def whole_texts() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(LIMIT.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def account_of(*paths: Path, limit: TokenLimit | None = None) -> Account:
    return account_for(read(paths), limit)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "refs.bib").write_text(LIST)
    (folder / "more.txt").write_text(f"ICML 2025\n\nWe study dots. They shine.\n\n{GERMAN}\n")
    (folder / "again.bib").write_text(LIST.partition("\n@article{lamps23")[0])
    return folder


def test_the_seeds_are_accounted_for() -> None:
    account = account_of(SEEDS, limit=LIMIT)

    assert (account.papers, account.records) == (38, 38)
    assert [document.records for document in account.documents] == [19, 19]
    assert len(account.without_code) == 29
    assert (
        account.skipped == account.merged == account.not_english == account.without_abstract == ()
    )


def test_each_document_has_its_records_and_papers(documents: Path) -> None:
    account = account_of(documents)

    told = {document.name: (document.records, document.papers) for document in account.documents}
    assert told["refs.bib"] == (2, ("dots24", "lamps23"))
    assert told["again.bib"] == (1, ("dots24",))
    assert told["more.txt"][0] == 2


def test_a_document_in_a_folder_is_not_taken_for_one_with_a_name_that_begins_alike(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_text("We study dots. They shine.")
    (tmp_path / "a#1").write_text("We study lamps. They turn.")

    account = account_of(tmp_path)

    assert [len(document.papers) for document in account.documents] == [1, 1]


@pytest.mark.parametrize("name", ["a; b.txt", "a; a.txt", "a:1", "; "])
def test_whatever_a_document_is_called_it_keeps_its_papers(name: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("We study dots. They shine.")
    (tmp_path / name).write_text("We study lamps. They turn.\n\nWe study dots. They shine.")

    account = account_of(tmp_path)

    assert {document.name: len(document.papers) for document in account.documents} == {
        "a": 1,
        name: 2,
    }


def test_what_was_repaired_is_told_of_a_document_with_any_name(tmp_path: Path) -> None:
    (tmp_path / "a; b.bib").write_text("@misc{x, title = {Dots}}\n@misc{x, title = {Lamps}}\n")

    assert len(account_of(tmp_path).repaired) == 1


def test_each_number_names_its_papers(documents: Path) -> None:
    account = account_of(documents)

    assert account.merged == ("dots24",)
    assert account.surplus == 1
    assert account.repaired == ("dots24",)
    assert len(account.without_title) == 2
    assert account.without_abstract == ("lamps23",)
    assert "lamps23" in account.without_code
    assert len(account.not_english) == 1
    assert account.truncated is None


def test_what_was_skipped_says_where_and_why(documents: Path) -> None:
    (documents / "picture.png").write_bytes(b"\x89PNG\0\0")

    skipped = account_of(documents).skipped

    assert {problem.source.split(",")[0] for problem in skipped} == {"refs.bib:5", "picture.png"}
    assert all(problem.what.endswith(".") for problem in skipped)


def test_a_record_that_a_reader_repaired_counts_as_repaired(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text("@misc{x, title = {Dots}}\n@misc{x, title = {Lamps}}\n")

    account = account_of(tmp_path)

    assert len(account.repairs) == len(account.repaired) == 1
    assert account.repaired[0] != "x"


def test_a_text_is_truncated_from_the_first_token_that_is_not_read() -> None:
    fits, exceeds = ["dots"] * 254, ["dots"] * 255

    assert LIMIT.exceeded_by([" ".join(fits), " ".join(exceeds), ""]).tolist() == [
        False,
        True,
        False,
    ]


def test_the_limit_is_what_the_models_own_files_say() -> None:
    assert TokenLimit.of(DEFAULT_MODEL) == LIMIT


def test_what_makes_many_tokens_of_few_words_is_counted() -> None:
    assert LIMIT.exceeded_by(["-" * 300, "点" * 300, "a-b " * 100, "한 " * 120]).all()


def test_words_of_which_no_token_is_made_are_not_counted() -> None:
    assert not LIMIT.exceeded_by(["\u0301 " * 300]).any()


@given(st.lists(st.text() | st.text("ab-. 한点\u0301[MASK]\x1c"), max_size=5), st.integers(2, 8))
def test_texts_are_as_long_as_the_tokenizer_says(texts: list[str], tokens: int) -> None:
    lengths = [len(whole_texts().encode(text.encode(errors="replace").decode())) for text in texts]

    exceeded = replace(LIMIT, tokens=tokens).exceeded_by(texts)

    assert exceeded.tolist() == [length > tokens for length in lengths]


def test_a_tokenizer_that_looks_beyond_spaces_is_given_whole_texts(tmp_path: Path) -> None:
    file = tmp_path / "tokenizer.json"
    phrase = "we study dots"
    Tokenizer(WordLevel({phrase: 0}, phrase)).save(str(file))

    assert TokenLimit(1, file).exceeded_by([phrase]).tolist() == [False]


@given(st.lists(st.text(max_size=40)))
def test_any_short_text_fits(texts: list[str]) -> None:
    assert not LIMIT.exceeded_by(texts).any()


@pytest.mark.parametrize(
    "text",
    [
        GERMAN,
        "现有方法依赖于大量标注数据。我们提出了一种新的BERT方法。",
        "Nous étudions comment des points sur un plan deviennent des constellations.",
        "Se estudia cómo los puntos de un plano llegan a ser constelaciones con nombre.",
        "Wij onderzoeken hoe punten in een vlak als sterrenbeelden worden gezien, en waarom is "
        "dat zo in de meeste van deze gevallen, ook als er geen namen zijn of bekend worden.",
        "点がどのように星座として見られるかを調べる。",
        "Мы изучаем, как точки на плоскости становятся созвездиями.",
    ],
)
def test_other_languages_are_told_from_english(text: str) -> None:
    assert not is_english(text)


@pytest.mark.parametrize(
    "words", ["дом ", "точки, ", "点", "方法 ", "λόγος ", "데이터 ", "عربي ", "हिन्दी ", "a点 и "]
)
@pytest.mark.parametrize("times", [1, 2, 50, 500])
def test_what_is_in_another_script_is_not_english_however_it_repeats(
    words: str, times: int
) -> None:
    assert not is_english(words * times)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "BERT",
        "Ω",
        "β-VAE",
        "点 GAN",
        "Sobolev GAN",
        "Rényi entropy",
        "Tensor Analyzers",
        "k-means++",
        "VAE-GAN",
        "1234",
    ],
)
def test_names_and_short_titles_are_not_called_foreign(text: str) -> None:
    assert is_english(text)


def test_no_seed_is_foreign() -> None:
    corpus = read([SEEDS]).corpus

    assert all(map(is_english, corpus["abstract"]))


def test_check_prints_the_account_and_succeeds_when_nothing_was_left_out() -> None:
    result = CliRunner().invoke(app, ["check", str(SEEDS)])

    assert result.exit_code == 0
    assert "38 papers in 38 records of 2 documents" in result.stdout
    assert "29  without a link to code" in result.stdout
    assert "38  with a title derived from the abstract" in result.stdout


def test_check_fails_and_says_why_when_something_was_left_out(documents: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(documents)])

    assert result.exit_code == 1
    assert "Left out (1)" in result.stdout
    assert "refs.bib:5" in result.stdout
    assert "1  without an abstract: refs.bib:4, entry lamps23" in result.stdout


def test_a_volume_is_told_of_and_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text(
        "@Proceedings{ICML, title = {ICML}, year = {2025}}\n"
        "@InProceedings{dots25, title = {Constellations of Dots}}\n"
    )

    account = account_of(tmp_path)
    result = CliRunner().invoke(app, ["check", str(tmp_path)])

    assert (account.papers, account.skipped, account.repairs, account.repaired) == (1, (), (), ())
    assert [problem.source for problem in account.no_papers] == ["a.bib:1, entry ICML"]
    assert "No papers (1)" in result.stdout
    assert "@proceedings" in result.stdout
    assert result.exit_code == 0


def test_a_list_of_nothing_but_volumes_holds_no_paper(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text("@Proceedings{ICML, title = {ICML}, year = {2025}}\n")

    [left_out] = account_of(tmp_path / "a.bib").skipped

    assert left_out.what == "No paper was found in it."


def test_an_account_cannot_steer_the_terminal(documents: Path) -> None:
    account = account_of(documents)
    hostile = Problem("a\x1b[2J.bib:1", "It is \u202egnorw\r\n.", skipped=True)

    lines = list(
        describe(
            replace(account, skipped=(hostile,)),
            dict.fromkeys(read([documents]).corpus["id"], "\x1b[31m"),
        )
    )

    assert not any(set(line) & set("\x1b\r\n\u202e") for line in lines)


def test_an_account_is_a_value() -> None:
    assert account_of(SEEDS) == account_of(SEEDS)
    assert asdict(account_of(SEEDS))["papers"] == 38


def test_an_account_needs_no_model_in_memory() -> None:
    script = (
        "import sys; from pathlib import Path; from cache.account import account_for;"
        "from cache.readers import read; from cache.tokens import TokenLimit;"
        f"account_for(read([Path({str(SEEDS)!r})]), TokenLimit.of({DEFAULT_MODEL!r}));"
        "sys.exit(bool({'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
