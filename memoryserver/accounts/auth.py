"""Bearer authentication of the API, and the scope that each operation needs of a token.

An operation declares its scope as `@router.get(..., auth=READ)`. One that declares none is served to nobody.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from ninja.security import HttpBearer

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from memoryserver.accounts.scopes import Scope
from memoryserver.common.text import clean
from memoryserver.limits.enforcement import limit_rate
from memoryserver.problems import Problem


class AnyToken(HttpBearer):
    """`Authorization: Bearer msv_…`. `request.user` becomes the token's user and `request.auth` the token.

    Session cookies are ignored, so that a page in a browser cannot call the API in its user's name.
    """

    openapi_description = "Any valid token"
    scope: Scope | None = None

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token, or None, which results in a 401. Raises Problem (403) if it lacks the scope."""
        address = request.META.get("REMOTE_ADDR") or None
        client = clean(request.headers.get("User-Agent", ""))
        api_token = tokens.authenticate(token, address=address, client=client)
        if api_token is None:
            return None
        request.user = api_token.user
        limit_rate(request, f"token:{api_token.pk}", limit=settings.REQUESTS_PER_MINUTE)
        if self.scope is not None and self.scope not in api_token.scopes:
            detail = f"this token lacks the scope {self.scope.value!r}; make a token that has it on the page Tokens"
            raise Problem(403, detail, scope=self.scope.value)
        return api_token


class IngestToken(AnyToken):
    """Accepts tokens with the scope `ingest`."""

    openapi_description = "A token with the scope `ingest`"
    scope = Scope.INGEST


class ReadToken(AnyToken):
    """Accepts tokens with the scope `read`."""

    openapi_description = "A token with the scope `read`"
    scope = Scope.READ


class ManageToken(AnyToken):
    """Accepts tokens with the scope `manage`."""

    openapi_description = "A token with the scope `manage`"
    scope = Scope.MANAGE


class NoScopeDeclared(HttpBearer):
    """The API's default: an operation that declares no scope fails for everybody, and in the tests."""

    def authenticate(self, request: HttpRequest, token: str) -> None:
        """Raise ImproperlyConfigured."""
        raise ImproperlyConfigured(f"{request.path}: the operation declares no scope, as in auth=READ")


ANY_SCOPE, INGEST, READ, MANAGE = AnyToken(), IngestToken(), ReadToken(), ManageToken()
"""For the operations' `auth`; ANY_SCOPE is for those on the token itself."""


class SignedInRequest(HttpRequest):
    """The request that a view receives: the middleware requires a signed-in user unless it is `login_not_required`."""

    user: User


class AuthenticatedRequest(SignedInRequest):
    """The request that an API function receives: `user` is the token's user."""

    auth: Any
