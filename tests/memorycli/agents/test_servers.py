"""The registration of the MCP server in JSON and TOML text."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from memorycli.agents import jsontext, servers
from memorycli.agents.settings_file import SettingsError

ARGV = ["/a b/python", "-P", "-m", "memorycli", "mcp"]
ENTRY = servers.entry(ARGV)
OTHER = {"command": "other", "args": ["mcp"]}


@pytest.mark.parametrize(
    ("text", "above", "expected"),
    [
        ("{}", (), {"mcpServers": {"memoryserver": ENTRY}}),
        ('{"mcpServers": {}}', (), {"mcpServers": {"memoryserver": ENTRY}}),
        (
            '{"mcpServers": {"other": {"command": "x"}}}',
            (),
            {"mcpServers": {"other": {"command": "x"}, "memoryserver": ENTRY}},
        ),
        ("{}", ("projects", "/p"), {"projects": {"/p": {"mcpServers": {"memoryserver": ENTRY}}}}),
        (
            '{"projects": {"/q": 1}}',
            ("projects", "/p"),
            {"projects": {"/q": 1, "/p": {"mcpServers": {"memoryserver": ENTRY}}}},
        ),
    ],
)
def test_registration_is_added_and_removed(text: str, above: tuple[str, ...], expected: dict[str, Any]) -> None:
    after = servers.add(text, above, ENTRY)

    assert json.loads(after) == expected
    assert servers.json_entry(after, above) == ENTRY
    assert servers.json_entry(text, above) is None
    assert servers.remove(after, above, keep=len(servers.containers(text, above))) == text


def test_older_registration_of_ours_is_replaced() -> None:
    text = servers.add("{}", (), servers.entry(["/old/python", "-m", "memorycli", "mcp"]))

    assert json.loads(servers.add(text, (), ENTRY)) == {"mcpServers": {"memoryserver": ENTRY}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "not an object"),
        ('{"mcpServers": []}', '"mcpServers" that is not an object'),
        (json.dumps({"mcpServers": {"memoryserver": OTHER}}), "of another program"),
    ],
)
def test_document_without_room_for_the_registration_is_an_error(text: str, message: str) -> None:
    with pytest.raises(jsontext.JsonTextError, match=message):
        servers.add(text, (), ENTRY)


@pytest.mark.parametrize("text", ["[]", "{}", '{"mcpServers": 1}', json.dumps({"mcpServers": {"memoryserver": OTHER}})])
def test_removal_without_a_registration_of_ours_changes_nothing(text: str) -> None:
    assert servers.remove(text, ()) == text


def test_removal_keeps_other_servers() -> None:
    text = '{"mcpServers": {"other": {"command": "x"}}}'

    assert servers.remove(servers.add(text, (), ENTRY), ()) == text


def test_containers_end_at_the_first_missing_key() -> None:
    assert servers.containers('{"projects": {"/p": {}}}', ("projects", "/p")) == ["projects", "/p"]
    assert servers.containers('{"projects": {}}', ("projects", "/p")) == ["projects"]
    assert servers.containers('{"mcpServers": {}}', ()) == ["mcpServers"]


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        (ENTRY, True),
        ({"command": "memory", "args": ["mcp"]}, True),
        ({"command": r"C:\py\memory.exe", "args": ["mcp"]}, True),
        ({"command": "/py/python", "args": ["-m", "memoryserver.cli", "mcp"]}, True),
        ({"command": "mcp-server-memory", "args": []}, False),
        ({"command": "memory", "args": ["hook"]}, False),
        ({"command": "memory", "args": "mcp"}, False),
        ({"command": "npx", "args": ["mcp"]}, False),
        ("memory mcp", False),
    ],
)
def test_only_registrations_that_start_this_product_are_ours(server: object, expected: bool) -> None:
    assert servers.is_ours(server) is expected


@pytest.mark.parametrize("text", ["", "a = 1", "a = 1\n", "a = 1\r\n[b]\r\nc = 2\r\n"])
def test_toml_block_is_added_and_removed(text: str) -> None:
    after = servers.add_toml(text, ARGV)

    registration = {"command": ARGV[0], "args": ARGV[1:]}
    assert tomllib.loads(after) == tomllib.loads(text) | {"mcp_servers": {"memoryserver": registration}}
    assert servers.toml_entry(after) == registration
    assert servers.remove_toml(after).removesuffix("\n").removesuffix("\r") == text.removesuffix("\n").removesuffix(
        "\r"
    )


def test_removal_of_the_toml_block_keeps_other_servers() -> None:
    text = "[mcp_servers.other]\ncommand = 'x'\n"

    assert servers.remove_toml(servers.add_toml(text, ARGV)) == text


def test_toml_strings_are_escaped() -> None:
    argv = ['/q"\\\x7fü\n/python', "mcp"]

    assert servers.toml_entry(servers.add_toml("", argv)) == {"command": argv[0], "args": ["mcp"]}


@pytest.mark.parametrize("text", ["", "a = 1", "mcp_servers = 1", "[mcp_servers]\nmemoryserver = 1\n"])
def test_toml_without_a_table_of_ours_has_no_entry(text: str) -> None:
    assert servers.toml_entry(text) is None
    assert servers.remove_toml(text) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [("a = ", "is invalid TOML"), ("\ufeff", "byte order mark"), ("[mcp_servers.memoryserver]\n", "did not add")],
)
def test_toml_that_cannot_be_edited_is_an_error(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        servers.add_toml(text, ARGV)
