"""Fixtures shared by the tests of trajectories."""

from __future__ import annotations

import pytest

from memoryserver.accounts.models import Project, User
from tests.support.rows.sent_calls import call, same
from trajectory.intake import receive
from trajectory.models import Trajectory


@pytest.fixture
def stuck(alice: User, shared_project: Project) -> Trajectory:
    receive(alice, shared_project, "s-1", "", [call(0), *[same(n) for n in range(1, 4)]])
    return Trajectory.objects.get()
