"""Citations: calls by number, oldest first, each on one bounded line."""

from __future__ import annotations

from tests.support.rows.tool_calls import failed, ok
from trajectory.local.observers.citing import cite_calls, cite_errors, cite_results, numbers, result_of


def test_calls_are_cited_by_number_with_their_arguments() -> None:
    records = [ok("Read", "path=a.py", call_index=4), ok("Grep", "pattern=x", call_index=6)]
    assert cite_calls(records) == "#4: Read(path=a.py)\n#6: Grep(pattern=x)"


def test_only_the_last_five_are_cited() -> None:
    records = [ok("Read", f"path={n}", call_index=n) for n in range(1, 8)]
    assert cite_calls(records) == "\n".join(f"#{n}: Read(path={n})" for n in range(3, 8))


def test_error_without_a_message_says_so() -> None:
    records = [failed(error="Syntax error on line 42", call_index=1), failed(error="", call_index=2)]
    assert cite_errors(records) == "#1: Bash - Syntax error on line 42\n#2: Bash - failed without a message"


def test_result_is_the_error_else_the_beginning_else_no_output() -> None:
    records = [failed(error="boom"), ok(result_head="line 1\nline 2"), ok()]
    assert [result_of(record) for record in records] == ["boom", "line 1 line 2", "no output"]
    assert result_of(failed(error="Exit code 2\nno rule")) == "no rule"
    assert result_of(failed(error="Exit code 1\n==== FAILURES ====\nE  TypeError: no")) == "E TypeError: no"
    assert len(result_of(ok(result_head="x" * 200))) == 90


def test_call_and_result_are_cited_together() -> None:
    assert cite_results([ok("Bash", "command=make", result_head="done", call_index=7)]) == (
        "#7: Bash(command=make) -> done"
    )


def test_each_citation_stays_one_line_of_bounded_length() -> None:
    evidence = cite_errors([failed(error="first\nsecond\x1b[31m " + "x" * 500, call_index=1)])
    assert evidence.startswith("#1: Bash - first second")
    assert ("\n" in evidence, "\x1b" in evidence, len(evidence)) == (False, False, 250)


def test_eight_numbers_are_listed_and_of_more_the_first_two_and_the_last_four() -> None:
    records = [ok(call_index=n) for n in range(1, 10)]
    assert numbers(records[:8]) == "#1, #2, #3, #4, #5, #6, #7, #8"
    assert numbers(records) == "#1, #2, …, #6, #7, #8, #9"
    assert numbers([]) == ""
