"""Jobs of the trajectory app. Their dotted names are stored in the queue and in schedules: never rename one."""

from __future__ import annotations

from trajectory import assess, ending, retention


def assess_pending() -> int:
    """Run the observers on all calls they have not seen and return the number of trajectories.

    Each batch has its own transaction, so a job that is killed loses only the last one.
    """
    return assess.assess_pending()


def end_silent() -> int:
    """End the sessions that were silent for half an hour, with their findings, and return how many."""
    return ending.end_silent()


def drop_old_calls() -> int:
    """Delete the tool calls beyond the retention setting and return how many."""
    return retention.drop_old_calls()
