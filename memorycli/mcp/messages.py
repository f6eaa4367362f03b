"""JSON-RPC messages from agents: cleaned, or refused with the error that the agent gets.

The SDK's transports drop what they cannot parse, and a request without a response makes the agent wait for its own
timeout. Both transports therefore parse here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import mcp_types as types

from memoryserver.common import text

MAX_BYTES = 4 * 1024 * 1024  # of one message; the SDK's own limit for HTTP
EDGE_BYTES = 300  # of either end of a message that cannot be parsed, in which its id is looked for
_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,100}")\s*'
_MEMBER = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,100}"\s*'
_FIRST_ID = re.compile(rb"\s*\{\s*(?:" + _MEMBER + rb",\s*)*" + _ID + rb"[,}]")
_LAST_ID = re.compile(_ID + rb"(?:,\s*" + _MEMBER + rb")*\}\s*\Z")

Message = types.JSONRPCMessage


@dataclass(frozen=True)
class Refused:
    """Not a message; `error` is the response, with the request's id where it is known."""

    error: types.JSONRPCError


def parse(data: bytes) -> list[Message | Refused]:
    """Return the messages in `data`, UTF-8 with or without a byte order mark; each member of a batch by itself.

    Invalid bytes, NUL and lone surrogates are read as U+FFFD. White space alone is not a message.
    """
    decoded = text.decode(data)
    if not decoded.strip():
        return []
    try:
        value = json.loads(decoded, strict=False, parse_constant=_reject)
        if isinstance(value, list) and value:
            return [_message(item) for item in value]
        return [_message(value)]
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        return [_refused(types.PARSE_ERROR, f"the message is not valid JSON: {reason}", _unparsed_id(data))]


def parse_one(data: bytes) -> Message | Refused:
    """Return the message in `data` where it must be the only one, as in a request over HTTP."""
    parsed = parse(data)
    if len(parsed) == 1:
        return parsed[0]
    return _refused(types.INVALID_REQUEST, f"one message is expected, not {len(parsed)}", None)


def encode(message: Message) -> bytes:
    """Return `message` as UTF-8 JSON on one line; a lone surrogate in it is U+FFFD."""
    content = text.clean_json(message.model_dump(by_alias=True, exclude_unset=True, mode="json"))
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def too_long(edges: bytes) -> Refused:
    """Return the refusal of a message of more than MAX_BYTES; `edges` are EDGE_BYTES of its start and its end."""
    reason = f"the message has more than {MAX_BYTES} bytes; send only the relevant part"
    return _refused(types.INVALID_REQUEST, reason, _unparsed_id(edges))


def _message(value: object) -> Message | Refused:
    if not isinstance(value, dict):
        return _refused(types.INVALID_REQUEST, "a message must be a JSON object", None)
    identifier = _as_integer(value.get("id"))
    problem = _problem(value, identifier)
    if problem:
        return _refused(types.INVALID_REQUEST, problem, identifier if _is_id(identifier) else None)
    if "method" not in value:
        return _response(value)
    envelope: dict[str, object] = {"jsonrpc": "2.0", "method": text.clean(value["method"])}
    envelope |= {"params": text.clean_json(value["params"])} if value.get("params") is not None else {}
    if "id" in value:
        return types.JSONRPCRequest.model_validate({**envelope, "id": identifier})
    return types.JSONRPCNotification.model_validate(envelope)


def _problem(value: dict[str, object], identifier: object) -> str:
    """Return what is wrong with the members of a message, empty if nothing is."""
    if "id" in value and not _is_id(identifier) and not (identifier is None and "error" in value):
        return "the id of a message must be a text or a whole number"
    if value.get("jsonrpc") != "2.0":
        return 'a message must have "jsonrpc": "2.0"'
    if "method" not in value and ("result" in value or "error" in value):
        return ""
    if not isinstance(value.get("method"), str):
        return "the method of a request must be a text"
    if not isinstance(value.get("params"), dict | None):
        return "the params of a request must be an object"
    return ""


def _response(value: dict[str, object]) -> Message | Refused:
    """Return the agent's response to a request of ours."""
    kind = types.JSONRPCError if "error" in value else types.JSONRPCResponse
    try:
        return kind.model_validate(text.clean_json(value))
    except ValueError:  # pydantic's ValidationError is one
        return _refused(types.INVALID_REQUEST, "the response is not one of JSON-RPC 2.0", None)


def _refused(code: int, reason: str, identifier: object) -> Refused:
    message = text.shorten(text.one_line(text.printable(reason)), 300)
    error = types.ErrorData(code=code, message=message)
    return Refused(types.JSONRPCError.model_validate({"jsonrpc": "2.0", "id": identifier, "error": error}))


def _as_integer(identifier: object) -> object:
    """Return 3 for 3.0, which some languages write for it, and any other value as it is."""
    return int(identifier) if isinstance(identifier, float) and identifier.is_integer() else identifier


def _is_id(identifier: object) -> bool:
    if isinstance(identifier, str):
        return text.clean(identifier) == identifier  # a response with another id would not be recognised
    return isinstance(identifier, int) and not isinstance(identifier, bool)


def _unparsed_id(data: bytes) -> object:
    """Return the id of the request that `data` was meant to be, None if neither its first nor its last member is one.

    Only there is it certain that the member is the message's own.
    """
    match = _FIRST_ID.match(data[:EDGE_BYTES])
    if match is None and data[:EDGE_BYTES].lstrip(b"\xef\xbb\xbf \t\r").startswith(b"{"):
        match = _LAST_ID.search(data[-EDGE_BYTES:])
    if match is None:
        return None
    identifier = json.loads(match[1].decode("utf-8", "replace"))
    return identifier if _is_id(identifier) else None


def _reject(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON value")
