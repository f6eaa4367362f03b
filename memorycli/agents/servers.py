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
    """The registration as JSON has it."""
    return {"type": "stdio", "command": argv[0], "args": argv[1:]}


def put(text: str, above: Sequence[str], server: dict[str, Any]) -> str:
    """`text` with the registration below the keys `above`, which are made where they are missing.

    Raises JsonTextError; also where a server of that name is there that this product did not put in.
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
            return jsontext.put(text, path, server)
        document = document[key]
    if not isinstance(document, dict):
        raise jsontext.JsonTextError(f'has a "{path[-1] if path else SERVERS}" that is no object')
    if NAME in document and not is_ours(document[NAME]):
        raise jsontext.JsonTextError(f'has an MCP server "{NAME}" of another program; rename that, or use --no-mcp')
    return jsontext.put(text, (*path, NAME), server)


def containers(text: str, above: Sequence[str]) -> list[str]:
    """The keys on the way to the registration that are there, from the outermost on."""
    value, found = jsontext.parse(text), []
    for key in (*above, SERVERS):
        if not isinstance(value, dict) or key not in value:
            break
        found.append(key)
        value = value[key]
    return found


def take(text: str, above: Sequence[str], *, keep: int = 0) -> str:
    """`text` without the registration, and without what that leaves empty but for the `keep` outermost containers.

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
    return jsontext.take(text, path[: len(chain)])


def is_ours(server: object) -> bool:
    """Whether a registration starts this product."""
    if not isinstance(server, dict):
        return False
    args = server.get("args")
    words = [str(server.get("command", "")), *(map(str, args) if isinstance(args, list) else ())]
    return "mcp" in words and any(
        "memorycli" in word or "memoryserver" in word or re.search(r"\bmemory(\.exe|\.cmd)?$", word) for word in words
    )


def put_toml(text: str, argv: list[str]) -> str:
    """`text` with the block at its end. Raises SettingsError where that would not be TOML."""
    document = _toml(text)
    if NAME in document.get(TOML_SERVERS, {}):
        raise SettingsError(f"has a table [{TOML_SERVERS}.{NAME}] that was not put in by this command; use --no-mcp")
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


def take_toml(text: str) -> str:
    """`text` without the block. Raises SettingsError where what stays would not be TOML, or would be another."""
    before = _toml(text)
    after = _BLOCK.sub("", text)
    if after == text:
        return text
    before.get(TOML_SERVERS, {}).pop(NAME, None)
    if not before.get(TOML_SERVERS, True):
        del before[TOML_SERVERS]
    if _toml(after) != before:
        raise SettingsError("has other settings between the marks of this product's block; move them out of it first")
    return after


def toml_entry(text: str) -> dict[str, Any] | None:
    """The registration that is in the TOML `text`, None where there is none. Raises SettingsError."""
    servers = _toml(text).get(TOML_SERVERS)
    found = servers.get(NAME) if isinstance(servers, dict) else None
    return found if isinstance(found, dict) else None


def _toml(text: str) -> dict[str, Any]:
    if text.startswith("\ufeff"):
        raise SettingsError("begins with a byte order mark; save it as UTF-8 without BOM")
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"is no TOML: {error}") from error


def _toml_string(value: str) -> str:
    """JSON's strings are TOML's, but for DEL, which TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
