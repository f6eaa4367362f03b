"""Where a document was used, and who sees that."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from capture import sink
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from memoryserver.common.protocol import SESSION_HEADER
from memoryserver.inquiries import records, uses
from memoryserver.inquiries.models import Inquiry
from memoryserver.keyset import InvalidCursorError
from tests.capture.test_sink import learning
from trajectory.models import Trajectory

Api = Callable[[User | None], Client]
AGENT = {"user-agent": "memory/0.1.0 (agent)", SESSION_HEADER: "s-1"}


@pytest.fixture
def row(alice: User, shared_project: Project) -> Learning:
    stored, _ = sink.store_by_hand(alice, shared_project, learning("The backup holds the lock of the export"))
    assert stored is not None
    return stored


def seen(viewer: User, row: Learning) -> list[tuple[str, str, str, str, str]]:
    found = uses.of_document(viewer, f"learnings/{row.pk}").uses
    return [(use.kind, use.user, use.words, use.session, use.session_page) for use in reversed(found)]


def test_every_answer_with_the_learning_is_a_use_with_its_session(
    alice: User, shared_project: Project, row: Learning, api: Api
) -> None:
    session = Trajectory.objects.create(user=alice, project=shared_project, session_id="s-1")
    client = api(alice)

    client.get("/api/v1/search?q=backup&mode=lexical", headers=AGENT)
    client.get(f"/api/v1/context?project={shared_project.key}", headers=AGENT)
    client.get(f"/api/v1/memory?id=learnings/{row.pk}", headers=AGENT)
    client.get(f"/api/v1/learnings/{row.pk}")
    client.get("/api/v1/search?q=nothing_of_it&mode=lexical", headers=AGENT)

    page = f"/trajectory/{session.pk}/"
    assert seen(alice, row) == [
        ("search", "alice", "backup", "s-1", page),
        ("context", "alice", "", "s-1", page),
        ("open", "alice", "", "s-1", page),
        ("open", "alice", "", "", ""),
    ]


def test_team_mate_sees_a_use_in_a_shared_project_without_its_words(
    alice: User, bob: User, charlie: User, shared_project: Project, row: Learning, api: Api
) -> None:
    api(alice).get(f"/api/v1/search?q=backup&mode=lexical&project={shared_project.key}", headers=AGENT)

    assert seen(bob, row) == [("search", "alice", "", "", "")]
    assert seen(charlie, row) == []


def test_page_says_whose_answers_it_lists(alice: User, bob: User, row: Learning, api: Api) -> None:
    api(alice).get("/api/v1/search?q=backup&mode=lexical", headers=AGENT)  # of all projects: Alice's alone
    browser = Client()

    browser.force_login(bob)
    of_bob = browser.get(f"/learnings/{row.pk}/").content.decode()
    browser.force_login(alice)
    of_alice = browser.get(f"/learnings/{row.pk}/").content.decode()

    assert "returned by 1 search" in of_bob
    assert "No answer to you has had it in the last 90 days, and none to others who asked in a project" in of_bob
    assert "The answers of 90 days to you, and to others who asked in a project that you share." in of_alice


def test_uses_are_paged_to_their_end(alice: User, row: Learning) -> None:
    for number in range(5):
        records.record(
            alice, Inquiry.Kind.OPEN, Inquiry.Way.API, "", number, None, documents=[f"learnings/{row.pk}"], session=""
        )

    first = uses.of_document(alice, f"learnings/{row.pk}", limit=3)
    second = uses.of_document(alice, f"learnings/{row.pk}", first.next_cursor or "", limit=3)

    assert (len(first.uses), len(second.uses), second.next_cursor) == (3, 2, None)
    with pytest.raises(InvalidCursorError):
        uses.of_document(alice, f"learnings/{row.pk}", "no cursor")


def test_page_of_a_learning_says_where_it_was_used_and_opens_further_uses(
    alice: User, shared_project: Project, row: Learning, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uses.of_document, "__kwdefaults__", {"limit": 1})
    Trajectory.objects.create(user=alice, project=shared_project, session_id="s-1")
    api(alice).get("/api/v1/search?q=backup&mode=lexical", headers=AGENT)
    api(alice).get(f"/api/v1/context?project={shared_project.key}", headers=AGENT)
    browser = Client()
    browser.force_login(alice)

    page = browser.get(f"/learnings/{row.pk}/")
    cursor = page.context["places"].next_cursor
    rows = browser.get(f"/learnings/{row.pk}/", {"uses": cursor}, headers={"hx-request": "true"}).content.decode()

    assert "In a context for" in page.content.decode()
    assert ('<a href="/search/?q=backup">backup</a>' in rows, "<h1>" in rows) == (True, False)
    assert [*Inquiry.objects.filter(way="page").values_list("kind", "documents")] == [("open", [f"learnings/{row.pk}"])]


def test_api_lists_the_uses_and_marks_no_new_one(
    alice: User, bob: User, charlie: User, shared_project: Project, row: Learning, api: Api
) -> None:
    session = Trajectory.objects.create(user=alice, project=shared_project, session_id="s-1")
    api(alice).get(f"/api/v1/search?q=backup&mode=lexical&project={shared_project.key}", headers=AGENT)
    path = f"/api/v1/learnings/{row.pk}/uses"

    answers = [api(user).get(path) for user in (alice, bob, charlie)]

    use = {"at": Inquiry.objects.get().asked_at, "kind": "search", "way": "agent", "user": "alice"}
    use["at"] = use["at"].isoformat().replace("+00:00", "Z")  # type: ignore[attr-defined]
    page = f"/trajectory/{session.pk}/"
    assert [answer.status_code for answer in answers] == [200, 200, 404]
    assert answers[0].json() == {
        "uses": [{**use, "asked": "backup", "session_id": "s-1", "page": page}],
        "next_cursor": None,
    }
    assert answers[1].json()["uses"] == [{**use, "asked": "", "session_id": "s-1", "page": page}]
    assert api(alice).get(path, {"cursor": "none"}).status_code == 422
