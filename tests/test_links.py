"""Where the code of a paper is found."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache.links import CODE_KINDS, CodeLink, find_code_link

SEEDS = sorted((Path(__file__).parent.parent / "seeds").glob("*.txt"))
ABSTRACTS = [
    abstract
    for seed in SEEDS
    for abstract in re.split(r"\n\s*\n", seed.read_text(encoding="utf-8"))[1:]
]
GITHUB = "https://github.com"


def found(abstract: str) -> str:
    link = find_code_link(abstract)
    return link.url if link else ""


def test_the_seeds_hold_exactly_these_links() -> None:
    links = [find_code_link(abstract) for abstract in ABSTRACTS]
    assert len(links) == 38
    assert {(link.kind, link.url) for link in links if link} == {
        ("repository", f"{GITHUB}/yuhua-zhou/BSLoRA"),
        ("repository", f"{GITHUB}/shiningsunnyday/induction"),
        ("repository", f"{GITHUB}/soobin-um/BnS"),
        ("repository", f"{GITHUB}/statmlben/ensLoss"),
        ("repository", f"{GITHUB}/guoqiang-zhang-x/BDIA-Transformer"),
        ("repository", f"{GITHUB}/GGA23/GrokFormer"),
        ("repository", f"{GITHUB}/zhengzaiyi/RotationSymmetry"),
        ("anonymous", "https://anonymous.4open.science/r/TtBA-6ECF"),
        ("project page", "https://liftgs.github.io"),
    }
    assert links.count(None) == 29


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://github.com/a/b", "repository"),
        ("https://www.github.com/a/b/tree/main", "repository"),
        ("https://gist.github.com/a/0123", "repository"),
        ("https://gitlab.com/a/b", "repository"),
        ("https://gitlab.inria.fr/a/b", "repository"),
        ("https://bitbucket.org/a/b", "repository"),
        ("https://codeberg.org/a/b", "repository"),
        ("https://huggingface.co/a/b", "repository"),
        ("https://sourceforge.net/projects/a", "repository"),
        ("http://anonymous.4open.science/r/A-1", "anonymous"),
        ("https://a.github.io", "project page"),
        ("https://a.gitlab.io/b/", "project page"),
        ("https://sites.google.com/view/a", "project page"),
    ],
)
def test_the_host_tells_the_kind(url: str, kind: str) -> None:
    assert CodeLink.of(url) == CodeLink(url, kind)


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("https://github.com/a/b.git", f"{GITHUB}/a/b"),
        ("https://github.com/a/b.git).", f"{GITHUB}/a/b"),
        ('https://github.com/a/b},"', f"{GITHUB}/a/b"),
        (r"https://github.com/a\_b/c\#d", f"{GITHUB}/a_b/c#d"),
        ("github.com/a/b", f"{GITHUB}/a/b"),
        ("http://github.com/a/b", "http://github.com/a/b"),
        (" https://github.com/a/b\n", f"{GITHUB}/a/b"),
    ],
)
def test_urls_are_cleaned(written: str, url: str) -> None:
    link = CodeLink.of(written)
    assert link
    assert link.url == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "nan",
        "https://github.com",
        "https://sites.google.com/",
        "https://github.com.evil.org/a/b",
        "https://notgithub.com/a/b",
        "https://evil.org/github.com/a/b",
        "https://github.com@evil.org/a/b",
        "git@github.com:a/b",
        "https://[::1/a",
        "javascript:alert('github.com/a/b')",
        "ftp://github.com/a/b",
        "https://arxiv.org/abs/2501.00001",
    ],
)
def test_other_addresses_lead_to_no_code(url: str) -> None:
    assert CodeLink.of(url) is None


@pytest.mark.parametrize(
    "abstract",
    [
        f"Our code is available at {GITHUB}/a/b.",
        f"Our code is on GitHub ({GITHUB}/a/b.git).",
        f"Code: [this https URL]({GITHUB}/a/b).",
        f"Code: [{GITHUB}/a/b]({GITHUB}/a/b)",
        rf"Code at \url{{{GITHUB}/a/b}}.",
        rf"The \href{{{GITHUB}/a/b}}{{code}} is public.",
        "Code is available at github.com/a/b.",
        f"`{GITHUB}/a/b`",
        f"Code is public.11{GITHUB}/a/b",
        f"代码见{GITHUB}/a/b。",
    ],
)
def test_a_link_is_found_however_it_is_written(abstract: str) -> None:
    assert found(abstract) == f"{GITHUB}/a/b"


@pytest.mark.parametrize(
    "abstract",
    [
        f"We use {GITHUB}/pytorch/pytorch. Our code is available at {GITHUB}/a/b.",
        f"Code is released: {GITHUB}/a/b. It is built on {GITHUB}/pytorch/pytorch.",
        f"Code and data are at {GITHUB}/a/b and {GITHUB}/a/data.",
        f"Data is at https://huggingface.co/datasets/a/c. Code is at {GITHUB}/a/b.",
        f"See the project page: https://a.github.io. Code: {GITHUB}/a/b.",
        f"Code: https://anonymous.4open.science/r/a. Code: {GITHUB}/a/b",
        f"Compare {GITHUB}/pytorch/pytorch, see {GITHUB}/a/b",
    ],
)
def test_the_own_repository_comes_first(abstract: str) -> None:
    expected = f"{GITHUB}/a/b"
    assert found(abstract) == expected


def test_a_page_of_the_own_comes_before_a_repository_of_others() -> None:
    abstract = f"We build on {GITHUB}/pytorch/pytorch. Project page: https://a.github.io."
    assert found(abstract) == "https://a.github.io"


def test_an_account_counts_only_where_code_is_spoken_of() -> None:
    assert found("See github.com/someone.") == ""
    assert found("Code will be released at github.com/someone.") == f"{GITHUB}/someone"


@given(st.text(max_size=80) | st.text(alphabet="githubcom./:@a\\_[]{}() ", max_size=80))
def test_any_text_can_be_searched(text: str) -> None:
    for link in (find_code_link(text), CodeLink.of(text), find_code_link(f"{GITHUB}/a/{text}")):
        if link:
            assert link.kind in CODE_KINDS[:-1]
            assert re.fullmatch(r"https?://\S+", link.url)
            assert CodeLink.of(link.url) == link
