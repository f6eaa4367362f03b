"""The API's description with a text and an example for every parameter and field, and with all errors declared."""

from __future__ import annotations

from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from memoryserver.contract import errors
from memoryserver.contract.vocabulary import FIELDS

_METHODS = ("get", "post", "put", "patch", "delete")
_OF_SUCCESS = ("X-Request-ID", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


class DescribedAPI(NinjaAPI):
    """A NinjaAPI whose description is completed by this package."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._descriptions: dict[str, OpenAPISchema] = {}

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Return the OpenAPI description. It is made once for each prefix, in most of a second; do not change it."""
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        if prefix not in self._descriptions:
            schema = super().get_openapi_schema(path_prefix=prefix)
            describe(schema)
            self._descriptions[prefix] = schema
        return self._descriptions[prefix]


def answers_text(media_type: str, example: str) -> dict[str, Any]:
    """Return what an operation declares, as its `openapi_extra`, that can also answer with text of `media_type`."""
    schema = {"type": "string", "examples": [example]}
    return {"responses": {200: {"content": {media_type: {"schema": schema}}}}}


def describe(document: dict[str, Any]) -> None:
    """Add to `document`, in place, what the vocabulary knows, the examples, and the errors of each operation."""
    components = document["components"]
    schemas: dict[str, Any] = components["schemas"]
    for name, schema in schemas.items():
        for field, content in schema.get("properties", {}).items():
            _describe_field(name, field, content)
    schemas["Problem"] = errors.PROBLEM
    components |= errors.components()
    for path, operations in document["paths"].items():
        for method in _METHODS:
            if method in operations:
                _describe_operation(path, method, operations[method], schemas)


def example_of(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """Return an example for `schema`: its own, or one made of its fields'."""
    if "$ref" in schema:
        return example_of(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    for key in ("examples", "enum"):
        if schema.get(key):
            return schema[key][0]
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    return _made(schema, schemas)


def _made(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """Return an example of a schema that names none."""
    if alternatives := schema.get("anyOf") or schema.get("oneOf"):
        return example_of(alternatives[0], schemas)
    if "properties" in schema:
        return {name: example_of(field, schemas) for name, field in schema["properties"].items()}
    if schema.get("type") == "array":
        return [example_of(schema["items"], schemas)] if "items" in schema else []
    return {"object": {}, "integer": 1, "number": 1.0, "boolean": True, "null": None}.get(
        schema.get("type", ""), "text"
    )


def _describe_field(schema: str, name: str, content: dict[str, Any]) -> None:
    what, example = FIELDS.get(f"{schema}.{name}") or FIELDS.get(name) or ("", None)
    if what:
        content.setdefault("description", what)
    nullable = any(part.get("type") == "null" for part in content.get("anyOf", []))
    is_list_of_parts = content.get("type") == "array" and "$ref" in content.get("items", {})
    if (example is not None or (what and nullable)) and not is_list_of_parts and _fits(example, content):
        content.setdefault("examples", [example])


def _fits(example: object, content: dict[str, Any]) -> bool:
    """Return whether the example is of a type that the field may have; the same name may mean a number elsewhere."""
    if "enum" in content:
        return example in content["enum"]
    if "anyOf" in content:
        return any(_fits(example, part) for part in content["anyOf"])
    kinds: dict[str, tuple[type, ...]] = {
        "string": (str,),
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
        "array": (list,),
        "object": (dict,),
        "null": (type(None),),
    }
    kind = content.get("type")
    if kind is None:
        return "$ref" not in content
    return isinstance(example, kinds[kind]) and (kind == "boolean" or not isinstance(example, bool))


def _describe_operation(path: str, method: str, operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    for parameter in operation.get("parameters", []):
        schema = parameter["schema"]
        _describe_field("", parameter["name"], schema)
        parameter.setdefault("description", schema.get("description", ""))
        parameter.setdefault("example", example_of(schema, schemas))
    for media in operation.get("requestBody", {}).get("content", {}).values():
        media.setdefault("example", example_of(media["schema"], schemas))
    for response in operation["responses"].values():
        response["headers"] = errors.headers_of(*_OF_SUCCESS) if operation.get("security") else {}
        for media in response.get("content", {}).values():
            if "schema" in media:
                media.setdefault("example", example_of(media["schema"], schemas))
    for status in errors.statuses(path, method, operation):
        operation["responses"].setdefault(status, {"$ref": f"#/components/responses/Problem{status}"})
