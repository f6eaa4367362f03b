"""The server's part of the home page: whether the database, the jobs and the model work."""

from __future__ import annotations

from collections.abc import Sequence

from memoryserver.home.parts import Health, Part
from memoryserver.home.scope import PageScope
from memoryserver.ops.health import checks


def health(scope: PageScope) -> Sequence[Health]:
    """Return the readiness checks that concern users."""
    return [
        Health(check.good, f"{check.name}: {check.detail}")
        for check in checks()
        if check.name != "migrations" or not check.good
    ]


PART = Part("ops", 0, health=health)
