"""Recording of signals in the log: sign-ins, tokens, deletions in the admin, jobs, alerts.

Messages name no person, since a log that cannot be changed outlasts a deleted user; the user's row has the name.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from allauth.account.authentication import get_authentication_records
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db import DatabaseError
from django.db.models import Model, Q
from django.http import HttpRequest
from django_q.signals import post_execute_in_worker

from memoryserver.access.models import Invitation
from memoryserver.access.signals import invitation_accepted, invitation_made, invitation_withdrawn
from memoryserver.accounts.models import ApiToken, User
from memoryserver.accounts.signals import token_issued, token_revoked, token_used_elsewhere
from memoryserver.admin.signals import row_deleted
from memoryserver.common.text import clean
from memoryserver.ops.alerting.signals import alert_ended, alert_raised
from obslog.emit import emit

logger = logging.getLogger(__name__)

ACCOUNTS = "system:accounts"


def connect() -> None:
    """Connect to the signals; connecting again has no effect."""
    user_logged_in.connect(_signed_in, dispatch_uid="obslog")
    user_logged_out.connect(_signed_out, dispatch_uid="obslog")
    user_login_failed.connect(_sign_in_failed, dispatch_uid="obslog")
    token_issued.connect(_token_issued, dispatch_uid="obslog")
    token_revoked.connect(_token_revoked, dispatch_uid="obslog")
    token_used_elsewhere.connect(_token_used_elsewhere, dispatch_uid="obslog")
    invitation_made.connect(_invitation_made, dispatch_uid="obslog")
    invitation_accepted.connect(_invitation_accepted, dispatch_uid="obslog")
    invitation_withdrawn.connect(_invitation_withdrawn, dispatch_uid="obslog")
    row_deleted.connect(_row_deleted, dispatch_uid="obslog")
    post_execute_in_worker.connect(_job_ran, dispatch_uid="obslog")
    alert_raised.connect(_alert_raised, dispatch_uid="obslog")
    alert_ended.connect(_alert_ended, dispatch_uid="obslog")


def _signed_in(sender: Any, request: HttpRequest | None, user: User, **kwargs: Any) -> None:
    records = [] if request is None else get_authentication_records(request, user)
    by = {"by": "single sign-on"} if any(each["method"] == "socialaccount" for each in records) else {}
    emit(user, type="user.signed_in", source=ACCOUNTS, message="signed in", data=(_from(request) or {}) | by or None)


def _signed_out(sender: Any, request: HttpRequest | None, user: User | None, **kwargs: Any) -> None:
    if user is not None:
        emit(user, type="user.signed_out", source=ACCOUNTS, message="signed out", data=_from(request))


def _sign_in_failed(
    sender: Any, credentials: Mapping[str, Any], request: HttpRequest | None = None, **kwargs: Any
) -> None:
    """Record failures of existing users only: an unknown name may be a password typed into the wrong field."""
    name = clean(str(credentials.get(User.USERNAME_FIELD, "")))
    email = clean(str(credentials.get("email", ""))) or name  # the sign-in page gives an address as the name
    user = User.objects.filter(Q(username=name) | Q(email__iexact=email, email__gt="")).first()
    if user is not None:
        message = "a sign-in failed"
        emit(user, type="user.sign_in_failed", source=ACCOUNTS, message=message, data=_from(request))


def _token_issued(sender: Any, token: ApiToken, by: User | None, **kwargs: Any) -> None:
    _token(token, "issued", data={"by": by.pk if by else None})


def _token_revoked(sender: Any, token: ApiToken, by: User | None, **kwargs: Any) -> None:
    _token(token, "revoked", data={"by": by.pk if by else None})


def _token_used_elsewhere(sender: Any, token: ApiToken, address: str, **kwargs: Any) -> None:
    message = f"token {token} was used from a new address"
    _token(token, "used_from_new_address", message, {"address": address, "client": token.last_used_by})


def _token(token: ApiToken, what: str, message: str = "", data: Mapping[str, Any] | None = None) -> None:
    emit(
        token.user,
        type=f"token.{what}",
        source=ACCOUNTS,
        message=message or f"token {token} was {what}",
        data={"name": token.name, "prefix": token.prefix, **(data or {})},
        scope_ids=[token.prefix],
    )


def _invitation_made(sender: Any, invitation: Invitation, by: User | None, **kwargs: Any) -> None:
    _invitation(by, invitation, "made")


def _invitation_accepted(sender: Any, invitation: Invitation, user: User, **kwargs: Any) -> None:
    _invitation(user, invitation, "accepted")


def _invitation_withdrawn(sender: Any, invitation: Invitation, by: User | None, **kwargs: Any) -> None:
    _invitation(by, invitation, "withdrawn")


def _invitation(user: User | None, invitation: Invitation, what: str) -> None:
    """Record it without the address, which is a person's."""
    team = {"team": invitation.team.name} if invitation.team is not None else {}
    message = f"{invitation} was {what}"
    emit(user, type=f"invitation.{what}", source=ACCOUNTS, message=message, data=team, scope_ids=[str(invitation)])


def _row_deleted(sender: type[Model], key: object, by: User, digest: str, team: int | None, **kwargs: Any) -> None:
    """Record who deleted what, by ids and a digest: the content is to be gone. Leads find it by their team's id."""
    label = sender._meta.label_lower
    emit(
        by,
        type="admin.deleted",
        source="system:admin",
        message=f"{label} {key} was deleted in the admin",
        data={"model": label, "id": str(key), "by": by.pk, **({"sha256": digest} if digest else {})},
        scope_ids=[f"{label}:{key}", *([f"team:{team}"] if team else [])],
    )


def _job_ran(sender: Any, task: Mapping[str, Any], **kwargs: Any) -> None:
    """Record failures only: successful runs are frequent, and the job cluster stores them."""
    if task.get("success", True):
        return
    function = getattr(task["func"], "__name__", task["func"])
    result = str(task.get("result")).strip()
    try:
        emit(
            None,
            type="job.failed",
            source="system:jobs",
            message=f"{function} failed: {result.rpartition(chr(10))[2]}",
            details=result,
            scope_ids=[str(task["name"]), str(function)],
        )
    except DatabaseError:  # the worker must survive to report the failure, which may have the same cause
        logger.exception("a failed job could not be recorded in the observation log")


def _alert_raised(sender: Any, message: str, about: Iterable[str] = (), **kwargs: Any) -> None:
    emit(None, type="server.alert", source="system:alerts", message=message, scope_ids=about)


def _alert_ended(sender: Any, message: str, about: Iterable[str] = (), **kwargs: Any) -> None:
    emit(None, type="server.alert_ended", source="system:alerts", message=f"over: {message}", scope_ids=about)


def _from(request: HttpRequest | None) -> dict[str, str] | None:
    address = None if request is None else request.META.get("REMOTE_ADDR")
    return {"address": address} if address else None
