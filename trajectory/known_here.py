"""What the server knows about a finding: the line of the project's memory that fits best."""

from __future__ import annotations

from memoryserver.accounts.models import Project, User
from memoryserver.context import service as contexts
from trajectory.local import known_here
from trajectory.local.engine.assessment import Assessment


def about(finding: Assessment, user: User, project: Project | None) -> str:
    """Return the learning or falsified entry of `project`, of those that `user` may see, that fits the finding.

    "" if none does. Looked at are the candidates for a session's context, by the rule of the laptop.
    """
    if project is None:
        return ""
    match = candidate_about(finding, contexts.compose(user, project.key, contexts.MAX_CHARS))
    return match.text if match else ""


def candidate_about(finding: Assessment, composition: contexts.Composition) -> contexts.Candidate | None:
    """Return the candidate of a context that fits the finding best, None if none does."""
    text = known_here.best_item((candidate.text for candidate in composition.candidates), finding)
    return next((candidate for candidate in composition.candidates if text and candidate.text == text), None)
