"""The log over HTTP."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from memoryserver.accounts.models import User
from memoryserver.common.ids import uuid7
from obslog import log
from obslog.models import Observation
from tests.support.rows.observations import MOMENT, new

Api = Callable[[User | None], Client]
PATH = "/api/v1/observations"
ONE = {"type": "task.updated", "source": "agent:abc123", "message": "moved on"}


@pytest.fixture
def client(alice: User, api: Api) -> Client:
    """Alice's; what her token's making told the log lies before all that the tests do."""
    return api(alice)


def post(client: Client, body: Any) -> Any:
    return client.post(PATH, body if isinstance(body, bytes) else json.dumps(body), content_type="application/json")


def problem(answer: Any) -> tuple[int, str]:
    assert answer.headers["Content-Type"] == "application/problem+json"
    return answer.status_code, answer.json()["detail"]


def stored() -> Any:
    return Observation.objects.filter(source=ONE["source"])


def test_one_is_appended_and_comes_back_whole(client: Client) -> None:
    identifier = str(uuid7(MOMENT))
    sent = {**ONE, "id": identifier, "details": "a\nb", "data": {"n": [1, None]}, "scope_ids": ["b", "a"]}

    answer = post(client, sent)

    assert (answer.status_code, answer.json()) == (200, {"id": identifier, "status": "stored"})
    found = client.get(PATH, {"source": "agent:"}).json()
    assert found == {
        "observations": [{**sent, "scope_ids": ["a", "b"], "created_at": MOMENT, "reported_at": None}],
        "cursor": found["cursor"],
        "more": False,
    }


def test_same_again_is_unchanged(client: Client) -> None:
    sent = {**ONE, "id": str(uuid7())}
    post(client, sent)

    assert post(client, sent).json() == {"id": sent["id"], "status": "unchanged"}
    assert stored().count() == 1


def test_id_is_given_back_where_none_was_sent(client: Client) -> None:
    answer = post(client, ONE).json()

    assert str(stored().get().pk) == answer["id"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"message": None}, "observation.message: Input should be a valid string"),
        ({"message": "\n"}, "message must be a line of 1 to 2000 characters"),
        ({"source": "agent"}, "source must be category:identifier, such as agent:abc123"),
        ({"source": "System :cron"}, "source system: is for the server's own events; use another category"),
        ({"scope_ids": "task"}, "observation.scope_ids: Input should be a valid list"),
        ({"details": "x" * 1_000_000}, "details must have at most 100000 characters"),
        ({"scopes": ["task"]}, "observation.scopes: Extra inputs are not permitted"),
        ({"id": str(uuid.UUID(int=0))}, "id must be a UUIDv7 of before the year 10000"),
        ({"id": str(uuid7(MOMENT)), "created_at": 1}, f"created_at is not the time in the id ({MOMENT}); omit one"),
    ],
)
def test_bad_one_is_refused_with_what_is_wrong(client: Client, changes: dict[str, Any], said: str) -> None:
    status, detail = problem(post(client, {**ONE, **changes}))

    assert (status, detail[: len(said)]) == (422, said)
    assert not stored().exists()


def test_append_in_the_name_of_another_is_refused(client: Client, bob: User) -> None:
    assert problem(post(client, {**ONE, "user": "bob"})) == (
        403,
        "observations can only be appended for the token's own user",
    )
    assert post(client, {**ONE, "user": "alice"}).status_code == 200


def test_id_of_another_users_observation_is_a_conflict(client: Client, charlie: User) -> None:
    receipt = log.append(charlie, new())

    assert problem(post(client, {**ONE, "id": str(receipt.id)})) == (
        409,
        "another user's observation has this id; use a new one",
    )


def test_batch_gives_a_result_for_each_and_a_bad_one_holds_up_no_other(client: Client, bob: User) -> None:
    good, again = str(uuid7()), str(uuid7())
    post(client, {**ONE, "id": again})
    batch = [
        {**ONE, "id": good},
        {**ONE, "id": again},
        {**ONE, "source": "agent"},
        {**ONE, "message": 7},
        "nonsense",
        {**ONE, "user": "bob"},
        {"type": "a"},
    ]

    answer = post(client, {"observations": batch})

    assert answer.status_code == 200
    assert answer.json() == {
        "results": [
            {"id": good, "status": "stored"},
            {"id": again, "status": "unchanged"},
            {"status": "refused", "reason": "source must be category:identifier, such as agent:abc123"},
            {"status": "refused", "reason": "message: Input should be a valid string"},
            {"status": "refused", "reason": "observation: " + answer.json()["results"][4]["reason"].partition(": ")[2]},
            {
                "status": "refused",
                "reason": "observations can only be appended for the token's own user",
            },
            {"status": "refused", "reason": "source: Field required"},
        ]
    }
    assert {str(pk) for pk in stored().values_list("pk", flat=True)} == {good, again}


def test_forged_event_of_the_server_in_a_batch_is_refused_and_the_others_are_stored(client: Client) -> None:
    forged = {**ONE, "id": str(uuid7(MOMENT, 1)), "source": "SYSTEM:cron"}
    honest = {**ONE, "id": str(uuid7(MOMENT, 2))}

    results = post(client, {"observations": [forged, honest]}).json()["results"]

    reason = "source system: is for the server's own events; use another category, such as agent:abc123"
    assert results == [
        {"id": forged["id"], "status": "refused", "reason": reason},
        {"id": honest["id"], "status": "stored"},
    ]
    assert list(stored().values_list("message", flat=True)) == [ONE["message"]]


def test_batch_of_500_is_taken_and_of_501_refused(client: Client) -> None:
    assert len(post(client, {"observations": [ONE] * 500}).json()["results"]) == 500
    assert problem(post(client, {"observations": [ONE] * 501}))[0] == 422
    assert problem(post(client, {"observations": []}))[0] == 422
    assert stored().count() == 500


def test_big_integers_and_duplicate_keys_come_back_as_json_has_them(client: Client) -> None:
    big = 10**40
    post(client, b'{"type":"a","source":"agent:abc123","message":"m","data":{"n":%d,"k":1,"k":2,"f":1e3}}' % big)

    (found,) = client.get(PATH, {"source": "agent:"}).json()["observations"]
    assert found["data"] == {"n": big, "k": 2, "f": 1000}
    text = client.get(PATH, {"source": "agent:", "mode": "json"}).content.decode()
    assert text == f'{{"f": 1000.0, "k": 2, "n": {big}}}'


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity"])
def test_number_that_json_does_not_have_is_refused(client: Client, number: bytes) -> None:
    body = b'{"type":"a","source":"agent:abc123","message":"m","data":' + number + b"}"

    assert problem(post(client, body))[0] == 422
    assert not stored().exists()


def test_number_beyond_any_float_is_refused(client: Client) -> None:
    body = b'{"type":"a","source":"agent:abc123","message":"m","data":1e999}'

    assert problem(post(client, body))[0] == 422


@pytest.mark.parametrize(("depth", "status"), [(100, 200), (101, 422), (300, 422), (900, 422), (100_000, 422)])
def test_deep_data_is_taken_or_refused_and_never_an_error_of_ours(client: Client, depth: int, status: int) -> None:
    body = b'{"type":"a","source":"agent:abc123","message":"m","data":' + b"[" * depth + b"]" * depth + b"}"

    assert post(client, body).status_code == status
    assert client.get(PATH).status_code == 200


def test_nul_and_lone_surrogates_are_replaced(client: Client) -> None:
    post(client, {**ONE, "message": "a\x00\ud800", "scope_ids": ["\x00"], "data": {"\x00": "\ud800"}})

    (found,) = client.get(PATH, {"scope_ids": "\ufffd"}).json()["observations"]
    assert (found["message"], found["data"]) == ("a\ufffd\ufffd", {"\ufffd": "\ufffd"})


def test_scope_id_of_odd_characters_is_found_by_them(client: Client) -> None:
    odd = "\t a,b&c=d/é%_\\\"'{}\u202e\n"
    post(client, {**ONE, "scope_ids": [odd]})

    assert len(client.get(PATH, {"scope_ids": odd}).json()["observations"]) == 1


def test_filters_limit_and_order_are_the_logs(client: Client, alice: User) -> None:
    steps = [new(created_at=MOMENT + step, type=f"t{step % 2}", scope_ids=[f"s{step}"]) for step in range(6)]
    log.append_all(alice, steps)

    def times(**params: Any) -> list[int]:
        found = client.get(PATH, {"source": "agent:", **params}).json()["observations"]
        return [row["created_at"] - MOMENT for row in found]

    assert times() == [0, 1, 2, 3, 4, 5]
    assert times(type="t1") == [1, 3, 5]
    assert times(after_date=MOMENT + 2, before_date=MOMENT + 4) == [2, 3]
    assert times(scope_ids=["s1", "s4", "none"]) == [1, 4]
    assert times(limit=2, offset=1) == [1, 2]
    assert times(limit=2, order="desc") == [5, 4]


def test_recent_gives_the_newest_oldest_first(client: Client, alice: User) -> None:
    log.append_all(alice, [new(message=str(number)) for number in range(5)])

    found = client.get(f"{PATH}/recent", {"limit": "2", "source": "agent:"}).json()
    assert [row["message"] for row in found["observations"]] == ["3", "4"]
    log.append(alice, new(message="5"))
    after = client.get(PATH, {"cursor": found["cursor"], "source": "agent:"}).json()
    assert [row["message"] for row in after["observations"]] == ["5"]


def test_cursor_of_each_answer_leads_through_all_and_on(client: Client, alice: User) -> None:
    log.append_all(alice, [new(message=str(number)) for number in range(5)])
    found: list[str] = []
    params: dict[str, Any] = {"limit": 2, "source": "agent:"}
    while True:
        answer = client.get(PATH, params).json()
        found += [row["message"] for row in answer["observations"]]
        params["cursor"] = answer["cursor"]
        if not answer["more"]:
            break

    assert found == list("01234")
    assert client.get(PATH, params).json()["observations"] == []
    post(client, {**ONE, "id": str(uuid7(MOMENT)), "message": "from long ago"})
    assert [row["message"] for row in client.get(PATH, params).json()["observations"]] == ["from long ago"]


@pytest.mark.parametrize("mode", ["json", "short", "full"])
def test_mode_answers_with_text(client: Client, alice: User, mode: str) -> None:
    log.append(alice, new(created_at=MOMENT, details="more", data={"n": 1}))

    answer = client.get(PATH, {"source": "agent:", "mode": mode})

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Observations-More"] == "false"
    assert (
        answer.content.decode()
        == {
            "json": '{"n": 1}',
            "short": "[2023-11-14T22:13:20.000Z] [task.updated] moved on",
            "full": '[2023-11-14T22:13:20.000Z] [task.updated] source=agent:abc123\nmoved on\nmore\n{"n": 1}',
        }[mode]
    )


def test_budget_cuts_whole_entries_and_the_cursor_goes_on_behind_the_cut(client: Client, alice: User) -> None:
    log.append_all(alice, [new(message=f"{number} " + "x" * 100) for number in range(5)])
    params: dict[str, Any] = {"source": "agent:", "mode": "short", "max_chars": 400}

    first = client.get(PATH, params)
    assert len(first.content) <= 400
    lines = first.content.decode().splitlines()
    assert [line.split()[2] for line in lines[:-1]] == ["0", "1"]
    assert lines[-1] == "(3 more observations left out to stay within max_chars)"
    assert (first.headers["Observations-Left-Out"], first.headers["Observations-More"]) == ("3", "true")
    second = client.get(PATH, {**params, "cursor": first.headers["Observations-Cursor"]})
    assert [line.split()[2] for line in second.content.decode().splitlines()[:-1]] == ["2", "3"]


def test_budget_of_the_recent_keeps_the_newest(client: Client, alice: User) -> None:
    log.append_all(alice, [new(message=f"{number} " + "x" * 100) for number in range(5)])

    answer = client.get(f"{PATH}/recent", {"source": "agent:", "mode": "short", "max_chars": "400"})
    assert [line.split()[2] for line in answer.content.decode().splitlines()[:-1]] == ["3", "4"]


def test_nothing_found_is_said(client: Client) -> None:
    assert client.get(PATH, {"type": "none", "mode": "full"}).content == b"No observations found."


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"limit": 0}, "limit must be from 1 to 1000"),
        ({"limit": 1001}, "limit must be from 1 to 1000"),
        ({"offset": -1}, "offset must be from 0 to 10000000"),
        ({"cursor": "nonsense"}, "cursor is invalid"),
        ({"scope_ids": ""}, "a scope id has 1 to 200 characters"),
        ({"mode": "long"}, "mode: Input should be 'json', 'short' or 'full'"),
        ({"mode": "short", "max_chars": 199}, "max_chars: Input should be greater than or equal to 200"),
        ({"max_chars": 1000}, "max_chars requires a mode"),
        ({"after_date": "yesterday"}, "after_date: Input should be a valid integer"),
    ],
)
def test_bad_question_is_refused_with_what_is_wrong(client: Client, params: dict[str, Any], said: str) -> None:
    status, detail = problem(client.get(PATH, params))

    assert (status, detail[: len(said)]) == (422, said)


def test_each_sees_what_is_their_own(client: Client, bob: User, charlie: User, api: Api) -> None:
    post(client, {**ONE, "scope_ids": ["task"]})

    assert len(client.get(PATH, {"scope_ids": "task"}).json()["observations"]) == 1
    for other in (bob, charlie):
        for path in (PATH, f"{PATH}/recent"):
            assert api(other).get(path, {"scope_ids": "task"}).json()["observations"] == []


def test_tool_of_the_agents_has_the_parameters_of_its_specification(client: Client) -> None:
    schema = client.get("/api/v1/openapi.json").json()["paths"][PATH]["get"]

    assert schema["operationId"] == "observation_query"
    named = {parameter["name"]: parameter["schema"] for parameter in schema["parameters"]}
    assert set(named) == {
        *("scope_ids", "type", "source", "after_date", "before_date", "limit", "mode"),
        *("offset", "order", "cursor", "max_chars"),
    }
    assert named["limit"]["default"] == 50
