"""API endpoints about the token of the request: whose it is, and its revocation."""

from __future__ import annotations

from datetime import datetime

from ninja import Router, Schema, Status

from memoryserver import __version__
from memoryserver.accounts import tokens
from memoryserver.accounts.auth import ANY_SCOPE, AuthenticatedRequest

router = Router(tags=["accounts"])


class WhoAmI(Schema):
    """The token's user, the token, and the server's version."""

    user: str
    token: str
    token_name: str
    scopes: list[str]
    expires_at: datetime | None
    server_version: str


@router.get("/whoami", auth=ANY_SCOPE, response=WhoAmI, summary="The user and token of this request")
def whoami(request: AuthenticatedRequest) -> WhoAmI:
    """Check a token; the response is a 401 if it is invalid."""
    token = request.auth
    return WhoAmI(
        user=request.user.get_username(),
        token=token.prefix,
        token_name=token.name,
        scopes=token.scopes,
        expires_at=token.expires_at,
        server_version=__version__,
    )


@router.delete("/tokens/current", auth=ANY_SCOPE, response={204: None}, summary="Revoke the token of this request")
def revoke_current(request: AuthenticatedRequest) -> Status[None]:
    """Revoke the token; from now on it is refused with a 401."""
    tokens.revoke(request.auth, by=request.user)
    return Status(204, None)
