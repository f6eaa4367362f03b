from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from memoryserver.accounts import tokens
from memoryserver.accounts.models import Project, User
from tests.support.rows.sent_calls import call, same
from tests.trajectory.silence import fall_silent
from trajectory import configs
from trajectory.local.calls.row import row_of
from trajectory.models import Trajectory

CALLS = "/api/v1/trajectory/calls"
ENDS = "/api/v1/trajectory/ends"
ASSESSMENT = "/api/v1/trajectory/sessions/s/assessment"


@pytest.fixture
def stuck(alice: User, shared_project: Project, api: Any) -> Any:
    """Alice's session in the shared project, with a finding that stands."""
    body = {"session_id": "s", "project": shared_project.key, "calls": [same(n) for n in range(1, 4)]}
    return api(alice).post(CALLS, body, content_type="application/json")


def test_batch_is_answered_call_by_call_with_what_to_tell(stuck: Any) -> None:
    answer = stuck.json()
    assert answer["results"] == [{"id": f"c{n}", "status": "stored"} for n in (1, 2, 3)]
    assert "call failed 3 times with the same error" in answer["tell"]
    assert len(answer["tell"]) <= 600


def test_token_that_may_only_send_is_told_nothing(alice: User) -> None:
    _, text = tokens.issue(alice, "sender", scopes=["ingest"])
    body = {"session_id": "s", "calls": [same(n) for n in range(1, 4)]}
    headers = {"authorization": f"Bearer {text}"}
    answer = Client(headers=headers).post(CALLS, body, content_type="application/json").json()
    assert (len(answer["results"]), "tell" in answer) == (3, False)


def test_records_of_a_laptop_are_answered_without_a_text(alice: User, api: Any) -> None:
    records = [row_of(same(n)) | {"id": f"c{n}"} for n in range(1, 6)]
    body = {"session_id": "s", "calls": records}
    answer = api(alice).post(CALLS, body, content_type="application/json").json()
    assert (len(answer["results"]), "tell" in answer) == (5, False)
    findings = api(alice).get(ASSESSMENT).json()["findings"]
    assert {found["told_at_call"] for found in findings} == {None}


def test_more_than_five_hundred_calls_are_refused(alice: User, api: Any) -> None:
    body = {"session_id": "s", "calls": [call(n) for n in range(501)]}
    assert api(alice).post(CALLS, body, content_type="application/json").status_code == 422


@pytest.mark.parametrize(
    ("name", "status", "running"),
    [("alice", "stored", 0), ("bob", "unchanged", 1), ("charlie", "unchanged", 1)],
    ids=["owner", "mate", "stranger"],
)
def test_session_is_ended_by_its_owner_alone(
    stuck: Any, api: Any, charlie: User, name: str, status: str, running: int
) -> None:
    ends = [{"id": "e1", "session_id": "s", "ended_at": datetime.now(UTC).isoformat()}]
    response = api(User.objects.get(username=name)).post(ENDS, {"ends": ends}, content_type="application/json")

    assert response.json() == {"results": [{"id": "e1", "status": status}]}
    assert Trajectory.objects.running().count() == running


def test_end_dated_ahead_counts_as_of_its_arrival(stuck: Any, api: Any) -> None:
    before = datetime.now(UTC)
    ends = [{"id": "e1", "session_id": "s", "ended_at": "2999-01-01T00:00:00Z"}]
    api(User.objects.get(username="alice")).post(ENDS, {"ends": ends}, content_type="application/json")

    ended_at = Trajectory.objects.get().ended_at
    assert ended_at is not None
    assert before <= ended_at <= datetime.now(UTC)


@pytest.mark.parametrize(
    "ends",
    [
        [],
        [{"id": "e1", "session_id": "", "ended_at": "2026-11-20T14:30:22Z"}],
        [{"id": "e1", "session_id": "s", "ended_at": "yesterday"}],
        [{"id": "e1", "session_id": "s", "ended_at": "2026-11-20T14:30:22"}],
    ],
    ids=["none", "no session", "no time", "no zone"],
)
def test_end_without_a_session_or_a_time_is_refused(stuck: Any, api: Any, ends: list[dict[str, str]]) -> None:
    response = api(User.objects.get(username="alice")).post(ENDS, {"ends": ends}, content_type="application/json")

    assert (response.status_code, Trajectory.objects.running().count()) == (422, 1)


def test_end_of_a_session_whose_id_no_database_stores_is_unchanged(alice: User, api: Any) -> None:
    ends = [{"id": "e1", "session_id": "s\0", "ended_at": "2026-11-20T14:30:22Z"}]
    response = api(alice).post(ENDS, {"ends": ends}, content_type="application/json")

    assert response.json() == {"results": [{"id": "e1", "status": "unchanged"}]}


@pytest.mark.parametrize(("name", "status"), [("alice", 200), ("bob", 200), ("charlie", 404), (None, 401)])
def test_owner_and_mate_see_the_assessment_a_stranger_and_nobody_do_not(
    stuck: Any, api: Any, charlie: User, name: str | None, status: int
) -> None:
    user = User.objects.get(username=name) if name else None
    assert api(user).get(ASSESSMENT).status_code == status


def test_offset_of_the_first_release_is_refused_beside_a_cursor(alice: User, api: Any) -> None:
    refused = api(alice).get("/api/v1/trajectory/sessions", {"offset": 1})

    assert (refused.status_code, refused.json()["detail"]) == (
        422,
        "offset: pages are by cursor; send `next_cursor` of the last response as `cursor`",
    )
    assert api(alice).get("/api/v1/trajectory/sessions", {"offset": 0}).json() == {"sessions": [], "next_cursor": None}


@pytest.mark.parametrize(("name", "count"), [("alice", 1), ("bob", 1), ("charlie", 0)])
def test_sessions_are_listed_to_those_who_may_see_them(
    stuck: Any, api: Any, charlie: User, name: str, count: int
) -> None:
    listed = api(User.objects.get(username=name)).get("/api/v1/trajectory/sessions").json()["sessions"]
    assert len(listed) == count


def test_assessment_as_json_has_the_findings(stuck: Any, api: Any, alice: User) -> None:
    answer = api(alice).get(ASSESSMENT).json()
    assert [answer[key] for key in ("session_id", "calls", "worst", "project", "user")] == [
        "s",
        3,
        "caution",
        "github.com/crew/shop",
        "alice",
    ]
    assert {found["observer"] for found in answer["findings"]} == {"Repeated Call", "Error Cascade Detector"}


def test_assessment_as_markdown_is_the_file_of_the_laptop(stuck: Any, api: Any, alice: User) -> None:
    answer = api(alice).get(ASSESSMENT, {"format": "markdown"})
    assert answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert answer.content.decode().startswith("# Trajectory Assessment\n\n**Generated**: ")
    assert "## Repeated Call" in answer.content.decode()


def test_configuration_is_fetched_once_and_then_unchanged(api: Any, alice: User, shared_project: Project) -> None:
    body = {"observers": {"poll": {"enabled": False}}}
    configs.change(shared_project, body, alice)
    where = "/api/v1/trajectory/configuration"
    answer = api(alice).get(where, {"project": shared_project.key})
    version = answer.json()["version"]
    layer = {"scope": "project github.com/crew/shop", "version": 1, "configuration": body}
    assert answer.json() == {"version": version, "unchanged": False, "configuration": body, "layers": [layer]}
    assert answer.headers["ETag"] == f'"{version}"'
    again = api(alice).get(where, {"project": shared_project.key, "known": version})
    assert again.json() == {"version": version, "unchanged": True}


def test_configuration_of_a_project_that_one_does_not_see_is_the_default(
    api: Any, alice: User, charlie: User, shared_project: Project
) -> None:
    configs.change(shared_project, {"observers": {"poll": {"enabled": False}}}, alice)
    answer = api(charlie).get("/api/v1/trajectory/configuration", {"project": shared_project.key}).json()
    assert answer["configuration"] == {"observers": {}}


def test_configuration_set_by_the_lead_arrives_at_every_member(
    api: Any, alice: User, bob: User, shared_project: Project
) -> None:
    configs.change(shared_project, {"observers": {"poll": {"enabled": False}}}, alice)
    where = "/api/v1/trajectory/configuration"
    answers = [api(user).get(where, {"project": shared_project.key}).json() for user in (alice, bob)]
    assert [answer["configuration"] for answer in answers] == [{"observers": {"poll": {"enabled": False}}}] * 2


def test_ended_session_has_its_end_and_no_open_finding(stuck: Any, api: Any, alice: User) -> None:
    running = api(alice).get(ASSESSMENT).json()
    last = fall_silent(Trajectory.objects.all())
    ended = api(alice).get(ASSESSMENT).json()
    listed = api(alice).get("/api/v1/trajectory/sessions").json()["sessions"][0]

    assert (running["ended_at"], running["worst"]) == (None, "caution")
    assert [datetime.fromisoformat(answer["ended_at"]) for answer in (ended, listed)] == [last, last]
    assert (ended["worst"], listed["worst"]) == ("", "")
    keys = ("ended_at_call", "ended_with_session")
    assert {tuple(found[key] for key in keys) for found in running["findings"]} == {(None, False)}
    assert {tuple(found[key] for key in keys) for found in ended["findings"]} == {(3, True)}
    assert api(alice).get(ASSESSMENT, {"format": "markdown"}).content == b""
