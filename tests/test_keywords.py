from hypothesis import given
from hypothesis import strategies as st
from maps import seeds_map

from components.keywords import MOST_KEYWORDS, Keywords

CORPUS = seeds_map().corpus
SEEDS = Keywords(len(CORPUS), lambda row: str(CORPUS["abstract"].iat[row]))
TEXTS = [
    *["We train a Graph Transformer on molecules."] * 5,
    *["We train a gripper for robots."] * 5,
]
TOY = Keywords(len(TEXTS), TEXTS.__getitem__)


def having(word: str) -> list[int]:
    return [row for row, text in enumerate(CORPUS["abstract"]) if word in text.lower()]


def test_papers_are_set_apart_by_what_the_rest_does_not_say() -> None:
    assert set(TOY.of(range(5))) == {"Graph Transformer", "molecules"}
    assert set(TOY.of(range(5, 10))) == {"gripper", "robots"}


def test_keywords_of_the_seeds_on_graphs_speak_of_graphs() -> None:
    assert any("graph" in keyword.lower() for keyword in SEEDS.of(having("graph")))


def test_everything_and_single_papers_have_no_keywords() -> None:
    assert TOY.of(range(10)) == ()
    assert TOY.of([3]) == ()
    assert TOY.of([]) == ()


@given(st.sets(st.sampled_from(range(len(CORPUS)))))
def test_keywords_are_few_share_no_word_and_stand_in_the_papers(rows: set[int]) -> None:
    keywords = SEEDS.of(sorted(rows))

    assert len(keywords) <= MOST_KEYWORDS
    words = [word.lower() for keyword in keywords for word in keyword.split()]
    assert len(words) == len(set(words))
    text = " ".join(" ".join(CORPUS["abstract"].iat[row] for row in rows).split())
    assert all(keyword in text for keyword in keywords)
