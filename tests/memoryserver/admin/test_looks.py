"""What an administrator sees in the admin alone."""

from __future__ import annotations

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from capture.models import Learning, LearningChange
from ghap.models import Failure as RecurringFailure
from ghap.models import OpenEntry
from memoryserver.access.models import DeviceGrant, Laptop
from memoryserver.accounts.models import Project, Team, User
from memoryserver.admin.looks import private_of_others
from memoryserver.hooks.models import HookSession
from memoryserver.inquiries.models import Inquiry
from obslog.emit import emit
from obslog.models import Observation
from tests.support.rows.factories import ProjectFactory
from tests.support.rows.many_rows import OF_EACH_MODEL


def learned(user: User, project: Project | None) -> Learning:
    now = timezone.now()
    return Learning.objects.create(
        user=user, project=project, type="gotcha", content="x", confidence=1.0, first_seen=now, last_seen=now
    )


def test_private_rows_are_grouped_by_author_without_those_of_teams_and_the_viewer(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    private = [learned(alice, None), learned(bob, ProjectFactory(owner=bob)), learned(alice, None)]
    rows = [*private, learned(alice, shared_project), learned(charlie, None)]

    assert private_of_others(rows, charlie) == {alice.pk: [private[0].pk, private[2].pk], bob.pk: [private[1].pk]}
    assert private_of_others(rows, bob) == {alice.pk: [private[0].pk, private[2].pk], charlie.pk: [rows[4].pk]}


def test_part_of_a_row_is_as_private_as_the_row(alice: User, charlie: User) -> None:
    change = LearningChange.objects.create(learning=learned(alice, None), what="pinned")

    assert private_of_others([change], charlie) == {alice.pk: [change.pk]}
    assert private_of_others([change], alice) == {}


def test_rows_without_an_author_are_not_private(alice: User, bob: User) -> None:
    assert private_of_others(Team.objects.all(), bob) == {}
    assert private_of_others([], bob) == {}


def viewed() -> list[tuple[object, ...]]:
    rows = Observation.objects.filter(type="admin.viewed").order_by("arrival")
    return [(row.user, row.data["ids"]) for row in rows]  # type: ignore[index]


def test_list_records_each_author_once_and_pages_of_ones_own_rows_nothing(
    alice: User, bob: User, admin_client: Client, admin_user: User
) -> None:
    first, second, other = learned(alice, None), learned(alice, None), learned(bob, None)
    own = learned(admin_user, None)
    admin_client.get(reverse("admin:capture_learning_changelist"))
    admin_client.get(reverse("admin:capture_learning_change", args=[own.pk]))

    assert sorted(viewed(), key=str) == sorted(
        [(alice, [str(second.pk), str(first.pk)]), (bob, [str(other.pk)])], key=str
    )


def test_look_at_the_log_of_another_is_recorded(alice: User, admin_client: Client) -> None:
    emit(alice, type="task.updated", source="system:test", message="The import is half done")
    row = Observation.objects.get(user=alice)
    admin_client.get(reverse("admin:obslog_observation_change", args=[row.pk]))

    assert viewed() == [(alice, [str(row.pk)])]


def test_look_at_records_of_looks_is_not_recorded(alice: User, admin_client: Client) -> None:
    learned(alice, None)
    admin_client.get(reverse("admin:capture_learning_changelist"))
    looks = viewed()
    admin_client.get(reverse("admin:obslog_observation_changelist"))
    admin_client.get(reverse("admin:obslog_observation_change", args=[Observation.objects.get(user=alice).pk]))

    assert viewed() == looks


@pytest.mark.parametrize(
    "model", [DeviceGrant, HookSession, Inquiry, Laptop, OpenEntry, RecurringFailure, LearningChange]
)
def test_look_at_private_rows_of_any_kind_is_recorded(
    model: type[Model], alice: User, admin_client: Client, admin_user: User
) -> None:
    OF_EACH_MODEL[model](alice, 1)
    (row,) = model._default_manager.all()
    admin_client.get(reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_change", args=[row.pk]))

    assert viewed() == [(alice, [str(row.pk)])]


def test_address_without_a_row_records_nothing(admin_client: Client) -> None:
    assert admin_client.get(reverse("admin:capture_learning_change", args=[4711])).status_code == 302
    assert viewed() == []
