"""What a laptop remembers of the learnings that were stored on it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memorycli.delivery import stored_learnings
from memoryserver.client import context_cache


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    return tmp_path


def body(content: str, *, type: str = "convention", project: str = "shop") -> dict[str, object]:  # noqa: A002
    return {"type": type, "content": content, "project": project, "files": []}


def test_the_same_wording_in_the_same_project_is_known() -> None:
    stored_learnings.add(body("Use pnpm, not npm"))

    assert stored_learnings.contains(body("use  pnpm, not npm"))
    assert not stored_learnings.contains(body("Use pnpm, not npm", project="web"))
    assert not stored_learnings.contains(body("Use pnpm, not npm", type="gotcha"))
    assert not stored_learnings.contains(body("Use yarn, not npm"))


def test_other_wordings_are_compared_with_what_was_stored_and_with_the_context() -> None:
    stored_learnings.add(body("Run `just check` before you push to main"))
    context_cache.store(
        "shop", "http://server", "### Learned here\n- [gotcha] The clock of `tests/` is frozen at noon [12]"
    )

    assert (
        stored_learnings.similar_to(body("Run just check before you push to main."))
        == "Run `just check` before you push to main"
    )
    assert (
        stored_learnings.similar_to(body("The clock of tests is frozen at noon"))
        == "The clock of `tests/` is frozen at noon"
    )
    assert stored_learnings.similar_to(body("The clock of tests is frozen at 9")) == ""
    assert stored_learnings.similar_to(body("Run just check before you push to main.", project="web")) == ""


def test_only_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_learnings, "MAX_LINES", 4)
    for number in range(6):
        stored_learnings.add(body(f"Port {number} is taken"))

    lines = [json.loads(line)["content"] for line in stored_learnings.path().read_text().splitlines()]
    assert lines == [f"Port {number} is taken" for number in range(2, 6)]


def test_cut_line_is_passed_over() -> None:
    stored_learnings.add(body("Use uv"))
    with stored_learnings.path().open("a") as file:
        file.write('{"project": "shop", "con\n[]\n{"content": 3}\n')
    stored_learnings.add(body("Use ruff"))

    assert stored_learnings.contains(body("Use uv"))
    assert stored_learnings.contains(body("Use ruff"))


def test_many_at_once_are_all_remembered() -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: stored_learnings.add(body(f"Port {number} is taken")), range(24)))

    assert all(stored_learnings.contains(body(f"Port {number} is taken")) for number in range(24))
