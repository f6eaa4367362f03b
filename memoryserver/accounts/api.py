"""API endpoint that identifies the user of a token."""

from __future__ import annotations

from ninja import Router, Schema

from memoryserver import __version__
from memoryserver.accounts.auth import AuthenticatedRequest

router = Router(tags=["accounts"])


class WhoAmI(Schema):
    """The token's user, the token, and the server's version."""

    user: str
    token: str
    token_name: str
    server_version: str


@router.get("/whoami", response=WhoAmI, summary="The user and token of this request")
def whoami(request: AuthenticatedRequest) -> WhoAmI:
    """Check a token; the response is a 401 if it is invalid."""
    token = request.auth
    return WhoAmI(
        user=request.user.get_username(),
        token=token.prefix,
        token_name=token.name,
        server_version=__version__,
    )
