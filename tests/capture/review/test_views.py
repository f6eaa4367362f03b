from __future__ import annotations

from django.test import Client

from capture.models import Contradiction, Learning
from memoryserver.accounts.models import User
from tests.capture.review.conftest import NEW, OLD

PATH = "/learnings/contradictions/"
HTMX = {"hx-request": "true"}


def browser(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def test_page_shows_both_sides_with_the_choices_of_the_viewer(
    row: Contradiction, alice: User, bob: User, charlie: User
) -> None:
    page, mates, strangers = (browser(user).get(PATH).content.decode() for user in (alice, bob, charlie))

    assert [text in page for text in (OLD, NEW, "Keep the earlier", "Keep the later", "Keep both")] == [True] * 5
    assert [text in mates for text in ("Keep the earlier", "Keep the later")] == [True, False]
    assert (OLD in strangers, "No contradictions here." in strangers) == (False, True)
    assert browser(None).get(PATH).status_code == 302


def test_decision_hides_the_other_one_and_the_decided_list_names_who_took_it(row: Contradiction, alice: User) -> None:
    client = browser(alice)

    assert client.post(f"{PATH}{row.pk}/", {"keep": "later"}).headers["Location"] == PATH
    assert list(Learning.objects.filter(hidden=True)) == [row.earlier]
    page = client.get(PATH, {"state": "decided"}).content.decode()
    assert "The later one stays: decided by alice" in " ".join(page.split())


def test_decision_by_htmx_removes_the_card(row: Contradiction, alice: User) -> None:
    response = browser(alice).post(f"{PATH}{row.pk}/", {"keep": "both"}, headers=HTMX)

    assert (response.status_code, response.content) == (200, b"")


def test_second_decision_is_explained_on_the_list(row: Contradiction, alice: User) -> None:
    client = browser(alice)
    client.post(f"{PATH}{row.pk}/", {"keep": "later"})
    page = client.post(f"{PATH}{row.pk}/", {"keep": "earlier"}, follow=True).content.decode()

    assert "this was decided already" in page


def test_who_may_not_decide_or_gives_no_choice_gets_not_found(row: Contradiction, bob: User, charlie: User) -> None:
    answers = [
        browser(user).post(f"{PATH}{row.pk}/", {"keep": keep})
        for user, keep in ((charlie, "both"), (bob, "later"), (bob, ""))
    ]

    assert [answer.status_code for answer in answers] == [404] * 3


def test_unknown_state_is_a_problem_on_the_page(alice: User) -> None:
    response = browser(alice).get(PATH, {"state": "x"})

    assert (response.status_code, "state: must be one of open, decided" in response.content.decode()) == (422, True)


def test_page_of_a_learning_shows_its_open_contradictions_and_its_uses(row: Contradiction, alice: User) -> None:
    page = browser(alice).get(f"/learnings/{row.earlier_id}/").content.decode()

    assert (NEW in page, "Contradictions to review" in page, "followed on 0 days" in page) == (True, True, True)
