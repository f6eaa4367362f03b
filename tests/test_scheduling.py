from __future__ import annotations

import pytest

from tests.support.processes.server_process import ROOT
from tests.support.scheduling import TOGETHER, Scheduling


@pytest.mark.parametrize(
    ("test", "scope"),
    [
        ("tests/e2e/test_docs.py::test_a[docs/pages.md::x]", "tests/e2e/test_docs.py"),
        ("tests/e2e/agents/test_kills.py::test_a", "tests/e2e/agents/"),
        ("tests/e2e/agents/test_codex.py::test_b", "tests/e2e/agents/"),
        ("tests/memoryserver/embedding/onnx/test_encoder.py::test_c", "tests/memoryserver/embedding/"),
    ],
)
def test_tests_of_a_file_or_of_a_folder_that_shares_something_go_together(test: str, scope: str) -> None:
    assert Scheduling.__new__(Scheduling)._split_scope(test) == scope


@pytest.mark.parametrize("folder", TOGETHER)
def test_folder_that_is_kept_together_exists(folder: str) -> None:
    assert (ROOT / folder).is_dir()
