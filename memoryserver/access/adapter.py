"""What django-allauth asks the project: who may make an account, whose address a request has, how mail is sent."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.urls import reverse

from memoryserver.access import invitations
from memoryserver.accounts.models import User

_BY_MAIL = "reauthenticate_by_code"  # as allauth names it
logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts are made by invitation alone."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether the session followed the link of an open invitation."""
        return invitations.of_session(request) is not None

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client's address, which `memoryserver.middleware.requests` has found behind proxies."""
        return request.META.get("REMOTE_ADDR") or "0.0.0.0"  # noqa: S104  (a server that listens on a socket file)

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        """Return where a person goes who has confirmed an address: to their profile, which has it."""
        return reverse("profile" if self.request.user.is_authenticated else "account_login")

    def get_reauthentication_methods(self, user: User | AnonymousUser) -> list[dict[str, Any]]:
        """Return how `user` can confirm that it is them, the usual way first.

        A code by mail is for those alone who have neither a password nor a second factor, as people who came by single
        sign-on; who has no confirmed address either sets a password by the link of a mail.
        """
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        if not methods and user.is_authenticated and user.email:
            return [{"id": "set_password", "description": "Set a password", "url": reverse("account_reset_password")}]
        return [method for method in methods if method["id"] != _BY_MAIL] or methods

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail. A failure goes to the log alone: a page that fails would tell which addresses have accounts."""
        try:
            super().send_mail(template_prefix, email, context)
        except (OSError, SMTPException):
            logger.exception("a mail could not be sent", extra={"template": template_prefix})
