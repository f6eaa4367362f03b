"""Recording of what concerns single sign-on: accounts that were connected and disconnected, and sign-ins refused."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.signals import social_account_added, social_account_removed
from django.http import HttpRequest

from memoryserver.access.signals import sign_in_refused
from memoryserver.accounts.models import User
from obslog.emit import emit

_ACCOUNTS = "system:accounts"


def connect() -> None:
    """Connect to the signals; connecting again has no effect."""
    social_account_added.connect(_connected, dispatch_uid="obslog.sso")
    social_account_removed.connect(_disconnected, dispatch_uid="obslog.sso")
    sign_in_refused.connect(_refused, dispatch_uid="obslog.sso")


def _connected(sender: Any, request: HttpRequest, sociallogin: SocialLogin, **kwargs: Any) -> None:
    _record(request, sociallogin.user, "user.sso_connected", "single sign-on was connected")


def _disconnected(sender: Any, request: HttpRequest, socialaccount: SocialAccount, **kwargs: Any) -> None:
    _record(request, socialaccount.user, "user.sso_disconnected", "single sign-on was disconnected")


def _refused(sender: Any, request: HttpRequest, user: User, **kwargs: Any) -> None:
    _record(request, user, "user.sign_in_failed", "a sign-in by single sign-on was refused")


def _record(request: HttpRequest, user: User, kind: str, message: str) -> None:
    emit(user, type=kind, source=_ACCOUNTS, message=message, data={"address": request.META.get("REMOTE_ADDR")})
