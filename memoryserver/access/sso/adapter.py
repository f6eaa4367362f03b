"""Who may sign in by the provider, and whose account that is: what django-allauth asks the project about it."""

from __future__ import annotations

from typing import Any, cast

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import render

from memoryserver.access import invitations
from memoryserver.access.models import Invitation
from memoryserver.access.signals import sign_in_refused
from memoryserver.access.sso.configuration import PROVIDER
from memoryserver.accounts.models import User


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Known people sign in; others need an invitation, unless the settings say that the provider's word is enough.

    An address counts only if the provider has confirmed it. It leads to the account that has it, which is then
    connected: who reads its mail could also set a new password. A second factor is asked for all the same.
    """

    def list_apps(self, request: HttpRequest, provider: Any = None, client_id: Any = None) -> list[Any]:
        """Return the one provider of the settings, if any, without asking the database for others."""
        if not settings.SOCIALACCOUNT_PROVIDERS:
            return []
        return cast("list[Any]", super().list_apps(request, provider=provider, client_id=client_id))

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse answers that contradict themselves, and people of other domains."""
        said = sociallogin.account.extra_data
        subjects = {part.get("sub") for part in (said.get("id_token"), said.get("userinfo")) if part}
        if not said.get("id_token") or len(subjects) != 1:
            self._refuse(request, sociallogin, "its answer is incomplete, or about two people")
        domains = _app_settings(sociallogin)["domains"]
        address = confirmed_address(sociallogin)
        if domains and address.rpartition("@")[2].lower() not in domains:
            who = address or "an account without a confirmed address"
            self._refuse(request, sociallogin, f"{who} may not sign in here")

    def authenticate_by_email(self, sociallogin: SocialLogin) -> tuple[User, str] | None:
        """Return the user with the confirmed address, and the address; None if there is none, or more than one.

        allauth's own search is for addresses in lower case only.
        """
        address = confirmed_address(sociallogin)
        users = list(User.objects.filter(email__iexact=address)[:2]) if address else []
        return (users[0], address) if len(users) == 1 else None

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Return whether somebody unknown may make an account: by an invitation of the address, or by the settings."""
        address = confirmed_address(sociallogin)
        if not address:
            self._refuse(request, sociallogin, "it has confirmed no mail address of yours")
        if User.objects.filter(email__iexact=address).exists():
            self._refuse(
                request, sociallogin, f"several accounts have the address {address}; sign in and connect yours"
            )
        invited = invitations.of_session(request)
        if invited is not None and invited.email.lower() != address.lower():
            self._refuse(request, sociallogin, f"the invitation is for {invited.email}, and you signed in as {address}")
        return bool(_app_settings(sociallogin)["sign_up"]) or invitations.for_address(address) is not None

    @transaction.atomic
    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Make the account, and use up the invitation of its address, if there is one."""
        invitation: Invitation | None = invitations.for_address(confirmed_address(sociallogin), lock=True)
        if invitation is None and not _app_settings(sociallogin)["sign_up"]:
            self._refuse(request, sociallogin, "the invitation was used already, was withdrawn, or has expired")
        user: User = super().save_user(request, sociallogin, form=form)
        if invitation is not None:
            invitations.accept(invitation, user)
        return user

    def _refuse(self, request: HttpRequest, sociallogin: SocialLogin, why: str) -> None:
        """Raise ImmediateHttpResponse with a page that says why; it is recorded if the account is somebody's."""
        if sociallogin.is_existing:
            sign_in_refused.send(SocialLogin, request=request, user=sociallogin.user)
        context = {"why": why, "name": sociallogin.provider.name}
        raise ImmediateHttpResponse(render(request, "socialaccount/refused.html", context, status=403))


def confirmed_address(sociallogin: SocialLogin) -> str:
    """Return the address that the provider has confirmed, or ""."""
    return next((address.email for address in sociallogin.email_addresses if address.verified), "")


def is_on() -> bool:
    """Return whether the server has single sign-on."""
    return PROVIDER in settings.SOCIALACCOUNT_PROVIDERS


def _app_settings(sociallogin: SocialLogin) -> dict[str, Any]:
    return cast("dict[str, Any]", sociallogin.provider.app.settings)
