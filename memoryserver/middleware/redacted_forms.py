"""Redaction of what the forms of pages and of the admin send; `CleanTextMiddleware` applies it before any view."""

from __future__ import annotations

from django.http import QueryDict

from memoryserver.common.redaction import redact

_UNCHANGED = {"csrfmiddlewaretoken", "credential"}  # the second is what a passkey has signed


def redacted_form(form: QueryDict) -> QueryDict:
    """Return `form` with its texts redacted, except for passwords, passkeys and the CSRF token.

    It is the same object if nothing changes. The API redacts its own requests: see `memoryserver.parsing`.
    """
    result = form.copy()
    for name, values in form.lists():
        if name not in _UNCHANGED and "password" not in name.lower():
            result.setlist(name, [redact(value).text for value in values])
    return form if result == form else result
