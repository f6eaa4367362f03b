"""What the judge is asked about, and what its verdicts do."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from capture import curation, jobs
from capture.belief.rules import judged, judgement
from capture.judge.endpoint import Answer
from capture.judge.judging import BATCH, candidates, judge_pending, store_verdict
from capture.judge.models import JudgeDay
from capture.models import Capture, CaptureState, Learning, LearningSource
from memoryserver.accounts.models import User
from obslog.models import Observation
from tests.capture.judge.conftest import CONTENT, learn
from tests.support.fakes.chat_endpoint import ChatEndpoint, said

REWRITE = "The export of `orders` hangs for 30 seconds because the nightly backup holds its lock"


def verdict_on(row: Learning) -> str:
    return judgement(judged(Learning.objects.filter(pk=row.pk)).get()).verdict


def history(row: Learning) -> list[tuple[str, str, User | None]]:
    return [(change.what, change.before, change.made_by) for change in row.changes.order_by("pk")]


def accepted(*rows: Learning) -> str:
    return said(json.dumps({"verdicts": [{"id": row.pk, "verdict": "accept"} for row in rows]}))


def ids(request: dict[str, Any]) -> list[int]:
    return [note["id"] for note in json.loads(request["body"]["messages"][1]["content"])["notes"]]


def test_without_an_endpoint_nothing_is_sent_and_no_budget_is_used(alice: User, settings: Any) -> None:
    settings.LLM_URL = ""
    row = learn(alice)

    assert (jobs.judge_candidates(), verdict_on(row), JudgeDay.objects.count()) == (0, "doubted", 0)


def test_accepted_learning_enters_contexts_and_is_not_judged_again(chat: ChatEndpoint, alice: User) -> None:
    row = learn(alice)
    chat.answer_verdicts({"id": row.pk, "verdict": "accept", "reason": "names the cause"})

    assert (jobs.judge_candidates(), judge_pending(), len(chat.requests)) == (1, 0, 1)

    assert (verdict_on(row), history(row)) == ("believed", [("accepted", "", None)])
    assert Observation.objects.get(type="capture.learning_accepted").data == {"reason": "names the cause"}


def test_rejected_learning_enters_no_context_and_is_still_found(chat: ChatEndpoint, alice: User) -> None:
    row = learn(alice, confidence=0.9)
    assert verdict_on(row) == "believed"
    chat.answer_verdicts({"id": row.pk, "verdict": "reject"})
    judge_pending()

    row.refresh_from_db()
    assert (verdict_on(row), row.hidden, row.content) == ("rejected", False, CONTENT)


def test_faithful_rewrite_becomes_the_wording_and_undo_brings_the_former_one_back(
    chat: ChatEndpoint, alice: User
) -> None:
    row = learn(alice)
    chat.answer_verdicts({"id": row.pk, "verdict": "rewrite", "text": REWRITE})
    judge_pending()

    row.refresh_from_db()
    assert (row.content, verdict_on(row), history(row)) == (REWRITE, "believed", [("rewritten", CONTENT, None)])

    curation.restore(alice, row.pk)
    row.refresh_from_db()
    assert (row.content, row.judge_verdict, verdict_on(row), judge_pending()) == (CONTENT, "", "doubted", 0)
    assert Observation.objects.filter(type="capture.learning_restored").count() == 1


def test_borderline_learning_is_left_as_it_is_and_not_judged_again(chat: ChatEndpoint, alice: User) -> None:
    row = learn(alice)
    chat.answer_verdicts({"id": row.pk, "verdict": "leave", "reason": "narrow"})

    assert (judge_pending(), judge_pending(), len(chat.requests)) == (0, 0, 1)
    assert (verdict_on(row), history(row)) == ("doubted", [])


@pytest.mark.parametrize(
    "text",
    ["", f"{REWRITE} of `payments`", "The export hangs for 60 seconds", "The export does not hang"],
    ids=["empty", "other name", "other number", "negated"],
)
def test_rewrite_that_says_more_than_its_source_is_refused_and_the_original_stays(
    text: str, chat: ChatEndpoint, alice: User
) -> None:
    row = learn(alice)
    chat.answer_verdicts({"id": row.pk, "verdict": "rewrite", "text": text})
    judge_pending()

    row.refresh_from_db()
    assert (row.content, history(row)) == (CONTENT, [("accepted", "", None)])


def test_only_open_cases_are_sent(chat: ChatEndpoint, alice: User) -> None:
    row = learn(alice)
    learn(alice, "sure", confidence=0.97)
    learn(alice, "noise", confidence=0.2)
    learn(alice, "by hand", by_hand_at=timezone.now())
    learn(alice, "by the agent", source="agent")
    learn(alice, "The tests run with `make test`", source="observed", type="command")
    learn(alice, "pinned", pinned=True)
    learn(alice, "hidden", hidden=True)
    learn(alice, "report", is_report=True)
    learn(alice, "merged", merged_into=row)
    curation.change(alice, learn(alice, "to be corrected").pk, content="corrected by a person")

    said_no = learn(alice, "The person rejected the call of `rm` and said: never delete it", source="observed")
    Learning.objects.filter(pk=said_no.pk).update(type="correction")

    assert list(candidates()) == [said_no, row]


def test_judge_sees_the_latest_known_lines_around_a_learning(chat: ChatEndpoint, alice: User) -> None:
    row, now = learn(alice), timezone.now()
    ended = {"last_activity_at": now - timedelta(hours=1), "settled_until": now}
    state = CaptureState.objects.create(user=alice, context_id="claude-code-1", **ended)
    about = {"captured_at": now, "first_message_index": 0, "last_message_index": 3, "compaction_number": 0}
    capture = Capture.objects.create(state=state, capture_id=uuid4(), **about)
    for index, quote in enumerate(["the first lines", "the latest lines", ""]):
        LearningSource.objects.create(learning=row, capture=capture, message_index=index, quote=quote)
    chat.answer_verdicts()
    judge_pending()

    (request,) = chat.requests
    (note,) = json.loads(request["body"]["messages"][1]["content"])["notes"]
    assert note == {"id": row.pk, "note": CONTENT, "around": "the latest lines"}


def test_secrets_are_redacted_and_the_key_is_sent_as_a_header(chat: ChatEndpoint, alice: User) -> None:
    row = learn(alice, "Log in with password=hunter2hunter2 at the registry")
    chat.answer_verdicts()
    judge_pending()

    (request,) = chat.requests
    assert (request["path"], request["key"], request["body"]["model"]) == (
        "/v1/chat/completions",
        "Bearer key",
        "some-model",
    )
    (note,) = json.loads(request["body"]["messages"][1]["content"])["notes"]
    assert (note["id"], "hunter2hunter2" in json.dumps(request)) == (row.pk, False)


def test_budget_of_a_day_limits_requests_and_learnings(chat: ChatEndpoint, alice: User, settings: Any) -> None:
    settings.LLM_CALLS_PER_DAY, settings.LLM_CANDIDATES_PER_DAY = 2, BATCH + 3
    for number in range(2 * BATCH):
        learn(alice, f"{number} {CONTENT}")
    chat.answer_verdicts()
    judge_pending()
    judge_pending()

    sizes = [len(json.loads(request["body"]["messages"][1]["content"])["notes"]) for request in chat.requests]
    assert sizes == [BATCH, 3]

    JudgeDay.objects.update(day=timezone.now().date() - timedelta(days=2))
    settings.LLM_CALLS_PER_DAY = 1
    judge_pending()
    assert len(chat.requests) == 3


@pytest.mark.parametrize(
    "answer",
    [{"status": 429, "body": "slow down"}, {"status": 500, "body": ""}, {"status": 401, "body": "{}"}],
    ids=["429", "500", "401"],
)
def test_endpoint_that_fails_ends_the_run_and_is_asked_again_by_the_next(
    answer: dict[str, Any], chat: ChatEndpoint, alice: User
) -> None:
    row = learn(alice)
    accepted = {"body": said(json.dumps({"verdicts": [{"id": row.pk, "verdict": "accept"}]}))}
    chat.answer(answer, accepted)

    assert [judge_pending(), judge_pending()] == [0, 1]
    assert JudgeDay.objects.values_list("calls", "candidates").get() == (2, 2)


def test_endpoint_that_is_slow_or_down_ends_the_run_and_the_server_stays_ready(
    chat: ChatEndpoint, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(alice)
    monkeypatch.setattr("capture.judge.endpoint.TIMEOUT", 0.2)
    chat.answer({"body": "", "delay": 3})
    assert judge_pending() == 0

    settings.LLM_URL = "http://127.0.0.1:9/v1"
    assert (judge_pending(), candidates().count()) == (0, 1)
    assert "judge" not in Client().get("/readyz").content.decode()


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no json",
        '{"choices": []}',
        '{"choices": [{"message": {"content": null}}]}',
        said('{"verdicts": [{"id": 1, "verdict": "acc'),
        said('{"verdicts": 3}'),
        said("[]"),
    ],
    ids=["empty", "text", "no choice", "no content", "half", "number", "list"],
)
def test_answer_that_cannot_be_read_changes_nothing_and_is_asked_for_again(
    body: str, chat: ChatEndpoint, alice: User
) -> None:
    row = learn(alice)
    chat.answer({"body": body})

    assert [judge_pending(), judge_pending()] == [0, 0]
    assert (verdict_on(row), history(row), len(chat.requests)) == ("doubted", [], 2)


@pytest.mark.parametrize(
    "body",
    [
        said('{"verdicts": ["accept", {"id": "x", "verdict": "accept"}, {"id": true, "verdict": "accept"}]}'),
        said('{"verdicts": [{"id": 999999999, "verdict": "accept"}]}'),
    ],
    ids=["other ids", "unknown id"],
)
def test_answer_without_a_verdict_changes_nothing_and_is_not_asked_for_again(
    body: str, chat: ChatEndpoint, alice: User
) -> None:
    row = learn(alice)
    chat.answer({"body": body})

    assert [judge_pending(), judge_pending()] == [0, 0]
    assert (verdict_on(row), history(row), len(chat.requests)) == ("doubted", [], 1)


def test_learning_that_spoils_each_answer_is_found_and_blocks_no_others(chat: ChatEndpoint, alice: User) -> None:
    rows = [learn(alice, f"The export of `table_{number}` hangs") for number in range(6)]
    *others, _ = rows  # the latest is asked about first
    chat.answer(*[{"body": "cut {"}] * 2, {"body": accepted(*others)})

    assert judge_pending() == 5
    assert [len(ids(request)) for request in chat.requests] == [6, 1, 1, 4]
    assert [verdict_on(row) for row in rows] == ["believed"] * 5 + ["doubted"]
    assert (judge_pending(), candidates().count()) == (0, 0)


def test_endpoint_that_answers_nothing_readable_is_asked_a_few_times_and_again_by_the_next_run(
    chat: ChatEndpoint, alice: User
) -> None:
    for number in range(30):
        learn(alice, f"The export of `table_{number}` hangs")
    chat.answer({"body": "<html>Log in to the network</html>"})

    assert judge_pending() == 0
    assert [len(ids(request)) for request in chat.requests] == [20, 5, 1, 1, 1]
    assert candidates().count() == 30


@pytest.mark.parametrize(
    "change",
    [{"content": "Corrected meanwhile"}, {"hidden": True}, {"pinned": True}],
    ids=["content", "hidden", "pinned"],
)
def test_learning_that_a_person_changes_while_the_judge_thinks_gets_no_verdict(
    change: dict[str, Any], alice: User
) -> None:
    row = learn(alice)
    curation.change(alice, row.pk, **change)

    assert store_verdict(row, Answer("reject", "", "")) is False
    assert Learning.objects.get().judge_verdict == ""


def test_page_and_api_show_the_verdict_and_undo_it(chat: ChatEndpoint, alice: User, charlie: User, api: Any) -> None:
    row = learn(alice)
    chat.answer_verdicts({"id": row.pk, "verdict": "reject"})
    judge_pending()
    client = Client()
    client.force_login(alice)
    path = f"/learnings/{row.pk}/"

    assert "Rejected by the judge" in client.get(path).content.decode()
    assert api(charlie).post(f"/api/v1/learnings/{row.pk}/restore").status_code == 404
    assert client.post(f"{path}restore/").headers["Location"] == path
    assert "Rejected by the judge" not in client.get(path).content.decode()
    changes = api(alice).post(f"/api/v1/learnings/{row.pk}/restore").json()["changes"]
    assert [(change["what"], change["made_by"]) for change in changes] == [("restored", "alice"), ("rejected", None)]
