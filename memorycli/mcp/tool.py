"""The definition of a tool and the schemas of its arguments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from memorycli.mcp.place import Place
from memoryserver.common import text

Schema = dict[str, Any]
Arguments = dict[str, Any]
Handler = Callable[[Place, Arguments], Awaitable[str | list[str]]]
"""Returns the answer; a list is one of several blocks."""


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


def integer(least: int, most: int, default: int | None = None, description: str = "") -> Schema:
    """Return the schema of a whole number within these bounds."""
    schema: Schema = {"type": "integer", "minimum": least, "maximum": most}
    schema |= {} if default is None else {"default": default}
    return schema | ({"description": description} if description else {})


def flag(description: str = "") -> Schema:
    """Return the schema of a boolean, by default false."""
    return {"type": "boolean", "default": False} | ({"description": description} if description else {})


def shown(value: object) -> str:
    """Return a value, short and on one line, for an error message."""
    return repr(text.shorten(text.one_line(text.printable(str(value))), 60))
