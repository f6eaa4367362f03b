"""Bodies of requests made from their JSON schemas, with one text wherever a schema takes any text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_FORMATS = {"uuid": "01935f4e-0000-7000-8000-000000000001", "date-time": "2026-11-20T14:30:22Z"}


def body_of(schema: Mapping[str, Any], schemas: Mapping[str, Any], text: str, known: Mapping[str, Any]) -> Any:
    """Return a value that `schema` accepts; `schemas` are those that it may refer to.

    `text` is every text, key and value whose content the schema leaves open. `known` has the values of properties of
    which only the code knows what is valid.
    """
    if "$ref" in schema:
        return body_of(schemas[schema["$ref"].rpartition("/")[2]], schemas, text, known)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return body_of(schema[several][0], schemas, text, known)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, schemas, text, known)
    if kind == "array":
        items = schema.get("prefixItems") or [schema["items"]]
        return [body_of(item, schemas, text, known) for item in items]
    if kind == "string":
        return _FORMATS.get(schema.get("format", ""), text[: schema.get("maxLength")])
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return True if kind == "boolean" else {text: [text, {"deep": (text, {text: text})}]}


def _object(schema: Mapping[str, Any], schemas: Mapping[str, Any], text: str, known: Mapping[str, Any]) -> Any:
    result = {
        name: known[name]
        if name in known and not _is_choice(of_property)
        else body_of(of_property, schemas, text, known)
        for name, of_property in schema.get("properties", {}).items()
    }
    if schema.get("additionalProperties") is True:
        result[text] = [text, {"deep": (text, {text: text})}]
    return result


def _is_choice(schema: Mapping[str, Any]) -> bool:
    """Return whether the values are enumerated, so that one of them is valid whatever the property is called."""
    return "enum" in schema or any("enum" in one for one in schema.get("anyOf", []))
