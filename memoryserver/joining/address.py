"""The server's own address, as laptops and people reach it."""

from __future__ import annotations

from django.http import HttpRequest

from memoryserver.environment import web_address


def server_address(request: HttpRequest) -> str:
    """Return MEMORYSERVER_PUBLIC_URL, without it the address of the request, without a final slash.

    The request's host is one of ALLOWED_HOSTS, else DisallowedHost is raised.
    """
    return (web_address("MEMORYSERVER_PUBLIC_URL") or request.build_absolute_uri("/")).rstrip("/")


def join_line(request: HttpRequest) -> str:
    """Return the line by which a laptop joins this server."""
    return f"curl -fsS {server_address(request)}/join | sh"


def join_line_for_windows(request: HttpRequest) -> str:
    """Return the same line for PowerShell."""
    return f"irm {server_address(request)}/join.ps1 | iex"
