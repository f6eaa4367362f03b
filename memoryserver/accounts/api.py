"""API: who am I."""

from __future__ import annotations

from ninja import Router, Schema

from memoryserver import __version__
from memoryserver.accounts.auth import AuthenticatedRequest

router = Router(tags=["accounts"])


class WhoAmI(Schema):
    """Whose token this is, and what answers."""

    user: str
    token: str
    token_name: str
    server_version: str


@router.get("/whoami", response=WhoAmI, summary="The user and token of this request")
def whoami(request: AuthenticatedRequest) -> WhoAmI:
    """Checks a token: 401 if it is none."""
    token = request.auth
    return WhoAmI(
        user=request.user.get_username(),
        token=token.prefix,
        token_name=token.name,
        server_version=__version__,
    )
