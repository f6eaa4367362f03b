from __future__ import annotations

from django.apps import apps

from memoryserver.admin.apps import MemoryAdminConfig


def test_admin_app_is_ours_under_the_label_of_djangos() -> None:
    assert isinstance(apps.get_app_config("admin"), MemoryAdminConfig)
