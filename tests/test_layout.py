"""The rules of CONTRIBUTING.md about files, functions, folders and the interpreter, checked for the whole tree."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("memorycli", "memoryserver", "ghap", "trajectory", "capture", "obslog", "demo")
MOST_LINES_OF_A_FILE = 300
MOST_LINES_OF_A_FILE_OF_TESTS = 350
MOST_LINES_OF_A_FUNCTION = 35
MOST_MODULES_IN_A_FOLDER = 25
WITHOUT_TESTS_OF_THEIR_OWN = {"__init__.py", "apps.py", "urls.py", "wsgi.py"}


def modules(*packages: str) -> Iterator[Path]:
    """The modules of `packages` as paths below the root, migrations left out."""
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path.relative_to(ROOT)


def commands() -> Iterator[Path]:
    """The benchmarks and tools, without what they share: that is also data, such as texts with labels."""
    return (path for path in modules("bench", "tools") if len(path.parts) == 2)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text())


def imported(path: Path) -> Iterator[str]:
    """The modules that `path` imports, each with the names that it takes from them."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_no_file_is_longer_than_the_limit() -> None:
    code = [*modules(*PACKAGES), *commands()]
    lines = {str(path): len((ROOT / path).read_text().splitlines()) for path in code}
    assert {path: number for path, number in lines.items() if number > MOST_LINES_OF_A_FILE} == {}


def test_no_file_of_tests_is_longer_than_the_limit() -> None:
    lines = {str(path): len((ROOT / path).read_text().splitlines()) for path in modules("tests")}
    assert {path: number for path, number in lines.items() if number > MOST_LINES_OF_A_FILE_OF_TESTS} == {}


# Private modules of the interpreter; the docstring of the module has what it spares and how that was measured.
WITH_A_MEASURED_REASON = {("memoryserver/common/digest.py", "_blake2")}


def test_no_function_is_longer_than_the_limit() -> None:
    too_long = [
        f"{path}:{node.lineno} {node.name}"
        for path in modules(*PACKAGES)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MOST_LINES_OF_A_FUNCTION
    ]
    assert too_long == []


def test_no_folder_holds_more_modules_than_the_limit() -> None:
    shared = modules("tests/support", "bench/support")
    sizes = Counter(str(path.parent) for path in [*modules(*PACKAGES), *commands(), *shared])
    assert {folder: number for folder, number in sizes.items() if number > MOST_MODULES_IN_A_FOLDER} == {}


def test_every_module_has_tests_of_its_name_at_the_mirrored_path() -> None:
    expected = {
        str(path): Path("tests", path.parent, f"test_{path.stem.strip('_')}.py")
        for path in modules(*PACKAGES)
        if path.name not in WITHOUT_TESTS_OF_THEIR_OWN
    }
    assert [module for module, tests in expected.items() if not (ROOT / tests).exists()] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_imports_a_private_module_of_the_interpreter(package: str) -> None:
    private = [
        f"{path}: {name}"
        for path in modules(package)
        for name in imported(path)
        if (name.startswith("_") and not name.startswith("__future__.")) or name.startswith(("re._", "sre_"))
        if (str(path), name.partition(".")[0]) not in WITH_A_MEASURED_REASON
    ]
    assert private == []


@pytest.mark.parametrize("path", [path for path in commands() if path.parent.name == "bench"], ids=str)
def test_every_benchmark_prints_an_object_with_its_name(path: Path) -> None:
    names = [
        ast.literal_eval(value)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "bench"
    ]

    assert names == ([] if path.stem == "__init__" else [path.stem])
