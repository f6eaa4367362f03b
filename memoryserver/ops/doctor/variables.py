"""Checks of the names of the environment's variables: one that is misspelt is read by nothing, and sets nothing."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator

from memoryserver.common.text import shorten
from memoryserver.ops.doctor import Finding

_PREFIX = "MEMORYSERVER_"
_NAMES = """
    ALERT_EMAIL ALERT_WEBHOOK ALLOWED_HOSTS ASK_LEARNINGS BACKUP_DIR BACKUP_KEEP CAPTURE_ROOTS CAPTURE_USER
    CHECK_IN_CALLS CONTEXT_CHARS DATA DEBUG DIRECT_DATABASE_URL DOMAIN EMBEDDING_API_KEY EMBEDDING_MODEL
    EMBEDDING_PRECISION EMBEDDING_QUEUE EMBEDDING_SERVICE EMBEDDING_SOCKET EMBEDDING_URL EXCLUDE HOME HOST IMAGE_TAG
    JOB_LEASE_SECONDS JOB_WORKERS JOURNAL_DIR LLM_CALLS_PER_DAY LLM_CANDIDATES_PER_DAY LLM_KEY LLM_MODEL LLM_URL
    LOG_LEVEL LOG_RETENTION_MONTHS MAIL_FROM MAX_REQUEST_BYTES METRICS_TOKEN NOTIFY OIDC_CLIENT_ID OIDC_DOMAINS
    OIDC_ISSUER OIDC_NAME OIDC_SECRET OIDC_SIGN_UP OUTBOX_MB PGBOUNCER PORT POSTGRES_BIN PROJECT PUBLIC_URL
    REDIS_URL REPLICA_URL REQUESTS_PER_MINUTE RERANK_API_KEY RERANK_MODEL RERANK_URL SECRET_KEY
    SECRET_KEY_FALLBACKS SESSION_TITLES SMTP_URL TLS TOKEN TRAJECTORY_DIR TRAJECTORY_OBSERVERS
    TRAJECTORY_RETENTION_DAYS TRANSCRIPT_ROOTS TRUSTED_ORIGINS TRUSTED_PROXIES UPSTREAM URL WATCHDOG_PIPE
    WEBHOOK_HOSTS WEB_THREADS WEB_WORKERS
"""
KNOWN = frozenset(_PREFIX + name for name in _NAMES.split())
"""The variables that the server, the client and the files of `deploy/` read; a test compares them."""


def names() -> Iterator[Finding]:
    """Check that each variable of memoryserver's is a setting."""
    for sentence in unknown():
        yield Finding(sentence, "rename it, or remove it; docs/settings.md has all settings")


def unknown() -> Iterator[str]:
    """Yield a sentence for each variable of memoryserver's that is none of its settings, without its value."""
    for name in sorted(os.environ):
        if not name.startswith(_PREFIX) or name in KNOWN or name.removesuffix("_FILE") in KNOWN:
            continue
        near = difflib.get_close_matches(name.removeprefix(_PREFIX), _NAMES.split(), n=1)
        hint = f"; did you mean {_PREFIX}{near[0]}?" if near else ""
        yield f"{shorten(name, 80)} is not a setting{hint}"
