from __future__ import annotations

import re

from django.utils import timezone

from capture.deliveries import IncomingLearning
from capture.sink import store_by_hand
from memoryserver.accounts.models import Project, User
from memoryserver.home.scope import PageScope
from tests.support.rows.sent_calls import call, same
from tests.trajectory.browsing import browser
from tests.trajectory.silence import fall_silent
from trajectory.home import cards, steps, tiles
from trajectory.intake import receive
from trajectory.models import AssessmentRecord, Trajectory


def scope(user: User) -> PageScope:
    return PageScope(user, "", 7, timezone.now())


def test_sessions_are_counted_without_their_sub_agents(alice: User) -> None:
    for session, agent in (("s-1", ""), ("s-1", "helper"), ("s-2", "")):
        receive(alice, None, session, agent, [call(0)])
    tile, _ = tiles(scope(alice))
    assert (tile.value, tile.note, tile.weeks) == (
        "2",
        "without sub-agents; 0 in the 7 days before",
        [*[0.0] * 11, 2.0],
    )


def test_tile_counts_the_sessions_that_were_told_and_the_findings_that_ended_soon_after(alice: User) -> None:
    for session in ("s-1", "s-2"):
        receive(alice, None, session, "", [call(0), *[same(n) for n in range(1, 5)]])
    receive(alice, None, "calm", "", [call(0)])
    one = AssessmentRecord.objects.exclude(first_told_at_call=None).get(trajectory__session_id="s-1")
    AssessmentRecord.objects.filter(pk=one.pk).update(ended_at_call=one.first_told_at_call)
    AssessmentRecord.objects.create(
        user=alice,
        trajectory=one.trajectory,
        observer="Other",
        severity="caution",
        first_told_at_call=2,
        told_at_call=30,
        ended_at_call=31,
        began_at_call=2,
        began_at=one.began_at,
        body={},
    )

    _, tile = tiles(scope(alice))

    assert (tile.value, tile.note) == ("2", "1 of 3 findings ended within 3 calls of the first message")
    page = browser(alice).get(tile.page).content.decode()
    assert sorted(re.findall(r">(s-\d|calm)</a>", page)) == ["s-1", "s-2"]
    assert tile.weeks == [*[0.0] * 11, 2.0]


def test_stuck_now_has_running_sessions_with_their_worst_finding(alice: User) -> None:
    for session in ("running", "silent"):
        receive(alice, None, session, "", [call(0), *[same(n) for n in range(1, 7)]])
    receive(alice, None, "healthy", "", [call(0)])
    fall_silent(Trajectory.objects.filter(session_id="silent"))
    ((row, finding, _),) = cards(scope(alice))[0].context["sessions"]
    assert (row.session_id, finding.trajectory, finding.severity) == ("running", row, row.worst)


def test_step_is_done_with_the_first_call(alice: User, charlie: User) -> None:
    receive(alice, None, "s-1", "", [call(0)])
    assert [steps(scope(user))[0].done for user in (alice, charlie)] == [True, False]


def test_stuck_session_names_what_its_project_knows_about_it(alice: User, shared_project: Project) -> None:
    receive(alice, shared_project, "s-1", "", [call(0), *[same(n) for n in range(1, 7)]])
    said = IncomingLearning("gotcha", "The command=make needs no-such-rule to be named in the Makefile", 1.0, 0)
    learning, _ = store_by_hand(alice, shared_project, said)
    finding = AssessmentRecord.objects.order_by("pk")[0]
    assert learning is not None
    AssessmentRecord.objects.update(
        summary="make: `no-such-rule`", body=finding.body | {"summary": "`no-such-rule` needs the `Makefile`"}
    )

    ((_, _, known),) = cards(scope(alice))[0].context["sessions"]

    assert (known.text, known.line.page) == (f"[gotcha] {learning.content}", f"/learnings/{learning.pk}/")
    assert cards(scope(alice))[0].lines[0].page == f"/trajectory/{Trajectory.objects.get().pk}/"


def test_without_a_finding_that_was_told_none_is_counted(alice: User) -> None:
    _, tile = tiles(scope(alice))

    assert (tile.value, tile.note) == ("0", "no agent was told of a finding")
