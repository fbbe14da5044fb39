"""Documents as they come when something went wrong on the way."""

from hypothesis import strategies as st

PIECES = ["{", "}", '"', "@", ",", "\n", "=", "\\", "<", ">", "&", "</", "]]>", "TY  - ", "ER  - "]


@st.composite
def broken(draw: st.DrawFn, documents: list[str]) -> str:
    """One of the documents, or what is left of two, cut, doubled, and with odd pieces put in."""
    text = draw(st.sampled_from(documents))
    if draw(st.booleans()):
        other = draw(st.sampled_from(documents))
        text = text[: draw(st.integers(0, len(text)))] + other[draw(st.integers(0, len(other))) :]
    for _ in range(draw(st.integers(0, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        piece = draw(st.sampled_from([*PIECES, text[start:end]]) | st.text(max_size=5))
        text = text[:start] + piece + text[draw(st.sampled_from([start, end])) :]
    return text
