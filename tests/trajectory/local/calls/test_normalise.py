"""What two results and two errors are compared by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajectory.local.calls import normalise


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("at 2026-01-15 14:32:01 ok", "at 2026-01-16 09:00:59 ok", True),
        ("took 0.31s", "took 1.2 seconds", True),
        ("<Foo object at 0x7fec93eb96a0>", "<Foo object at 0x7f59d0f55670>", True),
        ("pid 311", "pid 47", True),
        ("12345678-1234-1234-1234-123456789012", "abcdefab-1234-1234-1234-abcdefabcdef", True),
        ("on Monday, Jan 12", "on Tue Feb 3", True),
        ("thread #3", "thread #4", True),
        ("in /tmp/a/b.txt", "in /tmp/c", True),
        ("took ٣ s", "took ٤ s", True),
        ("_logs/2026-11-29T12_50_11_096Z-debug-0.log", "_logs/2026-11-29T12_51_00_100Z-debug-0.log", True),
        ("run_20260115T143200Z.log", "run_20260116T090001Z.log", True),
        ("20260115-143200.txt", "20260116-090001.txt", True),
        ("2026-01-15 14:32:01,096 INFO x", "2026-01-15 14:32:09,513 INFO x", True),
        ("2026-01-15-part-1.csv", "2026-01-15-part-2.csv", False),
        ("order 20260115-1432", "order 20260115-1433", False),
        ("3 failed", "2 failed", False),
        ("line 12", "line 13", False),
        ("10 of 30", "11 of 30", False),
    ],
)
def test_results_are_the_same_but_for_times_durations_and_ids(one: str, other: str, same: bool) -> None:
    assert (normalise.of_result(one) == normalise.of_result(other)) is same


PYTHON = 'Traceback:\n  File "a.py", line {}, in f\n    {}\nValueError: bad heading'
RUST = "error: mismatched types\n --> src/a.rs:{}:5\n{} |     {}\n"
CLANG = "a.c:{}:9: error: undeclared\n    {}\n    ^"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (PYTHON.format(12, "f(x)"), PYTHON.format(15, "f(x)"), True),
        (PYTHON.format(12, "f(x)"), PYTHON.format(15, "f(y)"), False),
        (RUST.format(3, 3, "let x"), RUST.format(14, 14, "let x"), True),
        (RUST.format(3, 3, "let x"), RUST.format(14, 14, "let y"), False),
        (CLANG.format(3, "x = 1"), CLANG.format(4, "x = 1"), True),
        (CLANG.format(3, "x = 1"), CLANG.format(4, "y = 1"), False),
        ("src/a.ts(3,5): error\n^", "src/a.ts(30,7): error\n^", True),
        ("Dockerfile:3 error\n^", "Dockerfile:4 error\n^", True),
        ("a.go:3:2: undefined: x", "a.go:9:2: undefined: x", True),
        ("a.go:3:2: undefined: x", "a.go:9:2: undefined: y", False),
        ("a.php on line 3: bad", "a.php on line 9: bad", False),
        (PYTHON.format(12, "f(x)") + " 3", PYTHON.format(12, "f(x)") + " 4", False),
        ("port:8000 in use\n^", "port:8001 in use\n^", False),
    ],
)
def test_failures_that_quote_the_same_code_are_the_same_wherever_it_is_now(one: str, other: str, same: bool) -> None:
    assert (normalise.of_failure(one) == normalise.of_failure(other)) is same


def test_middle_of_a_long_result_counts_letter_by_letter() -> None:
    long = "a" * 20_000
    assert normalise.of_result(long + "x" + long) != normalise.of_result(long + "y" + long)
    assert normalise.of_result("A" * 20_000).count("A") == 8_000


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("src/a.py:42: E1 bad", "/home/u/src/a.py:57:3: E1 bad", True),
        ("failed after 1.2s at 2026-01-15T14:32:00Z", "failed after 31 ms at 2026-01-16T09:00:01Z", True),
        ("object at 0x7f00aa", "object at 0x7f11bb", True),
        ("Syntax error on line 42", "Syntax error on line 7", True),
        ("3 failed, 2 passed", "2 failed, 3 passed", False),
        ("No module named a", "No module named b", False),
        ("port 8000 in use", "port 8001 in use", False),
    ],
)
def test_errors_are_similar_but_for_places_times_and_ids(one: str, other: str, same: bool) -> None:
    assert (normalise.of_error(one) == normalise.of_error(other)) is same


def test_error_key_is_a_hash_of_what_stays_and_empty_for_no_message() -> None:
    assert normalise.error_key("") == normalise.error_key("  ") == ""
    assert [normalise.error_key(text) for text in ("Exit code 1", "exit status: 2\n", normalise.NO_MESSAGE)] == [""] * 3
    assert normalise.error_key("Exit code 1\nboom") != normalise.error_key("Exit code 1\nbang") != ""
    assert normalise.error_key("E1 on line 3") == normalise.error_key("e1 on line 4") == "118d105a899e8b20"
    assert normalise.error_key("x" * 500 + "a") == normalise.error_key("x" * 500 + "b")


PIECES = st.sampled_from(
    [
        *("12", "3", "-", ":", " ", "t", "/", "tmp/", "0x", "deadbeef", "abc123def456", "ms", "s", "min", "Mon", "Jan"),
        *("pid", "2026-01-15", "14:32:01", "line", "col", ".", ",", "é", "٣", "\n"),
        "12345678-1234-1234-1234-123456789012",
    ]
)


@given(st.lists(PIECES, max_size=9).map("".join))
def test_pattern_that_is_passed_over_would_not_have_matched(text: str) -> None:
    # A text with a letter that is not ASCII is put through all patterns.
    assert normalise.of_result(text + "\0é").removesuffix("\0é") == normalise.of_result(text + "\0").removesuffix("\0")
    assert normalise.of_error(text + "\0é").removesuffix("é") == normalise.of_error(text + "\0")


def test_refusals_for_one_reason_are_the_same_whatever_text_and_file_they_name() -> None:
    answers = [
        f"ERROR:\nNo replacement was performed, old_str `{text}` did not appear verbatim in {path}."
        for text, path in [("def f():\n    pass", "/src/a.py"), ("x = 1", "/tests/b/test_c.py")]
    ]
    assert len(set(map(normalise.refusal_key, answers))) == 1
    found = [f"String to replace not found in file.\nString: {text}" for text in ("a", "b\nc")]
    assert len(set(map(normalise.refusal_key, found))) == 1
    assert normalise.refusal_key(found[0]) != normalise.refusal_key(answers[0])


@pytest.mark.parametrize(
    "message",
    [
        "ERROR:\nMultiple occurrences of old_str `{text}` in lines [{n}, 9]. Please ensure it is unique.",
        "Found {n} matches of the string to replace, but replace_all is false.\nString: {text}",
        "apply_patch verification failed: Failed to find expected lines in {path}:\n{text}",
        "apply_patch verification failed: invalid hunk at line {n}, got: '{text}'",
        "Could not find exact match for edit:\n{text}",
        'Cell with ID "{n}" not found in notebook.',
        "Failed to edit, 0 occurrences found for old_string in {path}. No edits made.",
    ],
)
def test_refusal_is_known_by_its_first_words(message: str) -> None:
    one, other = (message.format(text=f"def f{n}():\n    return {n}", path=f"/src/{n}/m{n}.py", n=n) for n in (2, 31))
    assert normalise.refusal_key(one) == normalise.refusal_key(other) != normalise.refusal_key("The file was changed.")
