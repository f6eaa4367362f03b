"""The SDK's server: unknown tools, failures, and what is offered where."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memorycli.mcp import catalogue
from tests.support.agents.mcp_agent import ROOT, on_laptop


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


def test_failure_of_our_own_is_an_answer_and_in_the_log(project: Path, tmp_path: Path) -> None:
    journal = tmp_path / "home" / "logs" / "mcp.log"
    program = tmp_path / "sitecustomize.py"
    program.write_text(
        "import trajectory.local.store as store\n"
        "def broken(): raise RuntimeError('within\\nforged line')\n"
        "store.all_trajectories = broken\n"
    )

    with on_laptop(project, tmp_path / "home", PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}") as agent:
        said = agent.refused("trajectory_status")

    assert said == "trajectory_status failed within memoryserver; go on without it. Why is in mcp.log."
    assert "trajectory_status failed" in journal.read_text()
    assert len(journal.read_text().splitlines()) == 1


def test_unknown_tool_is_answered_with_the_nearest_name(project: Path, tmp_path: Path) -> None:
    with on_laptop(project, tmp_path / "home") as agent:
        near = agent.refused("serch_memory", query="x")
        far = agent.refused("zzz\nforged")

    assert near.startswith("There is no tool 'serch_memory'; did you mean search_memory? there are start_ghap, update_")
    assert far.startswith("There is no tool 'zzz forged'; there are start_ghap")


def test_every_tool_is_listed_with_its_schema(project: Path, tmp_path: Path) -> None:
    with on_laptop(project, tmp_path / "home") as agent:
        tools = {tool.name: tool for tool in agent.tools()}

    assert {name: tool.input_schema for name, tool in tools.items()} == {
        tool.name: tool.input_schema for tool in catalogue.ALL
    }
