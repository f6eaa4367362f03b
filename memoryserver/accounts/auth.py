"""Bearer authentication of the API."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja.security import HttpBearer

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User


class TokenAuth(HttpBearer):
    """`Authorization: Bearer msv_…`. `request.user` becomes the token's user and `request.auth` the token.

    Session cookies are ignored, so that a page in a browser cannot call the API in its user's name.
    """

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token, or None, which results in a 401."""
        api_token = tokens.authenticate(token)
        if api_token is not None:
            request.user = api_token.user
        return api_token


class AuthenticatedRequest(HttpRequest):
    """The request that an API function receives: `user` is the token's user."""

    user: User
    auth: Any
