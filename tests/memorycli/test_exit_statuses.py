"""Every command ends with 2 where it cannot be used like that, and with 1 where it could not do what was asked."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from memorycli.parser import COMMANDS, parser_of
from tests.support.laptops.laptop import Laptop


def leaves(parser: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield each command without sub-commands, in words."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not actions:
        yield " ".join(words)
    for action in actions:
        for name, command in action.choices.items():
            yield from leaves(command, (*words, name))


EVERY = [leaf for leaf in leaves(parser_of(*COMMANDS)) if leaf != "hook"]  # an agent would be shown its status


def test_hook_alone_ends_with_0_whatever_it_is_given_and_explains_itself(memory: Laptop) -> None:
    assert memory("hook", "--no-such-option").status == 0
    help_text = memory("hook", "--help")
    assert (help_text.status, help_text.out.partition("\n")[0]) == (0, "usage: memory hook [-h]")


@pytest.mark.parametrize("words", EVERY)
def test_unknown_option_is_wrong_usage(words: str, memory: Laptop) -> None:
    said = memory(*words.split(), "--no-such-option")

    assert (said.status, said.out) == (2, "")


@pytest.mark.parametrize(
    "words",
    [
        "-c nonsense=1 status",
        "-c outbox_mb status",
        "-c outbox_mb=many status",
        "capture scan --root",
        "completion csh",
        "config get nonsense",
        "config set server_url http://x",
        "config set --project outbox_mb 7",
        "context --chars 10",
        "context --chars 8001",
        "context --chars many",
        "forget ghap/1",
        "ghap list --limit 0",
        "ghap start --domain nonsense",
        "ghap resolve confirmed --result r --root-cause ! --cause c",
        "ghap update",
        "install codex --scope local",
        "install claude-code --mode http --url nonsense",
        "install nonsense",
        "learn",
        "learn --type nonsense text",
        "learn --replaces ghap/1 text",
        "log append --type a.b --data { text",
        "log query --limit 1001",
        "log query --offset -1",
        "log recent --after yesteryear",
        "log recent --max-chars 199",
        "login nonsense",
        "mcp --http 127.0.0.1:0 --server nonsense",
        "mcp --server http://x",
        "mcp --http nonsense --server http://x",
        "nonsense",
        "search --limit 0 words",
        "search --limit 101 words",
        "show",
        "trajectory show --calls=-1",
        "uninstall",
        "uninstall codex --all",
    ],
)
def test_arguments_that_cannot_be_are_wrong_usage(words: str, memory: Laptop) -> None:
    said = memory(*words.split())

    assert (said.status, said.out, said.err.splitlines()[-1][:6]) == (2, "", "memory")


def test_text_that_is_empty_is_wrong_usage(memory: Laptop) -> None:
    said = memory("learn", " ")

    assert (said.status, said.out, said.err) == (2, "", "memory: TEXT is empty\n")


@pytest.mark.parametrize(
    "words",
    [
        "capture push",
        "context",
        "export",
        "ghap abandon --reason x",
        "ghap adopt",
        "ghap resolve confirmed --result x",
        "ghap update --note x",
        "import nowhere.jsonl",
        "learn @nowhere.txt",
        "learn Done",
        "log recent",
        "open learnings/1",
        "projects",
        "search words",
        "show learnings/1",
        "sync",
    ],
)
def test_what_cannot_be_done_is_a_failure_in_one_line(words: str, memory: Laptop) -> None:
    said = memory(*words.split())

    assert (said.status, said.out, said.err[:8], said.err.count("\n")) == (1, "", "memory: ", 1)
