"""Whether mails leave this server."""

from __future__ import annotations

from django.conf import settings


def are_mails_sent() -> bool:
    """Return whether there is a mail server; without one, mails are files in `mail/` of the data folder."""
    return not settings.EMAIL_BACKEND.endswith("filebased.EmailBackend")
