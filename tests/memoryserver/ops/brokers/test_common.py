from __future__ import annotations

import pytest
from django_q.signing import SignedPackage

from memoryserver.ops.brokers.common import kind_of


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        pytest.param({"func": "a.b", "args": (), "kwargs": {}}, "a.b", id="without-arguments"),
        pytest.param({"func": "a.b", "args": (1,), "kwargs": {}}, None, id="argument"),
        pytest.param({"func": "a.b", "args": (), "kwargs": {"c": 1}}, None, id="named-argument"),
        pytest.param({"func": len, "args": (), "kwargs": {}}, None, id="function-itself"),
    ],
)
def test_kind_is_the_name_of_a_function_without_arguments(task: dict[str, object], kind: str | None) -> None:
    assert kind_of(SignedPackage.dumps(task)) == kind


def test_what_cannot_be_read_has_no_kind() -> None:
    assert kind_of("nonsense") is None
