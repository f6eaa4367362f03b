"""JSON in requests and responses: what real transcripts contain, and what is not JSON."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest
from django.test import RequestFactory

from memoryserver.parsing import CleanJsonParser, OrjsonRenderer


def parse(body: bytes) -> object:
    return CleanJsonParser().parse_body(RequestFactory().post("/", body, content_type="application/json"))


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (rb'{"a": ["x\u0000y", "\ud800"]}', {"a": ["x\ufffdy", "\ufffd"]}),
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"null", None),
    ],
)
def test_body_is_decoded_with_clean_text(body: bytes, value: object) -> None:
    assert parse(body) == value


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": NaN}', b"[Infinity]", b"[-Infinity]", b'"\xff"'])
def test_invalid_body_is_a_value_error(body: bytes) -> None:
    with pytest.raises(ValueError, match="."):
        parse(body)


@pytest.mark.parametrize("beside", [1, 2**70], ids=["orjson", "the standard library"])
@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=5, minutes=30))], ids=["UTC", "another zone"])
def test_time_has_all_its_digits_and_a_z(zone: tzinfo, beside: int) -> None:
    moment = datetime(2026, 11, 20, 14, 30, 22, 123456, tzinfo=UTC).astimezone(zone)
    whole = moment.replace(microsecond=0)

    rendered = OrjsonRenderer().render(RequestFactory().get("/"), [moment, whole, beside], response_status=200)

    assert json.loads(rendered) == ["2026-11-20T14:30:22.123456Z", "2026-11-20T14:30:22Z", beside]


@pytest.mark.parametrize("data", [{"a": 1, "b": ["ü", None, 1.5]}, {"large": 2**70}, []])
def test_response_decodes_to_the_data(data: object) -> None:
    rendered = OrjsonRenderer().render(RequestFactory().get("/"), data, response_status=200)
    assert json.loads(rendered) == data
