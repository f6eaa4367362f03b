"""Observers on the server: findings are stored, reported and ended, however the calls arrive."""

from __future__ import annotations

from typing import Any

from memoryserver.accounts.models import Project, User
from obslog.models import Observation
from tests.support.rows.sent_calls import call, same
from tests.trajectory.sending import send
from trajectory import jobs
from trajectory.local import FixedMessage
from trajectory.local.calls.row import row_of
from trajectory.models import AssessmentRecord, Trajectory


def test_third_repetition_is_told_kept_and_logged(alice: User, shared_project: Project) -> None:
    received = [send(alice, same(n), project=shared_project) for n in (1, 2, 3)]

    assert [bool(one.tell) for one in received] == [False, False, True]
    found = AssessmentRecord.objects.get(observer="Repeated Call")
    assert (found.observer, found.severity, found.began_at_call, found.told_at_call, found.ended_at_call) == (
        "Repeated Call",
        "caution",
        3,
        3,
        None,
    )
    assert (found.project, Trajectory.objects.get().worst) == (shared_project, "caution")
    logged = Observation.objects.get()
    assert (logged.type, logged.source, logged.user) == ("trajectory.caution", "system:trajectory", alice)
    assert set(logged.scopes.values_list("scope_id", flat=True)) == {"s", f"project:{shared_project.pk}"}


def test_finding_ends_when_its_pattern_breaks(alice: User) -> None:
    send(alice, *[same(n) for n in (1, 2, 3)], *[call(n) for n in range(4, 10)])

    assert AssessmentRecord.objects.get(observer="Repeated Call").ended_at_call == 7
    assert Trajectory.objects.get().worst == ""


def test_finding_that_gets_worse_is_one_row_and_two_observations(alice: User) -> None:
    for n in range(1, 7):
        send(alice, same(n))

    assert AssessmentRecord.objects.get(observer="Repeated Call").severity == "warning"
    types = Observation.objects.filter(message__startswith="Repeated Call").order_by("created_at", "id")
    assert list(types.values_list("type", flat=True)) == ["trajectory.caution", "trajectory.warning"]


def found_in(user: User, session: str, size: int) -> list[tuple[Any, ...]]:
    """What is found in the same calls when they are sent `size` at a time."""
    calls = [*[call(n) for n in range(3)], *[same(n) for n in range(3, 12)], *[call(n) for n in range(12, 20)]]
    for start in range(0, len(calls), size):
        send(user, *calls[start : start + size], session=session, in_answer=False)
    rows = AssessmentRecord.objects.filter(trajectory__session_id=session).order_by("began_at_call", "observer")
    return list(rows.values_list("observer", "severity", "began_at_call", "told_at_call", "ended_at_call"))


def test_assessments_are_the_same_however_the_calls_are_cut(alice: User) -> None:
    one_by_one = found_in(alice, "s1", 1)

    assert ("Repeated Call", "warning", 6, None, 16) in one_by_one
    assert [found_in(alice, f"s{size}", size) for size in (4, 50)] == [one_by_one, one_by_one]


def test_batch_notifies_of_what_is_open_at_its_end_and_of_nothing_that_is_over(alice: User) -> None:
    over = send(alice, *[same(n) for n in range(6)], *[call(n) for n in range(6, 12)], session="over")
    stuck = send(alice, *[same(n) for n in range(6)], session="stuck")

    assert (over.tell, bool(stuck.tell)) == ("", True)
    rows = AssessmentRecord.objects.filter(observer="Repeated Call").order_by("trajectory")
    assert list(rows.values_list("trajectory__session_id", "began_at_call", "told_at_call")) == [
        ("over", 3, None),
        ("stuck", 3, 6),
    ]


def ignored(session: str) -> int:
    return AssessmentRecord.objects.filter(trajectory__session_id=session, observer="Ignored Feedback").count()


def test_agent_is_not_accused_of_ignoring_what_no_answer_contained(alice: User) -> None:
    send(alice, *[same(n) for n in range(20)], session="batch")
    for n in range(20):
        send(alice, same(n), session="one by one")
        send(alice, same(n), session="no answers", in_answer=False)

    assert [ignored(session) for session in ("batch", "no answers", "one by one")] == [0, 0, 1]


def test_calls_that_the_job_observes_are_not_told(alice: User, settings: Any) -> None:
    settings.MEMORYSERVER_TRAJECTORY_OBSERVERS = ["tests.trajectory.test_assess.nothing"]
    for n in range(8):
        assert send(alice, same(n)).tell == ""
    jobs.assess_pending()

    assert list(AssessmentRecord.objects.exclude(told_at_call=None)) == []
    assert AssessmentRecord.objects.filter(observer="Repeated Call", severity="warning").count() == 1


def nothing() -> FixedMessage:
    """An observer of the settings that has nothing to say for a long time."""
    return FixedMessage("Nothing.", "Nothing")


def test_what_the_laptops_hook_said_is_recorded_at_its_call(alice: User) -> None:
    identity = f"Repeated Call: Bash {as_record(same(0))['args_hash']}"
    notified = {2: [["Repeated Call", identity]], 5: [["Repeated Call", "another finding"], ["No Such", "x"]]}
    for n in range(8):
        send(alice, as_record(same(n), notified=notified.get(n, [])), in_answer=False)

    row = AssessmentRecord.objects.get(observer="Repeated Call")
    assert (row.identity, row.began_at_call, row.told_at_call) == (identity, 3, 3)
    assert ignored("s") == 1


def as_record(report: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The call as a laptop sends it."""
    return row_of(report) | {"id": report["id"]} | fields
