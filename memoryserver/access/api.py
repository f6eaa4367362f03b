"""API endpoints of the device flow, which are open since their callers have no token yet, and of laptops."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from ninja import Field, Router, Schema

from memoryserver import __version__
from memoryserver.access import device, laptops
from memoryserver.accounts.auth import INGEST, AuthenticatedRequest
from memoryserver.accounts.scopes import LAPTOP
from memoryserver.limits.enforcement import limit_rate
from memoryserver.problems import Problem

router = Router(tags=["accounts"])

CODES_PER_MINUTE = 20  # of one address
POLLS_PER_MINUTE = 120


class DeviceRequest(Schema):
    """Who asks for a token, and for which scopes."""

    client_name: str = Field("", max_length=200, examples=["ada's laptop"])
    scopes: list[str] = Field(list(LAPTOP), max_length=10, examples=[["ingest", "read"]])


class DeviceCode(Schema):
    """The codes (RFC 8628, 3.2). `expires_in` and `interval` are seconds."""

    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int


class Poll(Schema):
    """The device code of the request."""

    device_code: str = Field(max_length=200)


class DeviceToken(Schema):
    """The token (RFC 6749, 5.1), which is given out once, and whose it is. `scope` has the scopes, with blanks."""

    access_token: str
    token_type: str
    scope: str
    user: str


@router.post("/device/code", auth=None, response=DeviceCode, summary="Ask for a token by the device flow")
def start(request: HttpRequest, body: DeviceRequest) -> dict[str, Any]:
    """The person opens `verification_uri`, signs in and types `user_code`. Then `/device/token` gives the token."""
    address = request.META.get("REMOTE_ADDR") or None
    limit_rate(request, f"device-code:{address}", limit=CODES_PER_MINUTE)
    client = request.headers.get("User-Agent", "")
    started = device.start(body.scopes, client_name=body.client_name, client=client, address=address)
    page = request.build_absolute_uri(reverse("device"))
    return {
        "device_code": started.device_code,
        "user_code": started.user_code,
        "verification_uri": page,
        "verification_uri_complete": f"{page}?code={started.user_code}",
        "expires_in": int(device.LIFETIME.total_seconds()),
        "interval": device.INTERVAL,
    }


@router.post("/device/token", auth=None, response=DeviceToken, summary="Poll for the token of the device flow")
def poll(request: HttpRequest, body: Poll) -> dict[str, Any]:
    """Until there is one, a 400 whose `error` is `authorization_pending`, `slow_down`, `expired_token`,
    `access_denied` or `invalid_grant`.
    """
    limit_rate(request, f"device-token:{request.META.get('REMOTE_ADDR')}", limit=POLLS_PER_MINUTE)
    try:
        device.record_poll(body.device_code)
        user, text, scopes = device.poll(body.device_code)
    except device.DeviceError as error:
        raise Problem(400, str(error), error=error.error) from error
    return {"access_token": text, "token_type": "bearer", "scope": " ".join(scopes), "user": user.get_username()}


class LaptopState(Schema):
    """What a client says of itself: see `access.laptops`."""

    client_id: str = Field(min_length=1, max_length=64, pattern="^[A-Za-z0-9_-]+$", examples=["0f8b1c2d3e4f"])
    name: str = Field("", max_length=200, examples=["ada's laptop"])
    version: str = Field("", max_length=40, examples=["0.1.0"])
    waiting: int = Field(0, ge=0, le=1_000_000_000)
    failed: int = Field(0, ge=0, le=1_000_000_000)
    capture_runs: bool = False


class LaptopRecorded(Schema):
    """Whether the client is too old for this server, and the server's version."""

    too_old: bool
    server_version: str


@router.post("/laptops", auth=INGEST, response=LaptopRecorded, summary="Report the state of a laptop")
def report_laptop(request: AuthenticatedRequest, body: LaptopState) -> dict[str, Any]:
    """`memory sync` sends it; the page Laptops shows the latest state of each."""
    laptop = laptops.record(request.user, request.auth, laptops.State(**body.dict()))
    return {"too_old": laptops.is_too_old(laptop.version), "server_version": __version__}
