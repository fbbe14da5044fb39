"""The `papersky` command."""

import logging
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.filesize import decimal

from cache.account import account_for
from cache.cluster import ClusterEmbedder
from cache.embedding import DEFAULT_MODEL, SentenceTransformerEmbedder
from cache.errors import PaperskyError
from cache.readers import KINDS, read
from cache.store import CacheSummary, Freed, Store, default_root
from cache.tokens import TokenLimit
from dashboard import bugs
from dashboard.check import describe
from dashboard.jobs import MapJob

SEEDS: Final = Path(__file__).parents[1] / "seeds"
_SHOWN_PROBLEMS: Final = 10


app = typer.Typer(
    add_completion=False,
    help="See a pile of research papers as a map you can search, filter and read.",
    pretty_exceptions_enable=False,
)
cache_app = typer.Typer(help="Show, prune or clear what is kept of earlier maps.")
app.add_typer(cache_app, name="cache", invoke_without_command=True)

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Lists of papers, or folders of them; - is standard input, seeds/ if none is named. "
        f"Read are {KINDS}."
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        help="A sentence-transformers model (folder or name) instead of the one built in."
    ),
]
DaskScheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Embed on the Dask cluster of this scheduler, such as tcp://10.0.0.5:8786. "
        "Needs the extra dask on every machine.",
    ),
]
CacheDir = Annotated[
    Path | None,
    typer.Option(
        envvar="PAPERSKY_CACHE",
        callback=bugs.keep_in,
        help="Where embeddings, maps and search indices are kept, if not in your own cache folder.",
    ),
]

SameCacheDir = Annotated[
    Path | None,
    # It reads no variable, which `cache` has read, and which would outdo what stands before.
    typer.Option("--cache-dir", callback=bugs.keep_in, help="May stand before the command, too."),
]


@app.command("open")
def open_(
    paths: Paths = None,
    *,
    model: Model = None,
    dask_scheduler: DaskScheduler = None,
    cache_dir: CacheDir = None,
    port: Annotated[int, typer.Option(min=1, max=65_535, help="Where it is served.")] = 8501,
    browser: Annotated[bool, typer.Option(help="Show it in your browser.")] = True,
) -> None:
    """Lay papers out as a map and serve the dashboard. This is what `papersky PATH` does."""
    from dashboard.server import check_port, serve  # noqa: PLC0415 — the others need no server

    check_port(port)
    job = _start(paths, model, dask_scheduler, cache_dir)
    serve(
        port,
        on_ready=lambda address: _say(f"Papersky is at {address} (Ctrl+C ends it)."),
        browser=browser,
    )
    if not job.running:
        job.wait()


@app.command()
def export(
    to: Annotated[Path, typer.Option(help="The table to write: papers.csv or papers.json.")],
    paths: Paths = None,
    model: Model = None,
    dask_scheduler: DaskScheduler = None,
    cache_dir: CacheDir = None,
) -> None:
    """Write the papers, their topics and their places on the map as a table."""
    from components.export import check_target, write_table  # noqa: PLC0415

    check_target(to)
    job = _start(paths, model, dask_scheduler, cache_dir)
    write_table(job.wait(), to)
    rows = len(job.reading.corpus)
    _say(f"Written to {to}: {rows:,} row{'s' * (rows != 1)}.")


@app.command()
def check(paths: Paths = None, model: Model = None) -> None:
    """Tell what was read, merged, repaired and left out.

    Exits with 1 if anything was left out, but for what describes no paper, such as a volume.
    """
    reading = read(paths or [SEEDS])
    account = account_for(reading, TokenLimit.of(model or DEFAULT_MODEL))
    sources = dict(zip(reading.corpus["id"], reading.corpus["source"], strict=True))
    for line in describe(account, sources):
        typer.echo(line)
    if account.skipped:
        raise typer.Exit(1)


@cache_app.callback()
def cache(context: typer.Context, cache_dir: CacheDir = None) -> None:
    """Show where the cache is, what it holds, and how old that is."""
    context.obj = cache_dir
    if context.invoked_subcommand is None:
        typer.echo(_summary(_store(context, cache_dir).summary()))


@cache_app.command()
def prune(
    context: typer.Context,
    cache_dir: SameCacheDir = None,
    days: Annotated[int, typer.Option(min=0, help="Drop what was not used for so long.")] = 90,
) -> None:
    """Drop what has not been used for a while."""
    _say_freed(_store(context, cache_dir).prune(timedelta(days=days)))


@cache_app.command()
def clear(context: typer.Context, cache_dir: SameCacheDir = None) -> None:
    """Drop everything; the next start computes it again."""
    _say_freed(_store(context, cache_dir).clear())


def main() -> None:
    """Run the command; what the user can mend is said in one sentence, without a traceback."""
    logging.disable(logging.WARNING)
    try:
        app(_with_command(sys.argv[1:]))
    except PaperskyError as error:
        _say(str(error))
        sys.exit(1)
    except Exception as error:
        log = bugs.record(error)
        _say(f"Papersky failed, and should not have. What happened is written in {log}.")
        sys.exit(1)


def _with_command(arguments: list[str]) -> list[str]:
    """Take `papersky PATH` for `papersky open PATH`."""
    named = {"--help", *(group.name for group in app.registered_groups)}
    named |= {
        command.name or getattr(command.callback, "__name__", "")
        for command in app.registered_commands
    }
    return arguments if arguments and arguments[0] in named else ["open", *arguments]


def _start(
    paths: list[Path] | None, model: str | None, scheduler: str | None, cache_dir: Path | None
) -> MapJob:
    reading = read(paths or [SEEDS])
    notices: list[str] = []

    def report(notice: str) -> None:
        notices.append(notice)
        _say(notice)

    for problem in reading.skipped[:_SHOWN_PROBLEMS]:
        _say(f"Left out: {problem.source}: {problem.what}")
    if len(reading.skipped) > _SHOWN_PROBLEMS:
        _say(f"{len(reading.skipped):,} were left out in all.")
    store = Store(cache_dir or default_root(), report=report)
    model = model or DEFAULT_MODEL
    embedder = SentenceTransformerEmbedder(model)
    embedder.spec  # noqa: B018 — a model that is not there is refused before anything is served
    cluster = _cluster(model, scheduler) if scheduler else None
    return MapJob(reading, embedder, store, model, notices, for_papers=cluster).start()


def _cluster(model: str, scheduler: str) -> ClusterEmbedder:
    folder = Path(model).expanduser()
    # Workers have folders of their own to start from.
    there = str(folder.resolve()) if folder.is_dir() else model
    return ClusterEmbedder(partial(SentenceTransformerEmbedder, there), scheduler)


def _store(context: typer.Context, cache_dir: Path | None) -> Store:
    """Open the cache that was named after the command or, failing that, before it."""
    return Store(cache_dir or context.obj or default_root(), report=_say)


def _summary(cache: CacheSummary) -> str:
    lines = [
        f"The cache is in {cache.path}",
        f"embeddings  {cache.embeddings:>9,}  {decimal(cache.embeddings_bytes):>9}",
        f"maps        {cache.maps:>9,}  {decimal(cache.maps_bytes):>9}",
        f"indices     {cache.indices:>9,}  {decimal(cache.indices_bytes):>9}",
    ]
    if cache.oldest and cache.newest:
        lines.append(f"last used between {cache.oldest} and {cache.newest}")
    return "\n".join(lines)


def _say_freed(freed: Freed) -> None:
    _say(
        f"Dropped {freed.embeddings:,} embeddings, {freed.maps:,} maps and "
        f"{freed.indices:,} search indices: {decimal(freed.bytes)} freed."
    )


def _say(sentence: str) -> None:
    Console(stderr=True, highlight=False).print(sentence, markup=False, soft_wrap=True)
