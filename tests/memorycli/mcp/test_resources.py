"""The journal and the assessment as resources."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from ghap.local import Domain, Journal, OutcomeStatus, Strategy
from memorycli.mcp import resources
from memorycli.mcp.place import Place
from tests.support.agents.mcp_agent import on_laptop

ACTIVE = "memory://journal/active"
SESSION = "memory://journal/session"
ASSESSMENT = "memory://trajectory/assessment"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


def test_unknown_resource_is_an_error_with_the_known_ones(project: Path, tmp_path: Path) -> None:
    with on_laptop(project, tmp_path / "home") as agent, pytest.raises(Exception, match="memory://journal/active"):
        agent.read("memory://journal/none")


def read(uri: str, project: Path) -> str:
    async def text() -> str:
        return await resources.named(uri).read(Place(project))

    return asyncio.run(text())


def test_each_resource_is_found_by_its_uri() -> None:
    assert [resources.named(resource.uri) for resource in resources.RESOURCES] == list(resources.RESOURCES)
    assert [resource.uri for resource in resources.RESOURCES] == [ACTIVE, SESSION, ASSESSMENT]


def test_project_without_a_journal_has_empty_resources_and_gets_no_folder(project: Path) -> None:
    assert [read(uri, project) for uri in (ACTIVE, SESSION, ASSESSMENT)] == ["null", "", ""]
    assert [path.name for path in project.iterdir()] == [".git"]


def test_active_entry_and_then_the_sessions_entries_are_read(project: Path) -> None:
    journal = Journal(Place(project).journal)
    started = journal.create_ghap(
        Domain.DEBUGGING, Strategy.READ_THE_ERROR, "Stop the export", "It waits", "Wait", "It ends"
    )
    active = json.loads(read(ACTIVE, project))
    journal.resolve_ghap(OutcomeStatus.CONFIRMED, "it ends")

    assert (active["id"], active["goal"]) == (started.id, "Stop the export")
    assert [json.loads(line)["id"] for line in read(SESSION, project).splitlines()] == [started.id]
    assert read(ACTIVE, project) == "null"


def test_assessment_is_the_file_in_the_project(project: Path) -> None:
    path = project / ".wink/trajectory/assessment.md"
    path.parent.mkdir(parents=True)
    path.write_text("# Trajectory Assessment\n")

    assert read(ASSESSMENT, project) == "# Trajectory Assessment\n"


def test_unknown_uri_is_shown_on_one_line() -> None:
    with pytest.raises(KeyError, match=r"there is no resource .*x y.*; there are memory://journal/active, "):
        resources.named("x\ny")
