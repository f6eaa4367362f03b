"""JSON in and out of the API."""

from __future__ import annotations

import json
from typing import Any

import orjson
from django.http import HttpRequest
from ninja.parser import Parser
from ninja.renderers import BaseRenderer
from ninja.responses import NinjaJSONEncoder

from memoryserver.common.text import clean_json


class CleanJsonParser(Parser):
    """Reads a body as JSON and cleans every text in it at the door: NUL and lone surrogates become U+FFFD.

    The standard library's reader, since orjson refuses what real transcripts hold: escaped lone
    surrogates and integers above 64 bits. NaN and Infinity, which are not JSON, are refused.
    """

    def parse_body(self, request: HttpRequest) -> Any:
        """The decoded body; ValueError, which becomes a 400, where it is no JSON."""
        return clean_json(json.loads(request.body, parse_constant=_refuse))


class OrjsonRenderer(BaseRenderer):
    """Writes answers with orjson; with the standard library where they hold integers above 64 bits, as data may."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        """`data` as JSON bytes."""
        try:
            return orjson.dumps(data)
        except orjson.JSONEncodeError:
            return json.dumps(data, cls=NinjaJSONEncoder, ensure_ascii=False, allow_nan=False).encode()


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")
