"""The entries of an agent's session."""

from __future__ import annotations

from ghap.intake import receive
from ghap.pages.sessions import entries_of
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import body


def test_entries_of_the_session_are_those_that_the_viewer_may_see(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    for number, session in enumerate(["s-1", "s-1", "s-2"]):
        identifier = f"ghap_20261120_15000{number}_aaaaaa"
        receive(alice, shared_project, [body(id=identifier, goal=f"Goal {number}", agent_session=session)])
    receive(bob, None, [body(id="ghap_20261120_150009_aaaaaa", agent_session="s-1")])  # another's session of that name

    found = entries_of(bob, alice, "s-1")

    assert [(item.kind, item.title, item.state) for item in found] == [
        ("entry", "Goal 0", "confirmed"),
        ("entry", "Goal 1", "confirmed"),
    ]
    assert all(item.end and item.start <= item.end for item in found)
    assert entries_of(charlie, alice, "s-1") == []


def test_entry_that_another_session_adopted_is_one_of_both(alice: User, shared_project: Project) -> None:
    sessions = {"agent_session": "s-8", "earlier_agent_sessions": ["s-6", "s-7"]}
    receive(alice, shared_project, [body(**sessions)])

    titles = [[item.title for item in entries_of(alice, alice, session)] for session in ("s-6", "s-7", "s-8", "s-9")]

    assert titles == [["Stop the export from hanging"]] * 3 + [[]]
