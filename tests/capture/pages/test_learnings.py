from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from capture import contexts, sink
from capture.deliveries import IncomingLearning
from capture.merging.merge import merge
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from tests.capture.test_sink import CONTENT, capture, learning

HTMX = {"hx-request": "true"}


def browser(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


@pytest.fixture
def row(alice: User, shared_project: Project) -> Learning:
    described = {"agent_kind": "claude-code", "agent": "reviewer", "transcript": "/home/dev/t.jsonl"}
    sink.store(alice, shared_project, capture(learning(source_message_uuid="u-45"), metadata=described))
    return Learning.objects.get()


def page(client: Client, path: str, **query: Any) -> str:
    return client.get(path, query).content.decode()


def test_nobody_is_sent_to_the_sign_in_page(row: Learning) -> None:
    client = browser(None)
    gets = ("/learnings/", f"/learnings/{row.pk}/", "/capture/")
    posts = (f"/learnings/{row.pk}/change/", f"/learnings/{row.pk}/delete/")
    assert [client.get(path).status_code for path in gets] == [302] * 3
    assert [client.post(path).status_code for path in posts] == [302] * 2
    assert Learning.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "listed", "shown", "changed", "deleted"),
    [("alice", True, 200, 302, 302), ("bob", True, 200, 404, 404), ("charlie", False, 404, 404, 404)],
)
def test_owner_changes_mate_looks_stranger_sees_nothing(
    name: str, listed: bool, shown: int, changed: int, deleted: int, row: Learning, charlie: User
) -> None:
    client = browser(User.objects.get(username=name))

    assert (CONTENT in page(client, "/learnings/")) is listed
    assert client.get(f"/learnings/{row.pk}/").status_code == shown
    assert client.post(f"/learnings/{row.pk}/change/", {"pinned": "1"}).status_code == changed
    assert client.post(f"/learnings/{row.pk}/delete/").status_code == deleted


def test_provisional_learnings_are_apart_with_their_number(row: Learning, alice: User) -> None:
    now = timezone.now()
    sink.store(alice, None, capture(learning("Use uv, not pip"), context_id="running", captured_at=now))
    client = browser(alice)

    listed, apart = page(client, "/learnings/"), page(client, "/learnings/", state="provisional")

    assert '<a href="/learnings/?state=provisional">1 provisional</a>' in listed
    assert (CONTENT in listed, "Use uv, not pip" in listed) == (True, False)
    assert (CONTENT in apart, "Use uv, not pip" in apart) == (False, True)
    assert "These wait for the end of their session" in apart


def test_provisional_learnings_of_another_project_are_not_counted(alice: User) -> None:
    now = timezone.now()
    projects = [Project.objects.create(key=key, owner=alice) for key in ("shop", "cart", "docs")]
    for project in projects[:2]:
        told = capture(learning(f"Use uv in {project}"), context_id=project.key, captured_at=now)
        sink.store(alice, project, told)
    client = browser(alice)

    listed = [page(client, "/learnings/", project=key) for key in ("shop", "docs")]

    assert ["1 provisional</a>" in each for each in listed] == [True, False]
    assert "2 provisional</a>" in page(client, "/learnings/")


def test_list_with_nothing_but_provisional_learnings_says_so(alice: User) -> None:
    sink.store(alice, None, capture(learning("Use uv, not pip"), context_id="running", captured_at=timezone.now()))

    listed = page(browser(alice), "/learnings/")
    assert 'No learnings here yet: <a href="/learnings/?state=provisional">1 provisional</a>' in listed


def test_list_without_provisional_learnings_does_not_speak_of_them(row: Learning, alice: User) -> None:
    assert "provisional</a>" not in page(browser(alice), "/learnings/")


def test_buttons_are_for_those_who_may(row: Learning, alice: User, bob: User) -> None:
    own, mates = page(browser(alice), "/learnings/"), page(browser(bob), "/learnings/")

    assert [word in own for word in (">Pin<", ">Hide<", "Delete for good")] == [True] * 3
    assert [word in mates for word in (">Pin<", ">Hide<", "Delete for good")] == [False] * 3


def test_page_tells_where_it_comes_from_down_to_the_message(row: Learning, alice: User) -> None:
    shown = page(browser(alice), f"/learnings/{row.pk}/")

    for told in ("claude-code, reviewer", "/home/dev/t.jsonl", "45, u-45"):
        assert told in shown


def test_htmx_gets_the_list_the_further_rows_and_the_card_alone(row: Learning, alice: User) -> None:
    for number in range(2, 35):
        sink.store(alice, row.project, capture(learning(f"Another thing {number}"), number=number))
    client = browser(alice)
    listed = client.get("/learnings/", headers=HTMX).content.decode()
    assert ("<html" in listed, listed.count("<li class=")) == (False, 21)

    path = listed.partition('hx-get="?cursor=')[2].partition('"')[0]
    further = client.get(f"/learnings/?cursor={path}", headers=HTMX).content.decode()
    assert (further.count("<li class="), CONTENT in further, "<ol" in further) == (14, True, False)

    card = client.post(f"/learnings/{row.pk}/change/", {"pinned": "1"}, headers=HTMX).content.decode()
    assert card.lstrip().startswith(f'<li class="hit card learning" id="learning-{row.pk}">')
    assert "Unpin" in card


def test_correction_is_shown_with_what_it_was(row: Learning, alice: User) -> None:
    client = browser(alice)
    client.post(f"/learnings/{row.pk}/change/", {"content": "Said better"})

    shown = page(client, f"/learnings/{row.pk}/")
    assert ("corrected by alice" in shown, "Said better" in shown, CONTENT in shown) == (True, True, True)


def test_correction_that_cannot_be_gives_the_form_again_with_what_was_entered(row: Learning, alice: User) -> None:
    sink.store_by_hand(alice, row.project, IncomingLearning("learning", "Something else", 1.0, 0))
    client = browser(alice)
    entered = {"content": "something ELSE"}

    form = client.post(f"/learnings/{row.pk}/change/", entered, headers=HTMX).content.decode()
    plain = client.post(f"/learnings/{row.pk}/change/", entered, follow=True).content.decode()

    assert ("something ELSE</textarea>" in form, "already has this wording" in form) == (True, True)
    assert ("already has this wording" in plain, Learning.objects.get(pk=row.pk).content) == (True, CONTENT)


@pytest.mark.parametrize("sent", [{"content": ""}, {"content": "x" * 4001}, {"pinned": "maybe"}])
def test_what_cannot_be_sent_changes_nothing(row: Learning, alice: User, sent: dict[str, str]) -> None:
    shown = browser(alice).post(f"/learnings/{row.pk}/change/", sent, follow=True).content.decode()

    assert 'role="alert"' in shown
    row.refresh_from_db()
    assert (row.content, row.pinned) == (CONTENT, False)


@pytest.mark.parametrize("query", [{"type": "x"}, {"state": "x"}, {"cursor": "x"}, {"text": "x" * 501}])
def test_question_that_cannot_be_is_explained(alice: User, query: dict[str, str]) -> None:
    answer = browser(alice).get("/learnings/", query)

    assert (answer.status_code, 'role="alert"' in answer.content.decode()) == (422, True)


def test_deleted_learning_leaves_its_place(row: Learning, alice: User) -> None:
    answer = browser(alice).post(f"/learnings/{row.pk}/delete/", headers=HTMX)

    assert (answer.status_code, answer.content, Learning.objects.count()) == (200, b"", 0)


def test_hostile_text_is_shown_not_run(alice: User) -> None:
    bad = "<script>alert(1)</script>"
    described = {"agent_kind": bad, "agent": bad, "transcript": bad, "branch": bad, "session_id": bad}
    sink.store(alice, None, capture(learning(bad, files=[bad]), metadata=described, context_id=bad))
    contexts.report(alice, [contexts.ReportedContext("c", bad, bad, 3, timezone.now())])
    client = browser(alice)
    for path in ("/learnings/", f"/learnings/{Learning.objects.get().pk}/", "/capture/?days=7"):
        shown = client.get(path).content.decode()
        assert ("<script>alert" in shown, "&lt;script&gt;alert" in shown) == (False, True)


def test_capture_page_says_how_it_is(row: Learning, alice: User) -> None:
    sink.store(alice, row.project, capture(learning("New"), number=2, context_id="c2", captured_at=timezone.now()))
    contexts.report(alice, [contexts.ReportedContext("c3", "codex", "other", 9, timezone.now())])
    client = browser(alice)

    shown = page(client, "/capture/", days="7")
    for told in ("50 %", "1 of 2", "Silent failures", "other", "github.com/crew/shop"):
        assert told in shown
    alone = client.get("/capture/", {"project": "other"}, headers=HTMX).content.decode()
    assert ("<html" in alone, "0 of 1" in alone) == (False, True)


def test_capture_page_of_somebody_new_says_what_to_do(charlie: User) -> None:
    shown = page(browser(charlie), "/capture/", days="many")

    assert "memory capture status" in shown


def test_pages_have_neither_inline_script_nor_style(row: Learning, alice: User) -> None:
    for path in ("/learnings/", f"/learnings/{row.pk}/", "/capture/?days=90"):
        shown = page(browser(alice), path)
        assert (" style=" in shown, "<script>" in shown) == (False, False)


@pytest.mark.parametrize("count", [1, 3])
def test_number_of_queries_does_not_grow_with_the_list(alice: User, count: int, django_assert_num_queries: Any) -> None:
    for number in range(1, count + 1):
        sink.store(alice, None, capture(learning(f"Alpha number {number}"), number=number))
    client = browser(alice)
    client.get("/learnings/")

    with django_assert_num_queries(8):
        client.get("/learnings/")


def test_page_lists_what_was_merged_and_separates_it(row: Learning, alice: User) -> None:
    sink.store(alice, row.project, capture(learning("The backup holds the lock, so the export hangs"), number=2))
    other = Learning.objects.exclude(pk=row.pk).get()
    merge(row, other)
    client = browser(alice)

    shown = page(client, f"/learnings/{row.pk}/")
    answer = client.post(f"/learnings/{other.pk}/separate/")

    assert (other.content in shown, other.content in page(client, "/learnings/", state="merged")) == (True, False)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/learnings/{other.pk}/")
    assert Learning.objects.filter(merged_into=None).count() == 2
