"""Sending calls to the server's intake."""

from __future__ import annotations

from typing import Any

from memoryserver.accounts.models import Project, User
from trajectory.intake import receive


def send(
    user: User,
    *calls: dict[str, Any],
    session: str = "s",
    agent: str = "",
    project: Project | None = None,
    in_answer: bool = True,
) -> Any:
    return receive(user, project, session, agent, calls, in_answer=in_answer)
