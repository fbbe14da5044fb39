import socket
from pathlib import Path

import pytest

SEEDS = Path(__file__).parents[1] / "seeds"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a cache of its own and leaves the user's alone."""
    root = tmp_path / "cache"
    monkeypatch.setenv("PAPERSKY_CACHE", str(root))
    return root


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection to another machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0] if isinstance(address, tuple) else ""
            if host not in ("127.0.0.1", "::1", "localhost"):
                raise AssertionError(f"a test wanted to connect to {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
