from __future__ import annotations

from memoryserver.ops import alerts, notifications
from memoryserver.ops.models import Alert
from tests.memoryserver.ops.receivers import Webhook


def test_webhook_gets_json(db: None, hook: Webhook) -> None:
    alerts.begin("disk", "the disk is full", about=["sda"])
    notifications.deliver()

    (body,) = hook.bodies
    assert body["began_at"] == Alert.objects.get().began_at.isoformat()
    assert {name: body[name] for name in ("text", "event", "alert", "message", "about", "ended_at")} == {
        "text": "memoryserver: the disk is full",
        "event": "began",
        "alert": "disk",
        "message": "the disk is full",
        "about": ["sda"],
        "ended_at": None,
    }
