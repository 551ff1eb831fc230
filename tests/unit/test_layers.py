"""Who may import whom, read from the imports themselves."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

MAY_IMPORT = {
    "shared.log": set(),
    "shared.domain": {"shared.domain"},
    "shared.storage": {"shared.storage", "shared.domain"},
    "shared.channels": {"shared.channels", "shared.domain", "shared.log"},
    "shared.imaging": {"shared.imaging", "shared.domain"},
    "shared.services": {
        *("shared.services", "shared.storage", "shared.channels", "shared.imaging", "shared.domain", "shared.log"),
    },
    "shared.web": {"shared.web", "shared.services", "shared.domain", "shared.log"},
    "shared.settings": {"shared.settings_reader", "shared.storage.connections", "shared.domain"},
    "shared.settings_reader": {"shared.storage.connections", "shared.domain"},
    "shared.version": set(),
    "shared.composition": {
        *("shared.composition", "shared.services", "shared.storage", "shared.channels", "shared.domain"),
        *("shared.settings", "shared.version", "shared.log"),
    },
    "shared.app": {"shared.composition", "shared.domain", "shared.log"},
    "function_app": {"shared.app", "shared.web", "shared.domain", "shared.version"},
    "devhost": {"devhost"},
    "tools.dev": {"tools.dev"},
    "tools.infra": {"tools.infra", "tools.dev"},
    "tools": {"tools", "shared.domain"},
}

SDK_ONLY_IN = {
    "azure.functions": ("function_app", "shared.web", "devhost"),
    "azure": ("shared.storage", "shared.channels", "devhost", "tools"),
}

MODULES = sorted(
    [*ROOT.glob("shared/**/*.py"), *ROOT.glob("devhost/**/*.py"), *ROOT.glob("tools/**/*.py"), ROOT / "function_app.py"]
)


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_module_imports_only_what_its_layer_may(path: Path) -> None:
    layer = next((layer for layer in MAY_IMPORT if _within(_name(path), layer)), None)
    ours = {name for name in _imports(path) if name.split(".")[0] in {"shared", "devhost", "tools", "function_app"}}
    if layer is None:
        assert not ours, f"{_name(path)} is in no layer"
        return
    assert not {name for name in ours if not any(_within(name, allowed) for allowed in MAY_IMPORT[layer])}


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_module_knows_azure_only_where_its_layer_may(path: Path) -> None:
    for name in _imports(path):
        sdk = next((sdk for sdk in SDK_ONLY_IN if _within(name, sdk)), None)
        if sdk:
            assert any(_within(_name(path), layer) for layer in SDK_ONLY_IN[sdk]), name


def test_domain_imports_nothing_but_python_and_the_validation_library() -> None:
    for path in ROOT.glob("shared/domain/*.py"):
        foreign = {name.split(".")[0] for name in _imports(path)} - set(sys.stdlib_module_names)
        assert foreign <= {"shared", "msgspec"}, path


def test_environment_is_read_in_one_place_of_the_app() -> None:
    readers = {_name(path) for path in ROOT.glob("shared/**/*.py") if "os.environ" in path.read_text("utf-8")}
    assert readers == {"shared.app"}
