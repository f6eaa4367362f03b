"""The lines of a message that stand around a learning."""

from __future__ import annotations

from capture.local.extraction.quotation import MAX_LINE, quote

MESSAGE = """I looked at the failing export.

- The export hangs because the backup holds its lock.
- I moved the backup to 03:00.

All tests pass."""


def test_line_of_the_learning_stands_between_its_neighbours() -> None:
    assert quote(MESSAGE, "The export hangs because the backup holds its lock") == (
        "I looked at the failing export.\n"
        "- The export hangs because the backup holds its lock.\n"
        "- I moved the backup to 03:00."
    )


def test_learning_of_two_lines_is_quoted_by_the_one_that_says_most_of_it() -> None:
    said = "The export hangs because the backup holds its lock. I moved the backup to 03:00."
    assert quote(MESSAGE, said).splitlines()[1] == "- The export hangs because the backup holds its lock."


def test_message_that_does_not_say_it_is_not_quoted() -> None:
    assert quote(MESSAGE, "`make check` fails without DATABASE_URL; `direnv allow` cures it") == ""
    assert quote("", "The export hangs") == ""


def test_secrets_and_private_parts_are_cut() -> None:
    token = "ghp_" + "a1B2" * 9
    text = f"We push with {token}.\nThe export hangs because the backup holds its lock.\n<private>Anna is ill</private>"
    assert quote(text, "The export hangs because the backup holds its lock") == (
        "We push with [redacted:github-token].\nThe export hangs because the backup holds its lock.\n[redacted:private]"
    )


def test_long_line_is_cut_to_the_part_that_says_it() -> None:
    line = "word " * 400 + "the export hangs because the backup holds its lock " + "more " * 400
    (part,) = quote(line, "The export hangs because the backup holds its lock").splitlines()
    assert len(part) <= MAX_LINE
    assert "the export hangs because the backup holds its lock" in part
    assert (part[0], part[-1]) == ("…", "…")
