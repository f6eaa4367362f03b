"""Errors of services that pages and the API answer by themselves."""

from __future__ import annotations

from django.core.exceptions import BadRequest


class InvalidInputError(BadRequest, ValueError):
    """The input is invalid; the text says why. Where nothing catches it, it is a 400 of a page, a 422 of the API."""
