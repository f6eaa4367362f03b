"""Learnings extracted from people's and agents' sentences, and sentences that yield none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capture.local.extraction.learning import LONGEST_CONTENT, SHORTEST_CONTENT, Learning
from capture.local.extraction.scoring.model import model_for
from capture.local.extraction.sentence_learnings import MAX_PER_MESSAGE, files_named, learnings_in
from capture.local.extraction.sentences import sentences
from capture.local.transcripts.messages import Kind, Message, Role
from capture.local.transcripts.wrappers import own_words
from tests.capture.local.extraction.labels import samples
from tests.support.examples import examples


def learnings_of(text: str, role: Role = Role.AGENT) -> list[Learning]:
    message = Message(7, role, Kind.WORDS, uuid="u", text=own_words(text))
    return list(learnings_in(message, message.text, ("Bash",)))


def test_a_learning_has_its_source_and_the_reasons_for_its_confidence():
    (learning,) = learnings_of("The root cause was that `parse()` in src/dates.py drops the zone because of the `Z`.")
    assert (learning.type, learning.source_message_index, learning.source_message_uuid) == ("solution", 7, "u")
    assert learning.reasons == ("names the cause of a problem", "says why", "is specific")
    assert (learning.files, learning.tools) == (("src/dates.py",), ("Bash",))
    assert model_for(Role.AGENT).rule_threshold <= learning.confidence < 1


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
def test_a_sentence_that_refers_back_is_joined_to_the_one_before_or_dropped(before: str, content: str | None):
    contents = [learning.content for learning in learnings_of(f"{before} This was caused by the import in `boot.py`.")]
    assert contents == ([content] if content else [])


def test_sentences_at_the_ends_of_a_passage_that_say_little_are_left_out():
    text = "Aha! That's the issue. `render()` returns early for an empty list and never gets the link. Let me fix it."
    assert [(learning.type, learning.content) for learning in learnings_of(text)] == [
        ("learning", "`render()` returns early for an empty list and never gets the link.")
    ]


@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        (
            "The sums are wrong: 31 January lands in February. Fix tally/report.py. We never use round() on money.",
            "We never use round() on money.",
        ),
        (
            "You didn't run the CLI. Always run `python -m tally report` after a change, the tests don't cover it.",
            "Always run `python -m tally report` after a change, the tests don't cover it.",
        ),
        (
            "Please add a --currency option to the report. Amounts are always Decimal in this repo, never float.",
            "Amounts are always Decimal in this repo, never float.",
        ),
        (
            "Make dur/parse.py understand 1.5h and raise ValueError on nonsense. Always use Decimal, never float.",
            "Always use Decimal, never float.",
        ),
    ],
)
def test_rule_beside_a_task_is_kept_without_the_task(prompt: str, content: str):
    assert [learning.content for learning in learnings_of(prompt, Role.PERSON)] == [content]


@pytest.mark.parametrize(
    ("prompt", "contents"),
    [
        (
            "In this repo money is always decimal.Decimal, never floats. And always run the tests with ./run_tests.sh.",
            [
                "In this repo money is always decimal.Decimal, never floats.",
                "Always run the tests with ./run_tests.sh.",
            ],
        ),
        (
            "We have moved to pytest for the tests, ./run_tests.sh is gone. The staging port is 5544 from now on.",
            ["We have moved to pytest for the tests, ./run_tests.sh is gone.", "The staging port is 5544 from now on."],
        ),
        (
            "Always run `make lint` before you push. It never takes longer than a minute.",
            ["Always run `make lint` before you push. It never takes longer than a minute."],
        ),
    ],
)
def test_two_rules_of_a_person_are_two_learnings(prompt: str, contents: list[str]):
    assert [learning.content for learning in learnings_of(prompt, Role.PERSON)] == contents


def test_cause_and_cure_in_one_paragraph_are_one_learning():
    text = (
        "`asyncpg` does not accept a `sslmode` parameter because it expects `ssl` instead. "
        "`connect()` therefore removes `sslmode` from the address and passes `ssl=True`."
    )
    assert [learning.content for learning in learnings_of(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "`go-git` might not read the global `.gitignore`, only the one in the repository.",
        "I think `parse()` expects a `Path` and not a `str`.",
    ],
)
def test_guess_of_an_agent_yields_nothing(text: str):
    assert learnings_of(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "All 66 tests pass.",
        "Coverage is at 70 %.",
        "New feature: we support .zip.",
        "Now let me update the tests to match the new behaviour.",
        "Great! I have added the function and updated the documentation.",
    ],
)
def test_report_yields_nothing(text: str):
    assert learnings_of(text) == []


@pytest.mark.parametrize(
    ("text", "role", "kind"),
    [
        ("`go-git` does not read the global `.gitignore`, only the one in the repository.", Role.AGENT, "gotcha"),
        ("`load()` takes the address from `DATABASE_URL`, so `Config` never sees its default.", Role.AGENT, "learning"),
        ("Note that `asyncio.run()` cannot be called when a loop is already running.", Role.AGENT, "gotcha"),
        ("We should not have this in two places, keep it in the component instead.", Role.PERSON, "preference"),
    ],
)
def test_statement_for_which_no_rule_holds_gets_a_type_by_its_wording(text: str, role: Role, kind: str):
    assert [(learning.type, learning.content) for learning in learnings_of(text, role)] == [(kind, text)]


def test_markdown_is_removed_and_code_spans_are_not():
    (learning,) = learnings_of("- **Caveat:** `a*b*c` [is read](docs/x.md) *once* ✅, so `reload()` does nothing.")
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
def test_code_tables_quotations_and_pasted_output_yield_nothing(text: str):
    assert learnings_of(text) == []


def test_a_long_prompt_yields_nothing():
    assert learnings_of("always use tabs\n" + "lorem ipsum dolor\n" * 400, Role.PERSON) == []


def test_filler_text_yields_nothing_and_a_rule_about_it_a_learning():
    assert learnings_of("Lorem ipsum dolor sit amet, always consectetur adipiscing", Role.PERSON) == []
    assert learnings_of("Always use lorem ipsum in the fixtures of the mails", Role.PERSON) != []


def test_a_message_yields_at_most_the_maximum_of_learnings():
    text = "\n".join(f"The root cause of #{number} was that `f{number}` is None." for number in range(30))
    assert len(learnings_of(text)) == MAX_PER_MESSAGE


@settings(max_examples=examples(20))
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400), st.sampled_from([Role.AGENT, Role.PERSON]))
def test_learnings_of_any_text_are_within_bounds(text: str, role: Role):
    for sample in list(samples("labelled"))[::40]:
        for learning in learnings_of(f"{text} {sample.messages[0].text}\n{text}", role):
            assert SHORTEST_CONTENT <= len(learning.content) <= LONGEST_CONTENT
            assert model_for(role).rule_threshold - 0.005 <= learning.confidence <= 1  # it is rounded
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


def test_a_very_long_line_yields_nothing():
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
        assert learnings_of(sample) == []


def test_files_are_known_by_their_endings():
    text = "In src/a.py:12, `b.test.ts`, /etc/app/conf.yaml and https://x.example/y.js, but not v1.2 or e.g. or a.b()"
    assert files_named(text) == ("src/a.py", "b.test.ts", "/etc/app/conf.yaml")
    assert files_named("Neither in src/a nor 1.2, as it says.") == ()
