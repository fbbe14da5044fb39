"""Titles for abstracts that came without one."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache.titles import LONGEST_TITLE, derive_title

SEEDS = sorted((Path(__file__).parent.parent / "seeds").glob("*.txt"))
ABSTRACTS = [
    abstract
    for seed in SEEDS
    for abstract in re.split(r"\n\s*\n", seed.read_text(encoding="utf-8"))[1:]
]
PHRASES = st.lists(
    st.sampled_from(
        (
            *(
                "we propose ",
                "a ",
                "method ",
                "called ",
                "FlipAttack",
                "(FMG)",
                ", ",
                ". ",
                "that ",
            ),
            *("which ", "our ", "In this paper, ", "and ", "(", "“", "$x$", "*lip-rcp*", " ", "—"),
            *(" - ", "LLM", ": ", "中文。", "we show that ", "x" * 60, "\n\n", "https://a.b/c "),
        )
    ),
    max_size=25,
).map("".join)


def seed(words: str) -> str:
    return next(abstract for abstract in ABSTRACTS if words in abstract)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (
            "propose ConsFormer",
            "ConsFormer: a self-supervised framework that leverages a Transformer"
            " as a solution refiner",
        ),
        (
            "named FlipAttack",
            "FlipAttack: a simple yet effective jailbreak attack against black-box LLMs",
        ),
        ("MLM, ExLM", "ExLM: an enhanced-context Masked Language Model"),
        ("CRANE, which", "CRANE: a reasoning-augmented constrained decoding algorithm"),
        (
            "Bi-Share LoRA",
            "Bi-Share LoRA (BSLoRA): extends local LoRA with intra-LoRA and inter-LoRA parameter…",
        ),
        (
            "LIFT-GS",
            "LIFT-GS: a practical distillation technique using differentiable rendering"
            " to bridge 3D…",
        ),
        ("Two-third Bridge", "Two-third Bridge Attack (TtBA): a normal-vector-based method"),
    ],
)
def test_a_method_is_named_and_said_what_it_is(words: str, title: str) -> None:
    assert derive_title(seed(words)) == title


@pytest.mark.parametrize(
    ("words", "beginning"),
    [
        ("AffinityFlow", "AffinityFlow: an alternating optimization framework"),
        ("(C-SCN)", "C-SCN: a document simplicial complex construction"),
        ("lip-rcp", "lip-rcp: a method that leverages Lipschitz-bounded networks"),
    ],
)
def test_a_name_told_later_is_joined_to_what_was_proposed(words: str, beginning: str) -> None:
    assert derive_title(seed(words)).startswith(beginning)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("loss-to-loss", "Which factors most strongly influence loss-to-loss scaling"),
        ("desk-rejection", "Fairness of desk-rejection systems under submission limits"),
        ("feedforward", "Desirable properties of a feedforward computational graph"),
        ("Risk Ratio", "Estimation of Risk Ratio in observational data"),
        (
            "safety-aligned behaviors",
            "Safety-aligned behavior is jointly controlled by multi-dimensional directions",
        ),
    ],
)
def test_without_a_name_the_contribution_is_the_title(words: str, title: str) -> None:
    assert derive_title(seed(words)) == title


def test_a_part_of_the_method_is_not_taken_for_the_method() -> None:
    title = "Framework to enhance transcriptomics by distilling knowledge from microscopy images"
    assert derive_title(seed("Semi-Clipped")) == title


def test_markup_and_links_are_left_out() -> None:
    abstract = r"We propose \textbf{\emph{X-Net}}, a *fast* net for $\mathbb{R}$ at https://x.org."
    assert derive_title(abstract) == "X-Net: a fast net for ℝ"


@pytest.mark.parametrize("abstract", ["", "  \n\n ", "."])
def test_nothing_has_no_title(abstract: str) -> None:
    assert derive_title(abstract) == ""


def test_an_abstract_without_announcement_gives_its_beginning() -> None:
    assert derive_title("graphs are everywhere. They grow.") == "Graphs are everywhere"


def test_chinese_gives_its_first_sentence() -> None:
    assert derive_title("本文提出了一种新的方法。它很快。") == "本文提出了一种新的方法。"


def test_one_endless_word_is_cut() -> None:
    assert derive_title("x" * 200) == "X" + "x" * (LONGEST_TITLE - 2) + "…"


@given(st.text(max_size=150) | PHRASES)
def test_any_text_gives_a_title_of_one_short_line(abstract: str) -> None:
    title = derive_title(abstract)
    assert len(title) <= LONGEST_TITLE
    assert title == " ".join(title.split())


@pytest.mark.parametrize("abstract", ABSTRACTS, ids=lambda abstract: abstract[:30])
def test_the_title_of_a_seed_is_clean(abstract: str) -> None:
    title = derive_title(abstract)
    assert 20 < len(title) <= LONGEST_TITLE
    assert not re.search(r"[*$\\{}]|\b(?:and|of|the|to|with|for|that)…?$|[,:;]…?$", title)
    assert title[0].isupper() or title.startswith("lip-rcp:")


@pytest.mark.parametrize("piece", ["a", "we propose a ", "Ab ", "our method, ", "a (", "x—"])
def test_a_hundred_kilobytes_are_read(piece: str) -> None:
    assert derive_title(piece * (100_000 // len(piece)))
