"""The arguments of a call, read as what the tool's schema says they are, with errors as sentences.

Models write lists, numbers, true, false and null as JSON texts now and then, the number of a learning in a list of
texts, and names in the other case. What can only mean one thing is read as that; the rest is refused, since the log and
the journal keep what they are given for good.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping

from memorycli.mcp.tool import Arguments, Schema, Tool, ToolError, shown
from memoryserver.common import text

_MAX_TEXT = 200_000  # characters of one argument
_KINDS: dict[str, type] = {"string": str, "integer": int, "array": list, "boolean": bool}
_NAMES = {"string": "a text", "integer": "a whole number", "array": "a list of texts", "boolean": "true or false"}
_WHOLE = re.compile(r"([+-]?[0-9]{1,18})(?:\.0*)?")
_SWITCHES = {"true": True, "false": False}


def checked(tool: Tool, arguments: object) -> Arguments:
    """Return the valid arguments with cleaned texts and defaults; null counts as missing. Raises ToolError.

    A name may be written as `scope_ids` or as `scopeIds`, whichever of the two the schema has.
    """
    named = _named(tool, {} if arguments is None else arguments)
    values = {name: value for name, value in named.items() if not _is_missing(value, tool.properties[name])}
    for name in tool.required:
        value = values.get(name)
        if value is None or (isinstance(value, str) and not value.strip()):
            raise ToolError(f"{tool.name} needs {name}; its required arguments are {', '.join(tool.required)}")
    defaults = {name: schema["default"] for name, schema in tool.properties.items() if "default" in schema}
    return defaults | {name: _value(name, value, tool.properties[name]) for name, value in values.items()}


def json_object(value: str) -> dict[str, object] | None:
    """Return the JSON object that `value` is the text of, None if it is not one."""
    decoded = _decoded(value)
    return decoded if isinstance(decoded, dict) else None


def _named(tool: Tool, arguments: object) -> dict[str, object]:
    """Return the arguments by the names of the schema."""
    if not isinstance(arguments, Mapping):
        raise ToolError(f"{tool.name} takes an object of arguments")
    names = {_folded(name): name for name in tool.properties}
    named: dict[str, object] = {}
    for written, value in arguments.items():
        name = written if written in tool.properties else names.get(_folded(str(written)))
        if name is None:
            raise ToolError(_unknown(tool, str(written)))
        if name in named:
            raise ToolError(f"{name} is given twice, in two spellings; give it once")
        named[name] = value
    return named


def _folded(name: str) -> str:
    return name.replace("_", "").lower()


def _is_missing(value: object, schema: Schema) -> bool:
    """Return whether `value` is null, or a text that can mean nothing else; of a free text only null is."""
    if isinstance(value, str) and schema["type"] != "string":
        return value.strip() in ("", "null")
    return value is None or (value == "null" and "enum" in schema)


def _value(name: str, value: object, schema: Schema) -> object:
    kind = schema["type"]
    if kind == "integer":
        value = _number(value)
    elif kind == "boolean" and isinstance(value, str):
        value = _SWITCHES.get(value.strip().lower(), value)
    elif kind == "array":
        value = _list(name, value)
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
        return [_text(f"{name}[{index}]", _digits(item), schema["items"]) for index, item in enumerate(value)]
    return _text(name, value, schema)


def _number(value: object) -> object:
    """Return 3 for 3.0, "3" and "3.0", and any other value as it is."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    match = _WHOLE.fullmatch(value.strip()) if isinstance(value, str) else None
    return int(match[1]) if match else value


def _digits(value: object) -> object:
    """Return "72" for 72, and any other value as it is."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _list(name: str, value: object) -> object:
    """Return the list that `value` is the JSON text of, or the list of the one text or whole number that it is.

    Raises ToolError for a text that looks like a list or an object but is not a JSON list.
    """
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        decoded = _decoded(value[0])
        return decoded if isinstance(decoded, list) else value
    value = _digits(value)
    if not isinstance(value, str):
        return value
    decoded = _decoded(value)
    if isinstance(decoded, list):
        return decoded
    if isinstance(decoded, str):
        return [decoded]
    stripped = value.strip()
    if isinstance(decoded, dict) or (stripped.startswith("[") and re.match(r"\[\s*[\"']|.*\]$", stripped, re.DOTALL)):
        raise ToolError(f"{name} could be a list or one text: {shown(value)}; send it as a JSON list of texts")
    return [value]


def _decoded(value: str) -> object:
    """Return the list, object or text that `value` is the JSON of, None if it is not JSON of one of these."""
    if not value.lstrip().startswith(("[", "{", '"')):
        return None
    try:
        decoded: object = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return None
    return decoded


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
