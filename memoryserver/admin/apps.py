"""The admin app, with this server's site in place of Django's."""

from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class MemoryAdminConfig(AdminConfig):
    """Django's admin; `admin.site` is a MemoryAdminSite."""

    default_site = "memoryserver.admin.site.MemoryAdminSite"
