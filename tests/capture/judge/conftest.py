"""A chat endpoint of the test's own, configured as the judge, and learnings that it may be asked about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from capture.models import Learning
from memoryserver.accounts.models import User
from tests.support.fakes.chat_endpoint import ChatEndpoint, running

CONTENT = "The export of `orders` hangs for 30 seconds because the nightly backup holds its lock, so I looked into it"


@pytest.fixture
def chat(tmp_path: Path, settings: Any) -> Iterator[ChatEndpoint]:
    with running(tmp_path) as endpoint:
        settings.LLM_URL, settings.LLM_MODEL, settings.LLM_KEY = endpoint.url, "some-model", "key"
        yield endpoint


def learn(user: User, content: str = CONTENT, **changes: Any) -> Learning:
    now = timezone.now()
    fields = {"type": "gotcha", "confidence": 0.6, "first_seen": now, "last_seen": now, **changes}
    return Learning.objects.create(user=user, content=content, content_digest=content[:60], **fields)
