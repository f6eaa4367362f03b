"""The registration of `memory mcp` with an agent: a member of a JSON file, or a marked block in a TOML file."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

from memorycli.agents import jsontext
from memorycli.agents.settings_file import SettingsError

NAME = "memoryserver"
SERVERS = "mcpServers"
TOML_SERVERS = "mcp_servers"
BEGIN = "# >>> memoryserver: put in by `memory install codex`, taken out by `memory uninstall codex` >>>"
END = "# <<< memoryserver <<<"
_BLOCK = re.compile(
    rf"(?P<before>(?:\r?\n)?){re.escape(BEGIN)}\r?\n.*?^{re.escape(END)}[ \t]*(?:\r?\n|\Z)", re.MULTILINE | re.DOTALL
)


def entry(argv: list[str]) -> dict[str, Any]:
    """Return the registration as it is in JSON."""
    return {"type": "stdio", "command": argv[0], "args": argv[1:]}


def add(text: str, above: Sequence[str], server: dict[str, Any]) -> str:
    """Return `text` with the registration `server` below the keys `above`, which are created if missing.

    Raises JsonTextError, also if another program has registered a server of that name.
    """
    document = jsontext.parse(text)
    path: tuple[str, ...] = ()
    for key in (*above, SERVERS):
        if not isinstance(document, dict):
            break
        path = (*path, key)
        if key not in document:
            for missing in reversed([*above, SERVERS, NAME][len(path) :]):
                server = {missing: server}
            return jsontext.set_value(text, path, server)
        document = document[key]
    if not isinstance(document, dict):
        raise jsontext.JsonTextError(f'has a "{path[-1] if path else SERVERS}" that is not an object')
    if NAME in document and not is_ours(document[NAME]):
        raise jsontext.JsonTextError(f'has an MCP server "{NAME}" of another program; rename that, or use --no-mcp')
    return jsontext.set_value(text, (*path, NAME), server)


def json_entry(text: str, above: Sequence[str]) -> dict[str, Any] | None:
    """Return the registration below the keys `above`, None if there is none. Raises JsonTextError."""
    value: Any = jsontext.parse(text)
    for key in (*above, SERVERS, NAME):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def containers(text: str, above: Sequence[str]) -> list[str]:
    """Return the keys above the registration that exist, outermost first."""
    value, keys = jsontext.parse(text), []
    for key in (*above, SERVERS):
        if not isinstance(value, dict) or key not in value:
            break
        keys.append(key)
        value = value[key]
    return keys


def remove(text: str, above: Sequence[str], *, keep: int = 0) -> str:
    """Return `text` without the registration and the containers this leaves empty, except the `keep` outermost.

    Raises JsonTextError.
    """
    chain = [jsontext.parse(text)]
    path = [*above, SERVERS, NAME]
    for key in path:
        if not isinstance(chain[-1], dict) or key not in chain[-1]:
            return text
        chain.append(chain[-1][key])
    if not is_ours(chain.pop()):
        return text
    while len(chain) - 1 > keep and len(chain[-1]) == 1:
        chain.pop()
    return jsontext.remove(text, path[: len(chain)])


def is_ours(server: object) -> bool:
    """Return whether a registration starts this product."""
    if not isinstance(server, dict):
        return False
    args = server.get("args")
    words = [str(server.get("command", "")), *(map(str, args) if isinstance(args, list) else ())]
    return "mcp" in words and any(
        "memorycli" in word or "memoryserver" in word or re.search(r"\bmemory(\.exe|\.cmd)?$", word) for word in words
    )


def add_toml(text: str, argv: list[str]) -> str:
    """Return `text` with the block at its end. Raises SettingsError if the result would be invalid TOML."""
    document = _toml(text)
    if NAME in document.get(TOML_SERVERS, {}):
        raise SettingsError(f"has a table [{TOML_SERVERS}.{NAME}] that this command did not add; use --no-mcp")
    line = "\r\n" if "\r\n" in text else "\n"
    block = [
        BEGIN,
        f"[{TOML_SERVERS}.{NAME}]",
        f"command = {_toml_string(argv[0])}",
        f"args = [{', '.join(map(_toml_string, argv[1:]))}]",
        END,
    ]
    gap = "" if not text else line if text.endswith("\n") else line * 2
    after = text + gap + line.join(block) + line
    _toml(after)
    return after


def remove_toml(text: str) -> str:
    """Return `text` without the block. Raises SettingsError if that would be invalid or would change other settings."""
    before = _toml(text)
    after = _BLOCK.sub("", text)
    if after == text:
        return text
    before.get(TOML_SERVERS, {}).pop(NAME, None)
    if not before.get(TOML_SERVERS, True):
        del before[TOML_SERVERS]
    if _toml(after) != before:
        raise SettingsError("has other settings inside the block of this command; move them out of it first")
    return after


def toml_entry(text: str) -> dict[str, Any] | None:
    """Return the registration in the TOML `text`, None if there is none. Raises SettingsError."""
    servers = _toml(text).get(TOML_SERVERS)
    server = servers.get(NAME) if isinstance(servers, dict) else None
    return server if isinstance(server, dict) else None


def _toml(text: str) -> dict[str, Any]:
    if text.startswith("\ufeff"):
        raise SettingsError("begins with a byte order mark; save it as UTF-8 without BOM")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"is invalid TOML: {error}") from error


def _toml_string(value: str) -> str:
    """Return `value` as a TOML string: the same as in JSON, but TOML requires DEL to be escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
