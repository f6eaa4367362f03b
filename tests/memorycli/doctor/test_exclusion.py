"""Problems of what is excluded from the memory."""

from __future__ import annotations

import pytest

from memoryserver.client import exclusions
from tests.support.laptops.doctor import findings, only_finding, settings_path
from tests.support.laptops.laptop import Laptop


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(exclusions.VARIABLE, raising=False)


def test_excluded_folder_is_no_problem(memory: Laptop) -> None:
    exclusions.save([str(memory.project)])

    assert findings() == {}


def test_line_that_excludes_nothing_is_found(memory: Laptop) -> None:
    exclusions.path().write_text("personal\n")

    assert only_finding("exclusions") == (
        f"{exclusions.path()} excludes 'personal', which is not an absolute path",
        f"correct {exclusions.path()}, or $MEMORYSERVER_EXCLUDE if it is that",
    )


def test_hooks_that_post_past_the_client_are_found_where_something_is_excluded(memory: Laptop) -> None:
    memory("install", "claude-code", "--mode", "http", "--url", "http://127.0.0.1:1")
    assert "exclusions" not in findings()
    exclusions.save([str(memory.project)])

    assert findings()["exclusions"] == [
        (
            f"the hooks in {settings_path()} post to the server themselves, from excluded folders too",
            "memory install claude-code --mode local",
        )
    ]
