"""Patterns that are read from a file are those that `re` compiles."""

from __future__ import annotations

import marshal
import re
import subprocess
import sys
from pathlib import Path

import pytest

from memoryserver.local import patterns

SOURCES = [
    (r"(?i)a(?P<name>b+)|c{2,3}", 0),
    (r"^\s*(\d+) (?:failed|errors?)\b", re.MULTILINE),
    ("[äöü].*?x(?<!y)", re.DOTALL | re.IGNORECASE),
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMORYSERVER_HOME", str(tmp_path))
    monkeypatch.setattr(patterns, "_kept", None)
    monkeypatch.setattr(patterns, "_made", {})
    monkeypatch.setattr(patterns, "_new", {})
    return tmp_path / "cache"


def again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the next process."""
    patterns.save()
    monkeypatch.setattr(patterns, "_kept", None)
    monkeypatch.setattr(patterns, "_made", {})


def test_pattern_from_the_file_is_the_compiled_one(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [re.compile(*source) for source in SOURCES]
    assert [patterns.compiled(*source) for source in SOURCES] == expected
    again(monkeypatch)
    monkeypatch.setattr(re, "compile", None)  # nothing is compiled any more
    read = [patterns.compiled(*source) for source in SOURCES]
    assert read == expected
    assert [(one.flags, one.groups, one.groupindex) for one in read] == [
        (one.flags, one.groups, one.groupindex) for one in expected
    ]
    assert read[0].sub(r"<\g<name>>", "xABBcc") == "x<BB><>"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no marshal",
        marshal.dumps([1]),
        marshal.dumps({SOURCES[0]: ("flags", [1], 0, {}, ())}),
        marshal.dumps({SOURCES[0]: (34, [999_999], 1, {}, (None,))}),
        marshal.dumps({SOURCES[0]: 7}),
        marshal.dumps({SOURCES[0]: (34,)}),
    ],
)
def test_damaged_file_costs_time_and_nothing_else(cache: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns.compiled(*SOURCES[0])
    patterns.save()
    (path,) = cache.iterdir()
    path.write_bytes(content)
    again(monkeypatch)
    assert patterns.compiled(*SOURCES[0]) == re.compile(*SOURCES[0])
    again(monkeypatch)
    assert patterns.compiled(*SOURCES[0]) == re.compile(*SOURCES[0])


def test_folder_that_cannot_be_made_is_borne_with(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    assert patterns.compiled("a+") == re.compile("a+")
    patterns.save()
    assert (tmp_path / "cache").read_text() == "in the way"


def test_file_does_not_grow_for_ever(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "_MAX_KEPT", 3)
    for number in range(5):
        patterns.compiled(f"a{number}")
        again(monkeypatch)
    (path,) = cache.iterdir()
    assert len(marshal.loads(path.read_bytes())) <= 3


def test_hook_compiles_once(tmp_path: Path) -> None:
    code = (
        "import re; from memoryserver.local import patterns; patterns.compiled('x+y'); patterns.save(); "
        "print(any(pattern == 'x+y' for _, pattern, _ in re._cache))"
    )
    said = [
        subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert said == ["True\n", "False\n"]
