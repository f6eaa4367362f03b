"""The admin of capture: lists, actions, and deletion for good."""

from __future__ import annotations

import pytest
from django.test import Client

from capture import sink
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import capture, learning

CONFIRMED = {"confirmed": "yes"}


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def row(alice: User, shared_project: Project) -> Learning:
    sink.store(alice, shared_project, capture(learning()))
    return Learning.objects.get()


@pytest.mark.parametrize("model", ["learning", "capturestate", "capture", "capturefailure", "compaction"])
def test_admin_lists_open(alice: User, row: Learning, model: str) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)

    assert browser(alice).get(f"/admin/capture/{model}/").status_code == 200


def test_administrator_pins_hides_and_deletes(alice: User, row: Learning) -> None:
    admin = User.objects.create_superuser("root")
    client = browser(admin)
    for action in ("pin", "hide"):
        client.post("/admin/capture/learning/", {**CONFIRMED, "action": action, "_selected_action": [row.pk]})
    row.refresh_from_db()
    assert (row.pinned, row.hidden, [one.made_by for one in row.changes.all()]) == (True, True, [admin, admin])

    client.post("/admin/capture/learning/", {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert sink.store(alice, row.project, capture(learning(), number=9)).stored == 0
    assert Learning.objects.count() == 0


def test_administrator_unpins_and_shows_again(row: Learning) -> None:
    client = browser(User.objects.create_superuser("root"))
    for action in ("pin", "hide", "unpin", "show"):
        client.post("/admin/capture/learning/", {**CONFIRMED, "action": action, "_selected_action": [row.pk]})

    row.refresh_from_db()
    assert (row.pinned, row.hidden) == (False, False)
    assert [change.what for change in row.changes.order_by("pk")] == ["pinned", "hidden", "unpinned", "shown"]


def test_one_learning_deleted_on_its_page_is_not_captured_again(alice: User, row: Learning) -> None:
    client = browser(User.objects.create_superuser("root"))

    client.post(f"/admin/capture/learning/{row.pk}/delete/", {"post": "yes"})

    again = sink.store(alice, row.project, capture(learning(), number=2))
    assert (Learning.objects.count(), again.known) == (0, 1)


@pytest.mark.parametrize("model", ["learning", "capturestate", "capture", "capturefailure", "compaction"])
def test_no_row_is_added_by_hand(row: Learning, model: str) -> None:
    client = browser(User.objects.create_superuser("root"))

    assert client.get(f"/admin/capture/{model}/add/").status_code == 403


def test_person_who_is_not_staff_is_sent_to_sign_in(alice: User, row: Learning) -> None:
    response = browser(alice).get("/admin/capture/learning/")

    assert (response.status_code, response.headers["Location"].partition("?")[0]) == (302, "/admin/login/")
