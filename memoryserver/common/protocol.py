"""Constants of the HTTP protocol between client and server; both sides import them from here."""

from __future__ import annotations

API_ROOT = "/api/v1"
"""Path prefix of every API endpoint."""

CONTEXT_VERSION_HEADER = "X-Memoryserver-Context-Version"
"""Header in which the server sends the version of the user's contexts with each answer."""

SESSION_HEADER = "X-Memoryserver-Session"
"""Header in which the client sends the id of the agent's session that asks, where it is known."""

VERSION_HEADER = "X-Memoryserver-Version"
"""Header in which client and server each send their own version."""

REQUEST_ID_HEADER = "X-Request-ID"
"""Header with the id of a request, which the server's log has too."""
