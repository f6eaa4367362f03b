"""The kinds of data that are exported."""

from __future__ import annotations

import pytest

from memoryserver.accounts.models import OwnedModel
from memoryserver.accounts.transfer import kinds

DERIVED = {
    "capture.CaptureFailure",  # of files that are on the laptop still
    "capture.CaptureState",  # how far a laptop's transcript was read
    "capture.Compaction",
    "ghap.OpenEntry",  # the laptop reports it again, and sends it when it is resolved
    "hooks.HookSession",  # what an agent's session needs while it runs
    "inquiries.Inquiry",  # what was asked of this server, kept for a while
    "trajectory.AssessmentRecord",  # found again by the observers
    "trajectory.Trajectory",  # made by its calls
    "vectors.Record",  # made of entries, learnings and observations
}


def test_every_model_of_a_user_is_exported_or_derived() -> None:
    exported = {kind.rows().model._meta.label for kind in kinds.all_kinds()}
    owned = {model._meta.label for model in OwnedModel.__subclasses__() if not model._meta.abstract}

    assert exported - owned == {"obslog.Observation"}
    assert owned - exported == DERIVED


@pytest.mark.parametrize("name", ["capture.learning", "ghap.entry", "obslog.observation", "trajectory.call"])
def test_kind_is_found_by_its_name(name: str) -> None:
    kind = kinds.find(name)
    assert kind is not None
    assert kind.name == name


@pytest.mark.parametrize("name", ["", "x", None, ["ghap.entry"]])
def test_unknown_kind_is_none(name: object) -> None:
    assert kinds.find(name) is None


def test_kinds_are_in_the_order_of_their_names() -> None:
    names = [kind.name for kind in kinds.all_kinds()]
    assert names == sorted(names)
