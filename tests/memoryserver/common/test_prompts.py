"""Which prompts a person wrote, and which files they name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common import prompts


@pytest.mark.parametrize(
    ("prompt", "named"),
    [
        ("Fix src/cache.py, please.", ["src/cache.py"]),
        ("see @docs and @src/a.py#L12-L20!", ["docs", "src/a.py"]),
        ("`README.md`: 'a/b.ts:12:3' (c/d/) \"e.toml\"", ["README.md", "a/b.ts", "c/d", "e.toml"]),
        (r"src\win\x.cs", ["src/win/x.cs"]),
        ("https://x.org/a.py and http://b/c", []),
        ("and/or is a word too", ["and/or"]),
        ("version 1.2.3, this one. Or that", []),
        ("a.py a.py a.py", ["a.py"]),
        ("@ / // @/", []),
        ("", []),
    ],
)
def test_paths_are_found_in_the_order_of_the_prompt(prompt: str, named: list[str]) -> None:
    assert prompts.paths_named(prompt) == named


def test_prompt_that_is_a_list_of_files_is_read_up_to_a_bound() -> None:
    assert len(prompts.paths_named(" ".join(f"a/{n}.py" for n in range(1000)))) == prompts.MAX_CANDIDATES


@given(st.text())
def test_any_text_is_borne_with(prompt: str) -> None:
    assert all(path and "\n" not in path for path in prompts.paths_named(prompt))
    assert isinstance(prompts.is_machine_made(prompt), bool)


@pytest.mark.parametrize("prompt", ["Fix the cache", "<b>Why</b> is this bold?", "use `<task-notification>` here"])
def test_what_a_person_writes_is_no_machines(prompt: str) -> None:
    assert not prompts.is_machine_made(prompt)


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("\n  Fix the cart total\nIt is off by one cent.", "Fix the cart total"),
        ("x " * 100, "x " * 39 + "x…"),
        ("Use ghp_" + "a1B2" * 9 + " to push", "Use [redacted:github-token] to push"),
        ("<private>Anna\nis ill</private> Fix it", "[redacted:private] Fix it"),
        ("Line\tone\x1b[31m red", "Line one red"),
    ],
)
def test_title_is_the_first_line_without_secrets(prompt: str, title: str) -> None:
    assert prompts.title_of(prompt) == title
