"""How long it takes from a command until a browser shows what it serves."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_PATIENCE: Final = 300.0
"""Seconds to wait for a page."""


@contextmanager
def opened_browser() -> Iterator["Browser | None"]:
    """Open Chromium without a window; None if it is not installed."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        yield None
        return
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox", "--use-gl=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


def seconds_until_shown(
    browser: "Browser",
    command: Sequence[str],
    shown: str,
    environment: Mapping[str, str] = os.environ,
) -> float:
    """Serve and open a page.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
    command : sequence of str
        Serves a page; a port is added to it.
    shown : str
        A JavaScript expression, true as soon as the page shows what it should.
    environment : mapping of str to str
        Of the command.

    Returns
    -------
    float
        Seconds from the command's start.
    """
    port = _free_port()
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    start = time.perf_counter()
    server = subprocess.Popen(
        [*command, "--port", str(port)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(server, port)
        page.goto(f"http://localhost:{port}")
        page.wait_for_function(shown, timeout=1000 * _PATIENCE)
        return time.perf_counter() - start
    finally:
        server.terminate()
        server.wait()
        page.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(server: subprocess.Popen[bytes], port: int) -> None:
    """Wait until a server answers at a port of this machine."""
    give_up = time.monotonic() + _PATIENCE
    while server.poll() is None and time.monotonic() < give_up:
        try:
            socket.create_connection(("localhost", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError(f"{server.args!r} does not answer")
