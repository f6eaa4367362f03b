"""The server's part of the home page: whether the database, the jobs and the model work."""

from __future__ import annotations

from collections.abc import Sequence

from memoryserver.home.parts import Health, Part
from memoryserver.home.scope import PageScope
from memoryserver.ops.doctor.checks import for_administrators
from memoryserver.ops.health import checks


def health(scope: PageScope) -> Sequence[Health]:
    """Return the readiness checks that concern users, and to administrators what the doctor finds."""
    results = checks()
    shown = [
        Health(check.good, f"{check.name}: {check.detail}")
        for check in results
        if check.name != "migrations" or not check.good
    ]
    if scope.user.is_staff and all(check.good for check in results if check.required):
        shown += [Health(False, f"{finding.what}. To fix: {finding.fix}") for finding in for_administrators()]
    return shown


PART = Part("ops", 0, health=health)
