"""Errors of the API as application/problem+json (RFC 9457): `title`, `status`, `detail` and extra members.

Errors of pages are in the site's layout: `templates/` has a page for each status.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import orjson
from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.defaults import page_not_found
from django.views.defaults import server_error as failed_page
from ninja import NinjaAPI
from ninja import errors as ninja_errors

from memoryserver.errors import InvalidInputError
from memoryserver.outages import database as outages
from memoryserver.outages.errors import is_outage

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_TOO_LARGE = "the request is larger than this server accepts; send smaller batches"
_FAILED = "internal server error; see the server log"
_OUTAGE = "{}; send the request again later"
_DETAILS = {
    400: "the request is malformed, has too many fields, or names a host that this server does not serve",
    403: "permission denied",
    500: _FAILED,
}


class Problem(Exception):  # noqa: N818  (the standard's word)
    """An error response with a status, a detail and extra members; may be raised anywhere below the API."""

    def __init__(self, status: int, detail: str, **extra: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.extra = extra


def response(status: int, detail: str, **extra: Any) -> HttpResponse:
    """Return a problem+json response with `status` and `detail`."""
    body = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail, **extra}
    result = HttpResponse(orjson.dumps(body), status=status, content_type=MEDIA_TYPE)
    if status == HTTPStatus.UNAUTHORIZED:
        result.headers["WWW-Authenticate"] = "Bearer"
    return result


class ErrorResponsesMiddleware:
    """Give error responses that no handler of this module made the form of all others.

    Those of the API become problems: Django and the framework answer a wrong method, a rejected host or a failure in a
    middleware with HTML. A page for a wrong method, which Django leaves empty, gets the site's layout.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Replace the content of an error response unless it is a problem; its status and headers stay."""
        result = self._get_response(request)
        if result.status_code < 400:
            return result
        if request.path.startswith("/api/"):
            if result.headers.get("Content-Type") != MEDIA_TYPE:
                about = _id_of(request) if result.status_code >= 500 else {}
                result.content = response(result.status_code, _detail(request, result), **about).content
                result.headers["Content-Type"] = MEDIA_TYPE
                result.headers.pop("Content-Length", None)
        elif result.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not result.content:
            result.content = render(request, "405.html").content
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

    @api.exception_handler(InvalidInputError)
    def invalid_input(request: HttpRequest, error: InvalidInputError) -> HttpResponse:
        return response(422, str(error))

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
        return response(413, _TOO_LARGE)

    @api.exception_handler(ninja_errors.HttpError)
    def http(request: HttpRequest, error: ninja_errors.HttpError) -> HttpResponse:
        cause = error.__cause__
        if isinstance(cause, RequestDataTooBig):
            return response(413, _TOO_LARGE)
        # The framework's 400 is a body that is not JSON: a fault of the content, for which a client halves its batch.
        if error.status_code == 400:
            return response(422, f"the body is not valid JSON: {cause or error}")
        return response(error.status_code, str(error))

    @api.exception_handler(Exception)
    def unexpected(request: HttpRequest, error: Exception) -> HttpResponse:
        if is_outage(error):
            return _outage(request)
        logger.error("request failed", exc_info=error, extra={"path": request.path})
        return response(500, _FAILED, **_id_of(request))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 404 response (Django's handler404): a problem below /api/, elsewhere the HTML page."""
    if request.path.startswith("/api/"):
        return response(404, f"there is no API endpoint at {request.path}; see /api/v1/docs")
    return page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return the response to an exception that is being handled (Django's handler500).

    In an outage of the database it is a 503, below /api/ a problem; else a 500, which the middleware makes a problem.
    """
    if not is_outage(sys.exception()):
        return failed_page(request)
    return _outage(request) if request.path.startswith("/api/") else outages.page(request)


def _outage(request: HttpRequest) -> HttpResponse:
    outages.record(request)
    return outages.with_retry(response(503, _OUTAGE.format(outages.what())))


def _id_of(request: HttpRequest) -> dict[str, str]:
    """Return the member that names the request, by which its failure is found in the log."""
    request_id = request.META.get("REQUEST_ID")
    return {"request_id": request_id} if request_id else {}


def _detail(request: HttpRequest, error: HttpResponse) -> str:
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return f"{request.method} is not allowed at {request.path}; use {error.headers['Allow']}"
    return _DETAILS.get(error.status_code, HTTPStatus(error.status_code).phrase.lower())


def _where(location: tuple[Any, ...]) -> str:
    """Return `('body', 'payload', 'entries', 0, 'id')` as `entries.0.id`; the framework adds the first two parts."""
    parts = [str(part) for part in location]
    return ".".join(parts[2:] if parts[:1] == ["body"] and len(parts) > 2 else parts[1:]) or "request"
