"""The Content-Security-Policy of pages and of the API's documentation."""

from __future__ import annotations

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from memoryserver.middleware.security import ContentSecurityPolicyMiddleware


def policy(path: str, **headers: str) -> str:
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(headers=headers)

    return ContentSecurityPolicyMiddleware(view)(RequestFactory().get(path)).headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/search/", "/api/v1/whoami"])
def test_pages_may_run_only_our_own_files(path: str) -> None:
    directives = policy(path).split("; ")
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"} <= set(directives)
    assert "unsafe" not in policy(path)


def test_documentation_may_run_its_inline_script() -> None:
    assert "script-src 'self' 'unsafe-inline'" in policy("/api/v1/docs")


def test_policy_of_a_view_is_kept() -> None:
    assert policy("/", **{"Content-Security-Policy": "default-src 'self'"}) == "default-src 'self'"
