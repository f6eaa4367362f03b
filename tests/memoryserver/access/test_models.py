from __future__ import annotations

from memoryserver.access.models import DeviceGrant


def test_grant_is_named_without_the_person_and_without_its_code() -> None:
    assert str(DeviceGrant(pk=3, user_code="BCDF-GHJK", client_name="ada's laptop")) == "device grant 3"
