"""What may be sent of a learning that is stored by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from capture.exchange.learning_schemas import NewLearning

CONTENT = "Run `make test` with DATABASE_URL unset."


def test_session_and_time_are_optional_and_a_time_is_taken_in_utc() -> None:
    alone = NewLearning.model_validate({"content": CONTENT})
    assert (alone.session_id, alone.time) == ("", None)
    sent = NewLearning.model_validate({"content": CONTENT, "time": "2026-11-20T14:00:00+02:00", "session_id": "s-1"})
    assert (sent.time, sent.session_id) == (datetime(2026, 11, 20, 12, tzinfo=UTC), "s-1")


@pytest.mark.parametrize("wrong", [{"time": "yesterday"}, {"session_id": "x" * 201}, {"sesion_id": "s-1"}])
def test_what_is_not_of_the_form_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        NewLearning.model_validate({"content": CONTENT, **wrong})
