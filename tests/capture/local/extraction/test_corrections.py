"""What people decide and correct: each learning says what their words are about."""

from __future__ import annotations

import pytest

from capture.local.extraction import corrections
from capture.local.extraction.learning import LONGEST_CONTENT, Learning
from capture.local.extraction.scoring.model import model_for
from capture.local.transcripts.messages import Kind, Message, Role, ToolUse

COMMAND = ToolUse("c1", "Bash", "npm install")
EDIT = ToolUse("c2", "Edit", "", ("src/a.css",))
MODEL = model_for(Role.PERSON)
QUESTION = "Which do you prefer, Vite or serve?"


def message(text: str = "") -> Message:
    return Message(7, Role.PERSON, Kind.WORDS, uuid="u-7", text=text, time="2026-03-01T10:00:00Z")


def content(learning: Learning | None) -> str:
    return learning.content if learning else ""


def test_comment_on_a_rejection_is_a_correction_of_the_call() -> None:
    assert corrections.from_rejection(message(), COMMAND, "use pnpm") == Learning(
        type="correction",
        content="The person rejected the command `npm install` and said: “use pnpm”",
        confidence=0.75,
        source_message_index=7,
        source_message_uuid="u-7",
        reasons=("said when rejecting a tool call", "a person's own words"),
        files=(),
        tools=("Bash",),
        time="2026-03-01T10:00:00Z",
        source="observed",
    )


def test_comment_that_tells_a_rule_with_its_reason_is_as_sure_as_the_rule() -> None:
    comment = "no, never push to main, because main is deployed automatically"
    learning = corrections.from_rejection(message(), COMMAND, comment)

    assert learning is not None
    assert learning.confidence == 0.85


def test_report_on_the_task_is_not_what_an_objection_is_about() -> None:
    text = "`format_price` looks the digits up in a table. I ran `./run_tests.sh`, all 3 tests pass."

    assert corrections.last_statement(text) == "`format_price` looks the digits up in a table."


@pytest.mark.parametrize(
    ("use", "beginning"),
    [
        (EDIT, "The person rejected an edit of `src/a.css` and said: "),
        (ToolUse("c", "WebFetch"), "The person rejected the agent's use of WebFetch and said: "),
        (None, "The person rejected what the agent was about to do and said: "),
    ],
    ids=["edit", "another tool", "unknown call"],
)
def test_rejected_call_is_described(use: ToolUse | None, beginning: str) -> None:
    learning = corrections.from_rejection(message(), use, "keep the colours in theme.css")

    assert content(learning) == f"{beginning}“keep the colours in theme.css”"
    assert learning is not None
    assert learning.files == ((*use.files, "theme.css") if use else ("theme.css",))


@pytest.mark.parametrize(
    "comment",
    ["", "no", "continue", "sorry, go ahead", "what does this do?", "wrong button, try again", "oops by accident"],
)
def test_comment_that_corrects_nothing_is_no_learning(comment: str) -> None:
    assert corrections.from_rejection(message(), COMMAND, comment) is None
    assert corrections.from_interruption(message(comment), COMMAND, MODEL) is None


def test_long_comment_is_cut_at_the_end_of_a_sentence() -> None:
    comment = "Use pnpm in this repository. " * 40

    found = content(corrections.from_rejection(message(), COMMAND, comment))

    assert found.endswith("Use pnpm in this repository.”")
    assert len(found) <= LONGEST_CONTENT


def test_words_after_an_interruption_are_a_correction_of_the_call_that_was_stopped() -> None:
    learning = corrections.from_interruption(message("put it into the package"), EDIT, MODEL)

    assert content(learning) == "The person stopped an edit of `src/a.css` and said: “put it into the package”"
    assert corrections.from_interruption(message("put it into the package"), None, MODEL) is None


@pytest.mark.parametrize(
    "words",
    [
        "Never mind! But I'd like to ask you to add a details element with the usage.",
        "can you write the changelog first, and then the release notes",
        "again, this is not correct:\n 296 +**Bidirectional linking:**\n 297 +\n 298 +User commit",
        "make a plan for what happens if somebody edits a document while its file is pulled, then write it down",
    ],
    ids=["a new request", "a new request for later", "only pasted lines", "a long task"],
)
def test_words_after_an_interruption_that_are_not_about_the_call_are_no_correction(words: str) -> None:
    assert corrections.from_interruption(message(words), EDIT, MODEL) is None


def test_request_after_an_interruption_that_names_the_contrast_is_a_correction_without_pasted_lines() -> None:
    words = "could you use the variables instead of literal colours, as here\n 12 +a { color: red }\n 13 +b { }"

    assert content(corrections.from_interruption(message(words), EDIT, MODEL)) == (
        "The person stopped an edit of `src/a.css` and said: "
        "“could you use the variables instead of literal colours, as here”"
    )


@pytest.mark.parametrize(
    ("questions", "answer", "found"),
    [
        (QUESTION, "let's do vite", f"Asked “{QUESTION}”, the person answered: “let's do vite”"),
        ("", "use vite", ""),
        ("Would you like me to go on?", "yes do", ""),
        ("What is the port?", "use 8000", ""),
        (QUESTION, "what's the difference?", ""),
        (QUESTION, "vite", ""),
        (QUESTION, "use " + "vite " * 40, ""),
        (QUESTION, "great! let's make a small change to the header", ""),
        (QUESTION, "we had an error in CI, I've fixed that - commit it please and use main", ""),
        (
            QUESTION,
            "use serve, add it to the scripts",
            f"Asked “{QUESTION}”, the person answered: “use serve, add it to the scripts”",
        ),
        (
            QUESTION,
            "the first, and add it to CI",
            f"Asked “{QUESTION}”, the person answered: “the first, and add it to CI”",
        ),
    ],
    ids=[
        *("choice", "no question", "offer", "not a choice", "question back", "one word", "long answer"),
        *("another task", "another task after a report", "choice with a task", "option with a task"),
    ],
)
def test_answer_to_a_choice_is_a_decision(questions: str, answer: str, found: str) -> None:
    assert content(corrections.from_answer(message(answer), questions)) == found


def test_answer_that_names_an_option_is_stored_with_what_the_option_is() -> None:
    asked = corrections.final_questions("A. Vite, as now\nB. `serve`\n\nWhich dev server do you prefer?")

    assert content(corrections.from_answer(message("I think B, it is smaller"), asked)) == (
        "Asked “Which dev server do you prefer?” (B: `serve`), the person answered: “I think B, it is smaller”"
    )


def test_option_that_makes_a_decision_too_long_is_left_out() -> None:
    asked = f"Which {'very ' * 45}long one do you prefer?"
    answer = f"B, since {'it is ' * 24}so"
    found = content(corrections.from_answer(message(answer), f"{asked}\nA: x\nB: {'yyyy ' * 40}"))

    assert found == f"Asked “{asked}”, the person answered: “{answer}”"


def test_objection_is_a_correction_of_the_statement_that_it_does_not_name() -> None:
    words = "no, use the other one, because the old client does not retry"
    assert corrections.from_objection(message(words), "I updated `client.py` to use `requests`.") == Learning(
        type="correction",
        content=f"To “I updated `client.py` to use `requests`.” the person said: “{words}”",
        confidence=0.6,
        source_message_index=7,
        source_message_uuid="u-7",
        reasons=("said against what the agent had done", "a person's own words"),
        files=("client.py",),
        time="2026-03-01T10:00:00Z",
    )


@pytest.mark.parametrize(
    ("words", "statement"),
    [
        ("no, use the other one", "I updated `client.py`."),  # no grounds
        ("yes, use the other one, because it retries", "I updated `client.py`."),
        ("no, use `httpx`, because `requests` does not retry", "I updated `client.py`."),  # clear without the statement
        ("no, use the other one, because the old client does not retry", ""),
        ("no, why should I want that one, because of what?", "I updated `client.py`."),
    ],
)
def test_words_that_need_no_statement_or_give_no_grounds_are_no_objection(words: str, statement: str) -> None:
    assert corrections.from_objection(message(words), statement) is None


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I updated `client.py` to use `requests`. Done.", "I updated `client.py` to use `requests`."),
        ("I updated `client.py`. Shall I test `client.py`?", "I updated `client.py`."),
        ("All is well.", ""),
        ("", ""),
    ],
)
def test_last_statement_is_the_last_sentence_that_names_something(text: str, statement: str) -> None:
    assert corrections.last_statement(text) == statement


def test_form_is_a_decision_for_each_question_up_to_six() -> None:
    answers = ", ".join(f'"Which database {number}?"="Postgres"' for number in range(8))

    found = corrections.from_form(message(), f"User has answered your questions: {answers}.")

    assert [learning.content for learning in found] == [
        f"Asked “Which database {number}?”, the person answered: “Postgres”" for number in range(6)
    ]
    assert corrections.from_form(message(), "User declined to answer questions") == []


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("Both would work. Which one? A or B?", "Which one? A or B?"),
        ("Which one? I take A.", ""),
        ("Done.", ""),
        ("", ""),
    ],
)
def test_final_questions_are_those_at_the_end(text: str, questions: str) -> None:
    assert corrections.final_questions(text) == questions


def test_question_mark_counts_only_near_the_end() -> None:
    assert corrections.may_end_with_question("Which one?" + "x" * 100)
    assert not corrections.may_end_with_question("Which one?" + "x" * 3_000)
