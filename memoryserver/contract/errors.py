"""The errors that an operation can answer with, for the API's description: each is application/problem+json."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from memoryserver.problems import MEDIA_TYPE

_REASONS = {
    400: "the request is malformed: its host, its headers, or a body that is compressed and broken",
    401: "the token is missing, unknown, expired or revoked",
    403: "the token lacks the scope that the operation needs, or its user may not do this",
    404: "there is no such thing that the token's user may see",
    409: "another one is in the way: a learning with the same wording, an observation with the same id, a decision",
    413: "the body is larger than the server accepts, also when it is unpacked; send smaller batches",
    415: "the body is compressed in a way that is not supported; use gzip or none",
    422: "a parameter or the body is invalid; `errors` says where and what",
    429: "more requests than the token may make; `Retry-After` says after how many seconds to try again",
    500: "the server failed; `request_id` is in its log",
    503: "the database cannot be reached, or a search failed for now; try again, after `Retry-After` seconds if given",
}
PROBLEM: dict[str, Any] = {
    "type": "object",
    "title": "Problem",
    "description": "An error (RFC 9457). Further members belong to the single error.",
    "required": ["title", "status", "detail"],
    "properties": {
        "title": {"type": "string", "description": "the status in words", "examples": ["Unprocessable Entity"]},
        "status": {"type": "integer", "description": "the HTTP status", "examples": [422]},
        "detail": {"type": "string", "description": "what was wrong and what to do", "examples": ["limit: too high"]},
        "request_id": {"type": "string", "description": "the id of the request in the log", "examples": ["5f0c1a2b"]},
        "errors": {
            "type": "array",
            "description": "each invalid field",
            "items": {
                "type": "object",
                "required": ["where", "what"],
                "properties": {
                    "where": {"type": "string", "description": "its path", "examples": ["entries.0.id"]},
                    "what": {"type": "string", "description": "what is wrong with it", "examples": ["too long"]},
                },
            },
            "examples": [[{"where": "entries.0.id", "what": "too long"}]],
        },
    },
}
HEADERS: dict[str, Any] = {
    "X-Request-ID": ("the id of the request, in each line of the server's log about it", "string", "5f0c1a2b9d3e4f60"),
    "RateLimit-Limit": ("how many requests the token may make in a minute", "integer", 3000),
    "RateLimit-Remaining": ("how many of them are left", "integer", 2991),
    "RateLimit-Reset": ("in how many seconds it starts again", "integer", 42),
    "Retry-After": ("after how many seconds to try again", "integer", 42),
}
_CONFLICTS = {
    ("patch", "/learnings/{key}"),
    ("post", "/observations"),
    ("post", "/contradictions/{key}/decision"),
}
_LIMITS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


def components() -> dict[str, Any]:
    """Return the reusable responses and headers of the description."""
    headers = {
        name: {"description": what, "schema": {"type": kind}, "example": example}
        for name, (what, kind, example) in HEADERS.items()
    }
    return {"responses": {f"Problem{status}": _response(status) for status in _REASONS}, "headers": headers}


def headers_of(*names: str) -> dict[str, Any]:
    """Return references to the headers `names`, by their names."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def statuses(path: str, method: str, operation: dict[str, Any]) -> list[int]:
    """Return the statuses of the errors of an operation, from what it takes."""
    numbers = {400, 429, 500, 503}
    if operation.get("security"):
        numbers |= {401, 403}
    if operation.get("parameters") or "requestBody" in operation:
        numbers |= {404, 422}
    if "requestBody" in operation:
        numbers |= {413, 415}
    if (method, path.rpartition("/v1")[2]) in _CONFLICTS:
        numbers.add(409)
    return sorted(numbers)


def _response(status: int) -> dict[str, Any]:
    example = {"title": HTTPStatus(status).phrase, "status": status, "detail": _REASONS[status].partition(";")[0]}
    names = ["X-Request-ID", *(_LIMITS if status in (403, 404, 409, 422, 429) else ())]
    return {
        "description": _REASONS[status],
        "headers": headers_of(*names, *(["Retry-After"] if status in (429, 503) else [])),
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "example": example}},
    }
