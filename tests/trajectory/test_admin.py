"""The admin of trajectories: calls and findings are read-only, configurations get new versions."""

from __future__ import annotations

import pytest

from memoryserver.accounts.models import User
from tests.trajectory.browsing import browser
from tests.trajectory.silence import fall_silent
from trajectory.models import ObserverConfig, Trajectory


def test_admin_keeps_an_edited_configuration_as_a_new_version(alice: User) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    client = browser(alice)
    for body in ('{"observers": {}}', '{"observers": {"poll": {"enabled": false}}}'):
        sent = {"user": alice.pk, "team": "", "project": "", "body": body}
        assert client.post("/admin/trajectory/observerconfig/add/", sent).status_code == 302
    first = ObserverConfig.objects.order_by("version").first()
    assert first
    sent = {"user": alice.pk, "team": "", "project": "", "body": '{"observers": {"cycle": {"enabled": false}}}'}
    client.post(f"/admin/trajectory/observerconfig/{first.pk}/change/", sent)
    assert [row.version for row in ObserverConfig.objects.order_by("version")] == [1, 2, 3]
    refused = client.post("/admin/trajectory/observerconfig/add/", sent | {"body": '{"observers": {"no": {}}}'})
    assert "there is no observer" in refused.content.decode()


@pytest.mark.parametrize("model", ["trajectory", "toolcall", "assessmentrecord", "observerconfig"])
def test_admin_lists_open(alice: User, stuck: Trajectory, model: str) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    assert browser(alice).get(f"/admin/trajectory/{model}/").status_code == 200


def test_admin_shows_findings_of_an_ended_session_as_ended(alice: User, stuck: Trajectory) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    page = "/admin/trajectory/assessmentrecord/"
    assert "with the session" not in browser(alice).get(page).content.decode()
    fall_silent(Trajectory.objects.all())
    assert "with the session" in browser(alice).get(page).content.decode()
