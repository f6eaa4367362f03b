"""What the rules say by words alone, and with the real model."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghap.likeness import likenesses
from ghap.quality import Assessment, Statement, assess, in_doubt
from memoryserver.embedding.onnx.service import OnnxService
from tests.support.examples import examples

GOAL = "Fix the login"
CAUSE = "The middleware drops the query string"
SEEN = "GET /a?next=/b returns Location: /login?next=/a"


def kinds(assessment: Assessment) -> list[str]:
    return [reason.kind for reason in assessment.reasons]


def of(hypothesis: str = CAUSE, prediction: str = SEEN, goal: str = GOAL) -> Assessment:
    return assess(Statement(goal, hypothesis, prediction))


def test_cause_and_observation_are_of_full_score() -> None:
    assert of() == Assessment(score=1.0)


@pytest.mark.parametrize("nothing", ["", "  \n", "???", "TODO", "n/a", "None", "…", "-", "tbd."])
def test_nothing_said_is_of_no_score(nothing: str) -> None:
    assert (of(hypothesis=nothing).score, kinds(of(hypothesis=nothing))) == (0.0, ["vague"])
    assert (of(prediction=nothing).score, kinds(of(prediction=nothing))) == (0.0, ["unfalsifiable"])


@pytest.mark.parametrize(
    "hypothesis",
    [
        "There is a bug in the code",
        "Something is wrong with the login",
        "The login does not work correctly",
        "I think there might be some issue with the implementation.",
        "It will work",
        "Not sure yet, need to investigate further",
    ],
)
def test_hypothesis_that_names_no_cause_is_vague(hypothesis: str) -> None:
    assert kinds(of(hypothesis=hypothesis)) == ["vague"]


@pytest.mark.parametrize(
    "hypothesis",
    ["DNS", "Stale pyc", "Off by one", "Race in the counter", "Wrong AWS region", "Der Cache ist veraltet"],
)
def test_short_hypothesis_that_names_a_cause_is_not_vague(hypothesis: str) -> None:
    assert of(hypothesis=hypothesis).poor is False


@pytest.mark.parametrize(
    "prediction",
    [
        "It should work",
        "The login works as expected",
        "Problem solved",
        "Things will improve",
        "We will see",
        "I'll understand the login better",
        "It might help",
        "It may or may not be fixed",
        "The code will be cleaner and more maintainable",
    ],
)
def test_prediction_that_nothing_could_show_false_is_unfalsifiable(prediction: str) -> None:
    assert kinds(of(prediction=prediction)) == ["unfalsifiable"]


@pytest.mark.parametrize(
    "prediction",
    [
        "Tests pass",
        "curl connects",
        "Build exits 0",
        "No flicker in the recorded video",
        "It works on Python 3.12",
        "We should see the new banner on the start page",
        "The spinner vanishes",
        "p95 is better: below 200 ms",
        "Der Test läuft durch",
    ],
)
def test_terse_prediction_that_can_be_held_against_the_world_is_not_poor(prediction: str) -> None:
    assert of(prediction=prediction).poor is False


def test_likeness_alone_makes_no_prediction_a_repetition_where_it_adds_an_observation() -> None:
    statement = Statement(
        GOAL,
        "The test database is not dropped between runs",
        "Dropping the test database between runs makes the second run pass with 412 tests",
    )

    assert in_doubt(statement) is False
    assert assess(statement).poor is False


def test_several_faults_are_all_named() -> None:
    assert kinds(of(hypothesis="Something broke", prediction="It should work")) == ["vague", "unfalsifiable"]


def test_reason_is_a_sentence_for_people() -> None:
    (reason,) = of(prediction="It should work").reasons

    assert reason.text == ("Nothing could show the prediction false: say what will be seen, or measured, and where.")


REPETITIONS = [
    ("The test is flaky because of a race condition", "The race condition is what makes the test flaky"),
    ("Adding caching will speed up the endpoint", "The endpoint will be faster with caching"),
    ("The configuration file is not being loaded", "The configuration file isn't loaded"),
    ("Two workers process the same job at once", "The same job is processed by two workers simultaneously"),
    ("The file is not encoded as UTF-8", "The file's encoding is not UTF-8"),
]
SHARED_WORDS = [
    ("The session cookie is not sent because SameSite=Strict", "With SameSite=Lax the session cookie is sent"),
    ("The timeouts come from DNS lookups", "Timeouts stop when DNS lookups are cached"),
    ("The file is read twice", "strace shows two openat calls on the file"),
    ("The index is missing in production", "\\d orders in production lists no index"),
    ("The lock is released before the write finishes", "Holding the lock until the write finishes leaves no torn file"),
]


@pytest.mark.parametrize(("hypothesis", "prediction"), REPETITIONS)
def test_prediction_that_says_the_hypothesis_again_is_poor(
    hypothesis: str, prediction: str, real_model: OnnxService
) -> None:
    statement = Statement(GOAL, hypothesis, prediction)
    (likeness,) = likenesses(real_model, [(hypothesis, prediction)])

    assert in_doubt(statement)
    assert "tautological" in kinds(assess(statement, likeness))


@pytest.mark.parametrize(("hypothesis", "prediction"), SHARED_WORDS)
def test_prediction_that_shares_words_and_says_more_is_good(
    hypothesis: str, prediction: str, real_model: OnnxService
) -> None:
    (likeness,) = likenesses(real_model, [(hypothesis, prediction)])

    assert assess(Statement(GOAL, hypothesis, prediction), likeness).reasons == ()


@settings(max_examples=examples(50))
@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200), st.floats(0, 1))
def test_any_texts_have_a_score_from_0_to_1_and_reasons_only_if_poor(
    goal: str, hypothesis: str, prediction: str, likeness: float
) -> None:
    statement = Statement(goal, hypothesis, prediction)
    assessment = assess(statement, likeness if in_doubt(statement) else 0.0)

    assert 0.0 <= assessment.score <= 1.0
    assert bool(assessment.reasons) == assessment.poor


def test_long_texts_take_about_as_long_as_short_ones_for_each_word() -> None:
    """The worst text that is read: many different words, each compared with many."""

    def seconds(count: int) -> float:
        text = " ".join(f"word{number}x is not" for number in range(count))[:2_000]
        taken = []
        for _ in range(9):
            started = time.process_time()
            assess(Statement(text, text, text))
            taken.append(time.process_time() - started)
        return min(taken)

    assert seconds(10_000) < 60 * seconds(10)
