"""Names in place of the ids in messages of the server."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts.models import Project, User
from obslog import log
from obslog.emit import emit
from obslog.models import Observation
from obslog.pages.names import described, with_messages
from tests.support.rows.observations import new


def emitted(user: User, *messages: str) -> list[Observation]:
    for message in messages:
        emit(user, type="admin.viewed", source="system:test", message=message)
    return list(Observation.objects.filter(user=user).order_by("arrival"))


def test_people_teams_and_projects_have_their_names(alice: User, bob: User, shared_project: Project) -> None:
    team = alice.teams.get()
    rows = emitted(
        alice,
        f"user {bob.pk} is now lead in team {team.pk}",
        f"project {shared_project.pk} was moved into team {team.pk}",
        f"viewed in the admin by user {bob.pk}",
    )
    assert [message for _, message in with_messages(rows)] == [
        "bob is now lead in team crew",
        "project shop was moved into team crew",
        "viewed in the admin by bob",
    ]


def test_ids_of_nobody_and_of_rows_of_the_admin_stay(alice: User) -> None:
    rows = emitted(alice, "user 4711 is away", f"accounts.user {alice.pk} was changed in the admin")
    assert [message for _, message in with_messages(rows)] == [row.message for row in rows]


def test_messages_of_agents_stay_as_they_are(alice: User, bob: User) -> None:
    log.append(alice, new(message=f"user {bob.pk} asked"))
    (row,) = Observation.objects.filter(user=alice)
    assert with_messages([row]) == [(row, f"user {bob.pk} asked")]


def test_scope_ids_of_the_server_have_names_and_are_found_by_their_ids(alice: User, shared_project: Project) -> None:
    team = alice.teams.get()
    ids = [
        f"project:{shared_project.pk}",
        f"team:{team.pk}",
        f"user:{alice.pk}",
        "project:4711",
        "acme",
    ]
    emit(alice, type="admin.viewed", source="system:test", message="viewed", scope_ids=ids)
    (shown,) = described(list(Observation.objects.filter(user=alice)))
    assert dict(shown.scopes) == {
        f"project:{shared_project.pk}": "project shop",
        f"team:{team.pk}": "team crew",
        f"user:{alice.pk}": "alice",
        "project:4711": "project:4711",
        "acme": "acme",
    }


def test_long_ids_of_the_server_are_cut(alice: User) -> None:
    session = "9b8669e7-ebb7-4b06-9df6-d6bb62ba17b7"
    emit(alice, type="capture.learnings", source="system:test", message=f"2 from codex-{session}", scope_ids=[session])
    (shown,) = described(list(Observation.objects.filter(user=alice)))
    assert (shown.message, shown.scopes) == ("2 from codex-9b8669e7…", [(session, "9b8669e7…")])


def test_scope_ids_of_agents_name_nobody(alice: User) -> None:
    log.append(alice, new(message=f"user {alice.pk}", scope_ids=[f"user:{alice.pk}"]))
    (shown,) = described(list(Observation.objects.filter(user=alice)))
    assert (shown.message, shown.scopes) == (f"user {alice.pk}", [(f"user:{alice.pk}", f"user:{alice.pk}")])


def test_names_take_one_query_however_many_there_are(alice: User, bob: User) -> None:
    rows = emitted(alice, *[f"viewed by user {key}" for key in (alice.pk, bob.pk)])
    with CaptureQueriesContext(
        connection,
    ) as queries:
        with_messages(rows)
    assert len(queries) == 1
