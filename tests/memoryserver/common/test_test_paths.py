"""Files of tests, told by their paths."""

from __future__ import annotations

import pytest

from memoryserver.common.test_paths import is_test


@pytest.mark.parametrize(
    "path",
    [
        *("test_config.py", "src/config_test.go", "config.spec.ts", "src/a/config.test.tsx", "tests.py", "a-test.js"),
        *("tests/data.py", "a/tests/conftest.py", "src/__tests__/a.js", "spec/models/user.rb"),
    ],
)
def test_path_of_a_test_is_one(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path", ["", "contest.py", "src/latest.py", "testing/a.py", "src/app.py", "inspector.ts", "test"]
)
def test_path_of_something_else_is_none(path: str) -> None:
    assert is_test(path) is (path == "test")
