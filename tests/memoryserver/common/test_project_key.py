"""The form of keys, and what a path alone tells."""

from __future__ import annotations

import pytest

from memoryserver.common import project_key


def test_keys_are_compared_in_lower_case_and_composed_form() -> None:
    assert project_key.normalized("  Cafe\u0301  Shop\n") == "caf\u00e9 shop"


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/work/Shop/", "shop"),
        ("C:\\work\\shop", "shop"),
        ("shop", "shop"),
        ("", ""),
        ("/", ""),
        ("/work/agent-ab12cd", ""),
        ("/work/shop/.claude/worktrees/noble-hare", "shop"),
        ("C:\\work\\shop\\.claude\\worktrees\\noble-hare\\src", "shop"),
        ("/tmp", ""),
        ("/tmp/x", ""),
        ("/private/var/folders/a/b", ""),
        ("C:\\Users\\dev\\Temp\\x", ""),
    ],
)
def test_folder_of_which_nothing_is_known_has_its_name_unless_it_is_temporary(folder: str, name: str) -> None:
    assert project_key.of_unknown_folder(folder) == name


def test_names_on_a_path_come_from_its_end() -> None:
    assert project_key.names_on("/Home/dev/shop/packages/api") == ["api", "packages", "shop", "dev", "home"]
    assert project_key.names_on("") == []
