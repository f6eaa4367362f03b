"""The preview of observers: what another configuration would have told in the stored sessions."""

from __future__ import annotations

import re
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryserver.accounts.models import Project, User
from tests.support.rows.sent_calls import call, same
from tests.trajectory.browsing import browser, form_of
from trajectory.intake import About, receive
from trajectory.models import AssessmentRecord, ObserverConfig, Trajectory
from trajectory.preview import preview


def told(found: Any) -> list[tuple[str, int, str]]:
    return [(message.session.session_id, message.call, message.observer) for message in found.messages]


def test_lower_threshold_would_have_told_earlier_and_nothing_is_stored(alice: User) -> None:
    receive(alice, None, "looping", "", [same(n) for n in range(4)])
    receive(alice, None, "healthy", "", [call(n) for n in range(4)])
    before = list(AssessmentRecord.objects.values())
    lower = {"observers": {"repeat_call": {"settings": {"repetition_threshold": 2}}}}

    assert told(preview(alice, alice, {"observers": {}}))[0] == ("looping", 3, "Repeated Call")
    found = preview(alice, alice, lower)
    assert told(found)[0] == ("looping", 2, "Repeated Call")
    assert (found.total, found.with_messages, found.sessions) == (len(found.messages), 1, 2)
    tellings = [moment for row in before for moment in row["moments"] if moment["what"] == "told"]
    assert (found.told, found.with_told, found.stopped) == (len(tellings), 1, False)
    assert len(tellings) > 0
    assert (list(AssessmentRecord.objects.values()), ObserverConfig.objects.count()) == (before, 0)


def test_observer_that_is_off_tells_nothing(alice: User) -> None:
    receive(alice, None, "looping", "", [same(n) for n in range(4)])
    found = preview(alice, alice, {"observers": {"repeat_call": {"enabled": False}}})
    assert [observer for _, _, observer in told(found) if observer == "Repeated Call"] == []


def test_sessions_are_those_of_the_scope_that_one_may_see(
    alice: User, bob: User, charlie: User, shared_project: Project
) -> None:
    receive(alice, shared_project, "shared", "", [same(n) for n in range(4)])
    receive(alice, None, "own", "", [same(n) for n in range(4)])
    receive(bob, shared_project, "other", "", [same(n) for n in range(4)])
    team = shared_project.team
    assert team is not None

    def seen(user: User, scope: Any) -> list[str]:
        return sorted({name for name, _, _ in told(preview(user, scope, {"observers": {}}))})

    assert seen(alice, alice) == ["own", "shared"]
    assert seen(bob, shared_project) == seen(bob, team) == ["other", "shared"]
    assert seen(charlie, charlie) == []


def test_preview_stops_when_the_time_is_up(alice: User) -> None:
    for number in range(3):
        receive(alice, None, f"s{number}", "", [call(1)])
    found = preview(alice, alice, {"observers": {}}, seconds=0)
    assert (found.sessions, found.stopped) == (0, True)


def test_number_of_queries_grows_by_the_calls_of_each_session_alone(alice: User) -> None:
    counts = []
    for number in range(2):
        receive(alice, None, f"s{number}", "", [call(1)])
        with CaptureQueriesContext(connection) as queries:
            preview(alice, alice, {"observers": {}})
        counts.append(len(queries))
    assert counts[1] - counts[0] == 1


def test_page_shows_the_preview_of_what_was_entered_with_and_without_htmx(alice: User) -> None:
    receive(alice, None, "looping", "", [same(n) for n in range(4)])
    entered = form_of(alice) | {"repeat_call.settings.repetition_threshold": "2"}
    address = "/trajectory/observers/preview/"
    page = browser(alice).post(address, entered).content.decode()
    fragment = browser(alice).post(address, entered, headers={"HX-Request": "true"}).content.decode()

    key = Trajectory.objects.get().pk
    for text in (page, fragment):
        assert re.search(
            r"last 1 session, agents would have been told \d times? with these settings, in 1 of them. Really they",
            text,
        )
        assert f"/trajectory/{key}/?at=2#c2" in text
    assert ("<html" in page, "<html" in fragment) == (True, False)
    assert 'value="2"' in page  # what was entered is still there
    assert ObserverConfig.objects.count() == 0


def test_page_names_sessions_by_their_titles_and_shows_code_as_code(alice: User) -> None:
    receive(alice, None, "looping", "", [same(n) for n in range(4)], about=About("Build the shop"))
    answer = browser(alice).post("/trajectory/observers/preview/", form_of(alice), headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert "Build the shop, call #3</a>" in page
    assert ("looping" in page, "<code>Bash</code>" in page, "`" in page) == (False, True, False)


def test_setting_that_cannot_be_used_is_said(alice: User) -> None:
    entered = form_of(alice) | {"repeat_call.settings.repetition_threshold": "12"}
    answer = browser(alice).post("/trajectory/observers/preview/", entered, headers={"HX-Request": "true"})
    assert "repetition_threshold must be at most 10" in answer.content.decode()
