"""Errors of the API as application/problem+json (RFC 9457): `title`, `status`, `detail` and extra members."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

import orjson
from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.views.defaults import page_not_found
from ninja import NinjaAPI
from ninja import errors as ninja_errors

logger = logging.getLogger(__name__)


class Problem(Exception):  # noqa: N818  (the standard's word)
    """An error response with a status, a detail and extra members; may be raised anywhere below the API."""

    def __init__(self, status: int, detail: str, **extra: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.extra = extra


def response(status: int, detail: str, **extra: Any) -> HttpResponse:
    """Return a problem+json response with `status` and `detail`."""
    body = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, **extra}
    result = HttpResponse(orjson.dumps(body), status=status, content_type="application/problem+json")
    if status == HTTPStatus.UNAUTHORIZED:
        result.headers["WWW-Authenticate"] = "Bearer"
    return result


def install(api: NinjaAPI) -> None:
    """Register handlers on `api` that turn every exception into a problem."""
    _install_request_errors(api)
    _install_other_errors(api)


def _install_request_errors(api: NinjaAPI) -> None:
    """Register handlers of invalid and unauthenticated requests."""

    @api.exception_handler(Problem)
    def problem(request: HttpRequest, error: Problem) -> HttpResponse:
        return response(error.status, str(error), **error.extra)

    @api.exception_handler(ninja_errors.ValidationError)
    def invalid(request: HttpRequest, error: ninja_errors.ValidationError) -> HttpResponse:
        errors = [{"where": _where(item["loc"]), "what": item["msg"]} for item in error.errors]
        first = errors[0] if errors else {"where": "request", "what": "invalid"}
        return response(422, f"{first['where']}: {first['what']}", errors=errors)

    @api.exception_handler(ValidationError)
    def model_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
        return response(422, "; ".join(error.messages))

    @api.exception_handler(ninja_errors.AuthenticationError)
    def unauthenticated(request: HttpRequest, error: ninja_errors.AuthenticationError) -> HttpResponse:
        return response(401, "the token is missing, unknown or revoked; send it as: Authorization: Bearer msv_…")


def _install_other_errors(api: NinjaAPI) -> None:
    """Register handlers of missing permissions and objects, of large requests, and of everything else."""

    @api.exception_handler(PermissionDenied)
    def forbidden(request: HttpRequest, error: PermissionDenied) -> HttpResponse:
        return response(403, str(error) or "permission denied")

    @api.exception_handler(Http404)
    def missing(request: HttpRequest, error: Http404) -> HttpResponse:
        return response(404, str(error) or "not found")

    @api.exception_handler(RequestDataTooBig)
    def too_big(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
        return response(413, "the request is larger than this server accepts; send smaller batches")

    @api.exception_handler(ninja_errors.HttpError)
    def http(request: HttpRequest, error: ninja_errors.HttpError) -> HttpResponse:
        # The framework's 400 is a body that is not JSON: a fault of the content, for which a client halves its batch.
        return response(422 if error.status_code == 400 else error.status_code, str(error))

    @api.exception_handler(Exception)
    def unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
        logger.error("request failed", exc_info=error, extra={"path": request.path})
        return response(500, "internal server error; see the server log")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 404 response (Django's handler404): a problem below /api/, elsewhere the HTML page."""
    if request.path.startswith("/api/"):
        return response(404, f"there is no API endpoint at {request.path}; see /api/v1/docs")
    return page_not_found(request, exception)


def _where(location: tuple[Any, ...]) -> str:
    """Return `('body', 'payload', 'entries', 0, 'id')` as `entries.0.id`; the framework adds the first two parts."""
    parts = [str(part) for part in location]
    return ".".join(parts[2:] if parts[:1] == ["body"] and len(parts) > 2 else parts[1:]) or "request"
