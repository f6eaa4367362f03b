"""The grammar of shell commands: operators, quotes, redirections, comments and here-documents."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryserver.common.shell_reader import Reader, Script


def read_script(command: str) -> Script:
    return Reader(command).script()


def read(command: str) -> list[tuple[str, ...]]:
    return [(part.before, *part.words) for part in read_script(command).parts]


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("", []),
        (";;", []),
        ("a b", [("", "a", "b")]),
        ("a&&b||c;d|e|&f&g", [("", "a"), ("&&", "b"), ("||", "c"), (";", "d"), ("|", "e"), ("|&", "f"), ("&", "g")]),
        ("a\nb\n\nc", [("", "a"), (";", "b"), (";", "c")]),
        ("a &&\n  b", [("", "a"), ("&&", "b")]),
        ("a \\\n b", [("", "a", "b")]),
        ("a 'b c'\"d $e\"f", [("", "a", "b cd $ef")]),
        ("a '' \"\"", [("", "a", "", "")]),
        ('a "b\\"c" d\\ e', [("", "a", 'b"c', "d e")]),
        ("a '&&' b", [("", "a", "&&", "b")]),
        ("a # b && c\nd", [("", "a"), (";", "d")]),
        ("a#b", [("", "a#b")]),
        ("a $(b | c) `d; e` <(f | g)", [("", "a", "$(b | c)", "`d; e`", "<(f | g)")]),
        ("a > b 2>&1 < c 2>>d &>e", [("", "a")]),
        ("a 2 > b", [("", "a", "2")]),
        ("a '2'> b", [("", "a", "2")]),
        ("cat <<X | wc\na && b\nX\nc", [("", "cat"), ("|", "wc"), (";", "c")]),
        ("cat <<-'END' > f\n\ta\n\tEND\nb", [("", "cat"), (";", "b")]),
        ("a <<< 'b c' d", [("", "a", "d")]),
        ("a && (b; c) || d", [("", "a"), ("&&", "b"), (";", "c"), ("||", "d")]),
    ],
)
def test_command_is_read_into_simple_commands(command: str, parts: list[tuple[str, ...]]) -> None:
    assert read(command) == parts
    assert read_script(command).is_complete


@pytest.mark.parametrize("command", ["a 'b", 'a "b', "a $(b", "a `b", "a <(b"])
def test_open_quote_or_bracket_is_reported(command: str) -> None:
    assert not read_script(command).is_complete


@pytest.mark.parametrize(("command", "end"), [("a", ""), ("a;", ";"), ("a &", "&"), ("a |", "|")])
def test_operator_after_the_last_command_is_kept(command: str, end: str) -> None:
    assert read_script(command).end == end


def test_brackets_are_reported() -> None:
    assert read_script("(a)").is_grouped
    assert not read_script("a '(b)' $(c)").is_grouped


@pytest.mark.parametrize(
    ("command", "writes"),
    [
        *(("a > b", True), ("a >> b", True), ("a 1>b", True), ("a &>> b", True), ("a >&b", True), ("> b", True)),
        *(("a 2> b", False), ("a >&2", False), ("a > /dev/null", False), ("a < b", False), ("a '>' b", False)),
    ],
)
def test_output_that_goes_into_a_file_is_reported(command: str, writes: bool) -> None:
    assert [part.writes for part in read_script(command).parts] == [writes]


def test_text_of_a_part_is_as_it_was_written() -> None:
    command = "cd 'a b' && CI=1 pytest  -q > o # x"
    assert [part.text for part in read_script(command).parts] == ["cd 'a b'", "CI=1 pytest  -q > o # x"]


@given(st.lists(st.text(max_size=8), min_size=1, max_size=6))
def test_quoted_words_are_read_as_they_are(words: list[str]) -> None:
    command = shlex.join(["a", *words])
    (part,) = read_script(command).parts
    assert part.words == ("a", *words)


@given(st.text() | st.text("ab '\"\\$`#&|;<>()-=\n", max_size=30))
def test_any_text_is_read_without_failing(command: str) -> None:
    script = read_script(command)
    assert all(part.words or part.writes for part in script.parts)
    assert all(part.text in command for part in script.parts)


def test_here_document_without_its_end_takes_the_rest() -> None:
    assert read("cat <<X\na && b\nc") == [("", "cat")]


def test_line_break_in_double_quotes_after_a_backslash_is_left_out() -> None:
    assert read('a "b\\\nc"') == [("", "a", "bc")]
