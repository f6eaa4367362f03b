"""Bearer authentication of the API."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja.security import HttpBearer

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User


class TokenAuth(HttpBearer):
    """`Authorization: Bearer msv_…`. `request.user` becomes the token's user and `request.auth` the token.

    A session cookie counts for nothing here, so that no page a browser visits can call the API in its
    user's name.
    """

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """The token, or None, which the API answers with 401."""
        found = tokens.authenticate(token)
        if found is not None:
            request.user = found.user
        return found


class AuthenticatedRequest(HttpRequest):
    """What an API function gets: the request with the token's user."""

    user: User
    auth: Any
