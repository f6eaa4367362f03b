from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.memoryserver.ops.receivers import MailServer, Webhook, running
from tests.support.database.restored_server import Target


@pytest.fixture(autouse=True)
def _local_webhooks(settings: Any) -> None:
    """Allow webhooks on this machine."""
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]


@pytest.fixture
def mail(settings: Any) -> Iterator[MailServer]:
    """A mail server that the settings send alerts to."""
    server = MailServer()
    with running(server):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address[:2]
        settings.ALERT_EMAIL = ["ops@example.org"]
        yield server


@pytest.fixture
def hook(settings: Any) -> Iterator[Webhook]:
    """A webhook that the settings send alerts to."""
    server = Webhook()
    with running(server):
        settings.ALERT_WEBHOOK = f"http://127.0.0.1:{server.server_address[1]}/alerts"
        yield server


@pytest.fixture
def target(tmp_path: Path, transactional_db: None) -> Iterator[Target]:
    """An empty server, beside the tests' own."""
    made = Target(tmp_path / "target")
    yield made
    made.drop()


@pytest.fixture
def copied_server(tmp_path: Path, transactional_db: None) -> Iterator[Target]:
    """A server with what the test has committed so far, beside the tests' own."""
    made = Target(tmp_path / "copied", migrated=True)
    yield made
    made.drop()
