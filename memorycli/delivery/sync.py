"""One run of the delivery: every channel, then what is fetched, under a lock; how it went is kept in `sync_state`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ghap.local import GHAPError
from memorycli.delivery.channels import CHANNELS
from memorycli.delivery.fetches import FETCHES
from memorycli.delivery.report import ChannelReport
from memorycli.delivery.scope import Scope
from memoryserver.client import home_folder, sync_state
from memoryserver.client.http import Client, ServerError
from memoryserver.common import files
from memoryserver.common.files import LockTimeoutError

_LOCK = ".sync.lock"
_STEPS = len(CHANNELS) + len(FETCHES)
Progress = Callable[[int, int, str], None]


@dataclass
class Sent:
    """The report on each channel, and one line for each that could not be tried to the end."""

    reports: dict[str, ChannelReport] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def incomplete(self) -> list[str]:
        """Return a line for each channel of which something waits or failed."""
        return [f"{name}: {report.line}" for name, report in self.reports.items() if not report.complete]


def lock_path() -> Path:
    """Return the lock that the caller of `send` holds."""
    return files.make_folder(home_folder.path()) / _LOCK


def send(client: Client, scope: Scope, progress: Progress | None = None) -> Sent:
    """Send every channel until the server refuses the token or cannot be reached; save the result. Raises OSError.

    `progress` is called with how many steps are done, how many there are, and in words what is being done.
    """
    sent = Sent()
    for number, (name, step) in enumerate(_steps(client, scope)):
        if progress:
            progress(number, _STEPS, name)
            client.after_post = partial(_report_posted, progress, number, name)
        try:
            report = sent.reports[name] = step()
        except ServerError as error:
            sent.problems.append(f"{name}: {error}")
            break
        except (LockTimeoutError, GHAPError) as error:
            sent.problems.append(f"{name}: {error}")
            continue
        if report.offline:
            break
    errors = sent.problems + sent.incomplete()
    if errors:
        retry_after = max((report.retry_after for report in sent.reports.values()), default=0.0)
        sync_state.fail(client.url, errors[0], retry_after=retry_after)
    else:
        sync_state.succeed(client.url)
    return sent


def _report_posted(progress: Progress, number: int, name: str, posted: int) -> None:
    progress(number, _STEPS, f"{name}, {posted / 1e6:.1f} MB sent")


def _steps(client: Client, scope: Scope) -> Iterator[tuple[str, Callable[[], ChannelReport]]]:
    for name, channel in CHANNELS.items():
        yield name, partial(channel, client, scope)
    for name, fetch in FETCHES.items():
        yield name, partial(fetch, client)
