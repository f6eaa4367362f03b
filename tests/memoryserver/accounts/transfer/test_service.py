"""Data is exported whole and imported elsewhere once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from capture import sink
from capture.deliveries import IncomingLearning
from capture.models import Learning
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts.models import Project, User
from memoryserver.accounts.transfer import service
from memoryserver.accounts.transfer.service import MAX_REASONS
from memoryserver.errors import InvalidInputError
from obslog import log
from obslog.models import Observation
from tests.support.rows.factories import ProjectFactory
from tests.support.rows.ghap_entries import body
from tests.support.rows.observations import new
from tests.support.rows.sent_calls import call
from trajectory.intake import receive as receive_calls
from trajectory.models import ToolCall

HEADER = json.dumps({"format": service.FORMAT, "version": service.VERSION})


def fill(user: User, project: Project | None, number: int) -> None:
    """Rows of every kind."""
    receive(user, project, [body(id=f"ghap_20261120_15000{number}_aaaaaa")])
    sink.store_by_hand(user, project, IncomingLearning("gotcha", f"Number {number} needs rain.", 1.0, 0))
    receive_calls(user, project, f"s-{number}", "", [call(1), call(2)])
    log.append_all(user, [new(message=f"observation {number}")])


def rows(user: User) -> dict[str, list[Any]]:
    """What a user has, as far as it does not depend on the server."""
    return {
        "entries": list(Entry.objects.filter(user=user).order_by("ghap_id").values_list("project__key", "body")),
        "learnings": list(
            Learning.objects.filter(user=user)
            .order_by("content")
            .values_list(
                "project__key", "type", "content", "confidence", "seen_count", "first_seen", "pinned", "hidden"
            )
        ),
        "calls": list(
            ToolCall.objects.filter(user=user)
            .order_by("session_id", "call_index")
            .values_list("project__key", "session_id", "call_id", "tool_name", "outcome", "made_at")
        ),
    }


def own_observations(user: User) -> list[str]:
    found = Observation.objects.filter(user=user).exclude(category="system").order_by("message")
    return list(found.values_list("message", flat=True))


def of_export(lines: list[str], kind: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, lines) if line.get("kind") == kind]


def test_export_has_a_header_and_all_that_is_the_users_and_nothing_of_others(
    alice: User, bob: User, shared_project: Project
) -> None:
    for number, (user, project) in enumerate([(alice, shared_project), (alice, None), (bob, shared_project)]):
        fill(user, project, number)
    lines = list(service.export(alice))

    header = json.loads(lines[0])
    assert {name: header[name] for name in ("format", "version", "user", "project")} == {
        "format": "memoryserver-data",
        "version": 1,
        "user": "alice",
        "project": None,
    }
    assert {line["author"] for line in map(json.loads, lines[1:])} == {"alice"}
    counts = {kind: len(of_export(lines, kind)) for kind in ("ghap.entry", "capture.learning", "trajectory.call")}
    assert counts == {"ghap.entry": 2, "capture.learning": 2, "trajectory.call": 4}
    assert [line["project"] for line in of_export(lines, "ghap.entry")] == [shared_project.key, None]


def test_export_of_a_project_has_the_rows_of_all_authors_and_no_personal_ones(
    alice: User, bob: User, shared_project: Project
) -> None:
    for number, (user, project) in enumerate([(alice, shared_project), (alice, None), (bob, shared_project)]):
        fill(user, project, number)
    lines = list(service.export(bob, shared_project))

    assert [line["author"] for line in of_export(lines, "ghap.entry")] == ["alice", "bob"]
    assert of_export(lines, "obslog.observation") == []
    assert {line["project"] for line in map(json.loads, lines[1:])} == {shared_project.key}


def test_imported_data_is_the_same_and_importing_it_again_changes_nothing(alice: User, charlie: User) -> None:
    fill(alice, ProjectFactory(owner=alice, key="shop"), 0)
    fill(alice, None, 1)
    Learning.objects.filter(content__contains="0").update(pinned=True, seen_count=7)
    lines = list(service.export(alice))
    before = rows(alice)
    results = [service.load(lines, charlie) for _ in range(2)]

    assert rows(charlie) == before
    stored = len(lines) - 1 - len(of_export(lines, "obslog.observation"))
    assert [(result.stored, result.refused) for result in results] == [(stored, 2), (0, 2)]
    assert Project.objects.get(owner=charlie).key == "shop"


def test_import_into_ones_own_account_changes_nothing(alice: User) -> None:
    fill(alice, ProjectFactory(owner=alice, key="shop"), 0)
    before, observed = rows(alice), own_observations(alice)
    result = service.load(list(service.export(alice)), alice)

    assert (result.stored, result.refused) == (0, 0)
    assert (rows(alice), own_observations(alice)) == (before, observed)


def test_authors_are_kept_where_they_have_an_account(alice: User, bob: User, shared_project: Project) -> None:
    receive(alice, shared_project, [body()])
    lines = [line.replace('"author": "alice"', '"author": "bob"') for line in service.export(alice, shared_project)]
    strange = [line.replace('"author": "bob"', '"author": "eve"') for line in lines]
    results = [service.load(part, alice, keep_authors=True) for part in (lines, strange)]

    assert [(result.stored, result.reasons) for result in results] == [
        (1, []),
        (0, ["line 2: there is no user 'eve' here"]),
    ]
    assert set(Entry.objects.values_list("user__username", "project")) == {
        ("alice", shared_project.pk),
        ("bob", shared_project.pk),
    }


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"kind": "x", "data": {}}', "line 2: unknown kind 'x'"),
        ('{"kind": ["x"], "data": {}}', "line 2: unknown kind \"['x']\""),
        ('{"kind": "ghap.entry", "data": []}', "line 2: a line needs an object `data`"),
        ("[]", "line 2: unknown kind 'None'"),
        ('{"kind": "ghap.entry", "data": {"id": "1"}}', "line 2: "),
    ],
)
def test_line_that_is_no_row_is_refused_and_the_others_are_stored(alice: User, line: str, reason: str) -> None:
    good = json.dumps({"kind": "ghap.entry", "project": None, "author": "alice", "data": body()})
    result = service.load([HEADER, line, "", good], alice)

    assert (result.stored, result.refused) == (1, 1)
    assert result.reasons[0].startswith(reason)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "line 1 is not the header"),
        (["{}"], "line 1 is not the header"),
        (["[]"], "line 1 is not the header"),
        (["oops"], "line 1 is not JSON"),
        ([HEADER, "{"], "line 2 is not JSON"),
        ([HEADER.replace("1}", "2}")], "the export has version 2; this server reads version 1"),
    ],
)
def test_file_that_is_no_export_is_an_error(alice: User, lines: list[str], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        service.load(lines, alice)


def test_reasons_are_limited(alice: User) -> None:
    result = service.load([HEADER, *['{"kind": "x", "data": {}}'] * (MAX_REASONS + 5)], alice)
    assert (result.refused, len(result.reasons)) == (MAX_REASONS + 5, MAX_REASONS)
