"""The tools in an excluded folder, called by the SDK's client on a real process."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoryserver.client import exclusions
from tests.memorycli.mcp.test_journal_tools import ENTRY
from tests.support.agents.mcp_agent import on_laptop


def test_tools_that_store_refuse_in_one_sentence_and_the_others_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, home = tmp_path / "client", tmp_path / "home"
    (project / ".git").mkdir(parents=True)
    monkeypatch.setenv("MEMORYSERVER_HOME", str(home))
    exclusions.save([str(project)])
    learning = {"type": "gotcha", "content": "`npm test` never ends because Vitest watches; use `npx vitest run`"}

    with on_laptop(project, home) as agent:
        refused = {
            agent.refused("start_ghap", **ENTRY),
            agent.refused("update_ghap", note="n"),
            agent.refused("adopt_orphan"),
            agent.refused("store_learning", **learning),
            agent.refused("observation_append", type="task.updated", message="m"),
        }
        stored = agent("store_learning", **learning, project="shop")
        active = agent("get_active_ghap")

    reason = f"nothing was stored: {project} is excluded from the memory, until a person runs: memory capture include"
    assert refused == {reason}
    assert stored.startswith("Saved; it will be sent later")
    assert active.startswith("No GHAP entry is active.")
