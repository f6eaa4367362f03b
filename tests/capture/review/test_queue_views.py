"""The page of the review: what it shows, and where each button leads."""

from __future__ import annotations

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from capture.models import Learning, LearningSource
from memoryserver.accounts.models import User
from tests.capture.review.test_queue import SAID, stored


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_page_shows_the_learning_with_its_quotation_and_its_keys(alice: User) -> None:
    stored(alice, None, *SAID)
    LearningSource.objects.update(quote="before\nthe line itself\nafter")

    page = browser(alice).get("/learnings/review/").content.decode()

    for part in (SAID[0], "3 to review", "the line itself", "<kbd>y</kbd>", "<kbd>j</kbd>", "Not used yet."):
        assert part in page


def test_button_leads_to_the_next_one_and_undo_back(alice: User) -> None:
    keys = stored(alice, None, *SAID)
    client = browser(alice)

    answer = client.post(f"/learnings/review/{keys[0]}/?days=90", {"do": "hide", "next": str(keys[1])})
    assert answer.headers["Location"] == f"/learnings/review/?days=90&at={keys[1]}"
    page = client.get(answer.headers["Location"]).content.decode()
    assert ("Hidden." in page, SAID[1] in page) == (True, True)

    answer = client.post("/learnings/review/undo/")
    assert answer.headers["Location"] == f"/learnings/review/?at={keys[0]}"
    assert not Learning.objects.filter(hidden=True).exists()
    assert "There is nothing to undo." in client.post("/learnings/review/undo/", follow=True).content.decode()


def test_what_was_left_for_later_comes_again_after_the_last_one(alice: User) -> None:
    keys = stored(alice, None, *SAID)
    client, again = browser(alice), "From the newest again"
    link = '<a class="button quiet" href="/learnings/review/?days=90" data-key="j">'

    first, last = (client.get(f"/learnings/review/?days=90&at={key}").content.decode() for key in (keys[0], keys[-1]))
    assert (again in first, again in last, link in last) == (False, True, True)
    Learning.objects.exclude(pk=keys[-1]).update(hidden=True)
    assert again not in client.get("/learnings/review/").content.decode()


def test_mistake_is_said_on_the_page_of_the_same_one(alice: User) -> None:
    keys = stored(alice, None, *SAID)
    page = browser(alice).post(f"/learnings/review/{keys[1]}/", {"do": "correct", "content": " "}, follow=True)

    assert page.context["row"].pk == keys[1]
    assert "must have from 1 to 4000 characters" in page.content.decode()


def test_undoing_what_is_gone_says_so(alice: User) -> None:
    (key,) = stored(alice, None, SAID[0])
    client = browser(alice)
    client.post(f"/learnings/review/{key}/", {"do": "keep"})
    Learning.objects.all().delete()

    assert (
        "It could not be undone: learning not found"
        in client.post("/learnings/review/undo/", follow=True).content.decode()
    )


def test_empty_queue_says_what_comes(alice: User) -> None:
    assert "Nothing waits for a review here." in browser(alice).get("/learnings/review/?at=7").content.decode()


def test_page_needs_as_many_queries_for_thirty_as_for_two(alice: User) -> None:
    def queries() -> int:
        client = browser(alice)
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/learnings/review/").status_code == 200
        return len(captured)

    stored(alice, None, *SAID[:2])
    few = queries()
    stored(alice, None, *[f"Fact number {number} about the export job" for number in range(28)], hours=1)
    assert queries() == few
