"""Deleting a user: private rows are gone, the team's stay without a name, and nothing of the person opens any door."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import models
from django.test import Client
from django.urls import reverse

from capture.models import Capture, Learning, LearningIdentity
from capture.sink import store
from ghap.intake import receive
from ghap.models import Entry
from memoryserver.accounts import deletion, tokens
from memoryserver.accounts.models import ApiToken, Membership, OwnedModel, Project, User
from memoryserver.search import service
from memoryserver.vectors.models import Record
from obslog.models import Observation
from tests.capture.test_sink import capture, learning
from tests.support.rows.factories import ProjectFactory, UserFactory
from tests.support.rows.ghap_entries import body
from tests.support.rows.sent_calls import call
from trajectory.intake import receive as receive_calls
from trajectory.models import ToolCall, Trajectory

SHARED_ID, PRIVATE_ID = "ghap_20261120_150000_aaaaaa", "ghap_20261120_150000_bbbbbb"


@pytest.fixture
def leaver(bob: User, shared_project: Project) -> User:
    """Bob, with rows in the team's project and in one of his own."""
    own_project = ProjectFactory(owner=bob, key="diary")
    receive(bob, shared_project, [body(id=SHARED_ID)])
    receive(bob, own_project, [body(id=PRIVATE_ID)])
    store(bob, shared_project, capture(learning("Run the linter first"), number=1, context_id="c1"))
    store(bob, None, capture(learning("I prefer tabs"), number=2, context_id="c2"))
    receive_calls(bob, None, "team-session", "", [call(1)])
    receive_calls(bob, shared_project, "team-session", "", [call(2)])
    receive_calls(bob, own_project, "own-session", "", [call(1), call(2)])
    tokens.issue(bob, "laptop")
    bob.email, bob.first_name, bob.last_login = "bob@example.org", "Bob", None
    bob.set_password("open sesame please")
    bob.save()
    return bob


@pytest.fixture
def root(db: None) -> User:
    return UserFactory(username="root", is_staff=True, is_superuser=True)


@pytest.fixture
def administrator(root: User) -> Client:
    client = Client()
    client.force_login(root)
    return client


def delete_in_the_admin(client: Client, user: User) -> Any:
    return client.post(reverse("admin:accounts_user_delete", args=[user.pk]), {"post": "yes"})


def test_private_rows_are_gone_and_shared_ones_stay(leaver: User) -> None:
    deletion.delete(leaver)

    assert list(Entry.objects.values_list("ghap_id", flat=True)) == [SHARED_ID]
    assert list(Learning.objects.values_list("content", flat=True)) == ["Run the linter first"]
    assert list(Capture.objects.values_list("state__context_id", flat=True)) == ["c1"]
    assert list(Trajectory.objects.values_list("session_id", flat=True)) == ["team-session"]
    assert list(Project.objects.values_list("key", flat=True)) == ["github.com/crew/shop"]
    assert not LearningIdentity.objects.exists()
    assert not ApiToken.objects.exists()
    assert not Membership.objects.filter(user=leaver).exists()


def test_calls_of_a_shared_session_stay_together(leaver: User) -> None:
    deletion.delete(leaver)

    assert list(ToolCall.objects.values_list("session_id", "call_index")) == [("team-session", 1), ("team-session", 2)]


def test_team_still_finds_what_was_shared_and_nobody_counts_the_rest(leaver: User, alice: User) -> None:
    deletion.delete(leaver)

    answer = service.search(alice, service.Search(query="linter", mode="lexical"))
    assert [(hit.user, hit.text) for hit in answer.hits] == [(f"deleted user {leaver.pk}", "Run the linter first")]
    assert answer.found == 1
    shared = set(Record.objects.values_list("project__key", flat=True))
    assert shared == {"github.com/crew/shop"}


def test_row_of_the_user_tells_nothing_of_the_person(leaver: User) -> None:
    deletion.delete(leaver)

    row = User.objects.get(pk=leaver.pk)
    assert (row.username, row.email, row.first_name, row.last_name) == (f"deleted user {leaver.pk}", "", "", "")
    assert (row.is_active, row.is_staff, row.is_superuser, row.has_usable_password()) == (False, False, False, False)
    assert row.deleted_at is not None


def test_token_and_browser_of_a_deleted_user_open_nothing(leaver: User) -> None:
    _, text = tokens.issue(leaver, "second")
    browser = Client()
    browser.force_login(leaver)
    assert browser.get("/search/").status_code == 200

    deletion.delete(leaver)

    assert tokens.authenticate(text) is None
    assert browser.get("/search/").status_code == 302


def test_log_written_after_the_change_names_nobody(leaver: User) -> None:
    Client().post(reverse("account_login"), {"login": "bob", "password": "open sesame please"})
    Client().post(reverse("account_login"), {"login": "bob", "password": "wrong"})
    deletion.delete(leaver)

    rows = Observation.objects.filter(user=leaver, type__startswith="user.")
    assert {row.type for row in rows} == {"user.signed_in", "user.sign_in_failed"}
    assert not [row.message for row in rows if "bob" in row.message]


def test_deleting_again_changes_nothing(leaver: User) -> None:
    deletion.delete(leaver)
    first = User.objects.filter(pk=leaver.pk).values("username", "deleted_at").get()

    assert deletion.delete(User.objects.get(pk=leaver.pk)) == {}
    assert User.objects.filter(pk=leaver.pk).values("username", "deleted_at").get() == first


def test_summary_says_how_many_rows_are_deleted(leaver: User) -> None:
    summary = dict(deletion.summary(leaver))
    before = {model: model._default_manager.count() for model in (Entry, Learning, Trajectory, Project, ApiToken)}
    deletion.delete(leaver)

    gone = {
        str(model._meta.verbose_name_plural): count - model._default_manager.count() for model, count in before.items()
    }
    assert {name: summary[name] for name in gone} == gone == dict.fromkeys(gone, 1)


def test_every_model_of_a_user_is_considered() -> None:
    """A model that refers to users and is none of these must be added to what `deletion` decides about."""
    owned = {model for model in OwnedModel.__subclasses__() if not model._meta.abstract}
    cascading = {
        relation.related_model
        for relation in User._meta.get_fields(include_hidden=True)
        if isinstance(relation, models.ManyToOneRel) and relation.on_delete is models.CASCADE
    }
    others = {model._meta.label for model in cascading - owned}

    assert others == {
        "access.DeviceGrant",
        "access.Laptop",
        "account.EmailAddress",
        "accounts.ApiToken",
        "accounts.Membership",
        "accounts.Project",
        "accounts.User_groups",
        "accounts.User_user_permissions",
        "admin.LogEntry",
        "capture.LearningIdentity",
        "digest.Subscription",
        "ghap.Clustering",
        "ghap.Failure",
        "mfa.Authenticator",
        "socialaccount.SocialAccount",
        "trajectory.ObserverConfig",
        "usersessions.UserSession",
    }


def test_superuser_deletes_a_user_and_no_log_of_the_admin_has_the_name(
    administrator: Client, root: User, leaver: User
) -> None:
    page = administrator.get(reverse("admin:accounts_user_delete", args=[leaver.pk])).content.decode()
    answer = delete_in_the_admin(administrator, leaver)

    assert "1 GHAP entries" in page
    assert answer.status_code == 302
    assert list(LogEntry.objects.values_list("object_repr", flat=True)) == [f"deleted user {leaver.pk}"]
    recorded = Observation.objects.get(type="admin.deleted")
    assert (recorded.user, recorded.data) == (root, {"model": "accounts.user", "id": str(leaver.pk), "by": root.pk})


def test_action_deletes_the_selected_users(administrator: Client, leaver: User) -> None:
    selected = {"action": "delete_selected", "_selected_action": [leaver.pk], "post": "yes"}
    administrator.post(reverse("admin:accounts_user_changelist"), selected)

    assert User.objects.get(pk=leaver.pk).deleted_at is not None


def test_superuser_cannot_delete_themself(administrator: Client, root: User) -> None:
    selected = {"action": "delete_selected", "_selected_action": [root.pk], "post": "yes"}

    assert delete_in_the_admin(administrator, root).status_code == 403
    administrator.post(reverse("admin:accounts_user_changelist"), selected)
    assert User.objects.get(pk=root.pk).is_active


def test_deleted_user_can_be_neither_changed_nor_deleted(administrator: Client, leaver: User) -> None:
    deletion.delete(leaver)
    change = administrator.post(reverse("admin:accounts_user_change", args=[leaver.pk]), {"username": "bob"})

    assert (change.status_code, delete_in_the_admin(administrator, leaver).status_code) == (403, 403)


def test_staff_with_every_permission_but_no_superuser_cannot_delete_users(leaver: User) -> None:
    from django.contrib.auth.models import Permission

    helper = UserFactory(username="helper", is_staff=True)
    helper.user_permissions.set(Permission.objects.all())
    client = Client()
    client.force_login(helper)

    assert delete_in_the_admin(client, leaver).status_code == 403
