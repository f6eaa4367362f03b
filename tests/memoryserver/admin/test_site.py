"""The admin site: deletions are recorded, and addresses that make no sense are no failures."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ghap.intake import receive
from ghap.models import Cluster, Clustering
from memoryserver.accounts.models import Project, Team, User
from memoryserver.admin.site import Guarded, MemoryAdminSite
from obslog.models import Observation
from tests.support.rows.factories import ProjectFactory, TeamFactory, UserFactory
from tests.support.rows.ghap_entries import body
from tests.support.rows.many_rows import OF_EACH_MODEL
from trajectory.models import Trajectory

WITH_DATES = sorted(
    (f"{model._meta.label_lower.replace('.', '_')}", model_admin.date_hierarchy)
    for model, model_admin in admin.site._registry.items()
    if model_admin.date_hierarchy
)
FILTERED = sorted(model._meta.label_lower.replace(".", "_") for model in admin.site._registry)


@pytest.fixture
def root(db: None) -> User:
    return UserFactory(username="root", is_staff=True, is_superuser=True)


@pytest.fixture
def administrator(root: User) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(root)
    return client


def delete(client: Client, row: Model) -> Any:
    name = row._meta.label_lower.replace(".", "_")
    return client.post(reverse(f"admin:{name}_delete", args=[row.pk]), {"post": "yes"})


def deletions(user: User) -> list[tuple[Any, ...]]:
    rows = Observation.objects.filter(user=user, type="admin.deleted").order_by("arrival")
    return [(row.source, row.message, row.data, row.scope_ids) for row in rows]


def test_site_is_ours_and_guards_every_model() -> None:
    assert issubclass(admin.site.__class__, MemoryAdminSite)
    assert [model for model, shown_by in admin.site._registry.items() if Guarded not in type(shown_by).__mro__] == []


def test_deletion_is_recorded_with_who_and_what_and_without_the_text(administrator: Client, root: User) -> None:
    team = TeamFactory(name="the secret team")
    delete(administrator, team)

    digest = hashlib.sha256(b"the secret team").hexdigest()
    data = {"model": "accounts.team", "id": str(team.pk), "by": root.pk, "sha256": digest}
    name = f"accounts.team {team.pk}"
    scope_ids = [f"accounts.team:{team.pk}", f"team:{team.pk}"]
    assert deletions(root) == [("system:admin", f"{name} was deleted in the admin", data, scope_ids)]
    assert not Team.objects.exists()


def test_deletion_of_several_by_the_action_is_recorded_for_each(administrator: Client, root: User) -> None:
    teams = [TeamFactory(), TeamFactory()]
    selected = {"action": "delete_selected", "_selected_action": [team.pk for team in teams], "post": "yes"}
    administrator.post(reverse("admin:accounts_team_changelist"), selected)

    assert sorted(scope_ids for *_, scope_ids in deletions(root)) == sorted(
        [f"accounts.team:{team.pk}", f"team:{team.pk}"] for team in teams
    )


def test_deletion_that_fails_is_not_recorded(
    administrator: Client, root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("the disk is full")

    team = TeamFactory()
    monkeypatch.setattr(Team, "delete", fail)
    monkeypatch.setattr("django.db.models.query.QuerySet.delete", fail)
    selected = {"action": "delete_selected", "_selected_action": [team.pk], "post": "yes"}

    answers = [delete(administrator, team), administrator.post(reverse("admin:accounts_team_changelist"), selected)]

    assert ([answer.status_code for answer in answers], deletions(root)) == ([500, 500], [])


def test_superuser_deletes_a_project_with_clusters_and_its_entries_stay(
    administrator: Client, root: User, alice: User
) -> None:
    project = ProjectFactory(owner=alice)
    receive(alice, project, [body()])
    clustering = Clustering.objects.create(axis="surprise", project=project)
    Cluster.objects.create(clustering=clustering, rank=1, size=3, weight=1.0, terms=["lock"])

    answer = delete(administrator, project)

    from ghap.models import Entry

    assert answer.status_code == 302
    assert not Project.objects.exists()
    assert not Cluster.objects.exists()
    assert Entry.objects.get().project is None


def test_date_out_of_range_shows_the_whole_list(administrator: Client) -> None:
    """All of them in one list; in the others, which are guarded in the same way, one that Django fails for."""
    queries = ["year=9999", "year=10000", "year=0", "year=" + "9" * 30, "year=-1", "year=x"]
    queries += ["year=9999&{}__month=12", "year=2026&{}__month=13", "year=1&{}__month=1"]
    queries += ["year=9999&{0}__month=12&{0}__day=31", "year=2026&{0}__month=2&{0}__day=31"]
    asked = [(*WITH_DATES[0], query) for query in queries] + [(*each, queries[0]) for each in WITH_DATES[1:]]
    addresses = [
        f"{reverse(f'admin:{name}_changelist')}?{field}__{query.format(field)}" for name, field, query in asked
    ]

    statuses = {address: administrator.get(address, follow=True).status_code for address in addresses}

    assert statuses == dict.fromkeys(addresses, 200)


def test_selection_that_holds_no_keys_is_refused_or_ignored(administrator: Client) -> None:
    failed = []
    for name in FILTERED:
        for key in ("", "x", "9" * 30, "-1", "\x00"):
            selection = {"action": "delete_selected", "_selected_action": key}
            status = administrator.post(reverse(f"admin:{name}_changelist"), selection).status_code
            failed += [(name, key, status)] if status not in (200, 302, 400, 403) else []

    assert failed == []


def test_valid_date_narrows_the_list(administrator: Client, alice: User) -> None:
    for session, year in (("old", 2024), ("new", 2026)):
        Trajectory.objects.create(user=alice, session_id=session, last_call_at=f"{year}-05-01T00:00:00Z")

    page = administrator.get(reverse("admin:trajectory_trajectory_changelist"), {"last_call_at__year": "2024"})

    assert [row.session_id for row in page.context["cl"].result_list] == ["old"]


@pytest.mark.parametrize("model", OF_EACH_MODEL, ids=lambda model: model._meta.label)
def test_list_needs_as_many_queries_for_twelve_rows_as_for_few(
    model: Any, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    OF_EACH_MODEL[model](alice, 12)
    client = Client()
    client.force_login(UserFactory(username="overseer", is_staff=True, is_superuser=True))
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    client.get(address)
    counts = []
    for shown in (4, 12):  # the log's first rows are those of the sign-in and the look before; looks at them are not
        monkeypatch.setattr(admin.site._registry[model], "list_per_page", shown)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(address).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]
