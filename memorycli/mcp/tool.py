"""The definition of a tool, and the check of arguments against its schema, with errors as sentences."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from memorycli.mcp.place import Place
from memoryserver.common import text

Schema = dict[str, Any]
Arguments = dict[str, Any]
Handler = Callable[[Place, Arguments], Awaitable[str]]
_MAX_TEXT = 200_000  # characters of one argument
_KINDS: dict[str, type] = {"string": str, "integer": int, "array": list, "boolean": bool}
_NAMES = {"string": "a text", "integer": "a whole number", "array": "a list of texts", "boolean": "true or false"}


class ToolError(Exception):
    """A call failed; the message tells the model why and what to do next."""


@dataclass(frozen=True)
class Tool:
    """One tool. `properties` are the schemas of its arguments, of which `required` must be given.

    `laptop_only` tools need files of the laptop and are not offered over HTTP. `read_only`, `idempotent` and
    `destructive` are hints by which clients decide what to ask people.
    """

    name: str
    description: str
    run: Handler
    properties: Mapping[str, Schema]
    required: tuple[str, ...] = ()
    read_only: bool = False
    idempotent: bool = False
    destructive: bool = False
    laptop_only: bool = False

    @property
    def input_schema(self) -> Schema:
        """The schema of the arguments as JSON Schema."""
        schema: Schema = {"type": "object", "properties": dict(self.properties)}
        return schema | ({"required": list(self.required)} if self.required else {})


def string(description: str = "", *, choices: type[Enum] | tuple[str, ...] = ()) -> Schema:
    """Return the schema of a text; with `choices`, one of those."""
    values = [str(member.value) for member in choices] if isinstance(choices, type) else list(choices)
    note = {"description": description} if description else {}
    return {"type": "string", **note, **({"enum": values} if values else {})}


def strings(description: str = "", *, most: int) -> Schema:
    """Return the schema of a list of one to `most` texts."""
    note = {"description": description} if description else {}
    return {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": most, **note}


def integer(least: int, most: int, default: int) -> Schema:
    """Return the schema of a whole number within these bounds."""
    return {"type": "integer", "minimum": least, "maximum": most, "default": default}


def flag(description: str = "") -> Schema:
    """Return the schema of a boolean, by default false."""
    return {"type": "boolean", "default": False} | ({"description": description} if description else {})


def checked(tool: Tool, arguments: object) -> Arguments:
    """Return the valid arguments with cleaned texts and defaults; null counts as missing. Raises ToolError."""
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise ToolError(f"{tool.name} takes an object of arguments")
    for name in arguments:
        if name not in tool.properties:
            raise ToolError(_unknown(tool, str(name)))
    values = {name: value for name, value in arguments.items() if value is not None}
    for name in tool.required:
        value = values.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            raise ToolError(f"{tool.name} needs {name}; its required arguments are {', '.join(tool.required)}")
    defaults = {name: schema["default"] for name, schema in tool.properties.items() if "default" in schema}
    return defaults | {name: _value(name, value, tool.properties[name]) for name, value in values.items()}


def _value(name: str, value: object, schema: Schema) -> object:
    kind = schema["type"]
    if kind == "integer" and isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value) < 20:
        value = int(value)  # some models write numbers as texts
    if kind == "array" and isinstance(value, str):
        value = [value]
    if not isinstance(value, _KINDS[kind]) or isinstance(value, bool) != (kind == "boolean"):
        raise ToolError(f"{name} must be {_NAMES[kind]}")
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if not schema["minimum"] <= value <= schema["maximum"]:
            raise ToolError(f"{name} must be from {schema['minimum']} to {schema['maximum']}, not {shown(value)}")
        return value
    if isinstance(value, list):
        if not schema["minItems"] <= len(value) <= schema["maxItems"]:
            raise ToolError(f"{name} takes {schema['minItems']} to {schema['maxItems']} texts, not {len(value)}")
        return [_text(f"{name}[{index}]", item, schema["items"]) for index, item in enumerate(value)]
    return _text(name, value, schema)


def _text(name: str, value: object, schema: Schema) -> str:
    if not isinstance(value, str):
        raise ToolError(f"{name} must be a text")
    if len(value) > _MAX_TEXT:
        raise ToolError(f"{name} has {len(value)} characters, more than {_MAX_TEXT}; send only the relevant part")
    choices = schema.get("enum")
    if choices and value not in choices:
        near = difflib.get_close_matches(value.lower().replace("_", "-"), choices, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ToolError(f"{name} cannot be {shown(value)}; {hint}choose one of {', '.join(choices)}")
    return text.clean(value)


def _unknown(tool: Tool, name: str) -> str:
    names = ", ".join(tool.properties) or "no arguments"
    return f"{tool.name} has no argument {shown(name)}; it takes {names}"


def shown(value: object) -> str:
    """Return a value, short and on one line, for an error message."""
    return repr(text.shorten(text.one_line(text.printable(str(value))), 60))
