"""What the server's memory knows about a finding: learnings and entries that the user may see in the project."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from capture import sink
from capture.deliveries import IncomingLearning
from ghap import intake as ghap_intake
from memoryserver.accounts.models import Project, User
from tests.support.rows.ghap_entries import falsified
from tests.support.rows.sent_calls import call, same
from tests.trajectory.sending import send
from trajectory import known_here
from trajectory.local import Assessment, Observation
from trajectory.models import AssessmentRecord

LEARNING = "psycopg raises OperationalError where DATABASE_URL is not set"
FINDING = Assessment(
    "Repeated Call", "It failed.", (Observation("c", "d", "psycopg.OperationalError: DATABASE_URL refused"),)
)
ERROR = "Exit code 1\npsycopg.OperationalError: connection to DATABASE_URL refused"


@pytest.fixture
def learning(alice: User, shared_project: Project) -> str:
    sink.store_by_hand(alice, shared_project, IncomingLearning("gotcha", LEARNING, 1.0, 0))
    sink.store_by_hand(alice, shared_project, IncomingLearning("convention", "Use pnpm, never npm", 1.0, 0))
    return f"[gotcha] {LEARNING}"


def test_learning_is_found_for_those_who_see_it(
    learning: str, shared_project: Project, alice: User, bob: User, charlie: User
) -> None:
    lines = [known_here.about(FINDING, user, shared_project) for user in (alice, bob, charlie)]
    assert lines == [learning, learning, ""]


def test_session_without_a_project_knows_nothing(learning: str, alice: User) -> None:
    assert known_here.about(FINDING, alice, None) == ""


def test_falsified_entry_is_found(alice: User, shared_project: Project) -> None:
    ghap_intake.receive(alice, shared_project, [falsified(goal="Empty webpack bundle")])
    finding = Assessment("Repeated Call", "It failed.", (Observation("c", "d", "webpack: bundle main.js is empty"),))
    assert known_here.about(finding, alice, shared_project).startswith("Empty webpack bundle: ")


def test_finding_that_goes_on_is_reported_once_more_with_what_is_known(
    learning: str, alice: User, shared_project: Project
) -> None:
    texts = [send(alice, same(n, error=ERROR), project=shared_project).tell for n in range(1, 10)]

    assert [n for n, text in enumerate(texts, 1) if f"Known here: {learning}" in text] == [6]
    told = AssessmentRecord.objects.filter(observer="Repeated Call").values_list("told_at_call", flat=True)
    assert list(told) == [6]
    assert len(texts[5]) <= 600


def test_call_that_comes_again_is_answered_with_the_same_text(
    learning: str, alice: User, shared_project: Project
) -> None:
    answers = [[send(alice, same(n, error=ERROR), project=shared_project).tell for _ in range(2)] for n in range(1, 10)]

    assert [first == second for first, second in answers] == [True] * 9
    assert [n for n, (first, _) in enumerate(answers, 1) if "Known here" in first] == [6]


def test_quiet_calls_ask_the_memory_for_nothing(learning: str, alice: User, shared_project: Project) -> None:
    def asks(n: int) -> bool:
        with CaptureQueriesContext(connection) as queries:
            send(alice, call(n), project=shared_project)
        return any("capture_learning" in query["sql"] for query in queries)

    assert [asks(n) for n in range(20)] == [False] * 20
