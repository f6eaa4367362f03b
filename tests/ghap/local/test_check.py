"""Which command is the check of an entry, and what its exit status then says."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghap.local.check import CONFIRMED, FALSIFIED, UNKNOWN, verdict

CHECK = "pytest tests/test_x.py"


@pytest.mark.parametrize(
    "command",
    [
        CHECK,
        "  pytest   tests/test_x.py\n",
        "pytest 'tests/test_x.py'",
        "pytest \\\n  tests/test_x.py",
        "cd /a/b && pytest tests/test_x.py",
        "cd /a/b; export CI=1 && pytest tests/test_x.py",
        "source .venv/bin/activate && pytest tests/test_x.py",
        "CI=1 DEBUG= pytest tests/test_x.py",
        "env CI=1 pytest tests/test_x.py",
        ".venv/bin/pytest tests/test_x.py",
        "python -m pytest tests/test_x.py",
        "/usr/bin/python3.12 -m pytest tests/test_x.py",
        "uv run pytest tests/test_x.py",
        "poetry run python -m pytest tests/test_x.py",
        "time pytest tests/test_x.py",
        "timeout 60 pytest tests/test_x.py",
        "pytest tests/test_x.py 2>&1",
        "pytest tests/test_x.py > out.txt 2>&1",
        "pytest tests/test_x.py &> out.txt",
        "pytest -q -x --tb=short tests/test_x.py",
        "bash -lc 'cd x && pytest tests/test_x.py'",
        "make clean; pytest tests/test_x.py",
    ],
)
def test_same_run_in_other_words_decides_both_ways(command: str) -> None:
    assert verdict(CHECK, command, 0) == CONFIRMED
    assert verdict(CHECK, command, 1) == FALSIFIED


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "pytest tests",
        "pytest tests/test_y.py",
        "pytest tests/test_x.py tests/test_y.py",
        "pytest tests/test_x.py::test_one",
        "pytest tests/test_x.py -k one",
        "pytest tests/test_x.py --lf",
        "echo pytest tests/test_x.py",
        "echo 'pytest tests/test_x.py'",
        "! pytest tests/test_x.py",
        "if pytest tests/test_x.py; then echo; fi",
        "(pytest tests/test_x.py)",
        "pytest 'tests/test_x.py",
        "cat <<X\npytest tests/test_x.py y\nX",
        "",
        ";;",
        "cd x",
    ],
)
def test_other_run_is_none_of_the_checks(command: str) -> None:
    assert [verdict(CHECK, command, status) for status in (0, 1, None)] == [None] * 3


@pytest.mark.parametrize(
    ("command", "success", "failure"),
    [
        ("pytest tests/test_x.py | tail -5", UNKNOWN, UNKNOWN),
        ("pytest tests/test_x.py 2>&1 | grep -c passed", UNKNOWN, UNKNOWN),
        ("set -o pipefail; pytest tests/test_x.py | tail -5", CONFIRMED, UNKNOWN),
        ("set -euo pipefail\npytest tests/test_x.py | tail -5", CONFIRMED, UNKNOWN),
        ("pytest tests/test_x.py; echo $?", UNKNOWN, UNKNOWN),
        ("pytest tests/test_x.py\necho done", UNKNOWN, UNKNOWN),
        ("pytest tests/test_x.py || true", UNKNOWN, UNKNOWN),
        ("pytest tests/test_x.py &", UNKNOWN, UNKNOWN),
        ("pytest tests/test_x.py && git commit -m x", CONFIRMED, UNKNOWN),
        ("make && pytest tests/test_x.py", CONFIRMED, UNKNOWN),
        ("make || pytest tests/test_x.py", UNKNOWN, UNKNOWN),
        ("yes | pytest tests/test_x.py", CONFIRMED, FALSIFIED),
    ],
)
def test_what_stands_around_the_check_decides_what_the_status_tells(command: str, success: str, failure: str) -> None:
    assert (verdict(CHECK, command, 0), verdict(CHECK, command, 1)) == (success, failure)


@pytest.mark.parametrize("status", [None, 2, 3, 4, 5, 124, 126, 127, 130, 137, 143, 255])
def test_status_of_a_check_that_did_not_run_through_tells_nothing(status: int | None) -> None:
    assert verdict(CHECK, CHECK, status) == UNKNOWN


def test_folder_that_is_not_there_falsifies_nothing() -> None:
    assert (
        verdict(CHECK, f"cd nowhere && {CHECK}", 1, "bash: line 1: cd: nowhere: No such file or directory") == UNKNOWN
    )
    assert verdict(CHECK, f"cd here && {CHECK}", 1, "E  assert 1 == 2") == FALSIFIED


def test_check_of_several_commands_is_looked_for_as_a_whole() -> None:
    check = "make build && ./smoke.sh --fast | grep -q ready"
    assert verdict(check, f"cd x && {check} 2>/dev/null", 1) == FALSIFIED
    assert verdict(check, "make build && ./smoke.sh --fast", 0) is None
    assert verdict(check, "make build; ./smoke.sh --fast | grep -q ready", 0) is None


def test_other_programs_may_say_no_by_any_status_below_124() -> None:
    assert [verdict("cargo test", "cargo test", status) for status in (2, 101)] == [FALSIFIED] * 2


WORDS = st.lists(st.text("abc/._-:' \"$", min_size=1, max_size=6), min_size=1, max_size=5)


@given(WORDS, WORDS)
def test_two_commands_are_the_same_only_if_their_words_are(first: list[str], second: list[str]) -> None:
    one, other = shlex.join(["prog", *first]), shlex.join(["prog", *second])
    assert verdict(one, one, 0) == CONFIRMED
    assert (verdict(one, other, 0) == CONFIRMED) == (first == second)


@given(st.text(max_size=60), st.text(max_size=60), st.none() | st.integers(0, 300))
def test_any_text_is_borne_with(check: str, command: str, status: int | None) -> None:
    assert verdict(check, command, status) in (CONFIRMED, FALSIFIED, UNKNOWN, None)
