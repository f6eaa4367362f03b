"""The script for PowerShell is parsed, and compared with the one for `sh`: that one is run by tests, here is none."""

from __future__ import annotations

import re

import pytest
import tree_sitter_powershell
from django.test import Client
from tree_sitter import Language, Parser

PARSER = Parser(Language(tree_sitter_powershell.language()))


@pytest.fixture
def scripts(db: None) -> tuple[str, str]:
    """The one for PowerShell and the one for `sh`."""
    powershell, sh = (Client().get(path).content.decode() for path in ("/join.ps1", "/join"))
    return powershell, sh


def test_script_is_one_that_powershell_parses(scripts: tuple[str, str]) -> None:
    powershell, _ = scripts
    broken = powershell.replace("    } finally {", "    finally {")

    assert PARSER.parse(powershell.encode()).root_node.has_error is False
    assert broken != powershell
    assert PARSER.parse(broken.encode()).root_node.has_error is True


def test_both_scripts_say_the_same_of_what_they_do(scripts: tuple[str, str]) -> None:
    heads = [script.partition("\n\n")[0].splitlines() for script in scripts]
    sentences = [[line.removeprefix("# ") for line in head if line.startswith("# ")][:2] for head in heads]
    variables = [re.findall(r"MEMORY\w+", "\n".join(head)) for head in heads]

    assert sentences[0] == [line for line in sentences[1] if not line.startswith("!")]
    assert variables[0] == variables[1] == ["MEMORY_PYTHON", "MEMORY_BIN_DIR", "MEMORYSERVER_TOKEN"]


@pytest.mark.parametrize(
    "sentence",
    [
        "is not Python $oldest or later",
        "could not be fetched; nothing was changed. Run this again.",
        "is damaged, or the server was updated just now; nothing was changed. Run this again.",
        "Python $oldest or later is needed",
    ],
)
def test_both_scripts_fail_with_the_same_sentences(scripts: tuple[str, str], sentence: str) -> None:
    joined = [re.sub(r"\\\n|['\"] \+\n\s*['\"]", "", script) for script in scripts]

    assert [sentence in script for script in joined] == [True, True]


def test_both_scripts_take_the_same_steps_in_the_same_order(scripts: tuple[str, str]) -> None:
    steps = [
        [r"\$names = @\(", r"mktemp|New-Item", "Fetching memory", r"Invoke-WebRequest", "Get-FileHash", r"--sha256"],
        [r"^    find_python$", r"mktemp", "Fetching memory", r'^    download "', r"^    has_checksum ", r"--sha256"],
    ]
    places = [
        [match.start() if (match := re.search(step, script, re.MULTILINE)) else -1 for step in found]
        for script, found in zip(scripts, steps, strict=True)
    ]

    assert [-1 in place for place in places] == [False, False]
    assert places == [sorted(place) for place in places]


def test_both_scripts_try_the_same_pythons(scripts: tuple[str, str]) -> None:
    powershell, sh = scripts
    (names,) = re.findall(r"\$names = @\(('python3'.*)\)", powershell)
    (tried,) = re.findall(r"for name in (.*); do", sh)

    assert sorted(re.findall(r"'([^']+)'", names)) == sorted(tried.split())
