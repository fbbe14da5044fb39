"""Measure Papersky on a corpus and print one table in Markdown.

Each row is a ratio of two things measured in the same run, or of one and what it is allowed. Run as
``python -m benchmarks [PATH…]``; without a path it makes up papers from the sentences of seeds/.
What ``$PAPERSKY_CACHE`` keeps of the papers is not embedded again.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks import atlas, embedding, interaction, layout, made, reading, topics
from benchmarks.report import Report, machine, say
from benchmarks.subject import subject

_LARGE: Final = 100_000
_ALLOWED: Final = 0.3
_ALLOWED_LARGE: Final = 1.0
"""Seconds of a keystroke, the larger for `_LARGE` papers."""


def main(paths: Sequence[Path]) -> None:
    large, others = Report(), Report()
    with tempfile.TemporaryDirectory() as folder:
        # First, since the peak of memory must not be another stage's.
        say(f"Making up {_LARGE:,} papers")
        large_map = made.large_map(_LARGE)
        interaction.measure(large, large_map, _ALLOWED_LARGE)
        interaction.measure_memory(large, len(large_map.corpus))
        del large_map
        papers = subject(paths, Path(folder))
        reading.measure(others, papers)
        embedding.measure(others, papers)
        paper_map = layout.measure(others, papers, Path(folder))
        topics.measure(others, papers, paper_map, Path(folder, "topics"))
        atlas.measure(others, papers, Path(folder, "atlas"))
        interaction.measure(others, paper_map, _ALLOWED)
    what = "made-up papers and vectors" if papers.made else "papers"
    print(f"{len(papers.corpus):,} {what}, and {_LARGE:,} made up.")
    print(f"{machine()}.\n")
    others.rows += large.rows
    print(others.markdown())


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
