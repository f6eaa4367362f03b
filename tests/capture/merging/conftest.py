"""Learnings that are embedded by the real model."""

from __future__ import annotations

from typing import Any

import pytest

from capture import documents, sink
from capture.models import Learning
from memoryserver.accounts.models import Project, User
from memoryserver.embedding.onnx.service import OnnxService
from tests.capture.test_sink import capture, learning


@pytest.fixture
def learn(real_model: OnnxService) -> Any:
    """`learn(user, project, content)` is a learning that was captured and embedded."""

    def stored(user: User, project: Project | None, content: str, **changes: Any) -> Learning:
        number = Learning.objects.count() + 1
        sink.store(user, project, capture(learning(content, **changes), number=number, context_id=f"c{number}"))
        row = Learning.objects.get(content=content)
        documents.embed(user, project, [row], real_model)
        Learning.objects.filter(pk=row.pk).update(embedded_digest=row.content_digest)
        return row

    return stored
