"""The web server of the dashboard, for this machine only."""

import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from cache.errors import PaperskyError
from cache.readers.containers import LARGEST_DOCUMENT
from components.map_chart import DOTS_URL, PLOTLY_JS, PLOTLY_JS_URL
from components.markup import escape
from dashboard import bugs
from dashboard.jobs import current

HOST: Final = "127.0.0.1"

_APP: Final = Path(__file__).parent / "app.py"
_OPTIONS: Final = {
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.toolbarMode": "minimal",
    "logger.hideWelcomeMessage": True,
    # A full collection takes half a second once torch is loaded, during which no thread runs: with
    # it after each tick of the progress bar, the build that the bar follows would stand still.
    "runner.postScriptGC": False,
    "server.address": HOST,
    "server.fileWatcherType": "none",
    "server.headless": True,
    "server.maxUploadSize": LARGEST_DOCUMENT // 10**6,
    "theme.baseFontSize": 15,
    "theme.baseRadius": "0.6rem",
    "theme.headingFont": "serif",
    "theme.showSidebarBorder": True,
    "theme.light.primaryColor": "#3949AB",
    "theme.light.backgroundColor": "#FCFCFE",
    "theme.light.secondaryBackgroundColor": "#F1F3F9",
    "theme.light.textColor": "#1B2133",
    "theme.light.borderColor": "#DDE1EC",
    "theme.light.linkColor": "#3949AB",
    "theme.light.orangeBackgroundColor": "#FFE1B3",
    "theme.light.blueBackgroundColor": "#CBE1FF",
    "theme.light.greenBackgroundColor": "#C9EDD0",
    "theme.light.violetBackgroundColor": "#E3D5FB",
    "theme.light.redBackgroundColor": "#FFD3D3",
    "theme.dark.primaryColor": "#8AA4FF",
    "theme.dark.backgroundColor": "#0B1020",
    "theme.dark.secondaryBackgroundColor": "#141B31",
    "theme.dark.textColor": "#E8ECF6",
    "theme.dark.borderColor": "#2A3352",
    "theme.dark.linkColor": "#9DB2FF",
    "theme.dark.orangeBackgroundColor": "#6B4510",
    "theme.dark.blueBackgroundColor": "#1E4A80",
    "theme.dark.greenBackgroundColor": "#1F5A35",
    "theme.dark.violetBackgroundColor": "#4E3580",
    "theme.dark.redBackgroundColor": "#7A2B2B",
}


def check_port(port: int) -> None:
    """Make sure that the dashboard can be served at a port of this machine.

    Raises
    ------
    PaperskyError
        If the port is in use or not to be had.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise PaperskyError(
                f"Port {port} cannot be used: {reason}.",
                "Close what uses it, or choose another one with --port.",
            ) from error


def serve(port: int, *, on_ready: Callable[[str], None], browser: bool) -> None:
    """Serve the dashboard until it is interrupted.

    Parameters
    ----------
    port : int
    on_ready : callable
        Called with the address as soon as it answers.
    browser : bool
        Whether to open the address in the user's browser.
    """
    address = f"http://localhost:{port}"

    @asynccontextmanager
    async def lifespan(_app: st.App) -> AsyncIterator[None]:
        on_ready(address)
        if browser:
            webbrowser.open(address)
        yield

    app = st.App(
        _APP,
        lifespan=lifespan,
        routes=[
            Route(PLOTLY_JS_URL, lambda _request: FileResponse(PLOTLY_JS)),
            Route(DOTS_URL + "{digest}", _dots),
        ],
        on_script_error=_show_error,
    )
    app.run(config={**_OPTIONS, "server.port": port})


def _dots(request: Request) -> Response:
    """Answer with the dots of the map that is shown, if it is they that are asked for."""
    content = current().dots(request.path_params["digest"])
    if content is None:
        return Response(status_code=404)
    # A digest names one content for ever.
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(content, media_type="application/json", headers=headers)


def _show_error(error: Exception) -> bool:
    """Say in the page what went wrong; the details of a bug are written to the log."""
    if isinstance(error, PaperskyError):
        st.error(escape(str(error)))
    else:
        log = bugs.record(error)
        st.error(
            "Papersky failed to draw this page, and should not have. Reload it to go on. "
            f"What happened is written in {escape(str(log))}."
        )
    return True
