"""What an agent sends, read as a message or refused with the id of its request."""

from __future__ import annotations

import json

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorycli.mcp import messages
from memorycli.mcp.messages import Refused, encode, parse, parse_one, too_long

PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
NOT_AN_ID = "the id of a message must be a text or a whole number"


def request(**members: object) -> types.JSONRPCRequest:
    return types.JSONRPCRequest.model_validate({"jsonrpc": "2.0", "id": 1, "method": "ping"} | members)


def refusals(data: bytes) -> list[tuple[object, int, str]]:
    """The id, the code and the message of each refusal in `data`; nothing else may be in it."""
    parsed = parse(data)
    return [
        (item.error.id, item.error.error.code, item.error.error.message) for item in parsed if isinstance(item, Refused)
    ] + [(item, 0, "") for item in parsed if not isinstance(item, Refused)]


@pytest.mark.parametrize(
    ("data", "parsed"),
    [
        pytest.param(PING, [request()], id="request"),
        pytest.param(b"\xef\xbb\xbf" + PING + b"\r\n", [request()], id="byte order mark"),
        pytest.param(PING.replace(b"1", b"3.0"), [request(id=3)], id="id with a point"),
        pytest.param(PING.replace(b"1", b'"a"'), [request(id="a")], id="id that is a text"),
        pytest.param(
            rb'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a\ud800": ["\udc00\u0000", "\ud83d\ude00"]}}',
            [request(params={"a\ufffd": ["\ufffd\ufffd", "😀"]})],
            id="lone surrogates and NUL",
        ),
        pytest.param(
            b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "caf\xe9\x01\n"}}',
            [request(params={"a": "caf\ufffd\x01\n"})],
            id="invalid UTF-8 and control characters",
        ),
        pytest.param(b" \r\n", [], id="blank line"),
        pytest.param(
            b'{"jsonrpc": "2.0", "method": "m", "params": null}',
            [types.JSONRPCNotification(jsonrpc="2.0", method="m")],
            id="notification",
        ),
        pytest.param(
            b'[{"jsonrpc": "2.0", "id": 2, "result": {"a": 1}}, ' + PING + b"]",
            [types.JSONRPCResponse(jsonrpc="2.0", id=2, result={"a": 1}), request()],
            id="batch",
        ),
        pytest.param(
            b'{"jsonrpc": "2.0", "id": 2, "error": {"code": -1, "message": "x\\ud800"}}',
            [types.JSONRPCError(jsonrpc="2.0", id=2, error=types.ErrorData(code=-1, message="x\ufffd"))],
            id="error",
        ),
    ],
)
def test_message_is_read_and_cleaned(data: bytes, parsed: list[object]) -> None:
    assert parse(data) == parsed


@pytest.mark.parametrize(
    ("data", "identifier", "code", "reason"),
    [
        (b"junk", None, -32700, "the message is not valid JSON: Expecting value: line 1 column 1 (char 0)"),
        (b'{"jsonrpc":"2.0","id":5,"method":"ping",', 5, -32700, "the message is not valid JSON: "),
        (b'{"method":"ping","params":{"id":1},,"jsonrpc":"2.0","id":"x"}\n', "x", -32700, ""),
        (b'{"params":{"id":7,,}}', None, -32700, ""),
        (b'junk {"id":7}', None, -32700, ""),
        (PING.replace(b"}", b', "params": {"a": NaN}}'), 1, -32700, "the message is not valid JSON: NaN is not a JSON"),
        (PING.replace(b"}", b', "params": {"a": ' + b"9" * 5000 + b"}}"), 1, -32700, ""),
        (b"[" * 100_000, None, -32700, "the message is not valid JSON: it is nested too deeply"),
        (PING.decode().encode("utf-16"), None, -32700, ""),
        (b"null", None, -32600, "a message must be a JSON object"),
        (b"[]", None, -32600, "a message must be a JSON object"),
        (b"{}", None, -32600, 'a message must have "jsonrpc": "2.0"'),
        (PING.replace(b"2.0", b"1.0"), 1, -32600, 'a message must have "jsonrpc": "2.0"'),
        (PING.replace(b"1", b"null"), None, -32600, NOT_AN_ID),
        (PING.replace(b"1", b"true"), None, -32600, NOT_AN_ID),
        (PING.replace(b"1", b"1.5"), None, -32600, NOT_AN_ID),
        (PING.replace(b"1", rb'"\ud800"'), None, -32600, NOT_AN_ID),
        (PING.replace(b'"ping"', b"7"), 1, -32600, "the method of a request must be a text"),
        (PING.replace(b"}", b', "params": [1]}'), 1, -32600, "the params of a request must be an object"),
        (b'{"jsonrpc": "2.0", "id": 2, "result": []}', None, -32600, "the response is not one of JSON-RPC 2.0"),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, bytes) else None,
)
def test_what_is_not_a_message_is_refused_with_its_id(data: bytes, identifier: object, code: int, reason: str) -> None:
    ((id_sent, code_sent, message),) = refusals(data)

    assert (id_sent, code_sent) == (identifier, code)
    assert message.startswith(reason)
    assert len(message) <= 300


def test_members_of_a_batch_are_refused_one_by_one() -> None:
    assert [isinstance(item, Refused) for item in parse(b"[7, " + PING + b", {}]")] == [True, False, True]


def test_where_one_message_is_expected_others_are_refused() -> None:
    several, none = parse_one(b"[" + PING + b"," + PING + b"]"), parse_one(b"")

    assert isinstance(several, Refused)
    assert isinstance(none, Refused)
    assert several.error.error.message == "one message is expected, not 2"
    assert none.error.error.message == "one message is expected, not 0"
    assert parse_one(PING) == request()


@pytest.mark.parametrize(
    ("edges", "identifier"),
    [
        (b'{"jsonrpc":"2.0","id":15,"method":"tools/call","params":{"id":"learnings/1","a":"xx', 15),
        (b'{"method":"tools/call","params":{"id":"learnings/1","a":"xxx"}},"jsonrpc":"2.0","id":"16"}\n', "16"),
        (b'{"method":"tools/call","params":{"a":{"id":3}}}', None),
        (b'{"jsonrpc":"2.0","id":"\xff', None),
    ],
)
def test_id_of_a_long_message_is_read_where_it_is_certainly_its_own(edges: bytes, identifier: object) -> None:
    error = too_long(edges).error

    assert (error.id, error.error.code) == (identifier, -32600)
    assert error.error.message == f"the message has more than {messages.MAX_BYTES} bytes; send only the relevant part"


def test_response_with_lone_surrogates_is_sent_as_utf8_on_one_line() -> None:
    response = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "half \ud83d, ü\u2028\n"})

    assert encode(response).decode() == '{"jsonrpc":"2.0","id":1,"result":{"text":"half \ufffd, ü\u2028\\n"}}'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text("aé\0\ud83d\n", max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "\udc00"]), inner, max_size=2),
    max_leaves=4,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(["jsonrpc", "id", "method", "params", "result"], json_values)))
def test_any_object_is_one_message_or_one_refusal_that_can_be_sent(members: dict[str, object]) -> None:
    data = json.dumps({"jsonrpc": "2.0"} | members).encode()

    (item,) = parse(data)

    assert json.loads(encode(item.error if isinstance(item, Refused) else item))["jsonrpc"] == "2.0"


@given(st.binary(max_size=60))
def test_any_bytes_are_parsed(data: bytes) -> None:
    assert all(len(encode(item.error)) < 600 for item in parse(data) if isinstance(item, Refused))
