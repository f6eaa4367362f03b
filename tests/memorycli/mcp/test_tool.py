"""The schemas of tools."""

from __future__ import annotations

import jsonschema  # type: ignore[import-untyped]

from memorycli.mcp import catalogue
from memorycli.mcp.tool import integer, shown


def test_schemas_are_json_schema_and_say_the_defaults() -> None:
    for tool in catalogue.ALL:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert [name for name in tool.required if name not in tool.properties] == []


def test_number_without_a_default_has_none_in_its_schema() -> None:
    assert integer(1, 9) == {"type": "integer", "minimum": 1, "maximum": 9}
    assert integer(1, 9, 5, "x") == {"type": "integer", "minimum": 1, "maximum": 9, "default": 5, "description": "x"}


def test_value_in_a_message_is_short_and_on_one_line() -> None:
    assert shown("a\nb\x1b[2J" + "c" * 100) == repr("a b" + "c" * 56 + "…")
