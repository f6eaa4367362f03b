"""`memory mcp` as a process that gets messages which are damaged: each gets a response, and the next one works."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memorycli.mcp.messages import MAX_BYTES
from tests.memorycli.mcp.test_stdio import INITIALIZE, heard, launched, say

LONG = b'"' + b"x" * MAX_BYTES + b'"'


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[bytes]]:
    project = tmp_path_factory.mktemp("laptop") / "shop"
    (project / ".git").mkdir(parents=True)
    with launched(project) as process:
        say(process, INITIALIZE)
        heard(process)
        say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield process


def call(**arguments: str) -> bytes:
    params = {"name": "list_ghap", "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).encode()


def unknown(name: str) -> dict[str, Any]:
    said = f"list_ghap has no argument '{name}'; it takes scope, limit, offset"
    return {"id": 7, "result": {"content": [{"type": "text", "text": said}], "isError": True}}


@pytest.mark.parametrize(
    ("line", "response"),
    [
        pytest.param(call(**{"half \ud83d": "x"}), unknown("half \ufffd"), id="lone surrogate"),
        pytest.param(b"\xef\xbb\xbf" + call(x="x"), unknown("x"), id="byte order mark"),
        pytest.param(call(abc="x").replace(b"abc", b"caf\xe9"), unknown("caf\ufffd"), id="invalid UTF-8"),
        pytest.param(call(x="x").replace(b'{"x": "x"}', rb'"{\"x\": 1}"'), unknown("x"), id="arguments as JSON text"),
        pytest.param(
            call(x="x").replace(b'{"x": "x"}', b'"[1]"'), {"id": 7, "error": {"code": -32602}}, id="arguments as a list"
        ),
        pytest.param(b"junk", {"id": None, "error": {"code": -32700}}, id="junk"),
        pytest.param(b"[" * 100_000, {"id": None, "error": {"code": -32700}}, id="deep nesting"),
        pytest.param(call(x="x")[:-1], {"id": 7, "error": {"code": -32700}}, id="broken off"),
        pytest.param(call(x="x").replace(b'"x"', LONG), {"id": 7, "error": {"code": -32600}}, id="over-long, id first"),
        pytest.param(
            b'{"params": ' + LONG + b', "jsonrpc": "2.0", "id": 7}',
            {"id": 7, "error": {"code": -32600}},
            id="over-long, id last",
        ),
        pytest.param(b'{"jsonrpc": "2.0", "id": 7, "method": 7}', {"id": 7, "error": {"code": -32600}}, id="types"),
        pytest.param(
            b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 7}}',
            {"id": 7, "error": {"code": -32602}},
            id="types of the params",
        ),
    ],
)
def test_damaged_message_gets_a_response_and_the_next_one_works(
    process: subprocess.Popen[bytes], line: bytes, response: dict[str, Any]
) -> None:
    say(process, line + b'\n{"jsonrpc": "2.0", "id": "next", "method": "ping"}\n')

    answers = {answer["id"]: answer for answer in (heard(process), heard(process))}

    assert answers.pop("next") == {"jsonrpc": "2.0", "id": "next", "result": {}}
    (answer,) = answers.values()
    if "error" in response:
        answer["error"].pop("message")
        answer["error"].pop("data", None)
    assert answer == {"jsonrpc": "2.0"} | response


def test_each_request_of_a_batch_gets_a_response(process: subprocess.Popen[bytes]) -> None:
    say(
        process,
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},7,{"jsonrpc":"2.0","id":2}]\n',
    )

    answers = [heard(process) for _ in range(3)]

    assert sorted((str(answer["id"]), answer.get("error", {}).get("code")) for answer in answers) == [
        ("1", None),
        ("2", -32600),
        ("None", -32600),
    ]


def test_notifications_and_blank_lines_get_no_response(process: subprocess.Popen[bytes]) -> None:
    say(process, b'\n \n{"jsonrpc":"2.0","method":"no/such","params":{"a":"\\ud800"}}\n')
    say(process, {"jsonrpc": "2.0", "id": 3, "method": "ping"})

    assert heard(process)["id"] == 3


def test_last_line_without_a_line_break_gets_a_response(tmp_path: Path) -> None:
    with launched(tmp_path) as process:
        say(process, INITIALIZE)
        heard(process)
        out, _ = process.communicate(b"junk", timeout=20)

    assert json.loads(out)["error"]["code"] == -32700
    assert process.returncode == 0
