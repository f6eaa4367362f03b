"""Bearer authentication of the API, and the scope that each operation needs of a token.

An operation declares its scope as `@router.get(..., auth=READ)`. One that declares none is served to nobody.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from ninja.errors import AuthenticationError
from ninja.security import HttpBearer

from memoryserver.accounts import tokens
from memoryserver.accounts.models import ApiToken, User
from memoryserver.accounts.scopes import Scope
from memoryserver.common.text import clean
from memoryserver.limits.enforcement import limit_rate
from memoryserver.problems import Problem
from memoryserver.statements.guard import Guard


class AnyToken(HttpBearer):
    """`Authorization: Bearer msv_…`. `request.user` becomes the token's user and `request.auth` the token.

    Session cookies are ignored, so that a page in a browser cannot call the API in its user's name.
    """

    openapi_description = "Any valid token"
    scope: Scope | None = None

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token, or None, which results in a 401. Raises Problem (403) if it lacks the scope."""
        api_token = self._token(request, token)
        if api_token is None:
            return None
        limit_rate(request, f"token:{api_token.pk}", limit=settings.REQUESTS_PER_MINUTE)
        return self._with_scope(api_token)

    def _token(self, request: HttpRequest, text: str) -> ApiToken | None:
        client = clean(request.headers.get("User-Agent", ""))
        api_token = tokens.authenticate(text, address=request.META.get("REMOTE_ADDR") or None, client=client)
        if api_token is not None:
            request.user = api_token.user
        return api_token

    def _with_scope(self, api_token: ApiToken) -> ApiToken:
        if self.scope is not None and self.scope not in api_token.scopes:
            detail = f"this token lacks the scope {self.scope.value!r}; make a token that has it on the page Tokens"
            raise Problem(403, detail, scope=self.scope.value)
        return api_token


class IngestToken(AnyToken):
    """Accepts tokens with the scope `ingest`."""

    openapi_description = "A token with the scope `ingest`"
    scope = Scope.INGEST

    def __init__(self, *, by_statement: bool = False) -> None:
        """With `by_statement` the operation has its own statement check tokens that this process has read before.

        `request.token_guard` is to hold in it. Before anything else is done or answered comes `confirm`.
        """
        super().__init__()
        self._by_statement = by_statement

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token as of AnyToken, or as it was read before, with its guard in `request.token_guard`."""
        seen = tokens.seen(token, address=request.META.get("REMOTE_ADDR", "")) if self._by_statement else None
        if seen is None or Scope.INGEST not in seen[0].scopes:
            request.token_guard = None  # type: ignore[attr-defined]
            return super().authenticate(request, token)
        api_token, request.token_guard = seen  # type: ignore[attr-defined]
        request.user = api_token.user
        limit_rate(request, f"token:{api_token.pk}", limit=settings.REQUESTS_PER_MINUTE)
        return api_token

    def confirm(self, request: AuthenticatedRequest) -> None:
        """Look the token up unless that was done; `user` and `auth` are as they are now.

        Raises AuthenticationError, and Problem (403) if it lacks the scope.
        """
        if request.token_guard is None:
            return
        request.auth = request.token_guard = None
        api_token = self._token(request, request.headers["Authorization"].partition(" ")[2])
        if api_token is None:
            raise AuthenticationError
        request.auth = self._with_scope(api_token)


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

INGEST_BY_STATEMENT = IngestToken(by_statement=True)


class SignedInRequest(HttpRequest):
    """The request that a view receives: the middleware requires a signed-in user unless it is `login_not_required`."""

    user: User


class AuthenticatedRequest(SignedInRequest):
    """The request that an API function receives: `user` is the token's user.

    `token_guard` is for operations with INGEST_BY_STATEMENT; None if the token was looked up.
    """

    auth: Any
    token_guard: Guard | None
