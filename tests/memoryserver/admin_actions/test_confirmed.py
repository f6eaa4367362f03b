"""Actions of the admin that ask first."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client, RequestFactory
from django.urls import reverse
from django_q.models import OrmQ

from capture.models import CaptureFailure, Learning
from ghap.models import Failure
from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from memoryserver.admin_actions.confirmed import SHOWN
from memoryserver.ops.alerting import alerts
from tests.support.rows import many_rows
from tests.support.rows.factories import UserFactory

FAILURES = "/admin/ghap/failure/"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_action_says_what_it_will_do_and_changes_nothing_yet(alice: User, admin_client: Client) -> None:
    first, second = many_rows.failures(alice, 2)
    chosen = {"action": "mark_solved", "_selected_action": [first.pk, second.pk], "index": "0"}

    page = admin_client.post(FAILURES, chosen).content.decode()

    assert "Mark as solved: 2 failures. Each becomes regressed when one of its kind is recorded later." in page
    assert ("<li>failure-0.</li>" in page, "<li>failure-1.</li>" in page) == (True, True)
    assert {row.state for row in Failure.objects.all()} == {"open"}


def test_confirmed_action_changes_the_chosen_rows_alone(alice: User, admin_client: Client, admin_user: User) -> None:
    first, second = many_rows.failures(alice, 2)
    chosen = {"action": "mark_solved", "_selected_action": [first.pk], "confirmed": "yes"}

    said = admin_client.post(FAILURES, chosen, follow=True).context["messages"]

    states = {row.pk: (row.state, row.state_by) for row in Failure.objects.all()}
    assert states == {first.pk: ("solved", admin_user), second.pk: ("open", None)}
    assert [str(message) for message in said] == ["1 is solved now"]


def test_all_rows_of_all_pages_are_asked_about_by_number(alice: User, admin_client: Client) -> None:
    rows = many_rows.failures(alice, SHOWN + 3)
    chosen = {"action": "mark_known", "_selected_action": [rows[0].pk], "select_across": "1", "index": "0"}

    page = admin_client.post(FAILURES, chosen).content.decode()
    admin_client.post(FAILURES, {**chosen, "confirmed": "yes"})

    assert ("53 failures" in page, "<li>and 3 more</li>" in page) == (True, True)
    assert Failure.objects.filter(state="known").count() == SHOWN + 3


def test_person_who_may_only_look_is_offered_no_action(alice: User) -> None:
    (row,) = many_rows.learnings(alice, 1)
    reader = UserFactory(is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_learning"))
    chosen = {"action": "hide", "_selected_action": [row.pk], "confirmed": "yes"}

    page = client_of(reader).post(reverse("admin:capture_learning_changelist"), chosen)

    assert (page.status_code, Learning.objects.get().hidden) == (200, False)
    assert 'name="action"' not in client_of(reader).get(reverse("admin:capture_learning_changelist")).content.decode()


def test_files_that_are_given_up_end_their_alert(alice: User, admin_client: Client) -> None:
    alerts.begin(f"capture refused, user {alice.pk}", "a file was not stored")
    row = CaptureFailure.objects.create(user=alice, reason="x", failed_at=many_rows.THEN)

    admin_client.post(
        "/admin/capture/capturefailure/", {"action": "give_up", "_selected_action": [row.pk], "confirmed": "yes"}
    )

    row.refresh_from_db()
    assert (row.resolved_at is None, alerts.open_alerts().exists()) == (False, False)


def test_failed_job_is_tried_again_and_leaves_the_list(admin_client: Client, alice: User) -> None:
    from django_q.models import Failure as FailedJob

    (row,) = many_rows.OF_EACH_MODEL[FailedJob](alice, 1)

    admin_client.post("/admin/django_q/failure/", {"action": "retry", "_selected_action": [row.pk], "confirmed": "yes"})

    assert (FailedJob.objects.count(), [job.task["func"] for job in OrmQ.objects.all()]) == (0, ["math.floor"])


def test_token_is_revoked_only_after_the_question(alice: User, admin_client: Client) -> None:
    token, _ = tokens.issue(alice, "laptop")
    address = reverse("admin:accounts_apitoken_changelist")
    chosen = {"action": "revoke_selected", "_selected_action": [token.pk], "index": "0"}

    admin_client.post(address, chosen)
    before = ApiToken.objects.get().revoked_at
    admin_client.post(address, {**chosen, "confirmed": "yes"})

    assert (before, ApiToken.objects.get().revoked_at is None) == (None, False)


@pytest.mark.django_db
def test_every_action_that_changes_rows_asks(rf: RequestFactory) -> None:
    request = rf.get("/")
    request.user = UserFactory(is_staff=True, is_superuser=True)
    not_asking = {
        f"{model._meta.label}.{name}"
        for model, model_admin in admin.site._registry.items()
        for name, found in model_admin.get_actions(request).items()
        if name != "delete_selected" and found is not None and not hasattr(found[0], "__wrapped__")
    }
    assert not_asking == set()
