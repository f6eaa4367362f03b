"""The API's contract is what openapi.json says; `make openapi` writes it again, and review sees the difference."""

from __future__ import annotations

import json
from pathlib import Path

from memoryserver.api import api

CONTRACT = Path(__file__).with_name("openapi.json")


def test_api_is_as_its_committed_contract() -> None:
    assert json.loads(json.dumps(api.get_openapi_schema())) == json.loads(CONTRACT.read_text())
