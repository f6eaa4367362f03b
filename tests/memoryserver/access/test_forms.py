from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memoryserver.access.forms import CodeForm, TokenForm


@pytest.mark.parametrize(("days", "expected"), [("30", 30), ("365", 365)])
def test_token_expires_after_the_chosen_days(days: str, expected: int) -> None:
    form = TokenForm({"name": "ci", "scopes": ["read"], "days": days})

    assert form.is_valid()
    ends = form.expires_at()
    assert ends is not None
    assert timedelta(0) <= timezone.now() + timedelta(days=expected) - ends < timedelta(minutes=1)


def test_token_may_never_expire() -> None:
    form = TokenForm({"name": "ci", "scopes": ["read"], "days": ""})

    assert (form.is_valid(), form.expires_at()) == (True, None)


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"name": ""}, "name"), ({"scopes": []}, "scopes"), ({"scopes": ["root"]}, "scopes"), ({"days": "7000"}, "days")],
    ids=["no name", "no scope", "unknown scope", "other days"],
)
def test_token_of_another_form_is_refused_at_its_field(changes: dict[str, object], field: str) -> None:
    assert list(TokenForm({"name": "ci", "scopes": ["read"], "days": "30", **changes}).errors) == [field]


def test_code_is_required() -> None:
    assert list(CodeForm({"code": " "}).errors) == ["code"]
