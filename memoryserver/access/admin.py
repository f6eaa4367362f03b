"""The admin has no page of people's browsers and second factors, which are theirs alone to see."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin

for model in (EmailAddress, Authenticator, UserSession):
    admin.site.unregister(model)
