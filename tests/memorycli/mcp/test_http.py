"""`memory mcp --http` as a process, for callers with tokens of their own, against the server itself."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django.live_server_helper import LiveServer

from capture.models import Learning
from memoryserver.accounts import tokens
from memoryserver.accounts.models import User
from obslog.models import Observation
from tests.memorycli.mcp.conftest import serving
from tests.support.agents.mcp_agent import over_http
from tests.support.laptops.laptop import Laptop

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
CONFIRMED = "ghap/ghap_20261120_143022_a1b2c3"


@pytest.fixture(scope="module")
def url(live_server: LiveServer, folder: Path) -> Iterator[str]:
    with serving(live_server.url, folder / "team", "--allow-host", "tools.example.org") as url:
        yield url


def posted(url: str, body: object, **headers: str) -> tuple[int, str]:
    """The status and body of a plain request; `_` in a header's name stands for `-`."""
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, sent)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.mark.usefixtures("filled")
def test_learning_without_the_form_of_one_is_refused_here_too(url: str, token: str) -> None:
    with over_http(url, token) as agent:
        refused = agent.refused("store_learning", type="test", content="All 66 tests pass", project="shop")
        stored = agent("store_learning", type="convention", content="Use pnpm, not npm", project="shop")

    assert refused.startswith("Not stored: it says how this task went; say what will also hold in the next one.")
    assert stored == f"Stored as learnings/{Learning.objects.get(content='Use pnpm, not npm').pk}."


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_team_has_the_tools_that_need_no_laptop(url: str, token: str, mode: str) -> None:
    with over_http(url, token, mode=mode) as agent:
        names = [tool.name for tool in agent.tools()]
        index = agent("search_memory", query="export", outcome="confirmed")
        whole = agent("get_memory", ids=[CONFIRMED])
        around = agent("timeline", id=CONFIRMED)
        context = agent("get_context", project="shop")
        nowhere = agent.refused("get_context")
        appended = agent("observation_append", type="team.note", message="m")
        unknown = agent.refused("start_ghap")
        status = agent.refused("trajectory_status")

    assert names == [
        "search_memory",
        "timeline",
        "get_memory",
        "get_context",
        "store_learning",
        "observation_query",
        "observation_append",
        "trajectory_status",
    ]
    assert CONFIRMED in index
    assert CONFIRMED in around
    assert "| It waits for a lock" not in whole.splitlines()[1]
    assert "The export hangs" in context
    assert nowhere == "Over HTTP there is no current project: pass its key as project."
    assert appended == f"Appended {Observation.objects.get(type='team.note').id}."
    assert unknown.startswith("There is no tool 'start_ghap'; there are search_memory")
    assert status == "No tool calls are recorded there; the hooks record them."


@pytest.mark.usefixtures("filled")
def test_each_caller_sees_what_their_own_token_may_see(url: str, token: str) -> None:
    _, stranger = tokens.issue(User.objects.create(username="charlie"), "laptop")

    with over_http(url, token) as alice, over_http(url, stranger) as charlie:
        found, hidden = alice("search_memory", query="export"), charlie("search_memory", query="export")
        said = charlie.refused("get_memory", ids=[CONFIRMED])

    assert CONFIRMED in found
    assert "Nothing found" in hidden
    assert said.startswith(f"Not found or not visible to you: {CONFIRMED}.")


def test_caller_without_a_token_is_told_how_to_send_one(url: str) -> None:
    status, body = posted(url, PING)

    assert (status, json.loads(body)["detail"]) == (
        401,
        'No token: send the memory server\'s token as the header "Authorization: Bearer msv_…" (see memory login).',
    )
    assert [posted(url, PING, Authorization=value)[0] for value in ("Basic x", "Bearer", "Bearer a b")] == [401] * 3


def test_token_that_the_server_refuses_is_told_in_the_answer(url: str, alice: User) -> None:
    with over_http(url, "msv_none") as agent:
        said = agent.refused("search_memory", query="x")

    assert said.startswith("The server refused the token (the token is missing, unknown or revoked")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "tools.example.org"}, 200),
        ({"Host": "tools.example.org:8443", "Origin": "https://tools.example.org:8443"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1.evil.example"}, 403),
    ],
)
def test_only_known_names_are_answered(url: str, headers: dict[str, str], status: int) -> None:
    assert posted(url, PING, Authorization="Bearer msv_x", **headers)[0] == status


def test_nonsense_and_too_much_are_refused(url: str) -> None:
    named: dict[str, Any] = {"Authorization": "Bearer msv_x"}

    assert posted(url, b"{", **named)[0] == 400
    assert _announced(url, 5 * 1024 * 1024) == 413
    assert posted(url, PING, **named)[0] == 200


@pytest.mark.parametrize(
    ("body", "status", "answer"),
    [
        pytest.param(b"\xef\xbb\xbf" + json.dumps(PING).encode(), 200, {"id": 1, "result": {}}, id="byte order mark"),
        pytest.param(
            b'{"jsonrpc": "2.0", "id": 1, "method": "no\\ud83d\xe9"}',
            200,
            {"id": 1, "error": {"code": -32601, "message": "Method not found", "data": "no\ufffd\ufffd"}},
            id="lone surrogate and invalid UTF-8",
        ),
        pytest.param(
            json.dumps([PING, PING]).encode(),
            400,
            {"id": None, "error": {"code": -32600, "message": "one message is expected, not 2"}},
            id="batch",
        ),
        pytest.param(
            b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}',
            400,
            {
                "id": None,
                "error": {"code": -32600, "message": "the id of a message must be a text or a whole number"},
            },
            id="id that is not one",
        ),
    ],
)
def test_damaged_message_is_cleaned_or_refused_as_on_a_laptop(
    url: str, body: bytes, status: int, answer: dict[str, Any]
) -> None:
    code, text = posted(url, body, Authorization="Bearer msv_x")

    assert (code, json.loads(text)) == (status, {"jsonrpc": "2.0", **answer})


def test_message_that_is_too_long_is_refused_whether_announced_or_not(url: str) -> None:
    chunks = (b"x" * 1_000_000 for _ in range(5))
    request = urllib.request.Request(url, chunks, {"Authorization": "Bearer msv_x"})

    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=20)

    assert caught.value.code == 413
    said = json.loads(caught.value.read())["error"]["message"]
    assert said == "the message has more than 4194304 bytes; send only the relevant part"


def _announced(url: str, size: int) -> int:
    """The status where a body of that size is announced; it is answered before it is sent."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=20)
    connection.putrequest("POST", parts.path)
    for name, value in [("Authorization", "Bearer msv_x"), ("Content-Length", str(size))]:
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--http", "8765"], 2, "'8765' is not an address like 127.0.0.1:8765"),
        (["--http", "127.0.0.1:99999"], 2, "'127.0.0.1:99999' is not an address like 127.0.0.1:8765"),
        (["--http", "127.0.0.1:0"], 1, "not logged in; run: memory login URL"),
        (["--http", "127.0.0.1:0", "--server", "memory"], 2, "'memory' is not an address like http://127.0.0.1:8000"),
        (["--server", "http://127.0.0.1:8000"], 2, "--server and --allow-host need --http"),
        (["--http", "192.0.2.1:0", "--server", "http://x"], 1, "192.0.2.1 port 0 cannot be listened on: Cannot assign"),
    ],
)
def test_address_that_is_none_is_told_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    status: int,
    said: str,
) -> None:
    answer = Laptop(tmp_path, monkeypatch, capsys)("mcp", *words)

    assert (answer.status, answer.out) == (status, "")
    assert answer.err.startswith(f"memory: {said}")
    assert len(answer.err.splitlines()) == 1
