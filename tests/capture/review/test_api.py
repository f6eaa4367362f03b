from __future__ import annotations

from typing import Any

from capture.models import Contradiction
from memoryserver.accounts.models import User
from tests.capture.review.conftest import NEW, OLD

PATH = "/api/v1/contradictions"


def decide(client: Any, row: Contradiction, keep: str) -> Any:
    return client.post(f"{PATH}/{row.pk}/decision", {"keep": keep}, content_type="application/json")


def test_both_sides_are_listed_with_the_decisions_that_the_caller_may_take(
    row: Contradiction, alice: User, bob: User, charlie: User, api: Any
) -> None:
    (listed,) = api(alice).get(PATH).json()["contradictions"]

    assert (listed["earlier"]["content"], listed["later"]["content"], listed["reason"]) == (OLD, NEW, "value")
    assert (listed["earlier"]["user"], listed["later"]["user"], listed["may"]) == (
        "alice",
        "bob",
        ["earlier", "later", "both"],
    )
    assert api(bob).get(PATH).json()["contradictions"][0]["may"] == ["earlier", "both"]
    assert api(charlie).get(PATH).json() == {"contradictions": [], "next_cursor": None}
    assert api(None).get(PATH).status_code == 401


def test_decision_is_answered_with_its_effect_and_another_one_is_a_conflict(
    row: Contradiction, alice: User, api: Any
) -> None:
    answer = decide(api(alice), row, "later").json()

    assert (answer["decision"], answer["decided_by"], answer["may"]) == ("later", "alice", [])
    assert (answer["earlier"]["hidden"], answer["later"]["hidden"]) == (True, False)
    assert [decide(api(alice), row, keep).status_code for keep in ("later", "both")] == [200, 409]
    assert api(alice).get(PATH, {"state": "decided"}).json()["contradictions"][0]["decision"] == "later"


def test_stranger_mate_and_bad_requests_are_refused(
    row: Contradiction, alice: User, bob: User, charlie: User, api: Any
) -> None:
    answers = [decide(api(charlie), row, "both"), decide(api(bob), row, "later"), decide(api(alice), row, "none")]

    assert [answer.status_code for answer in answers] == [404, 403, 422]
    assert api(alice).get(PATH, {"state": "x"}).status_code == 422
    assert api(alice).get(PATH, {"limit": 0}).json()["detail"] == "limit: must be from 1 to 100"
