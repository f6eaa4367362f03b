"""Evidence in the admin: every way to add, change or delete it is closed, for a superuser too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.admin.options import InlineModelAdmin
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from capture.judge.models import JudgeDay
from capture.models import (
    Capture,
    CaptureFailure,
    CaptureState,
    Compaction,
    Contradiction,
    LearningChange,
    LearningSource,
    LearningUsage,
)
from capture.sink import store
from ghap.intake import receive
from ghap.models import Cluster, Clustering, ClusterMember, Entry, Failure, FailureMember, OpenEntry
from memoryserver.access.models import DeviceGrant, Laptop
from memoryserver.accounts.models import User
from memoryserver.admin.read_only import ReadOnly
from memoryserver.digest.models import Subscription
from memoryserver.hooks.models import HookSession
from memoryserver.inquiries.models import Inquiry
from memoryserver.ops.models import Alert, Heartbeat, Notification
from memoryserver.vectors.models import Collection
from obslog.emit import emit
from obslog.models import Observation
from tests.capture.test_sink import capture, learning
from tests.support.rows.factories import UserFactory
from tests.support.rows.ghap_entries import body
from tests.support.rows.sent_calls import call
from trajectory.intake import receive as receive_calls
from trajectory.models import AssessmentRecord, ToolCall, Trajectory

READ_ONLY = {
    *(Entry, OpenEntry, Clustering, Cluster, ClusterMember, Failure, FailureMember),
    *(Trajectory, ToolCall, AssessmentRecord),
    *(Capture, CaptureState, CaptureFailure, Compaction, LearningSource, LearningChange, LearningUsage),
    *(Contradiction, JudgeDay),
    *(Observation, Heartbeat, Notification, Collection, HookSession, Inquiry),
    *(Laptop, DeviceGrant, Subscription),
}
EVIDENCE_WITH_ROWS = [Entry, Trajectory, ToolCall, Capture, CaptureState, Observation]


@pytest.fixture
def administrator(alice: User) -> Client:
    receive(alice, None, [body()])
    store(alice, None, capture(learning()))
    receive_calls(alice, None, "s", "", [call(1)])
    emit(alice, type="test", source="system:test", message="a line")
    client = Client()
    client.force_login(UserFactory(username="root", is_staff=True, is_superuser=True))
    return client


def admins_and_inlines() -> Iterator[
    tuple[type[Model], admin.ModelAdmin[Model] | type[InlineModelAdmin[Model, Model]]]
]:
    for model, model_admin in admin.site._registry.items():
        yield model, model_admin
        for inline in model_admin.inlines:
            yield inline.model, inline


def test_exactly_the_evidence_is_read_only() -> None:
    read_only = {
        model
        for model, shown_by in admins_and_inlines()
        if isinstance(shown_by, ReadOnly) or (isinstance(shown_by, type) and issubclass(shown_by, ReadOnly))
    }

    assert read_only == READ_ONLY


@pytest.mark.parametrize("model", EVIDENCE_WITH_ROWS, ids=lambda model: model._meta.label)
def test_superuser_cannot_add_change_or_delete_evidence(model: type[Model], administrator: Client) -> None:
    name = f"admin:{model._meta.label_lower.replace('.', '_')}"
    row = model._default_manager.get(pk=model._default_manager.values_list("pk", flat=True)[0])
    before = model._default_manager.filter(pk=row.pk).values().get()

    answers = {
        "add": administrator.post(reverse(f"{name}_add"), {"goal": "another"}).status_code,
        "change": administrator.post(reverse(f"{name}_change", args=[row.pk]), {"goal": "another"}).status_code,
        "delete": administrator.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code,
    }
    selected = {"action": "delete_selected", "_selected_action": str(row.pk), "post": "yes"}
    administrator.post(reverse(f"{name}_changelist"), selected)

    assert answers == {"add": 403, "change": 403, "delete": 403}
    assert model._default_manager.filter(pk=row.pk).values().get() == before


@pytest.mark.parametrize("model", [*EVIDENCE_WITH_ROWS, Alert], ids=lambda model: model._meta.label)
def test_list_of_evidence_offers_no_action_that_deletes(model: type[Model], administrator: Client) -> None:
    page = administrator.get(reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist"))

    assert 'value="delete_selected"' not in page.content.decode()
