"""What is taken from people's and agents' words, and above all what is not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture.local.extraction.learning import LONGEST_CONTENT, SHORTEST_CONTENT, Learning
from capture.local.extraction.sentence_learnings import LEAST_CONFIDENCE, MOST_PER_MESSAGE, files_named, learnings_in
from capture.local.extraction.sentences import sentences
from capture.local.transcripts.messages import Kind, Message, Role
from capture.local.transcripts.wrappers import own_words
from tests.capture.local.extraction.labels import samples


def found(text: str, role: Role = Role.AGENT) -> list[Learning]:
    message = Message(7, role, Kind.WORDS, uuid="u", text=own_words(text))
    return list(learnings_in(message, message.text, ("Bash",)))


def test_a_learning_says_where_it_comes_from_and_why_it_is_believed():
    (learning,) = found("The root cause was that `parse()` in src/dates.py drops the zone because of the `Z`.")
    assert (learning.type, learning.source_message_index, learning.source_message_uuid) == ("solution", 7, "u")
    assert learning.reasons == ("names the cause of a problem", "names code, a file or a command", "says why")
    assert (learning.files, learning.tools) == (("src/dates.py",), ("Bash",))
    assert learning.confidence == 0.96


@pytest.mark.parametrize(
    ("before", "content"),
    [
        (
            "The worker calls `fork()` after the gRPC channel is open.",
            "The worker calls `fork()` after the gRPC channel is open. This was caused by the import in `boot.py`.",
        ),
        ("It works now.", None),
        ("Let me look at `boot.py`.", None),
        ("Perhaps `boot.py` is wrong.", None),
        ("", None),
    ],
)
def test_a_sentence_that_points_back_takes_the_one_before_it_along_or_is_left(before: str, content: str | None):
    contents = [one.content for one in found(f"{before} This was caused by the import in `boot.py`.")]
    assert contents == ([content] if content else [])


def test_what_follows_thats_the_issue_is_the_cause():
    text = "Aha! That's the issue. `render()` returns early for an empty list and never gets the link."
    assert [(one.type, one.content) for one in found(text)] == [
        ("solution", "`render()` returns early for an empty list and never gets the link.")
    ]
    assert found("That's the issue. When the list is empty, it returns early and never calls `link()`.") == []


def test_the_marks_of_markdown_are_taken_off_and_code_spans_stay():
    (learning,) = found("- **Caveat:** `a*b*c` [is read](docs/x.md) *once* ✅, so `reload()` does nothing.")
    assert learning.content == "Caveat: `a*b*c` is read once , so `reload()` does nothing."


@pytest.mark.parametrize(
    "text",
    [
        "```\nThe root cause was that `foo` is None.\n```",
        "~~~python\nThe root cause was that `foo` is None.\n```\nstill: the root cause was that `foo` is None.\n~~~",
        "```\nThe root cause was that `foo` is None, and the fence is never closed.",
        "    The root cause was that `foo` is None.",
        "> The root cause was that `foo` is None.",
        "| a | The root cause was that `foo` is None. |",
        "# The root cause was that `foo` is None",
        "2026-01-02 10:00:00 The root cause was that `foo` is None.",
        "+++ The root cause was that `foo` is None.",
        "<system-reminder>The root cause was that `foo` is None.</system-reminder>",
    ],
)
def test_code_tables_quotations_and_pasted_output_are_not_looked_at(text: str):
    assert found(text) == []


def test_a_long_prompt_was_pasted_and_is_not_looked_at():
    assert found("always use tabs\n" + "lorem ipsum dolor\n" * 400, Role.PERSON) == []


def test_one_sentence_gives_one_learning_and_one_message_not_too_many():
    text = "\n".join(f"The root cause of #{number} was that `f{number}` is None." for number in range(30))
    assert len(found(text)) == MOST_PER_MESSAGE


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400), st.sampled_from([Role.AGENT, Role.PERSON]))
def test_any_text_is_taken_apart_without_an_error_and_within_bounds(text: str, role: Role):
    for sample in list(samples("labelled"))[::40]:
        for learning in found(f"{text} {sample.messages[0].text}\n{text}", role):
            assert SHORTEST_CONTENT <= len(learning.content) <= LONGEST_CONTENT
            assert LEAST_CONFIDENCE <= learning.confidence <= 1
            assert "\n" not in learning.content


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? four", ["One.", "Two!", "Three? four"]),
        ("See e.g. `a. B` and v1.2. Next.", ["See e.g. `a. B` and v1.2.", "Next."]),
        ('He said "No. Never." Then he left.', ['He said "No. Never."', "Then he left."]),
        ("a\nb c d\n\ne", ["a b c d", "e"]),
        ("First line.\nSecond line", ["First line.", "Second line"]),
        ("- one\n- two\n  goes on\n3. three", ["one", "two goes on", "three"]),
        ("\u2028x\u2029", ["x"]),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]):
    assert [sentence.text for sentence in sentences(text)] == expected


def test_a_very_long_line_of_anything_is_done_quickly():
    for sample in (
        "a" * 200_000,
        "(" * 200_000,
        "*" * 200_000,
        "`a" * 100_000,
        "[x](" * 50_000,
        '"' * 200_000,
        "a.b " * 50_000,
    ):
        sentences(sample)
        assert found(sample) == []


def test_files_are_known_by_their_endings():
    text = "In src/a.py:12, `b.test.ts`, /etc/app/conf.yaml and https://x.example/y.js, but not v1.2 or e.g. or a.b()"
    assert files_named(text) == ("src/a.py", "b.test.ts", "/etc/app/conf.yaml")
