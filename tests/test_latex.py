"""What formulas and symbols read as in plain characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache.latex import formula_to_unicode, symbol_to_unicode


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"2.8\times", "2.8×"),
        (r"k_\text{bridge}", "k_bridge"),
        (r"\mathbb{E}(\gamma)=0", "𝔼(γ)=0"),
        (r"\{0.5, -0.5\}", "{0.5, -0.5}"),
        (r"\mathcal{O}(n^2 \log n)", "𝒪(n^2 log n)"),
        (r"\texttt{[MASK]}", "[MASK]"),
        (r"\left(\bm{x}\right)", "(x)"),
        (r"\operatorname*{arg\,max}_x", "arg max_x"),
    ],
)
def test_formulas_become_readable(formula: str, expected: str) -> None:
    assert formula_to_unicode(formula) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\frac{1}{1-\gamma}", "1/(1-γ)"),
        (r"n^{1/3}", "n^(1/3)"),
        (r"x^{10}", "x^10"),
        (r"\binom{n}{k}", "(n choose k)"),
    ],
)
def test_brackets_show_what_belongs_together(formula: str, expected: str) -> None:
    assert formula_to_unicode(formula) == expected


@pytest.mark.parametrize(("formula", "kept"), [("95 % of", "%"), (r"\|x\|", "‖"), (r"\R^n", "R")])
def test_nothing_is_left_out(formula: str, kept: str) -> None:
    assert kept in formula_to_unicode(formula)


@pytest.mark.parametrize("formula", ["{", "}{", r"\frac", "{" * 500 + "}" * 500, "x" * 3_000])
def test_what_cannot_be_read_comes_back_as_it_is(formula: str) -> None:
    assert formula_to_unicode(formula) == formula


@given(st.lists(st.sampled_from([*r"\{}[]$^_&%~ x2", r"\frac", r"\sqrt", r"\left", r"\begin{a}"])))
def test_any_formula_can_be_converted(pieces: list[str]) -> None:
    formula = "".join(pieces)
    assert formula_to_unicode(formula) or not formula


@pytest.mark.parametrize(
    ("macro", "expected"),
    [(r"\'{e}", "é"), (r"\"o", "ö"), (r"\v{c}", "č"), (r"\ss", "ß"), (r"\alpha", "α")],
)
def test_accents_and_symbols_are_known(macro: str, expected: str) -> None:
    assert symbol_to_unicode(macro) == expected


@pytest.mark.parametrize("macro", [r"\ours", r"\today", r"\section", r"\input", r"\frac"])
def test_macros_that_print_no_symbol_are_not(macro: str) -> None:
    assert symbol_to_unicode(macro) == ""
