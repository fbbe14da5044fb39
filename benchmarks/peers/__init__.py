"""Tools that do a part of the same job, in an environment that `make bench` makes for them."""

import os
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[2] / ".venv-bench"


def program(name: str) -> Path | None:
    """Return where a program of that environment is, None if it is not installed."""
    places = (_ROOT / "bin" / name, _ROOT / "Scripts" / f"{name}.exe")
    return next((place for place in places if place.exists()), None)


def surroundings(home: Path) -> dict[str, str]:
    """Return the environment variables with which peers find nothing kept and no network."""
    return {
        **os.environ,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "HF_HUB_OFFLINE": "1",
        # Imported along with BERTopic, litellm would wait for a list of prices.
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
