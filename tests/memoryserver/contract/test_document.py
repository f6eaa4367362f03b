"""Every operation, parameter and field of the API's description has a text and a valid example, and its errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from memoryserver.api import api
from memoryserver.contract.document import example_of
from memoryserver.contract.vocabulary import FIELDS

DOCUMENT: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema()))
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = [
    pytest.param(path, method, operation, id=f"{method} {path}")
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]


def check(example: object, schema: dict[str, Any]) -> None:
    whole = {"$ref": "#/schema", "schema": schema, "components": DOCUMENT["components"]}
    jsonschema.Draft202012Validator(whole).validate(example)


def fields() -> Iterator[Any]:
    for name, schema in SCHEMAS.items():
        for field, content in schema.get("properties", {}).items():
            yield f"{name}.{field}", content


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_operation_says_what_it_does_with_examples_and_errors(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    errors = {status for status in operation["responses"] if status[0] in "45"}
    wanted = {"400", "429", "500"} | ({"401", "403"} if operation.get("security") else set())

    assert operation["summary"]
    assert operation["description"]
    assert wanted <= errors
    for parameter in operation.get("parameters", []):
        assert parameter["description"], parameter["name"]
        check(parameter["example"], parameter["schema"])
    bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
    for media in (media for body in bodies for media in body.get("content", {}).values()):
        if "schema" in media:
            check(media["example"], media["schema"])


def test_every_field_has_a_description() -> None:
    assert [name for name, content in fields() if not content.get("description")] == []


def test_every_field_has_an_example_that_is_valid() -> None:
    for _, content in fields():
        check(example_of(content, SCHEMAS), content)


def test_vocabulary_has_no_word_that_the_api_does_not_use() -> None:
    names = {name for name, _ in fields()} | {name.partition(".")[2] for name, _ in fields()}
    names |= {
        parameter["name"]
        for operations in DOCUMENT["paths"].values()
        for operation in operations.values()
        for parameter in operation.get("parameters", [])
    }
    queries = {word for word in FIELDS if "Query." in word}  # these are parameters in the description

    assert sorted(FIELDS.keys() - names - queries) == []
