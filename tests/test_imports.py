"""Imports run one way, and the packages below the dashboard stay light."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = ("cache", "components", "dashboard")
HEAVY = {
    "torch", "transformers", "sentence_transformers", "umap", "numba", "sklearn", "distributed",
}  # fmt: skip


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imported(path: Path, *, at_import: bool = False) -> set[str]:
    """Return the top-level names a module imports, all or only when it is itself imported."""
    tree = ast.parse(path.read_text())
    inside = {node for block in ast.walk(tree) if runs_later(block) for node in ast.walk(block)}
    names: set[str] = set()
    for node in ast.walk(tree):
        if at_import and node in inside:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            names.add((node.module or "").split(".")[0])
    return names


def runs_later(block: ast.AST) -> bool:
    """Tell functions and what only type checkers see from what an import runs."""
    if isinstance(block, ast.If):
        return isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
    return isinstance(block, ast.FunctionDef | ast.AsyncFunctionDef)


@pytest.mark.parametrize("package", LAYERS)
def test_no_layer_imports_one_above_it(package: str) -> None:
    above = set(LAYERS[LAYERS.index(package) + 1 :])

    for path in modules(package):
        assert not imported(path) & above, path


def test_the_cache_layer_draws_nothing() -> None:
    for path in modules("cache"):
        assert not imported(path) & {"streamlit", "plotly"}, path


@pytest.mark.parametrize("package", LAYERS)
def test_nothing_heavy_is_imported_before_it_is_needed(package: str) -> None:
    for path in modules(package):
        assert not imported(path, at_import=True) & HEAVY, path
