"""Parser and renderer of the API; what requests contain is cleaned and redacted here, before any endpoint sees it."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import Any

import orjson
from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser
from ninja.renderers import BaseRenderer
from ninja.responses import NinjaJSONEncoder

from memoryserver.common import clock
from memoryserver.common.redaction import redact_value
from memoryserver.common.text import clean_json


class CleanJsonParser(Parser):
    """Parse a request body as JSON, replace NUL and lone surrogates in every string by U+FFFD, and redact every string.

    Uses the standard library's parser, since orjson rejects escaped lone surrogates and integers above 64 bits, which
    real transcripts contain. NaN and Infinity, which are not JSON, are rejected.
    """

    def parse_body(self, request: HttpRequest) -> Any:
        """Return the decoded body. Raises ValueError, which becomes a 422 with its text, for invalid JSON."""
        return decoded(request.body)

    def parse_querydict(self, data: MultiValueDict[str, Any], list_fields: list[str], request: HttpRequest) -> Any:
        """Return the values of a query or a form."""
        return redact_value(super().parse_querydict(data, list_fields, request))


class OrjsonRenderer(BaseRenderer):
    """Render responses with orjson, or with the standard library if they contain integers above 64 bits.

    Times are in UTC with a `Z` and all their digits, whichever of the two renders.
    """

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        """Return `data` as JSON bytes."""
        try:
            return orjson.dumps(data, default=_text_of_time, option=orjson.OPT_PASSTHROUGH_DATETIME)
        except orjson.JSONEncodeError:
            return json.dumps(data, cls=_Encoder, ensure_ascii=False, allow_nan=False).encode()


class _Encoder(NinjaJSONEncoder):
    """Django's encoder, with the times of `OrjsonRenderer`."""

    def default(self, o: Any) -> Any:
        """Return what `o` is as JSON."""
        return _text_of_time(o) if isinstance(o, date | time) else super().default(o)


def _text_of_time(value: Any) -> str:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return clock.to_text(value)
    if isinstance(value, date | time):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def decoded(content: bytes | str) -> Any:
    """Return JSON from outside as a value whose strings are clean and redacted. Raises ValueError for invalid JSON."""
    try:
        return redact_value(clean_json(json.loads(content, parse_constant=_reject, parse_int=_integer)))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _reject(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON value; use null or a string")


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # the interpreter limits the length, since the conversion takes quadratic time
        raise ValueError(f"an integer has {len(digits)} digits; send it as a string") from None
