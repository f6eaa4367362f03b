"""What is shown of a call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.local.calls import summary

ROOT = "/home/u/shop"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def shown(arguments: object, base: str = ROOT) -> str:
    return summary.summarise(arguments, summary.paths_of(arguments, base, ROOT))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"file_path": "/home/u/shop/src/config.py", "old_string": "a"}, "path=src/config.py"),
        ({"file_path": "src/a.py", "offset": 40, "limit": 20}, "path=src/a.py, offset=40, limit=20"),
        ({"command": "pytest -q\n  tests", "description": "Run"}, "command=pytest -q tests"),
        ({"command": ["bash", "-lc", "make all"]}, "command=bash -lc make all"),
        ({"pattern": "def main", "path": "/etc"}, "path=/etc, pattern=def main"),
        ({"query": "weather"}, "query=weather"),
        ({"url": "https://example.org"}, "url=https://example.org"),
        ({"id": 7, "deep": {"a": [1]}}, "id=7, deep={'a': [1]}"),
        ({"user": "eve", "password": "hunter2"}, "user=eve, password=[redacted]"),
        ("*** Begin Patch\n*** Update File: src/a.py\n", "*** Begin Patch *** Update File: src/a.py"),
        ({}, ""),
        (None, ""),
        ([1, 2], "[1, 2]"),
        ({"command": "\x1b[31mls\x1b[0m\x07\u202e"}, "command=ls"),
    ],
)
def test_arguments_are_summarised_by_what_matters_in_them(arguments, expected):
    assert shown(arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "base", "expected"),
    [
        ({"path": "b/../a.py"}, f"{ROOT}/src", ["src/a.py"]),
        ({"file_path": "/home/u/shop-old/a.py"}, ROOT, ["/home/u/shop-old/a.py"]),
        ({"file_path": "src\\win\\a.py"}, ROOT, ["src/win/a.py"]),
        ({"input": "*** Add File: n.py\n*** Update File: o.py\n*** Add File: n.py"}, ROOT, ["n.py", "o.py"]),
        ({"file_path": ["not", "a", "path"]}, ROOT, []),
        ({"file_path": ""}, ROOT, []),
    ],
)
def test_paths_are_relative_to_the_project_where_they_lie_in_it(arguments, base, expected):
    assert summary.paths_of(arguments, base, ROOT) == expected


@pytest.mark.parametrize(
    ("tool", "arguments", "kind"),
    [
        ("Edit", None, "write"),
        ("mcp__fs__write_file", None, "write"),
        ("str_replace_based_edit_tool", {"command": "view"}, "read"),
        ("str_replace_based_edit_tool", {"command": "create"}, "write"),
        ("Bash", None, "command"),
        ("Grep", None, "search"),
        ("Frobnicate", None, "other"),
    ],
)
def test_kind_tells_what_a_tool_does_with_files(tool, arguments, kind):
    assert summary.kind_of(tool, arguments) == kind


FRAMES = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    x(error)\n    ^^^^^^^^\n'


PYTEST = """Exit code 1
F                                              [100%]
=================================== FAILURES ===================================
__________________________________ test_cents __________________________________

    def test_cents():
>       total(rows)

tests/test_report.py:9:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
E   TypeError: unsupported operand type(s) for +: 'float' and 'decimal.Decimal'
E   and more about it

tally/report.py:7: TypeError
=========================== short test summary info ============================
FAILED tests/test_report.py::test_cents - TypeError: unsupported operand...
============================== 1 failed in 0.05s ===============================
"""
OF_PYTEST = """Exit code 1
TypeError: unsupported operand type(s) for +: 'float' and 'decimal.Decimal'
FAILED tests/test_report.py::test_cents - TypeError: unsupported operand..."""


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (PYTEST, OF_PYTEST),
        (
            "Exit code 1\n----------\n=== ERRORS ===\n!!!! Interrupted: 1 error !!!!\ncannot go on",
            "Exit code 1\ncannot go on",
        ),
        ("==== 3 errors ====", "==== 3 errors ===="),
        (f"Exit code 1\n{FRAMES}ValueError: no", "Exit code 1\nValueError: no"),
        (f"{FRAMES}KeyError: 1\n\nDuring handling:\n\n{FRAMES}TypeError: 2\n  more", "TypeError: 2\nmore"),
        ("Exit code 1\n=== test session starts ===\nFAILED t.py::a\n1 failed", "Exit code 1\nFAILED t.py::a\n1 failed"),
        ("=== test session starts ===\nplatform linux\nERROR: file not found: x", "ERROR: file not found: x"),
        ("Exit code 3", "Exit code 3"),
        ("Exit code 2\nusage: x [-h]\n  -h", "Exit code 2\nusage: x [-h]\n-h"),
        ("<tool_use_error>\nbad\n\nworse\n</tool_use_error>", "bad\nworse"),
        ("", ""),
    ],
)
def test_telling_lines_of_an_error_are_kept(error, kept):
    assert summary.error_lines(error) == kept


def test_secret_in_arguments_or_error_is_redacted_before_the_text_is_cut():
    key = "sk-ant-api03-" + "a1B2" * 20
    for place in range(150, 210, 7):
        command = "x" * place + " " + key
        assert "a1B2a1B2" not in shown({"command": command})
    assert "a1B2a1B2" not in summary.error_lines(f"Exit code 1\nerror: key {key} refused")


def test_mebibytes_of_error_are_bounded():
    assert len(summary.error_lines("error: x\n" * 500_000)) <= summary.MAX_ERROR


@given(JSON, st.text())
def test_any_arguments_and_error_give_short_printable_text(arguments, error):
    line = shown(arguments)
    assert len(line) <= summary.MAX_SUMMARY
    assert line == " ".join(line.split())
    assert len(summary.error_lines(error)) <= summary.MAX_ERROR
    assert not {"\x1b", "\x00", "\x07"} & set(line + summary.error_lines(error))
